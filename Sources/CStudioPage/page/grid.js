// SPDX-License-Identifier: Apache-2.0

// The grid of documents in the document browser: cells with pictures, for those that are seen; the focus, the selection, and a name that is edited.

/** @typedef {import('./documents').Entry} Entry */
/**
 * What the grid asks of the browser around it, by the names of documents in the folder.
 * @typedef {object} GridOwner
 * @property {(name: string) => boolean} isCurrent whether the page has that document open
 * @property {(name: string) => void} open
 * @property {(name: string, wanted: string) => Promise<void>} rename
 * @property {(names: string[]) => void} duplicate
 * @property {(names: string[]) => void} remove
 * @property {(anchor: HTMLElement, name: string) => void} showMenu
 * @property {() => void} selectionChanged
 * @property {(path: string, options: RequestInit) => Promise<Response>} fetch asks the server
 */

import { pathIn, range, title, visibleRange } from './documents.js';
import { moment } from './language.js';
import { build, icon, putInto } from './panels.js';
import { Thumbnails } from './thumbs.js';
import { words } from './words.js';

/** The least widths of a document's picture, the height of the text below, and the gaps, in pixels. */
const sizes = { whole: 156, beside: 108, text: 50, gap: 14 };
/** Milliseconds within which typed letters belong together. */
const typingTime = 900;
const letterKey = /^[\p{L}\p{N}]$/u;

export class DocumentGrid {
  #list;
  #parts;
  #owner;
  #thumbnails;
  /** Whether it is narrow, beside a document. */
  isBeside = false;
  #isShown = false;
  /** Whether the folder is followed: pictures are asked for only then. */
  #isFollowing = false;
  /** @type {Set<string>} */
  #selected = new Set();
  /** The document that has the focus of the keyboard, and where a selection of several begins. */
  #focused = '';
  #anchor = '';
  #typed = { text: '', time: 0 };
  /** @type {Map<string, { cell: HTMLElement, entry: Entry, row: number, column: number }>} */
  #cells = new Map();
  /** @type {Map<number, HTMLElement>} */
  #rows = new Map();
  #frame = 0;
  #isPressed = false;
  /** How often a pointer was pressed. */
  #presses = 0;
  /** @type {readonly Entry[]} */
  #placed = [];
  /** Whether the view has moved since the last frame. */
  #isScrolling = false;
  #columns = 1;
  /** Whether elements are being moved: what loses the focus by that has not been left. */
  #isDrawing = false;
  /** The name that is being edited. */
  #renaming = '';
  /** Ends the editing of a name, and keeps the old one. */
  #cancelRenaming = () => {};

