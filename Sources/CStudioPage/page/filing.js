// SPDX-License-Identifier: Apache-2.0

// What is done with whole documents: new ones, files from and for other programs, documents that are not well.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./documents').Entry} Entry */

import { field, form, select, show } from './dialogs.js';
import { ending, folderOf, nameOf, pathIn, title } from './documents.js';
import { build, mergeCopies } from './panels.js';
import { settings } from './storage.js';
import { Thumbnails } from './thumbs.js';
import { saveFile } from './transfer.js';
import { errorText, words } from './words.js';
import { archive, zipLimits } from './zip.js';

/** The folder of templates, in the served one. */
const templates = 'templates';
/** The most bytes of a file that becomes a document. */
const fileLimit = 64 << 20;
/** The most templates that are offered. */
const templateLimit = 24;
const sizeGroup = 'size';
/** The sizes of new documents, in pixels: the name is in the words. */
const sizes = /** @type {const} */ ([
  ['plain', 1024, 768], ['square', 1080, 1080], ['portrait', 1080, 1350], ['story', 1080, 1920], ['slide', 1920, 1080], ['a4', 2480, 3508], ['a4Landscape', 3508, 2480], ['poster', 5906, 8268],
]);

/**
 * Why a document is not shown.
 * @param {string} path
 * @param {unknown} error
 */
export function whyNotOpen(path, error) {
  const { code } = /** @type {import('./net').RequestError} */ (error);
  return code === 'notLeft' || code === 'disconnected' ? words.documents.notLeft : words.news.cannotOpen(title(nameOf(path)), errorText(error));
}

// MARK: New

/**
 * Asks for the name and the size of a new document, or for its template, and opens it.
 * @param {Studio} studio
 * @param {string} folder
 * @param {string} [template] the path of the template that is chosen already
 */
export function newDocument(studio, folder, template = '') {
  const name = build('input', { type: 'text', value: template ? title(nameOf(template)) : words.documents.untitled, required: true, autocomplete: 'off', spellcheck: false });
  const choices = build('div', { class: 'choices', role: 'radiogroup', 'aria-label': words.documents.size });
  const choice = (/** @type {string} */ value, /** @type {Node} */ picture, /** @type {string} */ text, /** @type {string} */ detail) => {
    const box = build('input', { type: 'radio', name: sizeGroup, value });
    const element = build('label', {}, box, build('span', { class: 'frame' }, picture), build('span', {}, text), build('small', {}, detail));
    choices.append(element);
    return box;
  };
  for (const [id, width, height] of sizes) {
    const shape = build('span', { class: 'shape' });
    shape.style.aspectRatio = `${width} / ${height}`;
    shape.classList.toggle('tall', height * 4 > width * 3);
    choice(`${width}x${height}`, shape, words.documents.sizes[id], `${width} × ${height}`);
  }
  const kept = settings.get('size');
  const first = /** @type {HTMLInputElement[]} */ ([...choices.querySelectorAll('input')]);
  (first.find(({ value }) => value === kept) ?? first[0]).checked = true;
  const dialog = show(studio, words.documents.newTitle, [form(words.documents.create, [field(words.documents.name, name), choices], async () => {
    const chosen = /** @type {HTMLInputElement | undefined} */ ([...choices.querySelectorAll('input')].find(({ checked }) => checked))?.value ?? '';
    const size = /^(\d+)x(\d+)$/.exec(chosen);
    const path = pathIn(folder, name.value.trim());
    const request = size ? { name: path, width: Number(size[1]), height: Number(size[2]) } : { name: path, template: chosen };
    if (size) settings.set('size', chosen);
    try {
      const { documents } = await studio.net.request({ documents: { create: request } });
      await studio.goTo(documents.done[0]);
      studio.focusCanvas();
    } catch (error) {
      studio.emit('note', { text: whyNotOpen(path, error), kind: 'bad' });
    }
  })]);
  dialog.classList.add('newDocument');
  const pictures = addTemplates(studio, choice, template);
  dialog.addEventListener('close', () => pictures.then((all) => all.end()));
  name.select();
}

/**
 * Adds the documents of the folder of templates to the choices.
 * @param {Studio} studio
 * @param {(value: string, picture: Node, text: string, detail: string) => HTMLInputElement} choice
 * @param {string} chosen
 */
