// SPDX-License-Identifier: Apache-2.0

// What comes from and goes to other programs: the clipboard, drops, files, exports.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./types').Label} Label */
/** @typedef {Omit<Label, 'id' | 'z'>} Copied */

import { add, remove, run } from './actions.js';
import { nameOf, title } from './documents.js';
import { isTyping } from './keys.js';
import { fileSize } from './language.js';
import { limits } from './rules.js';
import { bounds } from './selection.js';
import { errorText, words } from './words.js';

/** The type of labels with their places. */
const ours = 'application/x-emojiart+json';
/** The most labels of a paste. */
const pasteLimit = 5000;
const captionLimit = 30;
/** The pictures that the server takes as they are. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const pictureBytes = 20 << 20;

/** @param {Studio} studio */
export function attachTransfer(studio) {
  addEventListener('beforeprint', () => { if (!document.getElementById('print') && studio.isOpen) printShown(studio); });
  const isOurs = (/** @type {ClipboardEvent} */ event) => !isTyping(event.target) && !document.querySelector('dialog:modal') && studio.isOpen && document.body.dataset.documents !== 'whole';
  for (const type of /** @type {const} */ (['copy', 'cut'])) {
    document.addEventListener(type, (event) => {
      if (!isOurs(event) || !studio.selected.size || !event.clipboardData || !getSelection()?.isCollapsed) return;
      event.preventDefault();
      const { text, json } = copied(studio.selection);
      event.clipboardData.setData('text/plain', text);
      event.clipboardData.setData(ours, json);
      if (type === 'cut') run(studio, 'delete');
    });
  }
  // Where the middle button pastes what is selected anywhere, it moves the view here. Such a paste belongs to the release of the button.
  let isMiddle = false;
  addEventListener('pointerup', ({ button }) => {
    if (button !== 1) return;
    isMiddle = true;
    setTimeout(() => { isMiddle = false; });
  }, true);
  document.addEventListener('paste', (event) => {
    if (!isOurs(event) || !event.clipboardData) return;
    if (isMiddle) return event.preventDefault();
    event.preventDefault();
    take(studio, event.clipboardData, studio.middle);
  });
  attachDrops(studio);
}

// MARK: Copying

/**
 * The labels as text and with their places.
 * @param {readonly Label[]} labels
 */
function copied(labels) {
  return { text: asText(labels), json: JSON.stringify({ emojiart: 1, labels: labels.map(({ id, z, ...label }) => label) }) };
}

/**
 * The texts in rows as people read them.
 * @param {readonly Label[]} labels
 */
function asText(labels) {
  const rest = [...labels].sort((a, b) => a.y - b.y);
  /** @type {Label[][]} */
  const rows = [];
  for (const label of rest) {
    const row = rows[rows.length - 1];
    if (row && label.y - row[0].y < row[0].size / 2) row.push(label);
    else rows.push([label]);
  }
  return rows.map((row) => row.sort((a, b) => a.x - b.x).map(({ text }) => text).join('')).join('\n');
}

/**
 * Copies or pastes by the browser's event, where scripts have no types of their own without it: in Firefox.
 * @param {'copy' | 'paste'} command
 */
function byEvent(command) {
  const { supports } = /** @type {any} */ (ClipboardItem);
  return supports !== undefined && !supports(`web ${ours}`) && document.execCommand(command);
}

/**
 * Copies without an event of the browser, such as from the menu.
 * @param {Studio} studio
 * @param {boolean} isCut
 */
export async function copy(studio, isCut) {
  // The browser may ask the user first, and the selection may be another one then.
  const labels = studio.selection;
  const { text, json } = copied(labels);
  try {
    const items = { 'text/plain': new Blob([text], { type: 'text/plain' }), [`web ${ours}`]: new Blob([json], { type: `web ${ours}` }) };
    if (!byEvent('copy')) await navigator.clipboard.write([new ClipboardItem(items)]).catch(() => navigator.clipboard.writeText(text));
  } catch {
    return studio.emit('note', { text: words.news.clipboard, kind: 'bad' });
  }
  if (isCut) remove(studio, labels);
  else studio.emit('note', { text: words.news.copied });
}

/**
 * Copies the selection, or the whole canvas, as a picture.
 * @param {Studio} studio
 */
export async function copyPicture(studio) {
  const labels = studio.selection;
  const region = labels.length ? regionOf(labels) : '';
  const query = new URLSearchParams({ document: studio.name, format: 'png', scale: '2', ...(region ? { region, transparent: '1' } : {}) });
  try {
    // The clipboard takes a promise, since it allows writing only right after a key or a click.
    const picture = studio.net.fetch(`/render?${query}`).then((response) => response.blob());
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    studio.emit('note', { text: words.news.copiedPicture });
  } catch (error) {
    studio.emit('note', { text: error instanceof DOMException ? words.news.clipboard : errorText(error), kind: 'bad' });
  }
}

