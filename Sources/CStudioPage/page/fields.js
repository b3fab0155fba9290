// SPDX-License-Identifier: Apache-2.0

// Fields for numbers. Those of browsers read a number by the language of the browser, not of the page, drop what they do not understand, and
// change by the wheel.

import { decimal, numberIn } from './language.js';
import { build } from './panels.js';

/** @typedef {HTMLInputElement & { number: number | null }} NumberInput its number; null for what is none, or is out of bounds. Setting it shows a number, or nothing */

/**
 * A field with a number. Up and Down change it by one, with Shift by ten.
 * @param {Record<string, unknown>} properties such as `aria-label`
 * @param {{ least?: number, most?: number, isWhole?: boolean, value?: number | null }} options
 * @returns {NumberInput}
 */
export function numberField(properties, { least = -Infinity, most = Infinity, isWhole = false, value = null }) {
  const input = build('input', { type: 'text', inputMode: isWhole ? 'numeric' : 'decimal', role: 'spinbutton', autocomplete: 'off', spellcheck: false, ...properties });
  if (Number.isFinite(least)) input.setAttribute('aria-valuemin', String(least));
  if (Number.isFinite(most)) input.setAttribute('aria-valuemax', String(most));
  const read = () => {
    const number = numberIn(input.value);
    return number === null || number < least || number > most || (isWhole && !Number.isInteger(number)) ? null : number;
  };
  const tell = () => {
    const number = read();
    if (number === null) input.removeAttribute('aria-valuenow');
    else input.setAttribute('aria-valuenow', String(number));
  };
  const show = (/** @type {number | null} */ number) => {
    input.value = number === null ? '' : decimal(number);
    tell();
  };
  Object.defineProperty(input, 'number', { get: read, set: show });
  show(value);
  input.addEventListener('input', tell);
  input.addEventListener('keydown', (event) => {
    const way = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    const now = numberIn(input.value);
    if (!way || now === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(Math.max(least, Math.min(now + way * (event.shiftKey ? 10 : 1), most)));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  return /** @type {NumberInput} */ (input);
}