async function addTemplates(studio, choice, chosen) {
  /** @type {Map<string, HTMLElement>} */
  const frames = new Map();
  const pictures = new Thumbnails((path, options) => studio.net.fetch(path, options), (path, _, picture) => {
    if (typeof picture === 'string') frames.get(path)?.replaceChildren(build('img', { alt: '', src: picture }));
  });
  const add = (/** @type {string} */ path) => {
    const frame = build('span', { class: 'shape picture' });
    frames.set(path, frame);
    return choice(path, frame, title(nameOf(path)), words.documents.isTemplate);
  };
  if (chosen) {
    add(chosen).checked = true;
    pictures.want([{ path: chosen, key: chosen }]);
  }
  try {
    const { documents } = await studio.net.request({ documents: { list: templates } });
    const paths = documents.all.filter((/** @type {Entry} */ { key }) => key !== null)
      .map((/** @type {Entry} */ { name, key }) => ({ path: pathIn(templates, name), key: key ?? '' })).filter((/** @type {{ path: string }} */ { path }) => path !== chosen).slice(0, templateLimit);
    for (const { path } of paths) add(path);
    pictures.want([...(chosen ? [{ path: chosen, key: chosen }] : []), ...paths]);
  } catch {
    // Most folders have none.
  }
  return pictures;
}

/**
 * Asks for a short text.
 * @param {Studio} studio
 * @param {string} heading
 * @param {string} label
 * @param {(text: string) => unknown} act
 */
export function askText(studio, heading, label, act, value = '') {
  const input = build('input', { type: 'text', required: true, value, autocomplete: 'off', spellcheck: false });
  show(studio, heading, [form(words.ok, [field(label, input)], () => act(input.value.trim()))]);
  input.select();
}

/**
 * Asks for another name of the open document.
 * @param {Studio} studio
 */
export function renameDocument(studio) {
  const { name } = studio;
  askText(studio, words.documents.rename, words.documents.name, (text) => {
    studio.net.request({ documents: { rename: { document: name, to: pathIn(folderOf(name), text) } } })
      .catch((error) => studio.emit('note', { text: errorText(error), kind: 'bad' }));
  }, title(nameOf(name)));
}

// MARK: Progress

/**
 * A note that says how far something is; it ends with `end`.
 * @param {(done: number, all: number) => string} text
 * @param {number} all
 */
function progress(text, all) {
  let isCancelled = false;
  const bar = build('progress', { max: all, value: 0, 'aria-label': text(0, all) });
  // Each file would be read out.
  const line = build('p', { 'aria-live': 'off' }, text(0, all));
  const cancel = build('button', { type: 'button', onclick: () => { isCancelled = true; } }, words.cancel);
  const note = build('div', { class: 'note' }, bar, line, cancel);
  document.getElementById('notes')?.append(note);
  return {
    get isCancelled() { return isCancelled; },
    to(/** @type {number} */ done) {
      bar.value = done;
      line.textContent = text(done, all);
    },
    end() { note.remove(); },
  };
}

// MARK: From other programs

/**
 * Makes a document of each file: of ours, of EmojiArt documents of all years, of pictures. Answers with the paths of those that were made.
 * @param {Studio} studio
 * @param {File[]} files
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
export async function importFiles(studio, files, folder) {
  /** @type {string[]} */
  const made = [];
  /** @type {{ name: string, lines: string[], isFailed: boolean }[]} */
  const reports = [];
  const bar = progress(words.documents.importing, files.length);
  for (const [index, file] of files.entries()) {
    if (bar.isCancelled) break;
    bar.to(index);
    try {
      if (file.size > fileLimit) throw new Error(words.documents.tooLarge);
      const query = new URLSearchParams({ name: file.name, ...(folder ? { folder } : {}) });
      const response = await studio.net.fetch(`/upload?${query}`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: file });
      const answer = await response.json();
      made.push(answer.made);
      if (answer.notes.length) reports.push({ name: file.name, isFailed: false, lines: answer.notes.map((/** @type {{ kind: string, text: string }} */ { kind, text }) => `${words.documents.notes[/** @type {'leftOut' | 'changed'} */ (kind)]}: ${text}`) });
    } catch (error) {
      reports.push({ name: file.name, isFailed: true, lines: [errorText(error)] });
    }
  }
  bar.end();
  if (reports.length) showReport(studio, made.length, reports);
  else studio.emit('note', { text: words.documents.imported(made.length), ...(made.length === 1 ? { action: { name: words.documents.open, run: () => studio.goTo(made[0]).catch(() => {}) } } : {}) });
  return made;
}

/**
 * @param {Studio} studio
 * @param {number} count
 * @param {{ name: string, lines: string[], isFailed: boolean }[]} reports
 */
function showReport(studio, count, reports) {
  const rows = reports.map(({ name, lines, isFailed }) => build('li', {}, build('b', {}, build('bdi', {}, name)), isFailed ? ` ${words.documents.notImported}` : '', build('ul', {}, ...lines.map((line) => build('li', {}, line)))));
  const close = build('button', { type: 'button', class: 'main' }, words.ok);
  const dialog = show(studio, words.documents.report, [build('p', {}, words.documents.imported(count)), build('ul', { class: 'report' }, ...rows), build('div', { class: 'buttons' }, close)]);
  close.addEventListener('click', () => dialog.close());
  close.focus();
}

