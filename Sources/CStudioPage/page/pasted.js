// SPDX-License-Identifier: Apache-2.0

// What pasted and dropped data mean: words and emoji, one picture, or a link. Text wins: a picture is meant only where the HTML is nothing but
// one picture, since chats and web pages draw emoji, icons and placeholders as pictures.

import { limits } from './rules.js';

/** @typedef {{ html: string, uris: string, text: string }} Texts the texts of a clipboard; an empty one is missing */
/** @typedef {{ kind: 'picture', address: string | null, others: number } | { kind: 'words', text: string } | { kind: 'link', text: string }
 *   | { kind: 'file' } | null} Meaning `others` is how many more pictures there are; `file` is an address on the user's machine, which no page reads */
/** @typedef {{ src: string, srcset: string, emoji: string | null, isSmall: boolean }} Image */

/** Pixels: what is smaller is a placeholder or a counter, not a picture that somebody means. */
const leastSide = 17;
/** The most bytes of a caption's words in UTF-8, and the most lines. */
export const captionLimits = Object.freeze({ bytes: 1000, lines: 100 });
/** The most bytes of an emoji's text in UTF-8, and the most characters. */
const emojiLimits = Object.freeze({ bytes: 256, characters: 16 });

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
/** Blanks, and signs without a look that are no parts of emoji. */
const between = /(?:(?![\u200D\uFE00-\uFE0F\u{E0020}-\u{E007F}])[\s\u0085\p{Default_Ignorable_Code_Point}])+/u;

// MARK: Texts

/** @param {string} text */
const charactersOf = (text) => [...graphemes.segment(text)].map(({ segment }) => segment);

/**
 * A text without halves of surrogate pairs, which no program can read.
 * @param {string} text
 */
export const whole = (text) => text.replace(/\p{Surrogate}/gu, '');

/**
 * The emoji of a text by its lines, or null if it has other characters. Blanks and signs without a look are left out.
 * @param {string} text
 * @returns {string[][] | null}
 */
export function emojiRows(text) {
  const rows = text.trim().split(/\r\n?|\n/).map((line) => line.split(between).flatMap((word) => charactersOf(word.replace(/^\u200D+|\u200D+$/g, ''))));
  const all = rows.flat();
  return all.length && all.every((each) => pictograph.test(each)) ? rows : null;
}

/**
 * A text as the words of a caption are stored: with line feeds only, and a blank for each tab of a table.
 * @param {string} text
 */
export const captionWords = (text) => whole(text).replace(/\r\n?/g, '\n').replaceAll('\t', ' ').trimEnd();

/**
 * The beginning of a text that a caption can hold, in whole characters.
 * @param {string} text
 */
export function fitted(text) {
  const words = captionWords(text).trimStart();
  if (isCaptionText(words)) return words;
  let [result, bytes, lines] = ['', 0, 1];
  for (const each of graphemes.segment(words)) {
    bytes += bytesOf(each.segment);
    lines += each.segment === '\n' ? 1 : 0;
    if (bytes > captionLimits.bytes || lines > captionLimits.lines) break;
    result += each.segment;
  }
  return result.trimEnd();
}

// MARK: Labels

/**
 * Whether a pasted value is a label that a document can have. Anything may be in a clipboard, and the server refuses an edit as a whole.
 * @param {any} value
 */
export function isLabel(value) {
  const isNumber = (/** @type {unknown} */ number, /** @type {number} */ bound) => typeof number === 'number' && Math.abs(number) <= bound;
  return typeof value === 'object' && value !== null && typeof value.text === 'string' && isNumber(value.x, limits.coordinate) && isNumber(value.y, limits.coordinate)
    && isNumber(value.size, limits.fontSize) && value.size > 0
    && (value.rotation === undefined || isNumber(value.rotation, 180)) && (value.mirrored === undefined || value.mirrored === true)
    && (value.color === undefined || /^#[0-9a-f]{6}([0-9a-f]{2})?$/.test(value.color))
    && whole(value.text) === value.text
    && (value.kind === undefined ? value.box === undefined && isEmojiText(value.text) : value.kind === 'caption' && isCaptionText(value.text)
      && Array.isArray(value.box) && value.box.length === 2 && value.box.every((/** @type {unknown} */ side) => isNumber(side, 2000)));
}

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text).length;

