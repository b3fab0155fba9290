// SPDX-License-Identifier: Apache-2.0

// What is around the canvas: the bar, the menu, the notes, the selection's bar. The second part of the start: it brings the rest of the page.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./types').Events} Events */

import { actionOf, actions, edit, isEnabled, keyText, library, loadParts, run, transfer } from './actions.js';
import { bounded } from './arrange.js';
import { addition, shortText } from './changes.js';
import { nameOf, title } from './documents.js';
import { numberField } from './fields.js';
import { attachHits } from './hit.js';
import { percent } from './language.js';
import { limits, rotation } from './rules.js';
import { actionName, editText, errorText, isMac, quotesText, showWords, words } from './words.js';
import { attachKeys } from './keys.js';
import { attachPointer } from './pointer.js';
import { attachReading } from './reading.js';
import { middleOf } from './selection.js';
import { attachSpeech } from './speech.js';
import { settings } from './storage.js';

/** Milliseconds after which the modules that are not wanted yet are loaded. */
const laterDelay = 2000;
/** Milliseconds without the server after which the page tells what can be done. */
const awayTime = 10_000;

// MARK: Building

/**
 * An element with properties, and children that are elements or texts.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties] `data-…`, `aria-…` and `role` become attributes
 * @param {(Node | string | null | undefined)[]} children
 */
export function build(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(data|aria)-|^(role|for|list)$/.test(name)) element.setAttribute(name, String(value));
    else if (name === 'class') element.className = String(value);
    else Object.assign(element, { [name]: value });
  }
  element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => /** @type {Node | string} */ (child)));
  return element;
}

/**
 * Gives an element these children in this order. Those that keep their order are not touched: one that is moved loses the focus, and a press on it is no click.
 * @param {HTMLElement} host
 * @param {readonly HTMLElement[]} children
 */
export function putInto(host, children) {
  const wanted = new Set(children);
  for (const child of [...host.children]) if (!wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
  let next = host.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else host.insertBefore(child, next);
  }
}

/**
 * An icon of index.html.
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  svg.append(use);
  return svg;
}

/**
 * A button with an icon that does an action.
 * @param {Studio} studio
 * @param {string} id
 * @param {string} picture
 */
function actionButton(studio, id, picture) {
  const button = build('button', { type: 'button', class: 'icon', 'data-action': id }, icon(picture));
  label(button, id);
  button.addEventListener('click', () => run(studio, id));
  return button;
}

/**
 * @param {HTMLElement} button
 * @param {string} id
 */
function label(button, id) {
  const key = actionOf(id)?.keys[0];
  button.setAttribute('aria-label', actionName(id));
  button.title = key ? `${actionName(id)}  ${keyText(key)}` : actionName(id);
  if (key) button.setAttribute('aria-keyshortcuts', key.replace('Mod', isMac ? 'Meta' : 'Control'));
}

/** @param {string} id */
const byID = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

// MARK: Start

/** @param {Studio} studio */
export async function attach(studio) {
  attachHits(studio);
  attachReading(studio);
  attachSpeech(studio);
  showWords();
  attachButtons(studio);
  attachStatus(studio);
  attachNotes(studio);
  attachSelectionBar(studio);
  attachPeers(studio);
  attachHint(studio);
  attachKeys(studio);
  attachPointer(studio);
  attachLater(studio);
  const { attachEmoji } = await import('./emoji.js');
  attachEmoji(studio);
}

/**
 * Brings the dialogs with the first message for them, and the clipboard at once.
 * @param {Studio} studio
 */
