// SPDX-License-Identifier: Apache-2.0

// What comes from and goes to other programs: the clipboard, drops, files, exports.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./types').Label} Label */
/** @typedef {Omit<Label, 'id' | 'z'>} Copied */

import { add, addWords, filing, remove, run } from './actions.js';
import { folderOf, nameOf, title } from './documents.js';
import { isTyping } from './keys.js';
import { fileSize } from './language.js';
import { captionWords, emojiRows, fitted, isLabel, isPrivate, kindOf, meaningOf, whole } from './pasted.js';
import { bounded } from './arrange.js';
import { limits } from './rules.js';
import { bounds } from './selection.js';
import { errorText, words } from './words.js';

/** The type of labels with their places. */
const ours = 'application/x-emojiart+json';
/** The pictures that the server takes as they are. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const pictureBytes = 20 << 20;
/** Pixels: a picture with a shorter side never sets the size of a canvas. */
const leastPicture = 100;
/** The most bytes of a file whose text is placed. */
const textBytes = 1 << 20;
/** How far a pasted copy lies from the last one. */
const pasteStep = 20;

/** Whether a copy event of the browser got what is selected on the canvas. */
let isCopied = false;

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
      isCopied = true;
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
    take(studio, offerOf(event.clipboardData), studio.middle);
  });
  attachDrops(studio);
  attachOutcome(studio);
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
  if (supports === undefined || supports(`web ${ours}`)) return false;
  isCopied = false;
  // The browser may have copied a text that is selected elsewhere.
  return document.execCommand(command) && (command === 'paste' || isCopied);
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
    if (!byEvent('copy')) {
      const written = navigator.clipboard.write([new ClipboardItem(items)]);
      // The text alone would bring back neither places nor sizes of what is cut.
      await (isCut ? written : written.catch(() => navigator.clipboard.writeText(text)));
    }
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

/** @typedef {import('./pasted').Texts & { json: string, files: File[] }} Offer what a clipboard or a drop has; it is read at once, since events forget it */

/** @param {DataTransfer} data @returns {Offer} */
const offerOf = (data) => ({
  json: data.getData(ours), html: data.getData('text/html'), uris: data.getData('text/uri-list'), text: data.getData('text/plain'), files: [...data.files],
});

/**
 * Pastes without an event of the browser.
 * @param {Studio} studio
 */
export async function paste(studio) {
  try {
    if (byEvent('paste')) return;
    const [item] = await navigator.clipboard.read();
    const read = async (/** @type {string} */ type) => (item.types.includes(type) ? (await item.getType(type)).text() : '');
    const picture = item.types.find((each) => each.startsWith('image/'));
    const files = picture ? [new File([await item.getType(picture)], '', { type: picture })] : [];
    await take(studio, { json: await read(`web ${ours}`), html: await read('text/html'), uris: '', text: await read('text/plain'), files }, studio.middle);
  } catch {
    studio.emit('note', { text: words.news.clipboard, kind: 'bad' });
  }
}

/**
 * Takes what was pasted or dropped: labels, else what it means.
 * @param {Studio} studio
 * @param {Offer} offer
 * @param {import('./types').Point} at
 */
async function take(studio, offer, at) {
  if (offer.json && takeLabels(studio, offer.json)) return undefined;
  const files = await Promise.all(offer.files.map(async (file) => ({ file, kind: await kindOfFile(file) })));
  const bytes = files.find(({ kind }) => kind?.startsWith('image/') && kind !== 'image/svg+xml');
  const meaning = meaningOf(offer, bytes !== undefined);
  // Files that are dropped from a folder come with their addresses at most.
  if (files.length && (!meaning || meaning.kind === 'file' || (meaning.kind === 'picture' && !meaning.address))) return takeFiles(studio, files, at);
  const tell = (/** @type {string} */ text) => studio.emit('note', { text });
  switch (meaning?.kind) {
    case 'picture': {
      const picture = bytes && typed(bytes.file, bytes.kind ?? '');
      if (meaning.others) tell(words.background.first(meaning.others + 1));
      if (picture && (!meaning.address || isPrivate(meaning.address))) return setPicture(studio, picture);
      return setAddress(studio, meaning.address ?? '', { bytes: picture });
    }
    case 'words': return takeText(studio, meaning.text, at);
    case 'link':
      takeText(studio, meaning.text, at);
      return studio.emit('note', { text: words.background.link, action: { name: words.background.takeLink, run: () => { setAddress(studio, meaning.text, {}); } } });
    case 'file': return studio.emit('note', { text: words.background.ownFile, kind: 'bad' });
    default: return tell(words.news.nothingToPaste);
  }
}

/** @param {Blob} blob @param {string} type */
const typed = (blob, type) => (blob.type === type ? blob : blob.slice(0, blob.size, type));

/**
 * What a file is by its bytes, or by what the browser says where they are not known.
 * @param {File} file
 */
async function kindOfFile(file) {
  try {
    return kindOf(new Uint8Array(await file.slice(0, 512).arrayBuffer()), file.name) ?? (file.type.startsWith('image/') ? file.type : null);
  } catch {
    // A folder, or a file that is gone.
    return null;
  }
}