  /**
   * @param {import('./documents').DocumentList} list
   * @param {{ scroller: HTMLElement, grid: HTMLElement, space: HTMLElement }} parts
   * @param {GridOwner} owner
   */
  constructor(list, parts, owner) {
    this.#list = list;
    this.#parts = parts;
    this.#owner = owner;
    this.#thumbnails = new Thumbnails(owner.fetch, (path, key, picture) => this.#showPicture(path, key, picture));
    const { scroller, grid } = parts;
    scroller.addEventListener('scroll', () => {
      this.#isScrolling = true;
      this.later();
    }, { passive: true });
    new ResizeObserver(() => this.later()).observe(scroller);
    grid.addEventListener('click', (event) => this.#click(event));
    grid.addEventListener('pointerdown', () => {
      this.#isPressed = true;
      this.#presses += 1;
    });
    for (const type of ['click', 'contextmenu', 'pointercancel', 'blur']) window.addEventListener(type, () => this.#release());
    // The click of a finger comes some time after its release. Not every release has one.
    window.addEventListener('pointerup', () => {
      const press = this.#presses;
      setTimeout(() => { if (press === this.#presses) this.#release(); }, 1000);
    });
    // The release was outside of the window.
    grid.addEventListener('pointermove', (event) => { if (event.buttons === 0 && event.pointerType === 'mouse') this.#release(); }, { passive: true });
    grid.addEventListener('contextmenu', (event) => this.#contextMenu(event));
    grid.addEventListener('keydown', (event) => this.#key(event));
    grid.addEventListener('focusin', (event) => {
      const name = cellName(event.target);
      if (name !== null && name !== this.#focused) this.focused = name;
    });
  }

  /** Whether a name is being edited. */
  get isRenaming() { return this.#renaming !== ''; }

  /** The document that has the focus of the keyboard, or gets it. */
  get focused() { return this.#focused; }

  set focused(name) {
    this.#focused = name;
    this.later();
  }

  /**
   * Draws cells from now on, or no more.
   * @param {boolean} isShown
   */
  show(isShown) {
    this.#isShown = isShown;
    // A half-typed name is not taken.
    if (!isShown) this.#cancelRenaming();
    this.later();
  }

  /** The folder is followed from now on: pictures are asked for, those that failed once more. */
  follow() {
    this.#isFollowing = true;
    this.#thumbnails.restart();
  }

  /** The folder is followed no more. */
  leave() {
    this.#isFollowing = false;
    this.#thumbnails.want([]);
  }

  /** The connection broke: nothing is on its way any more. */
  pause() {
    this.#isFollowing = false;
    this.#thumbnails.restart();
  }

  /** Another folder is shown: nothing is selected, and its first document is seen. */
  reset() {
    this.#cancelRenaming();
    this.#isPressed = false;
    this.#cells.clear();
    this.#selected.clear();
    this.#focused = '';
    this.#parts.scroller.scrollTop = 0;
  }

  /**
   * Keeps the selection and the focus across a change of the list.
   * @param {Map<string, string>} renamed the new names by the old ones
   */
  keep(renamed) {
    const now = (/** @type {string} */ name) => renamed.get(name) ?? name;
    this.#selected = new Set([...this.#selected].map(now).filter((name) => this.#list.find(name)));
    this.#focused = now(this.#focused);
    this.#anchor = now(this.#anchor);
    if (this.#isPressed) this.#placed = this.#placed.map((entry) => this.#list.find(now(entry.name)) ?? entry);
    // The document whose name is being edited has another name by now, or is gone.
    if (this.#renaming && !this.#list.find(this.#renaming)) this.#cancelRenaming();
  }

  /** Gives the focus to the document that had it last, or to the first one; false if there is none. */
  focus() {
    const cell = this.#cells.get(this.#focused)?.cell ?? this.#parts.grid.querySelector('[role="gridcell"]');
    if (!(cell instanceof HTMLElement)) return false;
    cell.focus();
    return true;
  }

  // MARK: Cells

  /** Draws with the next frame. */
  later() { this.#frame ||= requestAnimationFrame(() => this.draw()); }

  /** The documents in the order in which they are drawn. It stays while a pointer is pressed, so that the click is at the document that was pressed. */
  #place() {
    this.#placed = this.#isPressed ? this.#placed.map((entry) => this.#list.find(entry.name) ?? entry) : this.#list.shown;
    return this.#placed;
  }

  #release() {
    if (!this.#isPressed) return;
    this.#isPressed = false;
    this.later();
  }

  /** Draws the cells that are seen. */
  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#isShown) return;
    const { scroller, grid, space } = this.#parts;
    const shown = this.#place();
    const view = visibleRange({
      count: shown.length, width: grid.clientWidth, height: scroller.clientHeight, scroll: scroller.scrollTop,
      least: this.isBeside ? sizes.beside : sizes.whole, text: sizes.text, gap: sizes.gap, before: grid.offsetTop,
    });
    this.#columns = view.columns;
    space.style.blockSize = `${view.height}px`;
    grid.setAttribute('aria-rowcount', String(view.rows));
    grid.setAttribute('aria-colcount', String(view.columns));
    grid.style.setProperty('--columns', String(view.columns));
    grid.style.setProperty('--picture', `${Math.round(view.rowHeight - sizes.gap - sizes.text)}px`);
    this.#thumbnails.setSide(view.cellWidth * devicePixelRatio);
    // The row of the focus stays, so that the focus does.
    const focusedIndex = shown.findIndex(({ name }) => name === this.#focused);
    const focusedRow = focusedIndex < 0 ? -1 : Math.floor(focusedIndex / view.columns);
    const wanted = new Set(focusedRow < 0 ? [] : [focusedRow]);
    for (let row = view.firstRow; row < view.lastRow; row += 1) wanted.add(row);
    const hadFocus = grid.contains(document.activeElement);
    this.#isDrawing = true;
    this.#drawRows(wanted, view, focusedIndex);
    this.#isDrawing = false;
    const field = this.#renaming ? grid.querySelector('.name input') : null;
    if (field instanceof HTMLElement && field !== document.activeElement) field.focus();
    if (hadFocus && !grid.contains(document.activeElement)) this.focus();
    const seen = shown.slice(view.first, view.last).flatMap(({ name, key }) => (key === null ? [] : [{ path: pathIn(this.#list.folder, name), key }]));
    if (this.#isFollowing) this.#thumbnails.want(seen, this.#isScrolling);
    this.#isScrolling = false;
  }

  /**
   * @param {Set<number>} wanted
   * @param {{ columns: number, rowHeight: number }} view
   * @param {number} focusedIndex
   */
  #drawRows(wanted, { columns, rowHeight }, focusedIndex) {
    for (const [row, element] of this.#rows) {
      if (wanted.has(row)) continue;
      element.remove();
      this.#rows.delete(row);
    }
    const former = this.#cells;
    this.#cells = new Map();
    for (const row of [...wanted].sort((a, b) => a - b)) {
      let element = this.#rows.get(row);
      if (!element) {
        element = build('div', { class: 'row', role: 'row' });
        this.#rows.set(row, element);
        this.#parts.grid.append(element);
      }
      element.setAttribute('aria-rowindex', String(row + 1));
      element.style.transform = `translateY(${row * rowHeight}px)`;
      const rowCells = this.#placed.slice(row * columns, (row + 1) * columns).map((entry, column) => {
        const old = former.get(entry.name);
        const cell = old?.entry === entry ? old.cell : this.#cell(entry, old?.cell);
        this.#cells.set(entry.name, { cell, entry, row, column });
        cell.setAttribute('aria-colindex', String(column + 1));
        const index = row * columns + column;
        cell.tabIndex = index === Math.max(0, focusedIndex) ? 0 : -1;
        cell.setAttribute('aria-selected', String(this.#selected.has(entry.name)));
        return cell;
      });
      putInto(element, rowCells);
    }
  }

  /**
   * The cell of a document. It is the same element for as long as a document with that name is shown: a press on one that is replaced before
   * its end is no click. It keeps its picture until there is another one.
   * @param {Entry} entry
   * @param {HTMLElement} [old]
   */
  #cell(entry, old) {
    const { name, key, state, why } = entry;
    const cell = old ?? emptyCell(name);
    const address = key === null ? null : this.#thumbnails.address(key);
    const frame = /** @type {HTMLElement} */ (cell.querySelector('.frame'));
    if (address) showPicture(frame, address);
    else frame.classList.toggle('failed', !frame.firstChild && key !== null && this.#thumbnails.hasFailed(key));
    const badge = state ? build('span', { class: 'badge', 'data-state': state }, words.documents.states[state]) : null;
    cell.querySelector('.detail, .badge')?.replaceWith(badge ?? build('span', { class: 'detail' }, entry.modified ? moment(entry.modified) : ''));
    cell.title = why && state !== 'unsaved' ? why : title(name);
    cell.setAttribute('aria-label', [title(name), state ? words.documents.states[state] : ''].filter(Boolean).join(', '));
    this.#markCurrent(name, cell);
    return cell;
  }

  /**
   * Shows a picture in the cells of all documents with that state: copies have the same one.
   * @param {string} path @param {string} key @param {string | { code: string, message: string }} picture
   */
  #showPicture(path, key, picture) {
    for (const { cell, entry } of this.#cells.values()) {
      const isThat = entry.key === key;
      // The state has changed meanwhile: that picture is better than none, and the next one is on its way.
      const isFormer = !isThat && pathIn(this.#list.folder, entry.name) === path && !cell.querySelector('img');
      if (isThat || isFormer) showPicture(/** @type {HTMLElement} */ (cell.querySelector('.frame')), typeof picture === 'string' ? picture : null);
      if (isThat && typeof picture !== 'string') this.#list.mark(entry.name, key, picture);
    }
    if (typeof picture !== 'string') this.later();
  }

  /** Marks the document that the page has open. */
  showCurrent() {
    for (const [name, { cell }] of this.#cells) this.#markCurrent(name, cell);
  }

  /** @param {string} name @param {HTMLElement} cell */
  #markCurrent(name, cell) {
    if (this.#owner.isCurrent(name)) cell.setAttribute('aria-current', 'true');
    else cell.removeAttribute('aria-current');
  }

  // MARK: Selection and input

  /** The selected documents, in the order that is shown. */
  get chosen() { return this.#list.shown.flatMap(({ name }) => (this.#selected.has(name) ? [name] : [])); }

  get #isSelecting() { return this.chosen.length > 0; }

  /**
   * What a key acts on: the selected documents, or the one that has the focus.
   * @param {string} name
   */
  #selectedOr(name) { return this.#isSelecting ? this.chosen : [name]; }

  /** @param {Iterable<string>} names */
  select(names) {
    this.#selected = new Set(names);
    this.#owner.selectionChanged();
    this.later();
  }

  /** @param {string} name */
  toggle(name) {
    const names = new Set(this.#selected);
    if (!names.delete(name)) names.add(name);
    this.#anchor = name;
    this.select(names);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const name = cellName(event.target);
    if (name === null || this.#renaming) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const more = target.closest('.more');
    this.#focused = name;
    if (more instanceof HTMLElement) return this.#owner.showMenu(more, name);
    if (event.shiftKey && this.#anchor) return this.select(range(this.#placed, this.#anchor, name));
    if (target.closest('.mark') || event.ctrlKey || event.metaKey || this.#isSelecting) return this.toggle(name);
    this.#owner.open(name);
    return undefined;
  }

  /** @param {MouseEvent} event */
  #contextMenu(event) {
    const name = cellName(event.target);
    if (name === null) return;
    event.preventDefault();
    this.#focused = name;
    this.#showMenu(name);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#renaming || event.isComposing) return;
    const { shown } = this.#list;
    const name = cellName(event.target);
    const index = shown.findIndex((entry) => entry.name === name);
    if (name === null || index < 0) return;
    const { key } = event;
    const isRTL = getComputedStyle(this.#parts.grid).direction === 'rtl';
    // A blank in a name that is being typed selects nothing.
    const isNaming = this.#typed.text !== '' && event.timeStamp - this.#typed.time < typingTime;
    const page = this.#columns * Math.max(1, this.#rows.size - 1);
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: isRTL ? 1 : -1, ArrowRight: isRTL ? -1 : 1, ArrowUp: -this.#columns, ArrowDown: this.#columns, PageUp: -page, PageDown: page, Home: -shown.length, End: shown.length };
    if (key in steps && !event.altKey) {
      event.preventDefault();
      const next = key === 'ArrowUp' || key === 'ArrowDown' ? index + steps[key] : Math.max(0, Math.min(shown.length - 1, index + steps[key]));
      if (shown[next]) this.#moveFocus(shown[next].name, event.shiftKey ? name : null);
    } else if (key === 'Enter') this.#owner.open(name);
    else if (key === ' ' && !isNaming) this.toggle(name);
    else if (key === 'F2') this.rename(name);
    else if (key === 'Delete') this.#owner.remove(this.#selectedOr(name));
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
      this.#showMenu(name);
    } else if (/^a$/i.test(key) && (event.ctrlKey || event.metaKey)) this.select(shown.map((entry) => entry.name));
    else if (/^d$/i.test(key) && (event.ctrlKey || event.metaKey)) this.#owner.duplicate(this.#selectedOr(name));
    else if ((letterKey.test(key) || key === ' ') && !event.ctrlKey && !event.metaKey && !event.altKey) this.#jump(key, event.timeStamp, index);
    else return;
    event.preventDefault();
    // Keys of the canvas mean something else.
    event.stopPropagation();
  }

  /** @param {string} name @param {string | null} from where a selection with Shift comes from */
  #moveFocus(name, from) {
    if (from !== null) {
      this.#anchor ||= from;
      this.select(range(this.#list.shown, this.#anchor, name));
    } else if (!this.#isSelecting) this.#anchor = name;
    this.#focused = name;
    this.draw();
    const cell = this.#cells.get(name)?.cell;
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} letter @param {number} time @param {number} index */
  #jump(letter, time, index) {
    const text = time - this.#typed.time < typingTime ? this.#typed.text + letter : letter;
    this.#typed = { text, time };
    const { shown } = this.#list;
    const isMatch = (/** @type {Entry} */ { name }) => title(name).toLowerCase().startsWith(text.toLowerCase());
    // The first letter goes on from here, more of them stay where they fit.
    const start = text.length === 1 ? index + 1 : index;
    const found = [...shown.slice(start), ...shown.slice(0, start)].find(isMatch);
    if (found) this.#moveFocus(found.name, null);
  }

  /**
   * The button of a document's menu; null if its cell is not drawn.
   * @param {string} name
   */
  menuButton(name) {
    const button = this.#cells.get(name)?.cell.querySelector('.more');
    return button instanceof HTMLElement ? button : null;
  }

  /** @param {string} name */
  #showMenu(name) {
    const button = this.menuButton(name);
    if (button) this.#owner.showMenu(button, name);
  }

  /**
   * The document that has the focus when these are gone.
   * @param {string[]} names
   */
  neighbour(names) {
    const { shown } = this.#list;
    const gone = new Set(names);
    const last = shown.reduce((found, { name }, index) => (gone.has(name) ? index : found), -1);
    return (shown.slice(last + 1).find(({ name }) => !gone.has(name)) ?? shown.slice(0, last).reverse().find(({ name }) => !gone.has(name)))?.name ?? '';
  }

  /**
   * Edits the name of a document in its cell.
   * @param {string} name
   */
  rename(name) {
    const cell = this.#cells.get(name)?.cell;
    const text = cell?.querySelector('.name');
    if (!cell || !text) return;
    this.#renaming = name;
    const field = build('input', { type: 'text', value: title(name), autocomplete: 'off', spellcheck: false, 'aria-label': words.documents.newName(title(name)) });
    text.replaceChildren(field);
    field.focus();
    field.select();
    let isDone = false;
    const end = async (/** @type {boolean} */ isKept) => {
      if (isDone) return;
      isDone = true;
      this.#renaming = '';
      const wanted = field.value.trim();
      text.replaceChildren(build('bdi', {}, title(name)));
      cell.focus({ preventScroll: true });
      if (!isKept || !wanted || wanted === title(name)) return;
      await this.#owner.rename(name, wanted);
    };
    this.#cancelRenaming = () => { end(false); };
    field.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' && !event.isComposing) end(true);
      if (event.key === 'Escape') end(false);
    });
    field.addEventListener('blur', () => { if (!this.#isDrawing) end(true); });
  }
}

/**
 * The cell of a document, without what changes.
 * @param {string} name
 */
function emptyCell(name) {
  const mark = build('button', { type: 'button', class: 'mark', tabIndex: -1, 'aria-label': words.documents.select(title(name)) }, icon('check'));
  const more = build('button', { type: 'button', class: 'icon more', tabIndex: -1, 'aria-label': words.documents.actionsOf(title(name)), 'aria-haspopup': 'menu' }, icon('more'));
  const text = build('div', { class: 'text' }, build('span', { class: 'name', dir: 'auto' }, build('bdi', {}, title(name))), build('span', { class: 'detail' }));
  return build('div', { class: 'cell', role: 'gridcell', 'data-name': name }, build('div', { class: 'frame' }), text, mark, more);
}

/**
 * @param {HTMLElement} frame
 * @param {string | null} address null for a picture that cannot be drawn
 */
function showPicture(frame, address) {
  frame.classList.toggle('failed', address === null);
  if (!address || frame.dataset.picture === address) return;
  frame.dataset.picture = address;
  const picture = build('img', { alt: '', src: address, decoding: 'async', draggable: false });
  if (!frame.firstChild) frame.append(picture);
  // Without a flash: a picture stays until the one after it can be shown.
  else picture.decode().catch(() => {}).then(() => { if (frame.dataset.picture === address) frame.replaceChildren(picture); });
}

/**
 * The name of the document whose cell has an element; null if none has.
 * @param {EventTarget | null} target
 */
function cellName(target) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[role="gridcell"]'))?.dataset.name ?? null : null;
}