function attachLater(studio) {
  /** @type {Promise<(message: import('./net').Message) => void> | null} */
  let dialogs = null;
  const receive = (/** @type {import('./net').Message} */ message) => {
    const isForDialogs = message.warning || message.fetching || message.fetched;
    if (isForDialogs) dialogs ??= import('./dialogs.js').then(({ attachDialogs }) => attachDialogs(studio));
    dialogs?.then((take) => take(message));
  };
  studio.on('message', receive);
  // Without a document the page shows those that there are; and beside one, if they were there the last time.
  let hasBrowser = false;
  const bringBrowser = () => {
    if (hasBrowser || (studio.isOpen && settings.get('documents') !== 'beside') || studio.net.state !== 'open') return;
    hasBrowser = true;
    library(studio).then(({ documentBrowser }) => documentBrowser(studio), () => { hasBrowser = false; });
  };
  studio.on('message', (message) => { if (message.noDocument !== undefined || message.openFailed) bringBrowser(); });
  studio.on('closed', bringBrowser);
  bringBrowser();
  // The clipboard must be there before the first key. Without the server it is tried again.
  const bringTransfer = () => {
    transfer(studio).then(({ attachTransfer }) => attachTransfer(studio), () => { setTimeout(bringTransfer, laterDelay); });
  };
  bringTransfer();
  // What is wanted later may be wanted while the server is away.
  const bringParts = () => { setTimeout(() => requestIdleCallback(() => { loadParts(studio); }), laterDelay); };
  studio.on('connected', bringParts);
  bringParts();
}

/** @param {Studio} studio */
function attachButtons(studio) {
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button[data-action]'));
  for (const button of buttons) {
    const id = button.dataset.action ?? '';
    if (id !== 'zoom.full' && !button.querySelector('span')) label(button, id);
    else button.title = actionName(id);
    button.addEventListener('click', () => (id === 'menu' ? showMenu(studio, button) : run(studio, id)));
  }
  const update = () => {
    for (const button of buttons) {
      const action = actionOf(button.dataset.action ?? '');
      if (!action) continue;
      button.disabled = !isEnabled(studio, action);
      if (action.isOn) button.setAttribute('aria-pressed', String(action.isOn(studio)));
      if (action.id === 'undo' || action.id === 'redo') {
        const name = studio.can[action.id];
        button.title = `${name === null ? actionName(action.id) : words[action.id](editText(name))}  ${keyText(action.keys[0])}`;
      }
    }
  };
  for (const event of /** @type {const} */ (['can', 'tool', 'opened', 'closed', 'selected'])) studio.on(event, update);
  update();
  const zoom = byID('percent');
  const showZoom = () => { zoom.textContent = studio.isOpen ? percent(studio.viewport.zoom) : '–'; };
  let timer = 0;
  studio.on('opened', showZoom);
  studio.on('camera', () => {
    // Text that changes in each frame would cost more than the picture.
    if (!timer) timer = setTimeout(() => { timer = 0; showZoom(); }, 100);
  });
  showZoom();
}

/** @param {Studio} studio */
function attachStatus(studio) {
  const output = byID('status');
  let away = 0;
  // What the status says stays as long as it does.
  let said = '';
  const action = { name: words.newLink.title, run: () => { run(studio, 'connect'); } };
  // Another link is for a page without a connection.
  const tell = () => studio.emit('note', { text: words.away, stays: true, ...(studio.net.state === 'open' ? {} : { action }) });
  // A server that was stopped keeps its connections, and says nothing.
  const listen = () => {
    const { pending } = studio.store;
    const left = pending.length ? awayTime - studio.net.silence : awayTime;
    if (left > 0) away = setTimeout(listen, left);
    else tell();
  };
  const show = (/** @type {import('./types').Status} */ status) => {
    const text = /** @type {Record<string, string>} */ (words.status)[status.state];
    const why = status.reason && errorText({ code: status.code, message: status.reason });
    output.textContent = status.state === 'notSaved' && why ? `${text}: ${why}` : text;
    output.title = why;
    const refused = /** @type {Record<string, string>} */ (words.refused)[status.reason] ?? status.reason;
    const sentence = status.state === 'refused' ? refused : status.state === 'notKept' ? words.notKept : '';
    if (sentence !== said) endNote(said);
    if (sentence) studio.emit('note', { text: sentence, kind: 'bad', action, stays: true });
    said = sentence;
    tellClosed(studio);
    clearTimeout(away);
    if (status.state === 'reconnecting') away = setTimeout(tell, awayTime);
    else {
      endNote(words.away);
      if (status.state === 'saving') away = setTimeout(listen, awayTime);
    }
  };
  studio.on('status', show);
  // Its note needs the panel of notes.
  queueMicrotask(() => show(studio.status));
  addEventListener('beforeunload', (event) => {
    studio.endInput();
    if (studio.hasUnsent) event.preventDefault();
  });
  // A hidden page may be ended without a word.
  document.addEventListener('visibilitychange', () => document.hidden && studio.endInput());
  addEventListener('pageshow', () => { studio.isGoing = false; });
}

