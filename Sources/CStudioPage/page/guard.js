// SPDX-License-Identifier: Apache-2.0

// Before all else: says why the page cannot start, whatever the reason is. Nothing is imported here, since that could fail, too.

/** What the page needs, and whether the browser has it. */
const needs = {
  Worker: () => typeof Worker === 'function',
  WebSocket: () => typeof WebSocket === 'function',
  'Intl.Segmenter': () => typeof Intl.Segmenter === 'function',
  'crypto.subtle': () => Boolean(globalThis.crypto?.subtle),
};

/** The words of this module in English; words.js has them, too. */
export const texts = {
  missing: (/** @type {string} */ names) => `This browser lacks what the studio needs: ${names}. Open the link in a current Firefox or Chromium`,
  failed: (/** @type {string} */ why) => `The page cannot start: ${why}. Load it again. If that does not help, run emojiart serve --link, and open what it prints`,
  noModule: 'a part of it did not arrive',
  taken: 'Another program has left a script at this address, which could change what this page does. Nothing was sent. Stop emojiart serve, start it again, and open its link: it has another address then',
};

/** Whether a service worker stands between this page and its server. The studio has none, so another program had this address, and left it. */
export const isTaken = () => Boolean(globalThis.navigator?.serviceWorker?.controller);

let isShown = false;

/**
 * Shows one sentence in place of waiting: the first one, which is the cause of the others.
 * @param {(words: { start: typeof texts }) => string} sentence
 */
function show(sentence) {
  if (isShown) return;
  isShown = true;
  const trouble = document.getElementById('trouble');
  const status = document.getElementById('status');
  if (!trouble) return;
  trouble.textContent = sentence({ start: texts });
  trouble.hidden = false;
  if (status) {
    status.textContent = '';
    status.dataset.state = 'refused';
  }
  import('./words.js').then(({ words }) => { trouble.textContent = sentence(words); }, () => {});
}

/** @param {ErrorEvent | PromiseRejectionEvent | Event} event */
function fail(event) {
  const { error, message, reason } = /** @type {any} */ (event);
  const why = reason?.message ?? error?.message ?? message ?? '';
  const isScript = event.target instanceof HTMLScriptElement;
  // That a layout takes another round is reported as an error, and is none.
  if (/^ResizeObserver loop/.test(why)) return;
  if (why || isScript) show((words) => words.start.failed(why || words.start.noModule));
}

const events = ['error', 'unhandledrejection'];

/** Whether the page may start. If not, its link is not used up: it may be opened in another browser. */
export const canStart = typeof document === 'undefined' || watch();

function watch() {
  // Scripts that do not arrive tell it only on their way down.
  for (const name of events) addEventListener(name, /** @type {EventListener} */ (fail), true);
  const missing = Object.entries(needs).flatMap(([name, isThere]) => (isThere() ? [] : [name]));
  if (missing.length) show((words) => words.start.missing(missing.join(', ')));
  else if (isTaken()) show((words) => words.start.taken);
  return missing.length === 0 && !isTaken();
}

/** The page has started: later errors are those of what a user does. */
export function started() {
  for (const name of events) removeEventListener(name, /** @type {EventListener} */ (fail), true);
  const trouble = document.getElementById('trouble');
  if (trouble) trouble.hidden = true;
}