/**
 * The part of the canvas around labels, as the commands write it.
 * @param {readonly Label[]} labels
 */
export function regionOf(labels) {
  const around = bounds(labels);
  if (!around) return '';
  const [left, top] = [Math.floor(around.left), Math.floor(around.top)];
  return `${left},${top},${Math.ceil(around.right) - left}x${Math.ceil(around.bottom) - top}`;
}

// MARK: Pasting and dropping

/**
 * Pastes without an event of the browser.
 * @param {Studio} studio
 */
export async function paste(studio) {
  try {
    if (byEvent('paste')) return;
    const [item] = await navigator.clipboard.read();
    const type = item.types.find((each) => each === `web ${ours}`) ?? item.types.find((each) => pictureTypes.includes(each)) ?? item.types.find((each) => each === 'text/plain');
    if (!type) return studio.emit('note', { text: words.news.nothingToPaste });
    const blob = await item.getType(type);
    if (type.startsWith('image/')) await setPicture(studio, blob, false);
    else if (type === 'text/plain') takeText(studio, await blob.text(), studio.middle);
    else takeLabels(studio, await blob.text());
  } catch {
    studio.emit('note', { text: words.news.clipboard, kind: 'bad' });
  }
}

/**
 * Takes what was pasted or dropped: labels, else a picture by its address, else a file, else text.
 * @param {Studio} studio
 * @param {DataTransfer} data
 * @param {import('./types').Point} at
 */
function take(studio, data, at) {
  const json = data.getData(ours);
  if (json && takeLabels(studio, json)) return;
  const text = data.getData('text/plain');
  const address = pictureIn(data.getData('text/html')) ?? addressIn(data.getData('text/uri-list')) ?? addressIn(text);
  const file = [...data.files].find(({ type }) => type.startsWith('image/'));
  if (address) setAddress(studio, address, false).catch(() => {});
  else if (file) setPicture(studio, file, false);
  else if (text) takeText(studio, text, at);
  else studio.emit('note', { text: words.news.nothingToPaste });
}

/**
 * The address of the first picture in HTML. It is not parsed as a page, since nothing of it may be loaded or run.
 * @param {string} html
 */
function pictureIn(html) {
  const found = /<img\b[^>]*?\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(html);
  if (!found) return null;
  /** @type {Record<string, string>} */
  const names = { amp: '&', quot: '"', apos: '\'', lt: '<', gt: '>' };
  const plain = (found[1] ?? found[2] ?? found[3]).replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) =>
    (decimal ? String.fromCodePoint(Math.min(0x10ffff, Number(decimal))) : hex ? String.fromCodePoint(Math.min(0x10ffff, parseInt(hex, 16))) : names[name] ?? all));
  return addressIn(plain);
}

/**
 * The first line that is a picture's address.
 * @param {string} text
 */
function addressIn(text) {
  const line = text.split(/\r?\n/).map((each) => each.trim()).find((each) => each && !each.startsWith('#')) ?? '';
  return /^(https?:\/\/\S+|data:image\/[^\s]+)$/i.test(line) ? line : null;
}

/**
 * Adds labels with their places; beside those that lie there already.
 * @param {Studio} studio
 * @param {string} json
 */
function takeLabels(studio, json) {
  /** @type {Copied[]} */
  let labels = [];
  try {
    labels = JSON.parse(json).labels.filter(isLabel).slice(0, pasteLimit);
  } catch {
    return false;
  }
  if (!labels.length) return false;
  const isThere = labels.some((label) => {
    const other = studio.store.shown(studio.hits.topAt(label.x, label.y) ?? '');
    return other?.text === label.text && other.x === label.x && other.y === label.y;
  });
  const shift = isThere ? 20 : 0;
  const placed = labels.map((label) => ({ ...label, x: label.x + shift, y: label.y + shift }));
  const known = new Set(studio.store.inOrder().filter(({ kind }) => kind).map(({ text }) => text));
  // A caption's words that this document does not have are measured by the server.
  const isMeasured = (/** @type {Copied} */ { kind, text }) => !kind || known.has(text);
  const measured = placed.filter(isMeasured);
  if (measured.length) add(studio, 'paste', measured);
  for (const label of placed.filter((each) => !isMeasured(each)).slice(0, captionLimit)) addCaption(studio, label);
  return true;
}

/**
 * Adds a caption that the server measures. `caption` sets no rotation and no mirroring, so these are an edit of their own.
 * @param {Studio} studio
 * @param {Copied} caption
 */
