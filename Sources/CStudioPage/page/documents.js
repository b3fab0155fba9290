// SPDX-License-Identifier: Apache-2.0

// Pure: the documents of a folder, as the server tells them, and which of them are shown in which order.

/**
 * A document of the folder.
 * @typedef {object} Entry
 * @property {string} name its file's name, with the ending
 * @property {string | null} key names its state: another state has another one; null while it cannot be read
 * @property {number} [modified] milliseconds since 1970
 * @property {number} [size] bytes of the file
 * @property {'damaged' | 'unreadable' | 'notSaved' | 'unsaved' | 'readOnly' | 'conflict'} [state] only of a document that is not well
 * @property {string} [why] the reason of the state; of `unsaved`, the number of edits
 * @property {boolean} [isMarked] whether its picture has shown the state, and not the folder
 */

/** @typedef {'name' | 'modified' | 'size'} Field */
/** @typedef {{ by: Field, isDescending: boolean }} Sorting */

/** The ending of a document's name. */
export const ending = '.emojiart';
/** The height of a picture's frame, by its width. */
export const pictureAspect = 0.75;
/** How many characters of a search count. */
const queryLimit = 100;

/**
 * The name that people see.
 * @param {string} name
 */
export const title = (name) => (name.endsWith(ending) ? name.slice(0, -ending.length) : name);

/**
 * The path of a document in a folder; `''` is the served folder.
 * @param {string} folder
 * @param {string} name
 */
export const pathIn = (folder, name) => (folder ? `${folder}/${name}` : name);

/**
 * The folder of a path, `''` for the served one.
 * @param {string} path
 */
export const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * The last name of a path.
 * @param {string} path
 */
export const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/**
 * Without case and accents, as people search.
 * @param {string} text
 */
const folded = (text) => text.normalize('NFD').replace(/\p{Mn}/gu, '').toLowerCase();

/** @param {Entry} entry @param {Field} field */
const valueOf = (entry, field) => (field === 'size' ? entry.size : entry.modified) ?? 0;

export class DocumentList {
  folder = '';
  /** @type {string[]} */
  folders = [];
  /**
   * Why changes are noticed late; null if they are not.
   * @type {string | null}
   */
  degraded = null;
  /** @type {Sorting} */
  sorting = { by: 'name', isDescending: false };
  query = '';

  /** @type {Map<string, Entry>} */
  #all = new Map();
  /** @type {Entry[] | null} */
  #shown = null;
  #collator;

  /** @param {string} [language] of the order of names */
  constructor(language) {
    this.#collator = new Intl.Collator(language, { numeric: true });
  }

