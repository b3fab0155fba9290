// SPDX-License-Identifier: Apache-2.0

// The start of the page. What is not needed for the first picture is imported after it.

import { canStart, started as hasStarted } from './guard.js';
import { Picture } from './canvas.js';
import { Net } from './net.js';
import { settings } from './storage.js';
import { Store } from './store.js';
import { Studio } from './studio.js';

const started = performance.now();

/** A worker's address must be admitted by the one policy of this page. */
function painterURL() {
  const { trustedTypes } = /** @type {any} */ (window);
  if (!trustedTypes) return '/painter.js';
  const only = (/** @type {string} */ url) => {
    if (url !== '/painter.js') throw new TypeError('not a script of this page');
    return url;
  };
  return trustedTypes.createPolicy('studio', { createScriptURL: only }).createScriptURL('/painter.js');
}

/** The colours around the canvas, which the worker paints. */
function colors() {
  const style = getComputedStyle(document.documentElement);
  const [desk, edge, shadow] = ['--desk', '--edge', '--shadow'].map((name) => style.getPropertyValue(name).trim());
  return { desk, edge, shadow };
}

async function start() {
  const stage = /** @type {HTMLElement} */ (document.getElementById('stage'));
  const url = painterURL();
  const picture = new Picture(stage, () => new Worker(url, { type: 'module' }));
  const net = await Net.start();
  // Words in another language than that of index.html are shown as soon as they are here. The server may have said which one. No picture waits for them.
  if (!/^en\b/i.test(settings.get('language') ?? navigator.language)) import('./words.js').then(({ showWords }) => showWords(), () => {});
  const studio = new Studio(stage, net, new Store(net.client), picture);
  current = studio;
  picture.setColors(colors());
  studio.resize();
  new ResizeObserver(() => studio.resize()).observe(stage);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => picture.setColors(colors()));

  const output = /** @type {HTMLElement} */ (document.getElementById('status'));
  studio.on('status', ({ state }) => { output.dataset.state = state; });
  studio.on('opened', () => {
    const name = /** @type {HTMLElement} */ (document.getElementById('name'));
    // A long one is cut.
    name.textContent = name.title = studio.title;
  });
  studio.on('closed', () => {
    const name = /** @type {HTMLElement} */ (document.getElementById('name'));
    name.textContent = name.title = document.title = 'emojiart';
  });
  const opened = new Promise((resolve) => {
    studio.on('opened', () => resolve(undefined));
    studio.on('message', (message) => { if (message.noDocument || message.openFailed) resolve(undefined); });
    studio.on('status', ({ state }) => { if (state === 'refused') resolve(undefined); });
  });
  const stop = studio.on('message', (message) => {
    if (message.noDocument === undefined) return;
    // The folder comes while the other parts of the page do.
    import('./folder.js').then(({ followedFolder }) => followedFolder(studio).browseFirst()).catch(() => {});
    import('./library.js').catch(() => {});
  });
  studio.connect();
  await opened;
  // A document that is closed later leads to the folder that the document browser shows.
  stop();
  const painted = picture.whenPainted();
  await Promise.race([painted, new Promise((resolve) => setTimeout(resolve, 1500))]);
  const firstPicture = performance.now() - started;
  const { attach } = await import('./panels.js');
  await attach(studio);
  return { firstPicture };
}

/** @type {Studio | null} */
let current = null;
const ready = canStart ? start() : new Promise(() => {});
ready.then(hasStarted);

// For tests and measurements: what is shown, and when. It changes nothing.
Object.defineProperty(window, 'studio', {
  value: Object.freeze({
    ready,
    shown: () => current?.store.count ?? 0,
    get status() { return { net: current?.net.state, pending: current?.store.pending.length, reason: current?.net.reason, saved: current?.store.status }; },
    get camera() { return current && { ...current.camera, left: current.stageRect.left, top: current.stageRect.top }; },
    get selected() { return [...(current?.selected ?? [])]; },
    get painting() { return current?.picture.lastMilliseconds; },
    get held() { return current?.picture.held; },
    whenPainted: async (sharp = true) => current?.picture.whenPainted(sharp),
  }),
});