/**
 * Takes files: documents are copied into the folder, a picture becomes the background, texts are placed.
 * @param {Studio} studio
 * @param {{ file: File, kind: string | null }[]} files
 * @param {import('./types').Point} at
 */
async function takeFiles(studio, files, at) {
  const documents = files.filter(({ kind }) => kind === 'document').map(({ file }) => file);
  const [picture, ...others] = files.filter(({ kind }) => kind?.startsWith('image/'));
  const texts = files.filter(({ file, kind }) => kind === 'text' && file.size <= textBytes);
  const left = [...others, ...files.filter((each) => each.kind === null || (each.kind === 'text' && !texts.includes(each)))];
  if (left.length) studio.emit('note', { text: words.news.filesLeft(left.map(({ file }) => file.name).join(', ')), kind: 'bad' });
  for (const { file } of texts) takeText(studio, await file.text(), at);
  if (picture) await setPicture(studio, typed(picture.file, picture.kind ?? ''));
  if (documents.length) await filing(studio).then(({ importFiles }) => importFiles(studio, documents, folderOf(studio.name))).catch((error) => studio.emit('note', { text: errorText(error), kind: 'bad' }));
}

/**
 * Adds labels with their places, beside those that lie there already. The server measures the captions that the document does not have.
 * @param {Studio} studio
 * @param {string} json
 */
function takeLabels(studio, json) {
  /** @type {unknown[]} */
  let all = [];
  try {
    all = JSON.parse(json).labels;
  } catch {
    return false;
  }
  const labels = Array.isArray(all) ? all.filter(isLabel) : [];
  if (!labels.length) return false;
  if (labels.length < all.length) studio.emit('note', { text: words.news.leftOut(all.length - labels.length), kind: 'bad' });
  add(studio, 'paste', beside(studio, labels));
  return true;
}

/**
 * The labels, shifted until none lies exactly on an equal one.
 * @template {Pick<Label, 'text' | 'x' | 'y'>} Placed
 * @param {Studio} studio
 * @param {readonly Placed[]} labels
 * @returns {Placed[]}
 */
function beside(studio, labels) {
  const key = (/** @type {Pick<Label, 'text' | 'x' | 'y'>} */ { text, x, y }, shift = 0) => `${bounded(x + shift)} ${bounded(y + shift)} ${text}`;
  const there = new Set(studio.store.inOrder().map((label) => key(label)));
  let shift = 0;
  while (shift < limits.coordinate && labels.some((label) => there.has(key(label, shift)))) shift += pasteStep;
  return labels.map((label) => ({ ...label, x: bounded(label.x + shift), y: bounded(label.y + shift) }));
}

/**
 * Places each emoji of a text by itself; other words become a caption.
 * @param {Studio} studio
 * @param {string} text
 * @param {import('./types').Point} at
 */
function takeText(studio, text, at) {
  const lines = emojiRows(whole(text));
  if (!lines) {
    const all = captionWords(text).trimStart();
    const caption = fitted(all);
    if (!caption) return studio.emit('note', { text: words.news.nothingToPaste });
    if (caption.length < all.length) studio.emit('note', { text: words.news.cut([...caption].length, [...all].length), kind: 'bad' });
    const [place] = beside(studio, [{ text: caption, ...at }]);
    addWords(studio, { ...place, size: Math.round(studio.stampSize * 0.7) }).catch(() => {});
    return undefined;
  }
  const columns = lines.length > 1 ? Infinity : Math.max(8, Math.ceil(Math.sqrt(lines[0].length)));
  const rows = lines.flatMap((line) => {
    const pieces = [];
    for (let start = 0; start < line.length; start += columns) pieces.push(line.slice(start, start + columns));
    return pieces;
  });
  const size = studio.stampSize;
  const labels = rows.flatMap((row, down) => row.map((each, across) => ({
    text: each, size, x: Math.round(at.x + (across - (row.length - 1) / 2) * size * 1.25), y: Math.round(at.y + (down - (rows.length - 1) / 2) * size * 1.2),
  })));
  add(studio, 'paste', beside(studio, labels));
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
    if (event.dataTransfer && studio.isOpen) take(studio, offerOf(event.dataTransfer), studio.documentPoint(event));
  });
}

// MARK: Backgrounds

/**
 * The picture that was asked for last, until its outcome is told. `bytes` are for an address that is refused.
 * @type {{ document: string, bytes: Blob | undefined, before: import('./types').Size, isKept: boolean, isChosen: boolean } | null}
 */
let asked = null;
/** Why an address was refused in whose place bytes were sent. */
let replaced = '';

/**
 * Whether a warning is about an address in whose place bytes were sent. It is told once.
 * @param {{ detail: string }} warning
 */
export function wasReplaced({ detail }) {
  const isSo = replaced !== '' && detail === replaced;
  if (isSo) replaced = '';
  return isSo;
}