  /** How many documents the folder has. */
  get count() { return this.#all.size; }

  /** @param {string} name */
  find(name) { return this.#all.get(name); }

  /**
   * Takes a folder whole, or what has changed of it. Answers with the new names of renamed documents by their old ones; null for a message
   * about another folder.
   * @param {any} message the value of `folder` or `documents`
   * @returns {Map<string, string> | null}
   */
  take(message) {
    /** @type {Map<string, string>} */
    const renamed = new Map();
    if (message.all) {
      this.folder = message.folder;
      this.#all = new Map(message.all.map((/** @type {Entry} */ entry) => [entry.name, entry]));
    } else if (message.folder !== this.folder) {
      return null;
    } else {
      for (const [old, name] of message.renamed) {
        // Renamed twice in one message: the first name leads to the last.
        const first = [...renamed].find(([, last]) => last === old)?.[0] ?? old;
        renamed.set(first, name);
      }
      for (const name of message.removed) this.#all.delete(name);
      for (const entry of message.changed) this.#all.set(entry.name, this.#marked(entry));
    }
    if (message.folders) this.folders = message.folders;
    if (message.degraded !== undefined) this.degraded = message.degraded;
    this.#shown = null;
    return renamed;
  }

  /**
   * A document turned out not to be well when its picture was drawn. The folder's own word on another state of it counts again.
   * @param {string} name
   * @param {string} key
   * @param {{ code: string, message: string }} error
   */
  mark(name, key, { code, message }) {
    const entry = this.#all.get(name);
    if (!entry || entry.key !== key || entry.state) return;
    /** @type {Entry['state']} */
    const state = code === 'damaged' ? 'damaged' : ['notADocument', 'newerFormat', 'notPermitted', 'inputOutput'].includes(code) ? 'unreadable' : undefined;
    if (!state) return;
    this.#all.set(name, { ...entry, state, why: message, isMarked: true });
    this.#shown = null;
  }

  /**
   * What is told of a document, with what its picture has shown of the same state.
   * @param {Entry} entry
   * @returns {Entry}
   */
  #marked(entry) {
    const old = this.#all.get(entry.name);
    return old?.isMarked && old.key === entry.key && !entry.state ? { ...entry, state: old.state, why: old.why, isMarked: true } : entry;
  }

  /** @param {Partial<Sorting>} sorting */
  sort(sorting) {
    this.sorting = { ...this.sorting, ...sorting };
    this.#shown = null;
  }

  /** @param {string} query */
  search(query) {
    this.query = query.slice(0, queryLimit);
    this.#shown = null;
  }

  /**
   * The documents that fit the search, in order. The same array until something changes.
   * @returns {readonly Entry[]}
   */
  get shown() {
    this.#shown ??= this.#sorted();
    return this.#shown;
  }

  /** The folders that fit the search. */
  get shownFolders() {
    const words = this.#words;
    return words.length ? this.folders.filter((name) => words.every((word) => folded(name).includes(word))) : this.folders;
  }

  get #words() { return folded(this.query).split(/\s+/).filter(Boolean); }

  #sorted() {
    const words = this.#words;
    const found = words.length ? [...this.#all.values()].filter(({ name }) => words.every((word) => folded(title(name)).includes(word))) : [...this.#all.values()];
    const { by, isDescending } = this.sorting;
    const byName = (/** @type {Entry} */ a, /** @type {Entry} */ b) => this.#collator.compare(title(a.name), title(b.name)) || (a.name < b.name ? -1 : 1);
    const order = by === 'name' ? byName : (/** @type {Entry} */ a, /** @type {Entry} */ b) => valueOf(a, by) - valueOf(b, by) || byName(b, a);
    found.sort(isDescending ? (a, b) => order(b, a) : order);
    return found;
  }
}

/**
 * The documents that are shown by a list that scrolls, and where: only these have elements.
 * @param {{ count: number, width: number, height: number, scroll: number, least: number, text: number, gap: number, before: number }} view
 *   `least` is the least width of a cell, `text` the height of what is below its picture, `before` the height of what is above the first row
 */
export function visibleRange({ count, width, height, scroll, least, text, gap, before }) {
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  const cellWidth = Math.max(1, (width - gap * (columns - 1)) / columns);
  const rowHeight = Math.round(cellWidth * pictureAspect) + text + gap;
  const rows = Math.ceil(count / columns);
  const firstRow = Math.max(0, Math.min(rows, Math.floor((scroll - before) / rowHeight)));
  const lastRow = Math.max(0, Math.min(rows, Math.ceil((scroll - before + height) / rowHeight)));
  return {
    columns, cellWidth, rowHeight, rows, firstRow, lastRow, first: Math.min(count, firstRow * columns), last: Math.min(count, lastRow * columns),
    height: Math.max(0, rows * rowHeight - gap),
  };
}

/**
 * The documents between two, with both: what Shift and a click select.
 * @param {readonly Entry[]} shown
 * @param {string} from
 * @param {string} to
 */
export function range(shown, from, to) {
  const places = [from, to].map((name) => shown.findIndex((entry) => entry.name === name));
  if (places.includes(-1)) return [to];
  return shown.slice(Math.min(...places), Math.max(...places) + 1).map(({ name }) => name);
}