/**
 * Whether an emoji's text is within its bounds. Versions of Unicode differ in what is an emoji, so the server judges that.
 * @param {string} text
 */
const isEmojiText = (text) => /\P{ASCII}/u.test(text) && bytesOf(text) <= emojiLimits.bytes && charactersOf(text).length <= emojiLimits.characters;

/** @param {string} text */
const isCaptionText = (text) => text.trim() !== '' && bytesOf(text) <= captionLimits.bytes && text.split('\n').length <= captionLimits.lines;

// MARK: Addresses

/**
 * The first line of a list of addresses.
 * @param {string} text
 */
const firstLine = (text) => text.split(/\r?\n/).map((each) => each.trim()).find((each) => each && !each.startsWith('#')) ?? '';

/**
 * The address that a picture may have in a text: in quotes, without a scheme, or from the source of a page, as people have them.
 * @param {string} text
 */
function addressIn(text) {
  const bare = text.replace(/^(?:"(.+)"|'(.+)'|<(.+)>|“(.+)”|‘(.+)’)$/, '$1$2$3$4$5');
  const address = /^www\.[^\s./:?#]+\.[^\s./:?#]/i.test(bare) ? `https://${bare}` : bare;
  if (!/^(https?:\/\/\S+|data:image\/[^\s]+)$/i.test(address)) return null;
  return address.includes('&amp;') ? decoded(address) : address;
}

/** @param {string} address */
const isFile = (address) => /^file:/i.test(address);

/**
 * Whether an address is that of a picture by its looks. Pasting a link must not fetch a page.
 * @param {string} address
 */
export const looksLikePicture = (address) =>
  /^data:image\//i.test(address) || /^https?:\/\/[^?#]+\.(?:png|jpe?g|gif|webp|avif)(?:[?#]|$)/i.test(address);

/**
 * Whether the server is likely to be refused at an address, or has no business there.
 * @param {string} address
 */
export function isPrivate(address) {
  let url;
  try { url = new URL(address); } catch { return true; }
  const { protocol, hostname: host, username } = url;
  if (!/^https?:$/.test(protocol) || username) return true;
  if (host.startsWith('[')) return /^\[(::|f[cd]|fe[89ab])/.test(host);
  if (/^\d+(\.\d+){3}$/.test(host)) return /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(host);
  return !host.includes('.') || /\.(local|localhost|internal|lan|home|invalid|test|arpa)$/.test(host);
}

/**
 * The width and height of a `data:` picture; null if they cannot be told.
 * @param {string} address
 */
function sizeOfData(address) {
  const data = /^data:image\/(png|gif);base64,([\w+/=%]*)/i.exec(address);
  if (!data) return null;
  let bytes = '';
  try { bytes = atob(decodeURIComponent(data[2]).slice(0, 32)); } catch { return null; }
  const at = (/** @type {number[]} */ ...places) => places.reduce((value, place) => value * 256 + bytes.charCodeAt(place), 0);
  return data[1].toLowerCase() === 'png' ? { width: at(16, 17, 18, 19), height: at(20, 21, 22, 23) } : { width: at(7, 6), height: at(9, 8) };
}

/**
 * Whether an image that is loaded late has this address until then.
 * @param {string} address
 */
function isPlaceholder(address) {
  if (/^data:image\/svg/i.test(address)) return true;
  const size = sizeOfData(address);
  return size !== null && Math.min(size.width, size.height) < leastSide;
}

// MARK: HTML

/** What is not shown. */
const hidden = /^(style|script|title|template)$/;
const block = /^(address|article|blockquote|br|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tr|ul)$/;
/** @type {Record<string, string>} */
const named = { amp: '&', quot: '"', apos: '\'', lt: '<', gt: '>', nbsp: ' ' };

/** @param {string} text */
const decoded = (text) => text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
  const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : null;
  if (code === null) return named[name.toLowerCase()] ?? all;
  return code > 0x10ffff ? '' : whole(String.fromCodePoint(code));
});

