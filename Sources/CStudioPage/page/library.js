// SPDX-License-Identifier: Apache-2.0

// The document browser: the documents of a folder with their pictures. Only what is seen has elements and pictures.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./documents').Entry} Entry */

import { DocumentList, folderOf, nameOf, pathIn, range, title, visibleRange } from './documents.js';
import { askText, exportDocuments, importFiles, newDocument, showTrouble, whyNotOpen } from './filing.js';
import { browserPlace, layoutOf } from './layout.js';
import { language, moment } from './language.js';
import { build, icon, popMenu } from './panels.js';
import { Thumbnails } from './thumbs.js';
import { errorText, words } from './words.js';

/** The least widths of a document's picture, the height of the text below, and the gaps, in pixels. */
const cells = { whole: 156, beside: 108, text: 50, gap: 14 };
/** Milliseconds within which typed letters belong together. */
const typingTime = 900;
const letterKey = /^[\p{L}\p{N}]$/u;

/** @type {DocumentBrowser | null} */
let browser = null;

/** @param {Studio} studio */
export function documentBrowser(studio) {
  browser ??= new DocumentBrowser(studio, /** @type {HTMLElement} */ (document.getElementById('documents')));
  return browser;
}

export class DocumentBrowser {
  #studio;
  #host;
  #list = new DocumentList(language);
  #thumbnails;
  /** Whether it is wanted beside a document, and in place of one. */
  #isWanted = localStorage.getItem('documents') === 'beside';
  #isOnTop = false;
  /** @type {'whole' | 'beside' | 'none'} */
  #place = 'none';
  /** Whether the folder is followed. */
  #isFollowing = false;
  /** The folder that is asked for; what is shown, and acted on, is that of the list. */
  #folder = '';
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
  #columns = 1;
  /** Whether elements are being moved: what loses the focus by that has not been left. */
  #isDrawing = false;
  /** The name that is being edited. */
  #renaming = '';

  /** @param {Studio} studio @param {HTMLElement} host */
  constructor(studio, host) {
    this.#studio = studio;
    this.#host = host;
    this.#folder = folderOf(studio.name);
    const style = build('link', { rel: 'stylesheet', href: '/library.css' });
    document.head.append(style);
    style.addEventListener('load', () => {
      this.#later();
      // Documents that came before the style have had no cells to focus.
      if (document.activeElement === this.parts.make) this.#focusFirst();
    });
    this.#thumbnails = new Thumbnails((path, options) => studio.net.fetch(path, options), (path, key, picture) => this.#showPicture(path, key, picture));
    this.parts = this.#build();
    this.#attach();
    this.update();
  }