async function addCaption(studio, { text, x, y, size, color, rotation, mirrored }) {
  try {
    const { ok } = await studio.ask({ caption: { size, text, x, y, ...(color ? { color } : {}) } }, 'paste');
    /** @type {import('./types').Change[]} */
    const changes = [];
    if (rotation) changes.push(['rotate', ok.id, rotation]);
    if (mirrored) changes.push(['mirror', ok.id, true]);
    studio.perform(changes, 'paste');
  } catch {
    // The store tells why it was refused.
  }
}

/**
 * Whether a pasted value is a label. Anything may be in a clipboard.
 * @param {any} value
 */
function isLabel(value) {
  const isNumber = (/** @type {unknown} */ number, /** @type {number} */ bound) => typeof number === 'number' && Math.abs(number) <= bound;
  return typeof value === 'object' && value !== null && typeof value.text === 'string' && value.text.length > 0 && value.text.length <= 1000
    && isNumber(value.x, limits.coordinate) && isNumber(value.y, limits.coordinate) && isNumber(value.size, limits.fontSize) && value.size > 0
    && (value.rotation === undefined || isNumber(value.rotation, 180)) && (value.mirrored === undefined || value.mirrored === true)
    && (value.color === undefined || /^#[0-9a-f]{6}([0-9a-f]{2})?$/.test(value.color))
    && (value.kind === undefined ? value.box === undefined : value.kind === 'caption' && Array.isArray(value.box) && value.box.length === 2 && value.box.every((/** @type {unknown} */ side) => isNumber(side, 2000)));
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;

/**
 * Places each emoji of a text by itself; other words become a caption.
 * @param {Studio} studio
 * @param {string} text
 * @param {import('./types').Point} at
 */
function takeText(studio, text, at) {
  const lines = text.trim().split(/\r?\n/).map((line) => [...graphemes.segment(line)].map(({ segment }) => segment).filter((each) => each.trim()));
  const all = lines.flat();
  if (!all.length) return studio.emit('note', { text: words.news.nothingToPaste });
  if (!all.every((each) => pictograph.test(each))) {
    const caption = text.trim().slice(0, 900);
    studio.ask({ caption: { size: Math.round(studio.stampSize * 0.7), text: caption, x: at.x, y: at.y } }, 'caption');
    return undefined;
  }
  const columns = lines.length > 1 ? Infinity : Math.max(8, Math.ceil(Math.sqrt(all.length)));
  const rows = lines.flatMap((line) => {
    const pieces = [];
    for (let start = 0; start < line.length; start += columns) pieces.push(line.slice(start, start + columns));
    return pieces;
  });
  const size = studio.stampSize;
  const labels = rows.flatMap((row, down) => row.map((each, across) => ({
    text: each, size, x: Math.round(at.x + (across - (row.length - 1) / 2) * size * 1.25), y: Math.round(at.y + (down - (rows.length - 1) / 2) * size * 1.2),
  })));
  add(studio, 'paste', labels.slice(0, pasteLimit));
  return undefined;
}

/**
 * @param {Studio} studio
 */
function attachDrops(studio) {
  const { stage } = studio;
  let depth = 0;
  const show = () => stage.classList.toggle('dropping', depth > 0);
  // Without these a drop beside the canvas would leave the page.
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => event.preventDefault());
  stage.addEventListener('dragenter', () => { depth += 1; show(); });
  stage.addEventListener('dragleave', () => { depth = Math.max(0, depth - 1); show(); });
  stage.addEventListener('dragover', (event) => {
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
  });
  stage.addEventListener('drop', (event) => {
    depth = 0;
    show();
    if (event.dataTransfer && studio.isOpen) take(studio, event.dataTransfer, studio.documentPoint(event));
  });
}

// MARK: Backgrounds

/**
 * Fetches a background by its address. The bytes of a `data:` URL are sent as a picture.
 * @param {Studio} studio
 * @param {string} url
 * @param {boolean} keepsCanvas
 * @param {boolean} [allowsPrivate]
 */
export async function setAddress(studio, url, keepsCanvas, allowsPrivate = false) {
  const data = /^data:(image\/[\w.+-]+)[^,]*?(;base64)?,(.*)$/is.exec(url);
  if (data) {
    try {
      const text = data[2] ? atob(decodeURIComponent(data[3]).replace(/\s/g, '')) : data[3].replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
      return setPicture(studio, new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: data[1].toLowerCase() }), keepsCanvas);
    } catch {
      // The server tells what is wrong with it.
    }
  }
  const isPlain = !keepsCanvas && !allowsPrivate;
  const more = { ...(keepsCanvas ? { keepCanvas: true } : {}), ...(allowsPrivate ? { allowPrivate: true } : {}) };
  await studio.ask({ background: isPlain ? url : { url, ...more } }, 'background');
  studio.emit('message', { fetching: true });
  return undefined;
}