// MARK: For other programs

const formats = /** @type {[string, string][]} */ ([['png', 'PNG'], ['jpeg', 'JPEG'], ['webp', 'WebP'], ['svg', 'SVG'], ['pdf', 'PDF']]);

/**
 * Downloads documents in a format: one as it is, several in one archive.
 * @param {Studio} studio
 * @param {string[]} paths
 */
export function exportDocuments(studio, paths) {
  const format = select([...formats, ['document', words.documents.asDocument]], settings.get('exportMany') ?? 'png');
  const scale = select([['0.5', '½ ×'], ['1', '1 ×'], ['2', '2 ×'], ['3', '3 ×']], '1');
  const scaleField = field(words.export.scale, scale);
  const update = () => { scaleField.hidden = !['png', 'jpeg', 'webp'].includes(format.value); };
  format.addEventListener('change', update);
  update();
  const heading = paths.length === 1 ? words.documents.exportOne(title(nameOf(paths[0]))) : words.documents.exportMany(paths.length);
  show(studio, heading, [form(words.export.download, [field(words.export.format, format), scaleField], () => {
    settings.set('exportMany', format.value);
    return downloadAll(studio, paths, format.value, scale.value);
  })]);
}

/**
 * @param {Studio} studio
 * @param {string[]} paths
 * @param {string} format
 * @param {string} scale
 */
async function downloadAll(studio, paths, format, scale) {
  const bar = progress(words.documents.exporting, paths.length);
  /** @type {import('./zip').ArchivedFile[]} */
  const files = [];
  const names = new Set();
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    if (bar.isCancelled) return bar.end();
    bar.to(index);
    try {
      const query = format === 'document' ? `/copy?${new URLSearchParams({ document: path })}`
        : `/render?${new URLSearchParams({ document: path, format, ...(['png', 'jpeg', 'webp'].includes(format) ? { scale } : {}) })}`;
      const content = new Uint8Array(await (await studio.net.fetch(query)).arrayBuffer());
      bytes += content.length;
      if (bytes > zipLimits.bytes || files.length === zipLimits.files) throw new Error(words.documents.tooMuch);
      files.push({ name: freeName(title(nameOf(path)), format === 'document' ? ending : `.${format === 'jpeg' ? 'jpg' : format}`, names), bytes: content });
    } catch (error) {
      studio.emit('note', { text: words.documents.failed(title(nameOf(path)), errorText(error)), kind: 'bad' });
      if (bytes > zipLimits.bytes) break;
    }
  }
  bar.end();
  if (files.length === 1 && paths.length === 1) saveFile(new Blob([files[0].bytes]), files[0].name);
  else if (files.length) saveFile(new Blob(archive(files, new Date()), { type: 'application/zip' }), `${nameOf(folderOf(paths[0])) || 'emojiart'}.zip`);
  return undefined;
}

/** @param {string} stem @param {string} end @param {Set<string>} taken */
function freeName(stem, end, taken) {
  let name = `${stem}${end}`;
  for (let number = 2; taken.has(name); number += 1) name = `${stem} ${number}${end}`;
  taken.add(name);
  return name;
}

// MARK: Not well

/**
 * Says what is wrong with a document, and what can be done.
 * @param {Studio} studio
 * @param {string} path
 * @param {Entry} entry
 */
export function showTrouble(studio, path, { state, why }) {
  if (!state) return;
  const isDamaged = state === 'damaged';
  const canMerge = state === 'conflict';
  const text = state === 'unsaved' ? words.documents.unsaved(Number(why) || 1) : why ?? '';
  const hasMore = isDamaged || canMerge;
  const close = build('button', { type: 'button', class: hasMore ? 'quiet' : 'main' }, hasMore ? words.cancel : words.ok);
  const repair = build('button', { type: 'button', class: 'main', hidden: !isDamaged }, words.documents.repair);
  const merge = build('button', { type: 'button', class: 'main', hidden: !canMerge }, words.documents.merge);
  const dialog = show(studio, title(nameOf(path)), [
    build('p', {}, build('b', {}, words.documents.states[state])), text ? build('p', {}, text) : null, build('p', {}, words.documents.advice[state]), build('div', { class: 'buttons' }, close, repair, merge),
  ]);
  close.addEventListener('click', () => dialog.close());
  merge.addEventListener('click', () => {
    dialog.close();
    mergeCopies(studio, [path]);
  });
  repair.addEventListener('click', async () => {
    dialog.close();
    try {
      const { documents } = await studio.net.request({ documents: { repair: path } });
      studio.emit('note', { text: words.documents.repaired(title(nameOf(path)), documents.lines?.length ?? 0) });
    } catch (error) {
      studio.emit('note', { text: errorText(error), kind: 'bad' });
    }
  });
}