// MARK: Notes

/**
 * Removes the note with that text.
 * @param {string} text
 */
function endNote(text) {
  for (const note of byID('notes').children) if (note.querySelector('p')?.textContent === text) note.dispatchEvent(new Event('close'));
}

/** @param {Studio} studio */
function attachNotes(studio) {
  const host = byID('notes');
  studio.on('note', ({ text, kind, action, stays }) => {
    endNote(text);
    const note = build('div', { class: 'note', 'data-kind': kind ?? '', ...(stays ? { 'data-stays': '' } : {}) }, build('p', {}, text));
    /** @type {EventTarget | null} */
    let before = null;
    const hasFocus = () => note.contains(document.activeElement);
    const close = () => {
      const hadFocus = hasFocus();
      clearTimeout(timer);
      note.remove();
      // To where it came from.
      if (!hadFocus) return;
      if (before instanceof HTMLElement && before.isConnected && !before.closest('[inert], [hidden]')) before.focus({ preventScroll: true });
      else studio.focusCanvas();
    };
    if (action) {
      note.append(build('button', { type: 'button', onclick: () => { close(); action.run(); } }, action.name));
    }
    note.append(build('button', { type: 'button', class: 'icon', 'aria-label': words.close, onclick: close }, icon('close')));
    host.append(note);
    // What is under way stays, and what somebody is about to answer.
    const others = [...host.children].filter((each) => !each.matches('[data-stays]') && !each.querySelector('progress, .spinner') && !each.contains(document.activeElement));
    for (const old of others.slice(0, Math.max(0, others.length - 4))) old.remove();
    // What asks for something stays longer.
    let timer = stays ? 0 : setTimeout(close, action || kind ? 12000 : 2500);
    let isUnderPointer = false;
    const stay = () => clearTimeout(timer);
    const go = () => {
      stay();
      if (!stays && !isUnderPointer && !hasFocus()) timer = setTimeout(close, 3000);
    };
    note.addEventListener('close', close);
    note.addEventListener('pointerenter', () => { isUnderPointer = true; stay(); });
    note.addEventListener('pointerleave', () => { isUnderPointer = false; go(); });
    note.addEventListener('focusin', (event) => {
      if (!note.contains(/** @type {Node | null} */ (event.relatedTarget))) before = event.relatedTarget;
      stay();
    });
    note.addEventListener('focusout', (event) => { if (!note.contains(/** @type {Node | null} */ (event.relatedTarget))) queueMicrotask(go); });
  });
  studio.on('news', (news) => {
    if (news.kind === 'removedUnderGesture') {
      const who = whoIs(news.by);
      studio.emit('note', { text: words.news.removed(words.selected(news.ids.length), who), action: { name: words.news.bringBack, run: () => bringBack(studio, news.ids) } });
    } else if (news.kind === 'betweenDocuments') {
      studio.emit('note', { text: words.news.between(editText(news.name)), kind: 'bad' });
    } else if (news.kind === 'dropped') {
      studio.emit('note', { text: words.news.dropped, kind: 'bad' });
    } else if (news.kind === 'refused' && news.error.code !== 'nothingToUndo') {
      studio.emit('note', { text: words.news.refused(editText(news.name), errorText(news.error)), kind: 'bad' });
    }
  });
  studio.on('message', (message) => {
    if (typeof message.moved === 'string') studio.emit('note', { text: words.news.movedDocument(message.moved) });
    for (const each of message.restored ?? []) tellRestored(studio, each);
    if (message.merged) studio.emit('note', { text: words.news.merged(message.merged.edits, message.merged.conflicts), kind: 'good' });
    if (message.copies) studio.emit('note', { text: words.news.copies(message.copies.length), kind: 'bad', action: { name: words.documents.merge, run: () => mergeCopies(studio, message.copies) } });
    if (message.setAside) studio.emit('note', { text: words.news.setAside(message.setAside.edits, message.setAside.files[0]), kind: 'bad' });
    if (message.removed === true) studio.emit('note', { text: words.news.removedDocument, kind: 'bad' });
    if (message.degraded) studio.emit('note', { text: words.news.degraded });
    if (message.error && !message.openFailed) studio.emit('note', { text: errorText(message.error), kind: 'bad' });
    if (message.openFailed) studio.emit('note', { text: words.news.cannotOpen(message.openFailed, errorText(message.error)), kind: 'bad' });
  });
  // What has happened before.
  for (const each of studio.restored) tellRestored(studio, each);
  if (studio.fault) studio.emit('note', { text: words.news.cannotOpen(studio.fault.name, errorText(studio.fault.error)), kind: 'bad' });
  const tellLeft = () => { for (const each of studio.left) tellLeftOf(studio, each); };
  studio.on('left', tellLeft);
  tellLeft();
  studio.refresh();
}