/**
 * Sends a picture as the background.
 * @param {Studio} studio
 * @param {Blob} blob
 * @param {boolean} keepsCanvas
 */
export async function setPicture(studio, blob, keepsCanvas) {
  try {
    const picture = pictureTypes.includes(blob.type) ? blob : await asPNG(blob);
    if (picture.size > pictureBytes) throw new Error(words.background.tooLarge(fileSize(pictureBytes)));
    const query = new URLSearchParams({ document: studio.name, ...(keepsCanvas ? { keepCanvas: '1' } : {}), tag: studio.net.makeTag() });
    // The outcome comes by the socket, perhaps before the answer to this request.
    studio.emit('message', { fetching: true });
    await studio.net.fetch(`/background?${query}`, { method: 'POST', headers: { 'Content-Type': picture.type }, body: picture });
  } catch (error) {
    studio.emit('message', { warning: { detail: errorText(error), question: false, reason: 'file' } });
  }
}

/**
 * A picture of another type that the browser can read.
 * @param {Blob} blob
 */
async function asPNG(blob) {
  const bitmap = await createImageBitmap(blob).catch(() => { throw new Error(words.background.unreadable); });
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  return /** @type {Promise<Blob>} */ (new Promise((resolve, reject) =>
    canvas.toBlob((png) => (png ? resolve(png) : reject(new Error(words.background.unreadable))), 'image/png')));
}

// MARK: Exports

/**
 * Downloads a drawing of the document.
 * @param {Studio} studio
 * @param {Record<string, string>} query
 */
export async function download(studio, query) {
  const response = await studio.net.fetch(`/render?${new URLSearchParams({ document: studio.name, ...query })}`);
  saveFile(await response.blob(), `${title(nameOf(studio.name))}.${query.format === 'jpeg' ? 'jpg' : query.format}`);
}

/**
 * Gives a file to the browser's downloads.
 * @param {Blob} blob
 * @param {string} name
 */
export function saveFile(blob, name) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The longest side of the picture that is printed, in pixels: a page of A4 at 400 dots an inch. */
const printSide = 4_600;

/**
 * Prints the art, drawn by the program.
 * @param {Studio} studio
 */
export async function print(studio) {
  const { width, height } = studio.store.canvas;
  const scale = Math.min(8, printSide / Math.max(width, height));
  const response = await studio.net.fetch(`/render?${new URLSearchParams({ document: studio.name, format: 'png', scale: scale.toFixed(3) })}`);
  const address = URL.createObjectURL(await response.blob());
  const picture = Object.assign(document.createElement('img'), { id: 'print', alt: studio.title, src: address });
  const end = () => {
    picture.remove();
    URL.revokeObjectURL(address);
  };
  document.body.append(picture);
  addEventListener('afterprint', end, { once: true });
  try {
    await picture.decode();
  } catch (error) {
    end();
    throw error;
  }
  window.print();
}

/**
 * Makes ready the art as the page shows it, for a print that the browser's own menu asks for: that waits for no picture of the server.
 * What is far outside the view is missing.
 * @param {Studio} studio
 */
function printShown(studio) {
  const source = studio.stage.querySelector('canvas');
  if (!source) return;
  const box = source.getBoundingClientRect();
  // The element's own width is not that of the picture which a worker gave it.
  const ratio = Number.parseFloat(source.style.width) * devicePixelRatio / box.width;
  const { camera: { x, y, zoom }, stageRect: { left, top }, store: { canvas: { width, height } } } = studio;
  const [across, down] = [width * zoom * ratio, height * zoom * ratio];
  const scale = Math.min(1, printSide / Math.max(across, down));
  const picture = Object.assign(document.createElement('canvas'), { id: 'print', width: Math.max(1, Math.round(across * scale)), height: Math.max(1, Math.round(down * scale)) });
  // Without the pixels at the edge, which have a part of the colour beside the art.
  picture.getContext('2d')?.drawImage(source, (left + x - box.left) * ratio + 1, (top + y - box.top) * ratio + 1, across - 2, down - 2, 0, 0, picture.width, picture.height);
  document.body.append(picture);
  addEventListener('afterprint', () => picture.remove(), { once: true });
}

/**
 * The part of the canvas that the view shows.
 * @param {Studio} studio
 */
export function visibleRegion(studio) {
  const { x, y, width, height } = studio.viewport.visible;
  return `${Math.round(x)},${Math.round(y)},${Math.max(1, Math.round(width))}x${Math.max(1, Math.round(height))}`;
}
