// SPDX-License-Identifier: Apache-2.0

// The panel of edits: who did what, and when; any of them can be taken back.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {{ by: string, id: string, isMine: boolean, isStep?: boolean, isUndone: boolean, time: number, what: string }} Entry */

import { ago, date, dateTime } from './language.js';
import { build, icon, whoIs } from './panels.js';
import { editText, words } from './words.js';

/** How many edits are asked for at a time. */
const portion = 100;
/** Milliseconds that gather several changes. */
const gathering = 250;

/** @type {{ panel: HTMLElement, load: () => void } | null} */
let shown = null;

/**
 * Shows the panel or hides it.
 * @param {Studio} studio
 */
export function toggle(studio) {
  const panel = /** @type {HTMLElement} */ (document.getElementById('history'));
  shown ??= attach(studio, panel);
  panel.hidden = !panel.hidden;
  document.body.classList.toggle('withHistory', !panel.hidden);
  document.querySelector('button[data-action="history"]')?.setAttribute('aria-pressed', String(!panel.hidden));
  if (!panel.hidden) shown.load();
}

/**
 * @param {Studio} studio
 * @param {HTMLElement} panel
 */
function attach(studio, panel) {
  let count = portion;
  let timer = 0;
  const list = build('ol', { class: 'edits' });
  const close = build('button', { type: 'button', class: 'icon', 'aria-label': words.close }, icon('close'));
  close.addEventListener('click', () => toggle(studio));
  panel.append(build('div', { class: 'head' }, build('h2', {}, words.history.title), close), list);

  const load = async () => {
    if (panel.hidden) return;
    try {
      const { history } = await studio.net.request({ history: count });
      show(history);
    } catch {
      // It is loaded again when the document is open again.
    }
  };
  const show = (/** @type {Entry[]} */ entries) => {
    const { scrollTop } = list;
    list.replaceChildren(...entries.map(row));
    if (!entries.length) list.append(build('li', { class: 'empty' }, words.history.none));
    if (entries.length >= count && count < 1000) {
      list.append(build('li', {}, build('button', { type: 'button', onclick: () => { count = Math.min(1000, count * 3); load(); } }, words.history.more)));
    }
    list.scrollTop = scrollTop;
  };
  const row = (/** @type {Entry} */ entry) => {
    const who = entry.isMine ? words.history.me : whoIs(entry.by);
    const time = build('time', { title: dateTime(entry.time), dateTime: new Date(entry.time).toISOString() }, when(entry.time));
    const what = editText(entry.what);
    const item = build('li', { class: entry.isUndone ? 'undone' : '' },
      build('span', { class: 'what', title: what }, what), build('small', {}, `${who} · `, time));
    if (!entry.isUndone) {
      const back = build('button', { type: 'button', 'aria-label': words.takeBack(what) }, words.history.back);
      back.addEventListener('click', () => { studio.ask({ takeBack: entry.id }, `Take back ${entry.what}`); });
      item.append(back);
    }
    return item;
  };

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(load, gathering);
  };
  studio.on('changed', later);
  studio.on('opened', later);
  studio.on('can', later);
  return { panel, load };
}

/**
 * How long ago something was.
 * @param {number} time
 */
function when(time) {
  const minutes = Math.floor((Date.now() - time) / 60_000);
  if (minutes < 1) return words.history.now;
  if (minutes < 60) return ago(minutes, 'minute');
  if (minutes < 24 * 60) return ago(Math.floor(minutes / 60), 'hour');
  return date(time);
}
