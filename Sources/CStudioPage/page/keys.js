// SPDX-License-Identifier: Apache-2.0

// Keys of the whole page, by the table of actions.

/** @typedef {import('./studio').Studio} Studio */

import { actions, isEnabled, run } from './actions.js';

/**
 * The names of symbols by their keys, for layouts that give no such symbol there.
 * @type {Record<string, string>}
 */
const codes = { BracketLeft: '[', BracketRight: ']', Period: '.', Comma: ',', Equal: '=', Minus: '-', Slash: '/' };
/**
 * Symbols that the table has with Shift, by what Shift makes of them.
 * @type {Record<string, string>}
 */
const withoutShift = { '{': '[', '}': ']', '<': ',', '>': '.' };

/**
 * The names of a pressed key, the likeliest first. A Latin letter of the layout counts, and not where its key is; the place of a letter counts
 * only where the layout gives no Latin one, such as a Russian one. Digits are at the same place in all layouts.
 * @param {Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>} event
 */
function keyNames({ key, code, ctrlKey, metaKey, altKey, shiftKey }) {
  // It cancels a gesture, and other keys may be held for that.
  if (key === 'Escape') return [key];
  const mod = ctrlKey || metaKey ? 'Mod+' : '';
  const alt = altKey ? 'Alt+' : '';
  const shift = shiftKey ? 'Shift+' : '';
  if (/^[a-z]$/i.test(key)) return [`${mod}${shift}${alt}${key.toUpperCase()}`, `${mod}${alt}${shift}${key.toUpperCase()}`];
  if (key.length > 1 && key !== 'Dead') return [`${mod}${alt}${shift}${key}`];
  const names = [];
  const digit = /^Digit([0-9])$/.exec(code)?.[1];
  if (digit) names.push(`${mod}${shift}${alt}${digit}`);
  if (shift && withoutShift[key]) names.push(`${mod}${shift}${alt}${withoutShift[key]}`);
  // Symbols are typed with or without Shift, by the layout.
  names.push(`${mod}${alt}${key}`);
  const isASCII = /^[\x20-\x7e]$/.test(key);
  const place = codes[code] ?? (isASCII ? undefined : /^Key([A-Z])$/.exec(code)?.[1]);
  if (place) names.push(`${mod}${shift}${alt}${place}`, `${mod}${alt}${shift}${place}`);
  return names;
}

/** @type {Map<string, import('./actions').Action>} */
const byKey = new Map();
for (const action of actions) for (const key of action.keys) byKey.set(key, action);

/**
 * Whether keys belong to what has the focus.
 * @param {EventTarget | null} target
 */
export const isTyping = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** @param {Studio} studio */
export function attachKeys(studio) {
  addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (document.querySelector('dialog:modal') || target.closest('.menu')) return;
    const isTyped = isTyping(target) && event.key !== 'Escape';
    if (isTyped && !event.ctrlKey && !event.metaKey && !event.altKey) return;
    if (event.key === ' ' && isOfCanvas(target)) {
      event.preventDefault();
      if (!event.repeat) studio.holdHand(true);
      return;
    }
    // A focused button keeps its keys; the canvas has Tab and the arrows only while it has the focus.
    if (target.closest('button, a') && /^(Enter| |Tab|Arrow.*|Home|End)$/.test(event.key)) return;
    if (event.key === 'Tab' && !isTabOfCanvas(studio, event, target)) return;
    if (studio.isGrabbed && event.key === 'Enter') {
      event.preventDefault();
      return run(studio, 'grab');
    }
    const action = keyNames(event).map((name) => byKey.get(name)).find(Boolean);
    // In a field, keys are the field's, but for what is done with the whole document.
    // While the documents cover the canvas, nothing is done with what is behind them.
    const isCovered = document.body.dataset.documents === 'whole';
    if (!action || action.isNative || ((isTyped || isCovered) && !['document', 'help'].includes(action.group))) return;
    // An edit by keys would end what the pointer does half-way.
    if (studio.isGesturing() && action.id !== 'select.none' && action.group !== 'view') return event.preventDefault();
    if (!isEnabled(studio, action)) {
      // The browser's own meaning of such a key, such as a bookmark, would surprise.
      if (event.ctrlKey || event.metaKey) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (event.repeat && !action.repeats) return;
    run(studio, action.id);
    if (isTyping(target) && !isTyped) studio.focusCanvas();
  });
  addEventListener('keyup', (event) => {
    if (event.key === ' ') studio.holdHand(false);
    if (event.key.startsWith('Arrow') && !studio.isGrabbed) studio.settle();
  });
  addEventListener('blur', () => {
    studio.holdHand(false);
    studio.settle();
  });
}

/** @param {HTMLElement} target */
const isOfCanvas = (target) => target === document.body || Boolean(target.closest('#stage'));

/**
 * Whether Tab goes to the next emoji: with the focus on the canvas, and not beyond the first and the last one.
 * @param {Studio} studio
 * @param {KeyboardEvent} event
 * @param {HTMLElement} target
 */
function isTabOfCanvas(studio, event, target) {
  if (!target.closest('#stage') || event.ctrlKey || event.altKey) return false;
  const order = studio.inReadingOrder();
  const edge = event.shiftKey ? order[0] : order[order.length - 1];
  return edge !== undefined && edge.id !== studio.focused;
}
