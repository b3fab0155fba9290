// SPDX-License-Identifier: Apache-2.0

// The panel of edits: who did what, and when; any of them can be taken back.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {{ by: string, id: string, isMine: boolean, isStep?: boolean, isUndone: boolean, revision: number, time: number, what: string }} Entry */

import { ago, date, dateTime } from './language.js';
import { build, icon, putInto, whoIs } from './panels.js';
import { Past } from './past.js';
import { editText, words } from './words.js';

/** How many edits are shown at first, and how many the log has at most. */
const [portion, most] = [100, 1000];
/** Milliseconds that gather several changes. */
const gathering = 250;

/** @type {{ panel: HTMLElement, load: () => void, end: () => void } | null} */
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
  if (panel.hidden) shown.end();
  else shown.load();
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
  const past = new Past(studio);
  const slider = build('input', { type: 'range', min: '0', max: '0', step: '1', 'aria-label': words.past.slider });
  const backHere = build('button', { type: 'button', class: 'main' }, words.past.backHere);
  const present = build('button', { type: 'button', class: 'quiet' }, words.past.present);
  const time = build('div', { class: 'time' }, slider, build('div', { class: 'buttons' }, present, backHere));
  panel.append(build('div', { class: 'head' }, build('h2', {}, words.history.title), close), time, list);
  /** @type {Entry[]} */
  let all = [];

  /** The edit of a revision; none of the state before the first one that is known. */
  const entryAt = (/** @type {number} */ revision) => all.find((entry) => entry.revision === revision);
  /** What a revision is, in words. */
  const wordsOf = (/** @type {number} */ revision) => {
    const entry = entryAt(revision);
    return entry ? `${editText(entry.what)}, ${entry.isMine ? words.history.me : whoIs(entry.by)}, ${when(entry.time)}` : words.past.before;
  };
  const look = (/** @type {number} */ revision) => {
    const isPresent = revision >= Number(slider.max);
    if (isPresent) past.end();
    else past.show(revision, wordsOf(revision));
    showTime();
  };
  const showTime = () => {
    const revision = past.revision ?? Number(slider.max);
    slider.value = String(revision);
    slider.setAttribute('aria-valuetext', past.revision === null ? words.past.now : wordsOf(revision));
    backHere.disabled = present.disabled = past.revision === null;
    for (const row of list.querySelectorAll('li[data-revision]')) row.toggleAttribute('data-shown', Number(/** @type {HTMLElement} */ (row).dataset.revision) === past.revision);
  };
  slider.addEventListener('input', () => look(slider.valueAsNumber));
  present.addEventListener('click', () => past.end());
  backHere.addEventListener('click', () => {
    const { revision } = past;
    if (revision === null) return;
    const head = entryAt(revision)?.id;
    past.end();
    studio.ask({ backTo: { revision, ...(head ? { head } : {}) } }, words.past.backHere).catch(() => {});
  });
  studio.on('past', showTime);

  const load = async () => {
    if (panel.hidden) return;
    try {
      const { history } = await studio.net.request({ history: most });
      all = history;
      const newest = all[0]?.revision ?? 0;
      slider.max = String(newest);
      slider.min = String(all.length ? Math.max(0, all[all.length - 1].revision - 1) : 0);
      time.hidden = !all.length;
      show(all.slice(0, count));
      showTime();
    } catch {
      // It is loaded again when the document is open again.
    }
  };
  /**
   * The rows by what they show. A row that is made anew would lose the focus.
   * @type {Map<string, HTMLElement>}
   */
  let rows = new Map();
  const older = build('li', {}, build('button', { type: 'button', onclick: () => { count = Math.min(most, count * 3); show(all.slice(0, count)); showTime(); } }, words.history.more));
  const show = (/** @type {Entry[]} */ entries) => {
    const { scrollTop } = list;
    const focused = /** @type {HTMLElement | null} */ (list.contains(document.activeElement) ? document.activeElement : null);
    const [id, isBack] = [focused?.closest('li')?.dataset.id, focused?.className === 'back'];
    const before = rows;
    rows = new Map(entries.map((entry) => {
      const key = JSON.stringify([entry.id, entry.revision, entry.what, entry.by, entry.isMine, entry.isUndone]);
      const item = before.get(key) ?? row(entry);
      const at = item.querySelector('time');
      if (at) at.textContent = when(entry.time);
      return [key, item];
    }));
    const items = [...rows.values()];
    if (!entries.length) items.push(build('li', { class: 'empty' }, words.history.none));
    if (entries.length >= count && count < all.length) items.push(older);
    putInto(list, items);
    list.scrollTop = scrollTop;
    if (!focused || list.contains(document.activeElement)) return;
    // What was taken back has no button for that any more; what is too old has no row.
    const same = items.find((item) => item.dataset.id === id) ?? items[items.length - 1];
    const buttons = [isBack ? same.querySelector('.back') : null, same.querySelector('button'), close];
    /** @type {HTMLElement | null | undefined} */ (buttons.find(Boolean))?.focus({ preventScroll: true });
  };
  const row = (/** @type {Entry} */ entry) => {
    const who = entry.isMine ? words.history.me : whoIs(entry.by);
    const at = build('time', { title: dateTime(entry.time), dateTime: new Date(entry.time).toISOString() }, when(entry.time));
    const what = editText(entry.what);
    const item = build('li', { class: entry.isUndone ? 'undone' : '', 'data-id': entry.id, 'data-revision': entry.revision },
      build('button', { type: 'button', class: 'what', title: what, onclick: () => look(entry.revision) }, what), build('small', {}, `${who} · `, at));
    if (!entry.isUndone) {
      const back = build('button', { type: 'button', class: 'back', 'aria-label': words.takeBack(what) }, words.history.back);
      back.addEventListener('click', () => { studio.ask({ takeBack: entry.id }, `Take back ${entry.what}`).catch(() => {}); });
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
  return { panel, load, end: () => past.end() };
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
