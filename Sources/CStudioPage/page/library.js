// SPDX-License-Identifier: Apache-2.0

// The document browser: the documents of a folder with their pictures. Only what is seen has elements and pictures.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./documents').Entry} Entry */

import { filing } from './actions.js';
import { folderOf, nameOf, pathIn, title } from './documents.js';
import { followedFolder } from './folder.js';
import { DocumentGrid } from './grid.js';
import { browserPlace, layoutOf } from './layout.js';
import { build, icon, popMenu, putInto } from './panels.js';
import { settings } from './storage.js';
import { errorText, words } from './words.js';

// It comes with this module, while the server is there: another program at the port could answer with a style of its own.
const style = build('link', { rel: 'stylesheet', href: '/library.css' });
document.head.append(style);

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
  #followed;
  #list;
  #grid;
  /** Whether it is wanted beside a document, and in place of one. */
  #isWanted = settings.get('documents') === 'beside';
  #isOnTop = false;
  /** @type {'whole' | 'beside' | 'none'} */
  #place = 'none';
  /** The folder that is asked for; what is shown, and acted on, is that of the list. */
  #folder = '';
  /**
   * The folders that are shown, by their paths.
   * @type {Map<string, HTMLElement>}
   */
  #folderItems = new Map();

  /** @param {Studio} studio @param {HTMLElement} host */
  constructor(studio, host) {
    this.#studio = studio;
    this.#host = host;
    this.#folder = folderOf(studio.name);
    this.#followed = followedFolder(studio);
    this.#list = this.#followed.list;
    style.addEventListener('load', () => {
      this.#grid.later();
      // Documents that came before the style have had no cells to focus.
      if (document.activeElement === this.parts.make) this.#focusFirst();
    });
    this.parts = this.#build();
    this.#grid = new DocumentGrid(this.#list, this.parts, {
      isCurrent: (name) => studio.isOpen && studio.name === this.#path(name),
      open: (name) => this.#open(name),
      rename: (name, wanted) => this.#rename(name, wanted),
      duplicate: (names) => this.#duplicate(names),
      remove: (names) => this.#delete(names),
      showMenu: (anchor, name) => this.#showMenu(anchor, name),
      selectionChanged: () => this.#showSelection(),
      fetch: (path, options) => studio.net.fetch(path, options),
    });
    this.#attach();
    this.update();
  }

  get isShown() { return this.#place !== 'none'; }

  /** Shows the documents, or hides them where a document is open. */
  toggle() {
    if (!this.#studio.isOpen) return this.update();
    if (this.#layout.documents === 'beside') {
      this.#isWanted = !this.#isWanted;
      settings.set('documents', this.#isWanted ? 'beside' : 'none');
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
    this.#grid.isBeside = place === 'beside';
    this.#grid.show(this.isShown);
  }

  focus() { if (!this.#grid.focus()) this.parts.make.focus(); }

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
    const { back, search, sort, more, make, files, selection } = this.parts;
    const studio = this.#studio;
    make.addEventListener('click', () => this.#newDocument());
    back.addEventListener('click', () => this.toggle());
    search.addEventListener('input', () => { this.#list.search(search.value); this.#show(); });
    sort.addEventListener('click', () => this.#showSorting(sort));
    more.addEventListener('click', () => popMenu(more, [
      { name: words.documents.import, run: () => files.click() },
      { name: words.documents.makeFolder, run: () => this.#makeFolder() },
      { name: words.documents.selectAll, run: () => this.#grid.select(this.#list.shown.map(({ name }) => name)) },
    ]));
    files.addEventListener('change', () => { this.import([...(files.files ?? [])]); files.value = ''; });
    for (const [name, picture, act] of /** @type {const} */ ([
      ['duplicate', 'copy', () => this.#duplicate(this.#grid.chosen)], ['export', 'export', () => this.#export(this.#grid.chosen)],
      ['delete', 'delete', () => this.#delete(this.#grid.chosen)], ['selectNone', 'close', () => this.#grid.select([])],
    ])) selection.append(build('button', { type: 'button', class: 'icon', 'aria-label': words.documents[name], title: words.documents[name], onclick: act }, icon(picture)));
    addEventListener('resize', () => this.update());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible' || !this.isShown) return;
      this.#followed.relist()?.then((isThere) => {
        if (!isThere || !this.isShown) return;
        this.#grid.follow();
        this.#grid.keep(new Map());
        this.#show();
      }, () => this.#browse(this.#folder));
    });
    this.#host.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || this.#grid.isRenaming) return;
      event.preventDefault();
      if (this.#grid.chosen.length) this.#grid.select([]);
      else if (search.value) { search.value = ''; this.#list.search(''); this.#show(); } else if (studio.isOpen) this.toggle();
    });
    this.#attachDrops();
    studio.on('opened', () => { this.#isOnTop = false; this.update(); this.#grid.showCurrent(); });
    studio.on('closed', () => this.update());
    this.#followed.onChanged = (renamed) => {
      this.#grid.keep(renamed);
      this.#show();
    };
    studio.on('status', () => { if (studio.net.state !== 'open') this.#grid.pause(); });
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
      if (!(await this.#followed.browse(folder)) || !this.isShown) return undefined;
      this.#grid.follow();
      if (isOther) this.#grid.reset();
      this.#show();
      this.#grid.showCurrent();
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
    this.#grid.leave();
    this.#followed.leave();
  }

  /** Puts the focus into the browser where nothing has it, so that keys work at once. */
  #focusFirst() {
    if (this.#place !== 'whole' || (document.activeElement && document.activeElement !== document.body && !this.#host.contains(document.activeElement))) return;
    this.#grid.draw();
    this.focus();
  }

  /** Shows what has changed around the cells, and then these. */
  #show() {
    const { path, notice, folders, empty, search } = this.parts;
    this.#showPath(path);
    notice.hidden = !this.#list.degraded;
    notice.textContent = this.#list.degraded ? `${words.news.degraded}. ${this.#list.degraded}` : '';
    const names = this.#list.shownFolders;
    folders.hidden = !names.length;
    this.#folderItems = new Map(names.map((name) => [this.#path(name), this.#folderItems.get(this.#path(name)) ?? this.#folderItem(name)]));
    putInto(folders, [...this.#folderItems.values()]);
    const isEmpty = !this.#list.shown.length;
    this.parts.grid.hidden = isEmpty;
    empty.hidden = !isEmpty;
    empty.textContent = isEmpty ? (search.value ? words.documents.nothingFound : words.documents.none) : '';
    this.#showSelection();
    this.#grid.later();
  }

  /** @param {string} name */
  #folderItem(name) {
    const path = this.#path(name);
    return build('div', { role: 'listitem' }, build('button', { type: 'button', class: 'folder', onclick: () => this.#browse(path) }, icon('folder'), build('span', {}, name)));
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

  #showSelection() {
    const { selection, chosen } = this.parts;
    const count = this.#grid.chosen.length;
    selection.hidden = !count;
    chosen.textContent = words.documents.selected(count);
    this.#host.classList.toggle('selecting', count > 0);
  }

  // MARK: What is done

  /** @param {string} name */
  #path(name) { return pathIn(this.#list.folder, name); }

  /** @param {string[]} names */
  #paths(names) { return names.map((name) => this.#path(name)); }

  /** @param {HTMLElement} anchor @param {string} name */
  #showMenu(anchor, name) {
    const entry = this.#list.find(name);
    const path = this.#path(name);
    const isReadable = entry?.key !== null;
    popMenu(anchor, [
      { name: words.documents.open, run: () => this.#open(name), isEnabled: isReadable },
      ...(entry?.state ? [{ name: words.documents.whatIsWrong, run: () => this.#showTrouble(path, entry) }] : []),
      { name: this.#grid.chosen.includes(name) ? words.documents.unselect : words.documents.selectOne, run: () => this.#grid.toggle(name) },
      null,
      { name: words.documents.rename, key: 'F2', run: () => this.#grid.rename(name) },
      { name: words.documents.duplicate, run: () => this.#duplicate([name]), isEnabled: isReadable },
      { name: words.documents.move, run: () => this.#move([name]) },
      { name: words.documents.export, run: () => this.#export([name]), isEnabled: isReadable },
      { name: words.documents.template, run: () => this.#newDocument(path), isEnabled: isReadable },
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
    const path = this.#path(name);
    const entry = this.#list.find(name);
    if (entry?.state === 'damaged' || entry?.state === 'unreadable') return this.#showTrouble(path, entry);
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
      const filing = await this.#filing();
      this.#tell(filing ? filing.whyNotOpen(path, error) : errorText(error));
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
    for (const name of names) await this.#ask({ duplicate: this.#path(name) });
  }

  /** @param {string[]} names */
  async #delete(names) {
    const studio = this.#studio;
    const paths = this.#paths(names);
    const isOpen = studio.isOpen && paths.includes(studio.name);
    if (isOpen && !(await studio.leave())) return;
    const next = this.#grid.neighbour(names);
    const answer = await this.#ask({ delete: paths });
    if (!answer?.done.length) return;
    this.#grid.select([]);
    this.#grid.focused = next;
    const { done } = answer;
    const text = done.length === 1 ? words.documents.deleted(title(nameOf(done[0]))) : words.documents.deletedMany(done.length);
    studio.emit('note', { text, action: { name: words.documents.putBack, run: () => this.#ask({ putBack: done }) } });
  }

  /** The dialogs of whole documents, which are brought when the first one is wanted; null without the server. */
  async #filing() {
    try {
      return await filing(this.#studio);
    } catch (error) {
      this.#tell(errorText(error));
      return null;
    }
  }

  /** @param {string} [template] the path of a document whose art the new one has */
  async #newDocument(template) { (await this.#filing())?.newDocument(this.#studio, this.#list.folder, template); }

  /** @param {string[]} names */
  async #export(names) { (await this.#filing())?.exportDocuments(this.#studio, this.#paths(names)); }

  /** @param {string} path @param {Entry} entry */
  async #showTrouble(path, entry) { (await this.#filing())?.showTrouble(this.#studio, path, entry); }

  /** @param {string} name @param {string} wanted */
  async #rename(name, wanted) {
    const answer = await this.#ask({ rename: { document: this.#path(name), to: this.#path(wanted) } });
    if (answer) this.#grid.focused = nameOf(answer.done[0] ?? name);
  }

  /** @param {string[]} names */
  #move(names) {
    const above = this.#list.folder ? [{ name: words.documents.folderAbove, folder: folderOf(this.#list.folder) }] : [];
    const below = this.#list.folders.map((name) => ({ name, folder: this.#path(name) }));
    const places = [...above, ...below];
    const anchor = this.#grid.menuButton(names[0]);
    if (!anchor) return;
    // The page may show another folder by the time that the new one has a name.
    const paths = this.#paths(names);
    const move = async (/** @type {string} */ folder) => {
      for (const path of paths) await this.#ask({ rename: { document: path, to: pathIn(folder, nameOf(path)) } });
    };
    popMenu(anchor, [
      ...places.map(({ name, folder }) => ({ name, run: () => move(folder) })),
      { name: words.documents.makeFolder, run: () => this.#makeFolder(move) },
    ]);
  }

  /** @param {(folder: string) => unknown} [use] what is done with it; it is shown if left out */
  async #makeFolder(use = (folder) => this.#browse(folder)) {
    const filing = await this.#filing();
    filing?.askText(this.#studio, words.documents.makeFolder, words.documents.folderName, async (name) => {
      const folder = this.#path(name);
      if (await this.#ask({ makeFolder: folder })) await use(folder);
    });
  }

  /** @param {File[]} files */
  async import(files) {
    const filing = await this.#filing();
    const made = (await filing?.importFiles(this.#studio, files, this.#list.folder)) ?? [];
    if (made.length === 1 && this.#place === 'whole') this.#grid.focused = nameOf(made[0]);
  }

  /** @param {string} text @param {'bad' | 'good'} [kind] */
  #tell(text, kind = 'bad') { this.#studio.emit('note', { text, kind }); }
}