/** @param {string} text */
function attributesOf(text) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const [, name, double, single, bare] of text.matchAll(/([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)) values[name.toLowerCase()] ??= decoded(double ?? single ?? bare);
  return values;
}

/**
 * The emoji that an image draws: by its alternative text, or by the code points in its address. Null for other images.
 * @param {Record<string, string>} attributes
 */
function emojiOf(attributes) {
  const alt = (attributes.alt ?? '').trim();
  if (emojiRows(alt)) return alt;
  if (!/emoji/i.test(Object.values(attributes).join(' '))) return null;
  const codes = /\/(?:emoji_?u?)?([0-9a-f]{4,5}(?:[-_][0-9a-f]{4,5})*)(?:@\dx)?(?:\/\d+)?\.\w+(?:[?#]|$)/i.exec(attributes.src ?? '')?.[1];
  const text = codes ? String.fromCodePoint(...codes.split(/[-_]/).map((each) => parseInt(each, 16))) : '';
  return emojiRows(text) ? text : alt;
}

/**
 * The tags and texts of HTML, without comments and what is not shown. What has no end is left out. Each character is looked at once or twice.
 * @param {string} html
 * @returns {Generator<{ text: string } | { tag: string, attributes: string }>}
 */
function* tokensOf(html) {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start !== at) yield { text: html.slice(at, start < 0 ? html.length : start) };
    if (start < 0) return;
    if (html.startsWith('<!--', start)) {
      at = html.indexOf('-->', start + 4) + 3;
      if (at < 3) return;
      continue;
    }
    const tag = /^[a-z][\w:-]*/i.exec(html.slice(start + (html[start + 1] === '/' ? 2 : 1), start + 40))?.[0].toLowerCase() ?? '';
    if (!tag && html[start + 1] !== '!' && html[start + 1] !== '?') {
      yield { text: '<' };
      at = start + 1;
      continue;
    }
    const end = endOfTag(html, start);
    if (end < 0) return;
    at = end + 1;
    if (tag) yield { tag, attributes: html.slice(start + 1, end) };
    if (hidden.test(tag) && html[start + 1] !== '/') {
      const close = new RegExp(`</${tag}`, 'gi');
      close.lastIndex = at;
      at = close.exec(html)?.index ?? html.length;
    }
  }
}

/** @param {string} html @param {number} start */
function endOfTag(html, start) {
  let quote = '';
  for (let at = start + 1; at < html.length; at += 1) {
    const letter = html[at];
    if (quote) quote = letter === quote ? '' : quote;
    else if (letter === '>') return at;
    else if (letter === '"' || letter === '\'') quote = letter;
  }
  return -1;
}

/**
 * The words of HTML with the emoji that it draws as images, and its images. It is not parsed as a page, since nothing of it may be loaded or run.
 * @param {string} html
 */
export function readHTML(html) {
  /** @type {Image[]} */
  const images = [];
  let [text, hasWords] = ['', false];
  for (const token of tokensOf(html)) {
    if ('text' in token) {
      const words = decoded(token.text).replace(/[ \t\r\n]+/g, ' ');
      hasWords ||= words.trim() !== '';
      text += words;
    } else if (token.tag === 'img') {
      const values = attributesOf(token.attributes);
      const emoji = emojiOf(values);
      const sides = [values.width, values.height].map((side) => (side === undefined || side === '' ? Infinity : Number.parseFloat(side)));
      images.push({ src: (values.src ?? '').trim(), srcset: values.srcset ?? '', emoji, isSmall: Math.min(...sides) < leastSide });
      text += emoji ?? '';
    } else if (block.test(token.tag)) text += '\n';
    else if (/^t[dh]$/.test(token.tag)) text += ' ';
  }
  return { images, hasWords, text: text.split('\n').map((line) => line.replace(/ +/g, ' ').trim()).join('\n').replace(/\n{2,}/g, '\n').trim() };
}

/**
 * The address with the largest picture of a `srcset`.
 * @param {string} srcset
 * @param {string | null} base
 */