/**
 * Merges conflict copies into their document.
 * @param {Studio} studio
 * @param {string[]} paths
 */
export async function mergeCopies(studio, paths) {
  for (const path of paths) {
    try {
      await studio.net.request({ documents: { merge: path } });
      studio.emit('note', { text: words.documents.mergedCopy(title(nameOf(path))), kind: 'good' });
    } catch (error) {
      studio.emit('note', { text: errorText(error), kind: 'bad' });
    }
  }
}

/** What was told to wait; each connection finds it again. */
const toldLeft = new Set();

/**
 * Tells that edits wait for their document, and how they get there.
 * @param {Studio} studio
 * @param {import('./types').Left} left
 */
function tellLeftOf(studio, { folder, document, count }) {
  const key = `${folder} ${document} ${count}`;
  if (toldLeft.has(key)) return;
  toldLeft.add(key);
  if (folder !== null) return studio.emit('note', { text: words.news.leftElsewhere(document, folder, count), kind: 'bad', stays: true });
  const open = () => { studio.goTo(document).catch((error) => studio.emit('note', { text: errorText(error), kind: 'bad' })); };
  return studio.emit('note', { text: words.news.left(document, count), kind: 'bad', action: { name: words.documents.open, run: open }, stays: true });
}

/**
 * Tells that edits are kept which cannot be read: without a connection, or because somebody else has put them there or into a link.
 * @param {Studio} studio
 */
function tellClosed(studio) {
  const { net: { outbox, state } } = studio;
  const brought = `brought ${outbox.strangeCount}`;
  if (outbox.strangeCount && !toldLeft.has(brought)) studio.emit('note', { text: words.news.strange(outbox.strangeCount), kind: 'bad', stays: true });
  toldLeft.add(brought);
  const count = state === 'open' ? outbox.unreadableCount : state === 'refused' ? outbox.closedCount : 0;
  const key = `${state} ${count}`;
  if (!count || toldLeft.has(key)) return;
  toldLeft.add(key);
  const action = { name: actionName('delete'), run: () => { outbox.forgetClosed(); } };
  if (state === 'open') studio.emit('note', { text: words.news.unreadable(count), kind: 'bad', action, stays: true });
  else studio.emit('note', { text: words.news.closed(count), kind: 'bad', stays: true });
}

/** The restored edits that were told; each connection hears of them. */
const toldRestored = new Set();

/**
 * Tells that edits of a killed program are back, or that they cannot be.
 * @param {Studio} studio
 * @param {{ edits?: number, modified?: number, kept?: string }} restored
 */
function tellRestored(studio, { edits = 0, modified = 0, kept }) {
  const key = kept ?? `${studio.name} ${modified}`;
  if (toldRestored.has(key) || (!kept && !edits)) return;
  toldRestored.add(key);
  studio.emit('note', kept ? { text: kept, kind: 'bad' } : { text: words.documents.restored(studio.title, edits), kind: 'good' });
}

/**
 * Takes back the newest edit that removed labels; adds them again if that edit is not known.
 * @param {Studio} studio
 * @param {readonly string[]} ids
 */
function bringBack(studio, ids) {
  const removals = studio.removals.filter((each) => ids.some((id) => each.ids.has(id)));
  for (const { id } of removals) studio.ask({ takeBack: id }, 'bring back');
  const isTakenBack = (/** @type {string} */ id) => removals.some((each) => each.ids.has(id));
  const labels = studio.lost.filter(({ id }) => ids.includes(id) && !isTakenBack(id) && !studio.store.shown(id));
  studio.perform(labels.map(addition), 'bring back');
}

// MARK: Menu

