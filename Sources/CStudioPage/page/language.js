// SPDX-License-Identifier: Apache-2.0

// The language of the page: which one it is, and how numbers and times are written in it. The words are in words.js and in a file like
// words.de.js for each other language.

import { settings } from './storage.js';

/**
 * @typedef {object} Language
 * @property {string} name in the language itself
 * @property {'ltr' | 'rtl'} direction
 * @property {() => Promise<{ words: import('./words').Words }>} [load] left out for English, which is always there
 */

/**
 * The languages by their BCP 47 codes. Another language is a line here, and a file of words.
 * @type {Record<string, Language>}
 */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr', load: () => import('./words.de.js') },
};

/** @param {string} tag such as `de-AT` */
const primary = (tag) => tag.toLowerCase().split('-')[0];

/**
 * The language to speak: the one that the user has chosen, else the first of the browser's that is known, else English.
 * @param {string | null} chosen
 * @param {readonly string[]} preferred
 */
export function languageOf(chosen, preferred) {
  const known = (/** @type {string} */ code) => Object.hasOwn(languages, code);
  if (chosen !== null && known(chosen)) return chosen;
  return preferred.map(primary).find(known) ?? 'en';
}

/** The languages of the browser, the best first. Node has none. */
const preferred = globalThis.navigator?.languages ?? [];

/** The code of the user's choice; null to follow the browser. */
export const chosenLanguage = () => settings.get('language');

/**
 * Chooses a language for the pages that are loaded from now on.
 * @param {string | null} code
 */
export const chooseLanguage = (code) => settings.set('language', code);

/** The code of the page's language. */
export let language = languageOf(chosenLanguage(), preferred);

/** Goes on in English: the words of the language are not there. */
export function speakEnglish() { language = 'en'; }

// MARK: Numbers and times

/** How the user's own region writes the language: `de-CH` of a Swiss browser. */
const locale = () => preferred.find((tag) => primary(tag) === language) ?? language;

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * A number as people read it.
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export function number(value, options = {}) {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale(), options);
  formats.set(key, format);
  return format.format(value);
}

/**
 * A size or a part of a place, without a mark between thousands, which would look like that between the parts.
 * @param {number} value
 */
export const place = (value) => number(value, { maximumFractionDigits: 0, useGrouping: false });

/**
 * A number in a field: in thousandths, without marks between thousands.
 * @param {number} value
 */
export const decimal = (value) => number(value, { maximumFractionDigits: 3, useGrouping: false });

/** The mark between thousands. */
const groupMark = () => new Intl.NumberFormat(locale(), { useGrouping: true }).formatToParts(1_234_567).find(({ type }) => type === 'group')?.value ?? ',';

/**
 * The number that a user has typed, in the way of any language: `1,000.5`, `1.000,5`, `1'000,5`, `−8`. Where one mark may be that of
 * thousands or that of decimals, as in `1.000`, the page's language decides. Null for what is no number, such as `50%`.
 * @param {string} typed
 */
export function numberIn(typed) {
  const text = typed.normalize('NFKC').replace(/[\s'’]/g, '').replace(/^[\u2012-\u2015\u2212\uFE63]/, '-');
  const [, sign, digits] = /^([+-]?)(\d[\d.,]*|[.,]\d+)$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks[marks.length - 1];
  const isThousands = /^[1-9]\d{0,2}([.,]\d{3})+$/.test(digits) && new Set(marks).size === 1 && (marks.length > 1 || last === groupMark());
  const [whole, part = ''] = last === undefined || isThousands ? [digits] : [digits.slice(0, digits.lastIndexOf(last)), digits.slice(digits.lastIndexOf(last) + 1)];
  // What is before the decimals has marks of one kind, each before three digits, or none.
  if (!/^(\d*|[1-9]\d{0,2}(\.\d{3})+|[1-9]\d{0,2}(,\d{3})+)$/.test(whole) || (!isThousands && last !== undefined && whole.includes(last))) return null;
  return Number(`${sign}${whole.replace(/[.,]/g, '') || '0'}.${part || '0'}`);
}

/**
 * A part of a whole: `1` is 100 %. Small ones have a decimal.
 * @param {number} part
 */
export const percent = (part) => number(part, { style: 'percent', maximumFractionDigits: part < 0.1 ? 1 : 0 });

/** @param {number} bytes */
export const fileSize = (bytes) => (bytes < 1e6
  ? number(bytes / 1e3, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 })
  : number(bytes / 1e6, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }));

/**
 * The form of a word for a count. A language has the forms that it needs; `other` is for all else.
 * @param {number} count
 * @param {Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }} forms
 */
export const plural = (count, forms) => forms[new Intl.PluralRules(locale()).select(count)] ?? forms.other;

/**
 * The date and the time.
 * @param {number} time in milliseconds since 1970
 */
export const dateTime = (time) => new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(time);

/** @param {number} time in milliseconds since 1970 */
export const date = (time) => new Intl.DateTimeFormat(locale()).format(time);

/**
 * When something was: the time of today, else the day.
 * @param {number} time in milliseconds since 1970
 */
export function moment(time) {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(locale(), isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' }).format(time);
}

/**
 * How long ago something was.
 * @param {number} count
 * @param {'minute' | 'hour'} unit
 */
export const ago = (count, unit) => new Intl.RelativeTimeFormat(locale(), { style: 'short' }).format(-count, unit);