function largestOf(srcset, base) {
  const all = [...srcset.matchAll(/([^\s,]\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)].map(([, address, size]) => ({ address, size: Number(size ?? 1) }));
  const best = all.sort((a, b) => b.size - a.size)[0];
  if (!best) return null;
  try { return addressIn(new URL(best.address, base ?? undefined).href); } catch { return null; }
}

/**
 * The address of what an image shows. A placeholder has the `src` of an image that is loaded late; the list of addresses then has what is
 * seen, or the link around it.
 * @param {Image} image
 * @param {string} uris
 */
function addressOf({ src, srcset }, uris) {
  const [own, listed] = [addressIn(src), addressIn(firstLine(uris))];
  const isData = own === null || /^data:/i.test(own);
  if (own !== null && !isPlaceholder(own) && !(isData && listed && looksLikePicture(listed))) return own;
  if (listed && looksLikePicture(listed)) return listed;
  return largestOf(srcset, listed) ?? listed;
}

// MARK: Meaning

/**
 * What the texts of a clipboard or a drop mean.
 * @param {Texts} texts
 * @param {boolean} hasPicture whether there are the bytes of a picture, too
 * @returns {Meaning}
 */
export function meaningOf({ html, uris, text }, hasPicture) {
  const { images, hasWords, text: words } = readHTML(html);
  const meant = images.filter(({ emoji, isSmall }) => emoji === null && !isSmall);
  if (!hasWords && meant.length && meant.length === images.filter(({ isSmall }) => !isSmall).length) {
    const addresses = meant.map((image) => addressOf(image, meant.length === 1 ? uris : '')).filter((each) => each !== null);
    if (addresses.length || hasPicture) return { kind: 'picture', address: addresses[0] ?? null, others: Math.max(0, meant.length - 1) };
  }
  const [listed, plain] = [firstLine(uris), text.trim()];
  const drawn = images.flatMap(({ emoji }) => (emoji ? [emoji] : []));
  if (!hasWords && drawn.length && (!plain || addressIn(plain))) return { kind: 'words', text: words };
  if (!hasWords && !images.length && listed) {
    if (isFile(listed)) return hasPicture ? { kind: 'picture', address: null, others: 0 } : { kind: 'file' };
    const address = addressIn(listed);
    if (address && (hasPicture || looksLikePicture(address))) return { kind: 'picture', address, others: 0 };
    if (address) return { kind: 'link', text: address };
  }
  if (plain && plain.split(/\r?\n/).every((line) => isFile(line.trim()))) return hasPicture ? { kind: 'picture', address: null, others: 0 } : { kind: 'file' };
  const address = hasWords && !plain ? null : addressIn(plain);
  if (address) return looksLikePicture(address) ? { kind: 'picture', address, others: 0 } : { kind: 'link', text: plain };
  // Some programs write emoji as names into the plain text, or leave them out.
  const found = drawn.every((emoji) => plain.includes(emoji)) && plain ? plain : words;
  if (found) return { kind: 'words', text: whole(found) };
  return hasPicture ? { kind: 'picture', address: null, others: 0 } : null;
}

// MARK: Files

/**
 * What a file is, by its first bytes: a media type of a picture, a document of this program or of its forebears, a text, or nothing that is known.
 * @param {Uint8Array} bytes the first 512 or more
 * @param {string} name
 * @returns {string | null} `image/…`, `document`, `text`
 */
export function kindOf(bytes, name) {
  const text = String.fromCharCode(...bytes.subarray(0, 512));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'image/webp';
  if (/^[^]{4}ftyp(avif|avis)/.test(text)) return 'image/avif';
  if (/^[^]{4}ftyp(hei|hev|mif|msf)/.test(text)) return 'image/heic';
  if (text.startsWith('BM') && !/^BM[\x20-\x7e]{12}/.test(text)) return 'image/bmp';
  if (text.startsWith('\0\0\x01\0')) return 'image/x-icon';
  if (/^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i.test(text)) return 'image/svg+xml';
  if (text.startsWith('SQLite format 3\0') || /\.(emojiart|emojiartdocument)$/i.test(name)) return 'document';
  if (!bytes.length || text.includes('\0')) return null;
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 512), { stream: true });
    return /\.json$/i.test(name) ? 'document' : 'text';
  } catch {
    return null;
  }
}