/**
 * Shows the actions below a button.
 * @param {Studio} studio
 * @param {HTMLElement} anchor
 * @param {readonly string[]} [ids] all actions but those of tools and moves if left out
 */
function showMenu(studio, anchor, ids) {
  const chosen = ids ? ids.map((id) => actionOf(id)) : actions.filter((action) => menuOrder.includes(action.group) && (isEnabled(studio, action) || action.group === 'view'));
  if (!ids) chosen.sort((a, b) => menuOrder.indexOf(a?.group ?? '') - menuOrder.indexOf(b?.group ?? ''));
  popMenu(anchor, chosen.flatMap((action, index) => {
    if (!action) return [];
    const item = {
      name: actionName(action.id), key: action.keys.length ? keyText(action.keys[0]) : undefined, isOn: action.isOn?.(studio),
      isEnabled: isEnabled(studio, action), run: () => { run(studio, action.id); },
    };
    return !ids && index > 0 && chosen[index - 1]?.group !== action.group ? [null, item] : [item];
  }));
}

/** @typedef {{ name: string, run: () => unknown, key?: string, isOn?: boolean, isEnabled?: boolean }} MenuItem */

/**
 * Shows a menu at a button; null is a line between items.
 * @param {HTMLElement} anchor
 * @param {readonly (MenuItem | null)[]} entries
 */