/**
 * Notes what is asked for, and answers whether the canvas keeps its size: it does where there is art, and for a tiny picture, unless the user
 * says otherwise.
 * @param {Studio} studio
 * @param {boolean | undefined} keepsCanvas
 * @param {{ bytes?: Blob, isSmall?: boolean }} more
 */
function begin(studio, keepsCanvas, { bytes, isSmall = false }) {
  const isKept = keepsCanvas ?? (studio.store.count > 0 || isSmall);
  asked = { document: studio.name, bytes, before: studio.store.canvas, isKept, isChosen: keepsCanvas !== undefined };
  // A note shows how far it is.
  studio.emit('message', { fetching: true });
  return isKept;
}

/** @param {import('./types').Size} size */
const isTiny = ({ width, height }) => Math.min(width, height) < leastPicture;

/** @param {Studio} studio */
function attachOutcome(studio) {
  const forget = () => { asked = null; };
  studio.on('closed', forget);
  studio.on('message', (message) => {
    if (!asked) return;
    const { bytes, before, isKept, isChosen } = asked;
    // The picture of a document that was left is that document's.
    if (asked.document !== studio.name) forget();
    else if (message.rejected) {
      forget();
      if (!bytes) return;
      replaced = message.rejected.detail;
      setPicture(studio, bytes, isChosen ? isKept : undefined);
    } else if (message.background) {
      forget();
      tellSize(studio, message.background, { before, isKept, isChosen });
    } else if (message.warning && message.warning.detail !== replaced) forget();
  });
}

/**
 * Offers the other size of the canvas where that of the picture was not taken. A tiny picture never sets it.
 * @param {Studio} studio
 * @param {import('./types').Size} picture
 * @param {{ before: import('./types').Size, isKept: boolean, isChosen: boolean }} asked
 */
function tellSize(studio, { width, height }, { before, isKept, isChosen }) {
  const resize = (/** @type {import('./types').Size} */ size) =>
    studio.ask({ canvas: { size: `${size.width}x${size.height}`, ...(studio.store.count ? { scale: true } : {}) } }, 'canvas').catch(() => {});
  if (!isKept && !isChosen && isTiny({ width, height })) resize(before);
  else if (!isKept || isChosen || (width === before.width && height === before.height)) return;
  studio.emit('note', { text: words.background.kept(width, height), action: { name: words.background.resize, run: () => { resize({ width, height }); } } });
}

/**
 * Fetches a background by its address. The bytes of a `data:` URL are sent as a picture.
 * @param {Studio} studio
 * @param {string} url
 * @param {{ keepsCanvas?: boolean, allowsPrivate?: boolean, bytes?: Blob }} options `bytes` are those of the same picture, for an address that is refused
 */
export async function setAddress(studio, url, { keepsCanvas, allowsPrivate = false, bytes }) {
  const data = /^data:(image\/[\w.+-]+)[^,]*?(;base64)?,(.*)$/is.exec(url);
  if (data) {
    try {
      const text = data[2] ? atob(decodeURIComponent(data[3]).replace(/\s/g, '')) : data[3].replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
      return setPicture(studio, new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: data[1].toLowerCase() }), keepsCanvas);
    } catch {
      // The server tells what is wrong with it.
    }
  }
  replaced = '';
  const isKept = begin(studio, keepsCanvas, { bytes });
  const more = { ...(isKept ? { keepCanvas: true } : {}), ...(allowsPrivate ? { allowPrivate: true } : {}) };
  // The store tells why it was refused.
  await studio.ask({ background: isKept || allowsPrivate ? { url, ...more } : url }, 'background').catch(() => studio.emit('message', { rejected: { detail: '' } }));
  return undefined;
}

/**
 * Sends a picture as the background.
 * @param {Studio} studio
 * @param {Blob} blob
 * @param {boolean} [keepsCanvas] what the user says
 */
export async function setPicture(studio, blob, keepsCanvas) {
  try {
    if (/^image\/svg\b/.test(blob.type)) throw new Error(words.background.svg);
    const picture = pictureTypes.includes(blob.type) ? blob : await asPNG(blob);
    if (picture.size > pictureBytes) throw new Error(words.background.tooLarge(fileSize(pictureBytes)));
    const isKept = begin(studio, keepsCanvas, { isSmall: await isSmall(picture) });
    const query = new URLSearchParams({ document: studio.name, ...(isKept ? { keepCanvas: '1' } : {}), tag: studio.net.makeTag() });
    // The outcome comes by the socket, perhaps before the answer to this request.
    await studio.net.fetch(`/background?${query}`, { method: 'POST', headers: { 'Content-Type': picture.type }, body: picture });
  } catch (error) {
    studio.emit('message', { warning: { detail: errorText(error), question: false, reason: 'file' } });
  }
}

/**
 * Whether a picture is too small to set a canvas. One that the browser cannot read is for the server to judge.
 * @param {Blob} blob
 */
async function isSmall(blob) {
  try {
    const bitmap = await createImageBitmap(blob);
    const { width, height } = bitmap;
    bitmap.close();
    return isTiny({ width, height });
  } catch {
    return false;
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