  get isShown() { return this.#place !== 'none'; }

  /** Shows the documents, or hides them where a document is open. */
  toggle() {
    if (!this.#studio.isOpen) return this.update();
    if (this.#layout.documents === 'beside') {
      this.#isWanted = !this.#isWanted;
      localStorage.setItem('documents', this.#isWanted ? 'beside' : 'none');
    } else {
      this.#isOnTop = !this.#isOnTop;
    }
    this.update();
    if (this.isShown) this.focus();
    else this.#studio.focusCanvas();
  }

  get #layout() { return layoutOf(innerWidth, innerHeight); }

  /** Brings the place of the browser up to the page's size and the open document. */
  update() {
    const studio = this.#studio;
    const place = browserPlace(this.#layout, { isOpen: studio.isOpen, isWanted: this.#isWanted, isOnTop: this.#isOnTop });
    const isOther = place !== this.#place;
    this.#place = place;
    document.body.dataset.documents = place;
    this.#host.hidden = place === 'none';
    this.#host.classList.toggle('beside', place === 'beside');
    this.#host.setAttribute('role', place === 'whole' ? 'main' : 'complementary');
    // What is behind it cannot be reached by keys, nor by a screen reader.
    for (const element of document.querySelectorAll('#stage, #history, #zoom, #selection, .tools, .sheetButton')) /** @type {HTMLElement} */ (element).inert = place === 'whole';
    this.parts.back.hidden = place !== 'whole' || !studio.isOpen;
    document.querySelector('button[data-action="documents"]')?.setAttribute('aria-pressed', String(place !== 'none'));
    if (isOther && place !== 'none') this.#browse(this.#folder);
    else if (isOther) this.#leave();
    studio.emit('layout', undefined);
    this.#later();
  }

  focus() {
    const cell = this.#cells.get(this.#focused)?.cell ?? this.parts.grid.querySelector('[role="gridcell"]');
    if (cell instanceof HTMLElement) cell.focus();
    else this.parts.make.focus();
  }

  // MARK: Elements

  #build() {
    const path = build('nav', { class: 'path', 'aria-label': words.documents.path });
    const back = build('button', { type: 'button', class: 'icon', 'aria-label': words.documents.backToDocument, title: words.documents.backToDocument }, icon('close'));
    const search = build('input', { type: 'search', placeholder: words.documents.search, 'aria-label': words.documents.search, autocomplete: 'off', spellcheck: false });
    const sort = build('button', { type: 'button', class: 'icon', 'aria-label': words.documents.sort, title: words.documents.sort, 'aria-haspopup': 'menu' }, icon('sort'));
    const more = build('button', { type: 'button', class: 'icon', 'aria-label': words.documents.more, title: words.documents.more, 'aria-haspopup': 'menu' }, icon('more'));
    const make = build('button', { type: 'button', class: 'main', 'aria-label': words.documents.make, title: words.documents.newTitle }, icon('plus'), build('span', {}, words.documents.make));
    const head = build('div', { class: 'head' }, path, make, back);
    const tools = build('div', { class: 'search' }, icon('search'), search, sort, more);
    const chosen = build('span', {});
    const selection = build('div', { class: 'chosen', role: 'toolbar', 'aria-label': words.documents.selection, hidden: true }, chosen);
    const notice = build('p', { class: 'notice', hidden: true });
    const folders = build('div', { class: 'folders', role: 'list', 'aria-label': words.documents.folders });
    const space = build('div', { class: 'space' });
    const grid = build('div', { class: 'grid', role: 'grid', 'aria-label': words.documents.title, 'aria-multiselectable': 'true' }, space);
    const empty = build('p', { class: 'empty', hidden: true });
    const scroller = build('div', { class: 'scroller' }, notice, folders, grid, empty);
    const files = build('input', { type: 'file', multiple: true, hidden: true });
    this.#host.append(head, tools, selection, scroller, files);
    return { path, back, search, sort, more, make, chosen, selection, notice, folders, space, grid, empty, scroller, files };
  }

  #attach() {
    const { back, search, sort, more, make, scroller, grid, files, selection } = this.parts;
    const studio = this.#studio;
    make.addEventListener('click', () => newDocument(studio, this.#list.folder));
    back.addEventListener('click', () => this.toggle());
    search.addEventListener('input', () => { this.#list.search(search.value); this.#show(); });
    sort.addEventListener('click', () => this.#showSorting(sort));
    more.addEventListener('click', () => popMenu(more, [
      { name: words.documents.import, run: () => files.click() },
      { name: words.documents.makeFolder, run: () => this.#makeFolder() },
      { name: words.documents.selectAll, run: () => this.#select(this.#list.shown.map(({ name }) => name)) },
    ]));
    files.addEventListener('change', () => { this.import([...(files.files ?? [])]); files.value = ''; });
    for (const [name, picture, act] of /** @type {const} */ ([
      ['duplicate', 'copy', () => this.#duplicate(this.#chosen)], ['export', 'export', () => exportDocuments(studio, this.#paths(this.#chosen))],
      ['delete', 'delete', () => this.#delete(this.#chosen)], ['selectNone', 'close', () => this.#select([])],
    ])) selection.append(build('button', { type: 'button', class: 'icon', 'aria-label': words.documents[name], title: words.documents[name], onclick: act }, icon(picture)));
    scroller.addEventListener('scroll', () => this.#later(), { passive: true });
    new ResizeObserver(() => this.#later()).observe(scroller);
    addEventListener('resize', () => this.update());
    grid.addEventListener('click', (event) => this.#click(event));
    grid.addEventListener('contextmenu', (event) => this.#contextMenu(event));
    grid.addEventListener('keydown', (event) => this.#key(event));
    grid.addEventListener('focusin', (event) => {
      const name = cellName(event.target);
      if (name !== null && name !== this.#focused) { this.#focused = name; this.#later(); }
    });
    this.#host.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || this.#renaming) return;
      event.preventDefault();
      if (this.#selected.size) this.#select([]);
      else if (search.value) { search.value = ''; this.#list.search(''); this.#show(); } else if (studio.isOpen) this.toggle();
    });
    this.#attachDrops();
    studio.on('opened', () => { this.#isOnTop = false; this.update(); this.#showCurrent(); });
    studio.on('closed', () => this.update());
    studio.on('folder', (message) => this.#take(message));
    studio.on('status', () => {
      if (studio.net.state === 'open' || !this.#isFollowing) return;
      this.#isFollowing = false;
      this.#thumbnails.restart();
    });
    studio.on('connected', () => { if (this.isShown) this.#browse(this.#folder); });
  }

  #attachDrops() {
    let depth = 0;
    const show = () => this.#host.classList.toggle('dropping', depth > 0);
    this.#host.addEventListener('dragenter', () => { depth += 1; show(); });
    this.#host.addEventListener('dragleave', () => { depth = Math.max(0, depth - 1); show(); });
    this.#host.addEventListener('dragover', (event) => { if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'; });
    this.#host.addEventListener('drop', (event) => {
      depth = 0;
      show();
      event.preventDefault();
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (dropped.length) this.import(dropped);
    });
  }

  // MARK: The folder

  /** @param {string} folder @returns {Promise<void>} */
  async #browse(folder) {
    const isOther = folder !== this.#list.folder;
    this.#folder = folder;
    try {
      const { documents } = await this.#studio.net.request({ documents: { browse: folder } });
      // Another folder was asked for meanwhile, or none.
      if (folder !== this.#folder || !this.isShown) return;
      this.#isFollowing = true;
      this.#thumbnails.restart();
      if (isOther) {
        this.#selected.clear();
        this.#focused = '';
        this.parts.scroller.scrollTop = 0;
      }
      this.#list.take(documents);
      this.#show();
      this.#showCurrent();
      if (isOther || !this.#host.contains(document.activeElement)) this.#focusFirst();
    } catch (error) {
      if (/** @type {import('./net').RequestError} */ (error).code === 'disconnected') return undefined;
      // A folder that is gone leads to the one around it.
      if (folder) return this.#browse(folderOf(folder));
      this.#folder = this.#list.folder;
      this.#tell(errorText(error));
    }
    return undefined;
  }

  #leave() {
    this.#isFollowing = false;
    this.#thumbnails.want([]);
    this.#studio.net.request({ documents: { leave: true } }).catch(() => {});
  }

  /** Puts the focus into the browser where nothing has it, so that keys work at once. */
  #focusFirst() {
    if (this.#place !== 'whole' || (document.activeElement && document.activeElement !== document.body && !this.#host.contains(document.activeElement))) return;
    this.#draw();
    this.focus();
  }

  /** @param {any} message */
  #take(message) {
    if (!this.#isFollowing || message.folder !== this.#list.folder) return;
    const renamed = this.#list.take(message);
    if (!renamed) return;
    const now = (/** @type {string} */ name) => renamed.get(name) ?? name;
    this.#selected = new Set([...this.#selected].map(now).filter((name) => this.#list.find(name)));
    this.#focused = now(this.#focused);
    this.#anchor = now(this.#anchor);
    this.#show();
  }

  /** Shows what has changed around the cells, and then these. */
  #show() {
    const { path, notice, folders, empty, search } = this.parts;
    this.#showPath(path);
    notice.hidden = !this.#list.degraded;
    notice.textContent = this.#list.degraded ? `${words.news.degraded}. ${this.#list.degraded}` : '';
    const names = this.#list.shownFolders;
    folders.hidden = !names.length;
    const key = JSON.stringify([this.#list.folder, names]);
    if (folders.dataset.shown !== key) folders.replaceChildren(...names.map((name) => build('div', { role: 'listitem' },
      build('button', { type: 'button', class: 'folder', onclick: () => this.#browse(pathIn(this.#list.folder, name)) }, icon('folder'), build('span', {}, name)))));
    folders.dataset.shown = key;
    const isEmpty = !this.#list.shown.length;
    this.parts.grid.hidden = isEmpty;
    empty.hidden = !isEmpty;
    empty.textContent = isEmpty ? (search.value ? words.documents.nothingFound : words.documents.none) : '';
    this.#showSelection();
    this.#later();
  }

  /** @param {HTMLElement} path */
  #showPath(path) {
    const { folder: here } = this.#list;
    // An element that is made anew loses the focus.
    if (path.dataset.shown === here) return;
    path.dataset.shown = here;
    const parts = here ? here.split('/') : [];
    const root = nameOf(this.#studio.net.welcome?.folder ?? '') || '/';
    const links = [root, ...parts].map((name, index) => {
      const folder = parts.slice(0, index).join('/');
      const isHere = index === parts.length;
      if (isHere) return build('h2', { title: name }, name);
      return build('button', { type: 'button', onclick: () => this.#browse(folder) }, name);
    });
    path.replaceChildren(...links.flatMap((link, index) => (index ? [build('span', { 'aria-hidden': 'true' }, '›'), link] : [link])));
  }

  // MARK: Cells

  #later() { this.#frame ||= requestAnimationFrame(() => this.#draw()); }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.isShown) return;
    const { scroller, grid, space } = this.parts;
    const { shown } = this.#list;
    const view = visibleRange({
      count: shown.length, width: grid.clientWidth, height: scroller.clientHeight, scroll: scroller.scrollTop,
      least: this.#place === 'beside' ? cells.beside : cells.whole, text: cells.text, gap: cells.gap, before: grid.offsetTop,
    });
    this.#columns = view.columns;
    space.style.blockSize = `${view.height}px`;
    grid.setAttribute('aria-rowcount', String(view.rows));
    grid.setAttribute('aria-colcount', String(view.columns));
    grid.style.setProperty('--columns', String(view.columns));
    grid.style.setProperty('--picture', `${Math.round(view.rowHeight - cells.gap - cells.text)}px`);
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
    if (this.#isFollowing) this.#thumbnails.want(seen);
  }

  /**
   * @param {Set<number>} wanted
   * @param {{ columns: number, rowHeight: number }} view
   * @param {number} focusedIndex
   */
  #drawRows(wanted, { columns, rowHeight }, focusedIndex) {
    const { shown } = this.#list;
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
        this.parts.grid.append(element);
      }
      element.setAttribute('aria-rowindex', String(row + 1));
      element.style.transform = `translateY(${row * rowHeight}px)`;
      const rowCells = shown.slice(row * columns, (row + 1) * columns).map((entry, column) => {
        const old = former.get(entry.name);
        const cell = old && (old.entry === entry || this.#renaming === entry.name) ? old.cell : this.#cell(entry, old?.cell);
        this.#cells.set(entry.name, { cell, entry, row, column });
        cell.setAttribute('aria-colindex', String(column + 1));
        const index = row * columns + column;
        cell.tabIndex = index === Math.max(0, focusedIndex) ? 0 : -1;
        cell.setAttribute('aria-selected', String(this.#selected.has(entry.name)));
        return cell;
      });
      const kept = new Set(rowCells);
      for (const child of [...element.children]) if (!kept.has(/** @type {HTMLElement} */ (child))) child.remove();
      // What is in its place stays there: a field whose element is moved loses the focus.
      for (const [index, cell] of rowCells.entries()) if (element.children[index] !== cell) element.insertBefore(cell, element.children[index] ?? null);
    }
  }

  /**
   * The cell of a document; the one that it had keeps its picture until there is another one.
   * @param {Entry} entry
   * @param {HTMLElement} [old]
   */
  #cell(entry, old) {
    const { name, state, why } = entry;
    const frame = build('div', { class: 'frame' });
    const address = entry.key === null ? null : this.#thumbnails.address(entry.key);
    const picture = address ? build('img', { alt: '', src: address, decoding: 'async', draggable: false }) : old?.querySelector('img');
    if (picture) frame.append(picture);
    const mark = build('button', { type: 'button', class: 'mark', tabIndex: -1, 'aria-label': words.documents.select(title(name)) }, icon('check'));
    const more = build('button', { type: 'button', class: 'icon more', tabIndex: -1, 'aria-label': words.documents.actionsOf(title(name)), 'aria-haspopup': 'menu' }, icon('more'));
    const badge = state ? build('span', { class: 'badge', 'data-state': state }, words.documents.states[state]) : null;
    const detail = badge ?? build('span', { class: 'detail' }, entry.modified ? moment(entry.modified) : '');
    const cell = build('div', { class: 'cell', role: 'gridcell', 'data-name': name, title: why && state !== 'unsaved' ? why : title(name) },
      frame, build('div', { class: 'text' }, build('span', { class: 'name' }, build('bdi', {}, title(name))), detail), mark, more);
    cell.setAttribute('aria-label', [title(name), state ? words.documents.states[state] : ''].filter(Boolean).join(', '));
    if (this.#isCurrent(name)) cell.setAttribute('aria-current', 'true');
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
    if (typeof picture !== 'string') this.#later();
  }

  /** @param {string} name */
  #isCurrent(name) { return this.#studio.isOpen && this.#studio.name === pathIn(this.#list.folder, name); }

  #showCurrent() {
    for (const [name, { cell }] of this.#cells) {
      if (this.#isCurrent(name)) cell.setAttribute('aria-current', 'true');
      else cell.removeAttribute('aria-current');
    }
  }

  // MARK: Selection and input

  /** The selected documents, in the order that is shown. */
  get #chosen() { return this.#list.shown.flatMap(({ name }) => (this.#selected.has(name) ? [name] : [])); }

  /** @param {string[]} names */
  #paths(names) { return names.map((name) => pathIn(this.#list.folder, name)); }

  /** @param {Iterable<string>} names */
  #select(names) {
    this.#selected = new Set(names);
    this.#showSelection();
    this.#later();
  }

  #showSelection() {
    const { selection, chosen } = this.parts;
    selection.hidden = !this.#selected.size;
    chosen.textContent = words.documents.selected(this.#selected.size);
    this.#host.classList.toggle('selecting', this.#selected.size > 0);
  }

  /** @param {string} name */
  #toggle(name) {
    const names = new Set(this.#selected);
    if (!names.delete(name)) names.add(name);
    this.#anchor = name;
    this.#select(names);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const name = cellName(event.target);
    if (name === null || this.#renaming) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const more = target.closest('.more');
    this.#focused = name;
    if (more instanceof HTMLElement) return this.#showMenu(more, name);
    if (event.shiftKey && this.#anchor) return this.#select(range(this.#list.shown, this.#anchor, name));
    if (target.closest('.mark') || event.ctrlKey || event.metaKey || this.#selected.size) return this.#toggle(name);
    this.#open(name);
    return undefined;
  }

  /** @param {MouseEvent} event */
  #contextMenu(event) {
    const name = cellName(event.target);
    if (name === null) return;
    event.preventDefault();
    this.#focused = name;
    const more = this.#cells.get(name)?.cell.querySelector('.more');
    if (more instanceof HTMLElement) this.#showMenu(more, name);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#renaming || event.isComposing) return;
    const { shown } = this.#list;
    const name = cellName(event.target);
    const index = shown.findIndex((entry) => entry.name === name);
    if (name === null || index < 0) return;
    const { key } = event;
    const isRTL = getComputedStyle(this.#host).direction === 'rtl';
    // A blank in a name that is being typed selects nothing.
    const isNaming = this.#typed.text !== '' && event.timeStamp - this.#typed.time < typingTime;
    const page = this.#columns * Math.max(1, this.#rows.size - 1);
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: isRTL ? 1 : -1, ArrowRight: isRTL ? -1 : 1, ArrowUp: -this.#columns, ArrowDown: this.#columns, PageUp: -page, PageDown: page, Home: -shown.length, End: shown.length };
    if (key in steps && !event.altKey) {
      event.preventDefault();
      const next = key === 'ArrowUp' || key === 'ArrowDown' ? index + steps[key] : Math.max(0, Math.min(shown.length - 1, index + steps[key]));
      if (shown[next]) this.#moveFocus(shown[next].name, event.shiftKey ? name : null);
    } else if (key === 'Enter') this.#open(name);
    else if (key === ' ' && !isNaming) this.#toggle(name);
    else if (key === 'F2') this.#rename(name);
    else if (key === 'Delete') this.#delete(this.#selected.size ? this.#chosen : [name]);
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
      const more = this.#cells.get(name)?.cell.querySelector('.more');
      if (more instanceof HTMLElement) this.#showMenu(more, name);
    } else if (/^a$/i.test(key) && (event.ctrlKey || event.metaKey)) this.#select(shown.map((entry) => entry.name));
    else if (/^d$/i.test(key) && (event.ctrlKey || event.metaKey)) this.#duplicate(this.#selected.size ? this.#chosen : [name]);
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
      this.#select(range(this.#list.shown, this.#anchor, name));
    } else if (!this.#selected.size) this.#anchor = name;
    this.#focused = name;
    this.#draw();
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

  // MARK: What is done

  /** @param {HTMLElement} anchor @param {string} name */
  #showMenu(anchor, name) {
    const entry = this.#list.find(name);
    const path = pathIn(this.#list.folder, name);
    const isReadable = entry?.key !== null;
    popMenu(anchor, [
      { name: words.documents.open, run: () => this.#open(name), isEnabled: isReadable },
      ...(entry?.state ? [{ name: words.documents.whatIsWrong, run: () => showTrouble(this.#studio, path, entry) }] : []),
      { name: this.#selected.has(name) ? words.documents.unselect : words.documents.selectOne, run: () => this.#toggle(name) },
      null,
      { name: words.documents.rename, key: 'F2', run: () => this.#rename(name) },
      { name: words.documents.duplicate, run: () => this.#duplicate([name]), isEnabled: isReadable },
      { name: words.documents.move, run: () => this.#move([name]) },
      { name: words.documents.export, run: () => exportDocuments(this.#studio, [path]), isEnabled: isReadable },
      { name: words.documents.template, run: () => newDocument(this.#studio, this.#list.folder, path), isEnabled: isReadable },
      null,
      { name: words.documents.delete, key: words.keys.Delete, run: () => this.#delete([name]) },
    ]);
  }

  /** @param {HTMLElement} anchor */
  #showSorting(anchor) {
    const { by, isDescending } = this.#list.sorting;
    const sort = (/** @type {Partial<import('./documents').Sorting>} */ sorting) => { this.#list.sort(sorting); this.#show(); };
    popMenu(anchor, [
      ...(/** @type {const} */ (['name', 'modified', 'size'])).map((field) => ({ name: words.documents.sortBy[field], isOn: by === field, run: () => sort({ by: field, isDescending: field !== 'name' }) })),
      null,
      { name: words.documents.descending, isOn: isDescending, run: () => sort({ isDescending: !isDescending }) },
    ]);
  }

  /** @param {string} name */
  #open(name) {
    const path = pathIn(this.#list.folder, name);
    const entry = this.#list.find(name);
    if (entry?.state === 'damaged' || entry?.state === 'unreadable') return showTrouble(this.#studio, path, entry);
    return this.open(path);
  }

  /** @param {string} path */
  async open(path) {
    try {
      await this.#studio.goTo(path);
      this.#isOnTop = false;
      this.update();
      // Keys are for what was opened: Delete, above all.
      this.#studio.focusCanvas();
    } catch (error) {
      this.#tell(whyNotOpen(path, error));
    }
  }

  /**
   * Asks for something about documents; tells what failed.
   * @param {object} request
   * @returns {Promise<{ done: string[], lines?: string[] } | null>}
   */
  async #ask(request) {
    try {
      const { documents } = await this.#studio.net.request({ documents: request });
      for (const { document, ...error } of documents.failed ?? []) this.#tell(words.documents.failed(title(nameOf(document)), errorText(error)));
      for (const { document, edits } of documents.restored ?? []) this.#tell(words.documents.restored(title(nameOf(document)), edits), 'good');
      return documents;
    } catch (error) {
      this.#tell(errorText(error));
      return null;
    }
  }

  /** @param {string[]} names */
  async #duplicate(names) {
    for (const name of names) await this.#ask({ duplicate: pathIn(this.#list.folder, name) });
  }

  /** @param {string[]} names */
  async #delete(names) {
    const studio = this.#studio;
    const paths = this.#paths(names);
    const isOpen = studio.isOpen && paths.includes(studio.name);
    if (isOpen && !(await studio.leave())) return;
    const next = this.#neighbour(names);
    const answer = await this.#ask({ delete: paths });
    if (!answer?.done.length) return;
    this.#select([]);
    this.#focused = next;
    const { done } = answer;
    const text = done.length === 1 ? words.documents.deleted(title(nameOf(done[0]))) : words.documents.deletedMany(done.length);
    studio.emit('note', { text, action: { name: words.documents.putBack, run: () => this.#ask({ putBack: done }) } });
  }

  /**
   * The document that has the focus when these are gone.
   * @param {string[]} names
   */
  #neighbour(names) {
    const { shown } = this.#list;
    const gone = new Set(names);
    const last = shown.reduce((found, { name }, index) => (gone.has(name) ? index : found), -1);
    return (shown.slice(last + 1).find(({ name }) => !gone.has(name)) ?? shown.slice(0, last).reverse().find(({ name }) => !gone.has(name)))?.name ?? '';
  }

  /** @param {string} name */
  #rename(name) {
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
      const answer = await this.#ask({ rename: { document: pathIn(this.#list.folder, name), to: pathIn(this.#list.folder, wanted) } });
      if (answer) this.#focused = nameOf(answer.done[0] ?? name);
    };
    field.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' && !event.isComposing) end(true);
      if (event.key === 'Escape') end(false);
    });
    field.addEventListener('blur', () => { if (!this.#isDrawing) end(true); });
  }

  /** @param {string[]} names */
  #move(names) {
    const above = this.#list.folder ? [{ name: words.documents.folderAbove, folder: folderOf(this.#list.folder) }] : [];
    const below = this.#list.folders.map((name) => ({ name, folder: pathIn(this.#list.folder, name) }));
    const places = [...above, ...below];
    const anchor = this.#cells.get(names[0])?.cell.querySelector('.more');
    if (!(anchor instanceof HTMLElement)) return;
    popMenu(anchor, [
      ...places.map(({ name, folder }) => ({
        name, run: async () => { for (const each of names) await this.#ask({ rename: { document: pathIn(this.#list.folder, each), to: pathIn(folder, each) } }); },
      })),
      { name: words.documents.makeFolder, run: () => this.#makeFolder() },
    ]);
  }

  #makeFolder() {
    askText(this.#studio, words.documents.makeFolder, words.documents.folderName, async (name) => {
      const folder = pathIn(this.#list.folder, name);
      if (await this.#ask({ makeFolder: folder })) this.#browse(folder);
    });
  }

  /** @param {File[]} files */
  async import(files) {
    const made = await importFiles(this.#studio, files, this.#list.folder);
    if (made.length === 1 && this.#place === 'whole') this.#focused = nameOf(made[0]);
  }

  /** @param {string} text @param {'bad' | 'good'} [kind] */
  #tell(text, kind = 'bad') { this.#studio.emit('note', { text, kind }); }
}

/**
 * @param {HTMLElement} frame
 * @param {string | null} address null for a picture that cannot be drawn
 */
function showPicture(frame, address) {
  frame.classList.toggle('failed', address === null);
  if (!address) return;
  const picture = build('img', { alt: '', src: address, decoding: 'async', draggable: false });
  // Without a flash: the picture before stays until this one can be shown.
  picture.decode().catch(() => {}).then(() => frame.replaceChildren(picture));
}

/**
 * The name of the document whose cell has an element; null if none has.
 * @param {EventTarget | null} target
 */
function cellName(target) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[role="gridcell"]'))?.dataset.name ?? null : null;
}