export function popMenu(anchor, entries) {
  document.querySelector('.menu')?.remove();
  const menu = build('div', { class: 'menu', role: 'menu', popover: 'auto' });
  for (const entry of entries) {
    if (!entry) {
      menu.append(build('hr'));
      continue;
    }
    const item = build('button', { type: 'button', role: entry.isOn === undefined ? 'menuitem' : 'menuitemcheckbox', disabled: entry.isEnabled === false },
      build('span', {}, entry.name), entry.isOn ? '✓' : null, entry.key ? build('kbd', {}, entry.key) : null);
    if (entry.isOn !== undefined) item.setAttribute('aria-checked', String(entry.isOn));
    item.addEventListener('click', () => {
      menu.hidePopover();
      entry.run();
    });
    menu.append(item);
  }
  // In a landmark, as everything is.
  (document.querySelector('.bars') ?? document.body).append(menu);
  const items = () => /** @type {HTMLElement[]} */ ([...menu.querySelectorAll('button:not(:disabled)')]);
  menu.addEventListener('keydown', (event) => {
    const all = items();
    const index = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const target = menuTarget(event, all.map((item) => item.firstChild?.textContent ?? ''), index);
    if (target === null) return;
    event.preventDefault();
    if (target < 0) menu.hidePopover();
    else all[target]?.focus();
  });
  menu.addEventListener('toggle', (event) => {
    const isOpen = /** @type {any} */ (event).newState === 'open';
    anchor.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) return;
    const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
    menu.remove();
    // A choice may have put it elsewhere.
    if (hadFocus && anchor.isConnected) anchor.focus();
  });
  menu.showPopover();
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + 6 + height < innerHeight || top < innerHeight / 2;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8, getComputedStyle(anchor).direction === 'rtl' ? right - width : Infinity))}px`;
  if (isBelow) menu.style.top = `${bottom + 6}px`;
  else menu.style.bottom = `${innerHeight - top + 6}px`;
  items()[0]?.focus();
}

/**
 * The item that a key leads to; -1 to leave the menu, null for keys that are not the menu's.
 * @param {KeyboardEvent} event
 * @param {readonly string[]} names
 * @param {number} index of the item with the focus
 */
function menuTarget({ key, ctrlKey, altKey, metaKey }, names, index) {
  const count = names.length;
  switch (key) {
    case 'ArrowDown': return (index + 1) % count;
    case 'ArrowUp': return index <= 0 ? count - 1 : index - 1;
    case 'Home': return 0;
    case 'End': return count - 1;
    case 'Tab': return -1;
  }
  if ([...key].length !== 1 || key === ' ' || ctrlKey || altKey || metaKey) return null;
  // The next one that begins with the letter.
  const order = names.map((_, step) => (index + 1 + step) % count);
  return order.find((each) => names[each].toLowerCase().startsWith(key.toLowerCase())) ?? null;
}

const menuOrder = ['document', 'edit', 'select', 'view', 'help'];

// MARK: The selection's bar

/** @param {Studio} studio */
function attachSelectionBar(studio) {
  const bar = byID('selection');
  const what = build('span', { class: 'what' });
  const size = numberField({ 'aria-label': words.size }, { least: 0.001, most: limits.fontSize });
  const across = numberField({ 'aria-label': words.across }, { least: -limits.coordinate, most: limits.coordinate });
  const down = numberField({ 'aria-label': words.down }, { least: -limits.coordinate, most: limits.coordinate });
  const turn = numberField({ 'aria-label': words.turn }, { least: -36_000, most: 36_000 });
  const color = build('input', { type: 'color', 'aria-label': words.color, title: words.color });
  const edits = actionButton(studio, 'edit.words', 'edit');
  const arrangeButton = build('button', { type: 'button', class: 'icon', 'aria-label': words.align, title: words.align, 'aria-haspopup': 'menu' }, icon('align'));
  arrangeButton.addEventListener('click', () => showMenu(studio, arrangeButton, actions.filter(({ group }) => group === 'arrange').map(({ id }) => id)));
  const replace = actionButton(studio, 'replace', 'swap');
  bar.append(
    what, build('span', { class: 'rule' }),
    build('label', { class: 'size' }, words.size, size), build('label', {}, words.turn, turn), build('label', { class: 'place' }, words.acrossShort, across), build('label', { class: 'place' }, words.downShort, down), color, edits, build('span', { class: 'rule' }),
    actionButton(studio, 'mirror', 'mirror'), actionButton(studio, 'order.front', 'front'), actionButton(studio, 'order.back', 'back'), arrangeButton,
    build('span', { class: 'rule' }), replace, actionButton(studio, 'duplicate', 'copy'), actionButton(studio, 'delete', 'delete'),
  );

  const isStamping = () => studio.tool === 'stamp' || studio.tool === 'brush';

  const refuse = (/** @type {import('./fields').NumberInput} */ input, /** @type {string} */ text) => {
    studio.emit('note', { text, kind: 'bad' });
    // The field shows the old value again only without the focus.
    input.blur();
    show();
  };
  size.addEventListener('change', () => {
    const { number } = size;
    if (number === null) refuse(size, words.noSize(limits.fontSize));
    else if (isStamping()) studio.setStamp(studio.stamp, number);
    else edit(studio, 'resize', studio.selected, () => () => ({ size: number }));
  });
  turn.addEventListener('change', () => {
    const { number } = turn;
    if (number !== null) edit(studio, 'rotate', studio.selected, () => () => ({ rotation: rotation(number) }));
    else if (turn.value.trim()) refuse(turn, words.noNumber(turn.value));
    else show();
  });
  // A way to move without dragging.
  for (const [input, axis] of /** @type {const} */ ([[across, 'x'], [down, 'y']])) {
    input.addEventListener('change', () => {
      const { number } = input;
      if (number !== null) {
        edit(studio, 'move', studio.selected, (labels) => {
          const middle = middleOf(labels)[axis];
          return (label) => ({ [axis]: bounded(Math.round((label[axis] + number - middle) * 1000) / 1000) });
        });
      } else if (input.value.trim()) refuse(input, words.noNumber(input.value));
      else show();
    });
  }
  color.addEventListener('change', () => {
    const captions = new Set(studio.selection.filter(({ kind }) => kind === 'caption').map(({ id }) => id));
    edit(studio, 'color', captions, () => () => ({ color: color.value === '#000000' ? null : color.value }));
  });
  bar.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) studio.focusCanvas();
  });
  studio.on('ui', (name) => {
    if (name === 'color') color.click();
    if (name === 'fields') size.select();
  });

  const show = () => {
    const count = studio.selected.size;
    bar.hidden = !(count || isStamping()) || !studio.isOpen;
    bar.classList.toggle('stamping', isStamping());
    if (bar.hidden) return;
    if (isStamping()) {
      what.textContent = studio.stamp;
      if (document.activeElement !== size) size.number = studio.stampSize;
      return;
    }
    const labels = count <= 1000 ? studio.selection : [];
    const captions = labels.filter(({ kind }) => kind === 'caption');
    what.textContent = count === 1 && labels[0] ? quotesText(shortText(labels[0])).replaceAll('\\n', ' ') : words.selected(count);
    const common = (/** @type {(label: import('./types').Label) => number} */ value) =>
      labels.length && labels.every((other) => value(other) === value(labels[0])) ? Math.round(value(labels[0]) * 100) / 100 : null;
    if (document.activeElement !== size) size.number = common((each) => each.size);
    const middle = labels.length ? middleOf(labels) : null;
    for (const [input, axis] of /** @type {const} */ ([[across, 'x'], [down, 'y']])) if (document.activeElement !== input) input.number = middle ? Math.round(middle[axis] * 10) / 10 : null;
    if (document.activeElement !== turn) turn.number = common((each) => each.rotation ?? 0);
    color.hidden = !captions.length;
    if (captions.length) color.value = (captions[0].color ?? '#000000').slice(0, 7);
    edits.hidden = !(count === 1 && captions.length === 1);
    replace.hidden = count === captions.length;
  };
  let frame = 0;
  const later = () => { frame ||= requestAnimationFrame(() => { frame = 0; show(); }); };
  studio.on('selected', later);
  studio.on('changed', later);
  studio.on('tool', later);
  show();
}

/**
 * Says on an empty canvas how to begin.
 * @param {Studio} studio
 */
function attachHint(studio) {
  const hint = build('div', { class: 'hint', hidden: true }, build('b', {}, words.hint[0]), build('span', {}, words.hint[1]));
  studio.stage.append(hint);
  const show = () => {
    // It lies on the canvas, whatever colour that has.
    hint.dataset.on = isDark(studio.store.canvas.fill) ? 'dark' : '';
    hint.hidden = !studio.isOpen || studio.store.count > 0 || studio.lifted !== null || Boolean(studio.store.background || studio.stage.querySelector('#words'));
  };
  for (const event of /** @type {const} */ (['changed', 'opened', 'canvas', 'gesture'])) studio.on(event, show);
  show();
}

/**
 * Whether white is easier to read on a colour than black: by its relative luminance (WCAG 2).
 * @param {string | null} color as in a document; null for the white of a page
 */
export function isDark(color) {
  const [red, green, blue, alpha] = (color ?? '').match(/[0-9a-f]{2}/gi)?.map((digits) => parseInt(digits, 16) / 255) ?? [1, 1, 1, 1];
  // A colour that can be seen through lies on white.
  const [r, g, b] = [red, green, blue].map((value) => 1 - (alpha ?? 1) * (1 - value)).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 0.179;
}

// MARK: Others

const colors = ['#d9480f', '#0b7285', '#5f3dc4', '#2b8a3e', '#a61e4d', '#1864ab', '#846100', '#862e9c'];

/**
 * A number that belongs to a client.
 * @param {string} client
 */
const hash = (client) => [...client].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);

/**
 * The colour of another page, always the same one.
 * @param {string} client
 */
export const colorOf = (client) => colors[hash(client) % colors.length];

/**
 * An animal and its name.
 * @param {string} client
 */
const guestOf = (client) => Object.entries(words.guests)[hash(client) % Object.keys(words.guests).length];

/**
 * The name of another page's user; that of an animal for people without one.
 * @param {import('./types').Peer} peer
 */
export const peerName = ({ name, client }) => name || guestOf(client)[1];

/**
 * Who made an edit: a name, or somebody where there is only the id of a program.
 * @param {string | null} by
 */
export const whoIs = (by) => (by === null || /^[0-9a-hjkmnp-tv-z]{12}$/.test(by) ? words.news.somebody : by);

/** @param {Studio} studio */
function attachPeers(studio) {
  const host = byID('peers');
  const show = () => {
    const wanted = studio.peers.map((peer) => `${peer.client}${peer.name ?? ''}`).join();
    if (host.dataset.shown === wanted) return;
    host.dataset.shown = wanted;
    host.hidden = !studio.peers.length;
    host.replaceChildren(...studio.peers.slice(0, 6).map((peer) => {
      const badge = build('span', { class: 'peer', role: 'listitem', title: peerName(peer), 'aria-label': peerName(peer) }, peer.name ? [...peer.name][0]?.toUpperCase() : guestOf(peer.client)[0]);
      badge.style.background = colorOf(peer.client);
      return badge;
    }));
  };
  studio.on('peers', show);
  show();
}
