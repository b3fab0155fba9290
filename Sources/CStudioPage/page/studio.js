// SPDX-License-Identifier: Apache-2.0

// The one place where the parts of the page are joined: the connection, the store, the picture and the camera.

/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Change} Change */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').Rect} Rect */
/** @typedef {import('./types').ErrorValue} ErrorValue */
/** @typedef {import('./canvas').Picture} Picture */
/** @typedef {import('./net').Message} Message */
/** @typedef {import('./net').Net} Net */
/** @typedef {import('./store').Store} Store */
/** @typedef {import('./types').Can} Can */
/** @typedef {import('./types').Events} Events */
/** @typedef {import('./types').Peer} Peer */
/** @typedef {import('./types').Status} Status */

import { Presence, RequestError, clientsHere, whileGone } from './net.js';
import { identity } from './canvas.js';
import { cut, parts } from './changes.js';
import { Viewport } from './rules.js';
import { settings, tab } from './storage.js';

/** How many labels that others removed are kept for a way back. */
const removalLimit = 10_000;
/** Milliseconds of a frame. */
const frameTime = 16;
/** The bytes of a message beside the changes of its edit, and the limit of a server that names none. */
const [messageRoom, leastLimit] = [1000, 1 << 20];
/** Milliseconds after which a document that cannot be opened is tried again. */
const reopenTime = 3000;

/** What is pending keeps the page at its document. */
const notLeft = () => new RequestError({ code: 'notLeft', message: 'not everything is saved' });
/** Nobody waits for the answer any more, and the request may still be sent. */
const left = () => new RequestError({ code: 'left', message: 'the document was left' });
/** The request was not made, which is told. */
const between = () => new RequestError({ code: 'between', message: 'another document is being opened' });

/** @typedef {'select' | 'hand' | 'stamp' | 'brush' | 'caption'} Tool */
/** @typedef {import('./types').Left} Left */
/** @typedef {import('./canvas').Matrix} Matrix */

export class Studio {
  /**
   * Finds labels by their places. `attachHits` sets it before anything uses it.
   * @type {import('./hit').HitIndex}
   */
  hits = /** @type {any} */ (null);
  /** The open document's name. */
  name = '';
  /** The open document's own id: another document may have its name. */
  #identity = '';
  /** The identity of the folder that the document is in: another folder may have documents of these names. */
  #folderID = '';
  /** The folder's path, for people. */
  #folder = '';
  /** The document that the next answer to `open` has. */
  #opening = { id: '', name: '' };
  /** @type {Can} */
  can = { undo: null, redo: null };
  /** @type {Peer[]} */
  peers = [];
  /** @type {ReadonlySet<string>} */
  selected = new Set();
  /**
   * The label that has the focus of the keyboard.
   * @type {string | null}
   */
  focused = null;
  viewport = Viewport.fitting({ width: 1024, height: 768 }, { width: 1024, height: 768 });
  /** Where the stage is in the window. */
  stageRect = { left: 0, top: 0, width: 1, height: 1 };
  /** The room around the canvas at fit, in pixels: that of bars, and of a sheet. */
  inset = { left: 28, top: 26, right: 28, bottom: 74 };
  /** @type {Tool} */
  tool = 'select';
  /** The emoji of the stamp and the brush. */
  stamp = '';
  /** The size of new emoji. */
  stampSize = 40;
  /** Whether Space is held. */
  isHandHeld = false;
  /**
   * Edits of others that removed labels, the newest first.
   * @type {{ id: string, ids: Set<string> }[]}
   */
  removals = [];
  /**
   * The labels that others removed while they were lifted.
   * @type {Label[]}
   */
  lost = [];
  isSnapping = settings.get('snapping') !== 'off';
  /**
   * What is lifted, and where it is.
   * @type {{ labels: readonly Label[], matrix: Matrix, isCopy: boolean } | null}
   */
  lifted = null;
  /** Whether a document is open, or was before a break. */
  isOpen = false;
  /** Whether the open document is followed: not from a break until it is open again. */
  #isFollowing = false;
  /**
   * Why the document cannot be opened.
   * @type {{ name: string, error: ErrorValue } | null}
   */
  fault = null;
  /**
   * The edits of killed programs that were restored when the document was opened.
   * @type {{ edits?: number, modified?: number, kept?: string }[]}
   */
  restored = [];
  /** Whether the page goes from one document to another one: nothing is edited then. */
  isLeaving = false;
  /** Whether the page goes to another address, with what is pending. */
  isGoing = false;
  /**
   * The documents, of this folder or another one, whose edits wait for them.
   * @type {Left[]}
   */
  left = [];

  /** @type {Map<string, Set<(value: any) => void>>} */
  #listeners = new Map();
  /** @type {Map<string, { resolve: (answer: Message) => void, reject: (error: Error) => void }>} */
  #answers = new Map();
  #frame = 0;
  #refreshed = 0;
  #cameraFrame = 0;
  #pictureKey = '';
  #awaited = '';
  /**
   * Ends what is under way, such as moves by keys.
   * @type {(() => void) | null}
   */
  unsettled = null;
  /**
   * The labels in the order in which they are read. `attachReading` sets it before anything uses it.
   * @type {() => Label[]}
   */
  inReadingOrder = () => [];
  /**
   * The art as it was, while it is shown in place of the present.
   * @type {import('./past').Past | null}
   */
  past = null;
  /** Whether keys have taken the selection up. */
  isGrabbed = false;
  /** Cancels the gesture of the pointer; false if there is none. */
  cancelGesture = () => false;
  /** Closes the alert of a refused background; false if there is none. */
  closeAlert = () => false;
  /** Whether a pointer does something. */
  isGesturing = () => false;
  #status = '';
  /** Whether the server has ended the open document: it was removed. */
  #isEnded = false;
  #reopening = 0;
  /**
   * The changes of documents, one after the other.
   * @type {Promise<unknown>}
   */
  #turn = Promise.resolve();
  /**
   * What waits for answers.
   * @type {(() => void)[]}
   */
  #waiting = [];
  /** Whether there is no document to open, or none that can be opened. */
  #isWithoutDocument = false;

  /** @param {HTMLElement} stage @param {Net} net @param {Store} store @param {Picture} picture */
  constructor(stage, net, store, picture) {
    this.stage = stage;
    this.net = net;
    this.presence = new Presence(net);
    this.store = store;
    this.picture = picture;
    picture.labels = () => store.inOrder();
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(value: Events[Name]) => void} listener
   * @returns {() => void} ends listening
   */
  on(name, listener) {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
    return () => { all.delete(listener); };
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} value
   */
  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }

  // MARK: The connection

  connect() {
    this.net.onMessage = (message) => this.#receive(message);
    this.net.onState = (state) => {
      this.#isFollowing = false;
      if (state === 'open') this.#opened();
      else {
        // The painter asks nothing: another program may have the port.
        this.picture.setTicket('');
        if (state === 'waiting' || state === 'refused') this.store.disconnected();
        // Nobody says any more who is here.
        this.peers = [];
        this.emit('peers', this.peers);
      }
      this.showStatus();
      this.#wake();
    };
    this.net.outbox.onChange = () => this.showStatus();
    this.net.connect();
  }

  async #opened() {
    const { net, net: { welcome } } = this;
    if (!welcome) return;
    this.picture.setTicket(welcome.ticket);
    this.store.client = net.client;
    const { folderID } = welcome;
    // The document of that name in another folder is another one, and what is pending is not for it.
    if (this.isOpen && folderID !== this.#folderID) this.#park();
    [this.#folderID, this.#folder] = [folderID, welcome.folder];
    await net.outbox.unlock(welcome.secret);
    if (net.welcome !== welcome || net.state !== 'open') return;
    // A new link names its document; a reload stays at the one that was open.
    const kept = openBefore(folderID);
    const first = net.isNew ? net.first ?? welcome.document ?? kept : kept ?? welcome.document;
    this.emit('connected', undefined);
    // In turn: a page that goes to another document never has two answers on their way.
    await this.#inTurn(async () => {
      const name = this.name || first;
      if (name) await this.#openFirst(name, welcome.document);
      else this.#openNone({ noDocument: welcome.folder });
      // A later connection has the document of the link to open.
      if (net.welcome !== welcome || net.state !== 'open') return;
      const { first: asked } = net;
      net.first = null;
      if (asked && this.#isFollowing && asked !== this.name) await this.#goTo(asked).catch((error) => this.#openNone({ openFailed: asked, error }));
    });
    await this.#sendLeft();
  }

  /** Leaves a document whose folder is not the connected one. What is pending of it is kept. */
  #park() {
    this.endInput();
    this.#forget();
    this.isOpen = false;
    [this.name, this.#identity] = ['', ''];
    this.refresh();
  }

  /**
   * Sends what pages have left that are gone, if it is for documents of this folder, and tells what waits for something else.
   */
  async #sendLeft() {
    const { outbox, client } = this.net;
    const here = await clientsHere();
    const gone = new Set(outbox.all.filter((kept) => kept.folderID === this.#folderID && kept.client !== client && !here.has(kept.client)).map((kept) => kept.client));
    for (const each of gone) {
      await whileGone(each, () => {
        const all = outbox.all.filter((kept) => kept.folderID === this.#folderID && kept.client === each);
        // A document may have another path than when the request was made.
        const pathOf = (/** @type {import('./outbox').KeptRequest} */ kept) => (kept.document === this.#identity ? this.name : kept.path);
        const documents = [...new Set(all.map(({ document }) => document))].map((document) => {
          const requests = all.filter((kept) => kept.document === document);
          return { document, path: pathOf(requests[requests.length - 1]), requests: requests.map(({ request }) => request) };
        });
        const names = new Map(all.map(({ request: { tag }, name }) => [tag, name]));
        return this.net.deliver(each, documents, (tag, { error }) => {
          outbox.remove(each, tag);
          if (error) this.emit('news', { kind: 'refused', tag, name: names.get(tag) ?? '', error });
        });
      });
    }
    this.#tellLeft(here);
  }

  /**
   * Tells whose edits wait, unless another tab has them.
   * @param {Set<string>} here
   */
  #tellLeft(here) {
    /** @type {Map<string, Left>} */
    const left = new Map();
    for (const { client, folderID, folder, document, path } of this.net.outbox.all) {
      const isOpen = folderID === this.#folderID && document === this.#identity && this.isOpen;
      if (isOpen || (client !== this.net.client && here.has(client))) continue;
      const key = `${folderID} ${document}`;
      left.set(key, { folder: folderID === this.#folderID ? null : folder, document: path, count: (left.get(key)?.count ?? 0) + 1 });
    }
    this.left = [...left.values()];
    this.emit('left', this.left);
  }

  /**
   * Opens the first document, or the server's own one if that fails.
   * @param {string} name
   * @param {string | null} other
   * @returns {Promise<void>}
   */
  async #openFirst(name, other) {
    try {
      await this.open(name);
    } catch (error) {
      const { code, message } = /** @type {RequestError} */ (error);
      if (code === 'disconnected') return;
      // A document that was asked for is not replaced by another one.
      const isAskedFor = name === this.net.first;
      if (other && other !== name && !this.isOpen && !isAskedFor) return this.#openFirst(other, null);
      this.fault = { name, error: { code, message } };
      this.#openNone({ openFailed: name, error: { code, message } });
      // What is pending waits for the document.
      clearTimeout(this.#reopening);
      if (this.isOpen) this.#reopening = setTimeout(() => this.#inTurn(async () => { if (this.net.state === 'open' && !this.#isFollowing && this.name === name) await this.#openFirst(name, null); }), reopenTime);
    }
  }

  /** @param {Message} why */
  #openNone(why) {
    this.#isWithoutDocument = !this.isOpen;
    this.emit('message', why);
    if (!this.isOpen) this.emit('closed', undefined);
    this.showStatus();
  }

  /**
   * Opens a document, and sends again what is pending of it.
   * @param {string} name
   */
  async open(name) {
    const answer = await this.net.request({ open: name });
    this.#follow(answer);
  }

  /**
   * Shows another document. What is under way is ended, and what is pending is answered first. Rejected if that cannot be, or if the other
   * document cannot be opened: then this one stays.
   * @param {string} name
   */
  goTo(name) { return this.#inTurn(() => this.#goTo(name)); }

  /** Closes the document, and shows none; false if what is pending cannot be sent. */
  leave() { return this.#inTurn(() => this.#leave()); }

  /**
   * One change of documents comes after the other.
   * @template Value
   * @param {() => Promise<Value>} work
   * @returns {Promise<Value>}
   */
  #inTurn(work) {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** @param {string} name */
  async #goTo(name) {
    if (this.isOpen && name === this.name && this.#isFollowing && !this.#isEnded) return;
    if (this.isOpen && !(await this.#finish())) throw notLeft();
    // No edit may be made between the two documents.
    this.isLeaving = true;
    try {
      await this.open(name);
    } finally {
      this.isLeaving = false;
    }
  }

  async #leave() {
    if (!this.isOpen) return true;
    if (!(await this.#finish())) return false;
    this.isLeaving = true;
    try {
      await this.net.request({ close: true });
    } catch {
      // It is closed with its connection.
    }
    this.isLeaving = false;
    this.#forget();
    this.isOpen = false;
    this.#isFollowing = false;
    this.name = '';
    this.#identity = '';
    tab.set('document', null);
    this.refresh();
    this.#openNone({ noDocument: this.net.welcome?.folder ?? '' });
    return true;
  }

  /**
   * Ends what is under way, and waits until all edits are answered. False if the connection is not there, or breaks. Edits of a document that
   * cannot be opened any more are kept for when it can be.
   * @returns {Promise<boolean>}
   */
  async #finish() {
    this.cancelGesture();
    this.endInput();
    this.closeAlert();
    while (this.store.pending.length && this.#isFollowing) {
      await new Promise((resolve) => { this.#waiting.push(() => resolve(undefined)); });
      // What was begun meanwhile belongs to this document, too.
      this.endInput();
    }
    if (this.net.state !== 'open') return false;
    if (!this.store.pending.length) return true;
    // If not, the connection has broken meanwhile, and the document is opened again next.
    return this.fault !== null;
  }

  /** Lets those go on that wait for an answer, or for the connection. */
  #wake() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Nothing of the document stays in this page. What is pending is kept for when it is open again. */
  #forget() {
    for (const { reject } of this.#answers.values()) reject(left());
    this.#answers.clear();
    this.cancelGesture();
    if (this.lifted) this.release();
    this.store.reset();
    [this.removals, this.lost, this.peers] = [[], [], []];
    this.can = { undo: null, redo: null };
    this.#awaited = '';
    this.setTool('select');
    this.select([], null);
    this.emit('can', this.can);
    this.emit('peers', this.peers);
  }

  /**
   * Follows the document that the server has opened.
   * @param {Message} answer
   */
  #follow(answer) {
    this.fault = null;
    const { id, name } = this.#opening;
    const isOther = this.isOpen && id !== this.#identity;
    // What is pending belongs to the document that was open.
    if (isOther) {
      this.endInput();
      this.#forget();
    }
    [this.#identity, this.name] = [id, name];
    tab.set('document', JSON.stringify({ name, folderID: this.#folderID }));
    if (!this.isOpen || isOther) this.#restore();
    this.#isEnded = false;
    clearTimeout(this.#reopening);
    this.#showName();
    this.#load(answer.ok);
    const { width, height } = this.store.canvas;
    if (!this.isOpen || isOther) {
      this.viewport = Viewport.fitting({ width, height }, this.viewport.view);
      // An emoji of a tenth of the canvas is easy to see, and leaves room for others.
      this.stampSize = Math.max(12, Math.min(400, Math.round(Math.min(width, height) / 40) * 4));
    }
    this.isOpen = true;
    this.refresh();
    this.#place();
    this.#isFollowing = true;
    for (const request of this.store.resend()) this.net.send(request);
    this.showStatus();
    this.presence.restart();
    this.tellPresence();
    this.emit('opened', undefined);
  }

  /** Takes over what this page or an earlier one of its tab has left for this document. */
  #restore() {
    const { outbox, client } = this.net;
    this.store.restore(outbox.all.filter((kept) => kept.client === client && kept.folderID === this.#folderID && kept.document === this.#identity));
  }

  /** @param {any} ok */
  #load(ok) {
    // Events between the document and the last one that was received are missing.
    if (this.store.load(ok) === 'resync') this.#loadAgain();
  }

  #loadAgain() {
    this.net.request({ show: true }).then(({ ok }) => {
      this.#load(ok);
      this.refresh();
    }).catch(() => this.net.restart());
  }

  /** @param {Message} message */
  #receive(message) {
    if (typeof message.version === 'number') return this.store.answersAt(message.version);
    if (typeof message.tag === 'string' && (message.ok || message.error || message.fetching)) {
      this.store.answer(message.tag, /** @type {any} */ (message));
      this.net.outbox.remove(this.net.client, message.tag);
      const waiting = this.#answers.get(message.tag);
      this.#answers.delete(message.tag);
      if (message.error) waiting?.reject(new RequestError(message.error));
      else waiting?.resolve(message);
      return this.#later();
    }
    if (message.can) {
      this.can = message.can;
      return this.emit('can', this.can);
    }
    if (message.opening) {
      this.#opening = message.opening;
      return undefined;
    }
    if (message.removed === true) this.#isEnded = true;
    if (message.restored) this.restored = message.restored;
    if (message.folder) return this.emit('folder', message.folder);
    if (message.peers) {
      this.peers = message.peers;
      return this.emit('peers', this.peers);
    }
    if (message.peer) {
      this.peers = this.peers.map((peer) => (peer.client === message.peer.client ? message.peer : peer));
      return this.emit('peers', this.peers);
    }
    const result = this.store.apply(message);
    for (const { session, tags = [] } of message.changed?.edits ?? []) if (session === this.net.client) for (const tag of tags) this.net.outbox.remove(session, tag);
    if (message.renamed) for (const { name, request } of this.store.pending) this.#keep(request, name);
    const others = (message.changed?.edits ?? []).filter((/** @type {import('./types').LoggedEdit} */ { session }) => session !== this.net.client);
    if (others.length) this.emit('others', others);
    for (const { id, changes } of message.changed?.edits ?? []) {
      const ids = new Set(changes.flatMap((/** @type {Change} */ [kind, each]) => (kind === 'remove' ? [each] : [])));
      if (ids.size) this.removals = [{ id, ids }, ...this.removals].slice(0, 20);
    }
    if (result === 'resync') this.#loadAgain();
    if (result === 'applied') this.#later();
    else this.emit('message', message);
    if (typeof message.moved === 'string') {
      this.name = message.moved;
      tab.set('document', JSON.stringify({ name: this.name, folderID: this.#folderID }));
      this.#showName();
      this.emit('opened', undefined);
    }
  }

  /** The document's name as people see it. */
  get title() { return this.name.replace(/^.*\//, '').replace(/\.emojiart$/, ''); }

  #showName() { document.title = `${this.title} – emojiart`; }

  /**
   * What to tell about the connection and saving.
   * @returns {Status}
   */
  get status() {
    const { state, reason } = this.net;
    if (state === 'refused' && !this.net.outbox.isShort) return { state, reason };
    if (!this.isOpen) return { state: this.#isWithoutDocument && state === 'open' ? 'noDocument' : 'connecting', reason: '' };
    if (this.net.outbox.isShort && !this.#isFollowing) return { state: 'notKept', reason: '' };
    if (!this.#isFollowing) return { state: 'reconnecting', reason: this.fault?.error.message ?? reason, code: this.fault?.error.code };
    return { state: this.store.status, reason: this.store.state.reason ?? '', code: this.store.state.code };
  }

  showStatus() {
    const { status } = this;
    const text = JSON.stringify(status);
    if (text !== this.#status) this.emit('status', status);
    this.#status = text;
  }

  // MARK: What outlives the page

  /**
   * Keeps a request until it is answered.
   * @param {import('./types').Request} request
   * @param {string} name
   */
  #keep(request, name) {
    // The page was to be left, and is not.
    this.isGoing = false;
    this.net.outbox.keep({ client: this.net.client, folderID: this.#folderID, folder: this.#folder, document: this.#identity, path: this.name, name, request });
  }

  /**
   * Whether something is lost, or has to wait at this address, if the page is left now. The next server may have another address, whose pages do not
   * see what waits here.
   */
  get hasUnsent() {
    const { net: { client, outbox } } = this;
    return !this.isGoing && (outbox.isShort || outbox.waits(client) || (this.store.pending.length > 0 && this.status.state !== 'saved'));
  }

  /**
   * Goes to another address, or loads the page again; what is pending goes along.
   * @param {string} [address]
   */
  go(address) {
    this.endInput();
    // A link to this page only changes its fragment. A reload does not bring what could not be kept.
    this.isGoing = address ? !address.startsWith(`${location.origin}/`) : !this.net.outbox.isShort;
    if (address) location.assign(address);
    else location.reload();
  }

  /** Makes edits of what is typed, or moved by keys. */
  endInput() {
    if (document.activeElement instanceof HTMLTextAreaElement) document.activeElement.blur();
    this.settle();
  }

  // MARK: What is shown

  /** Shows changes: at once, so that the painter begins soon, but once in a frame. */
  #later() {
    if (document.hidden || performance.now() - this.#refreshed > frameTime) return this.refresh();
    this.#frame ||= requestAnimationFrame(() => this.refresh());
  }

  /** Brings the picture, the index and the selection up to the store. */
  refresh() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#refreshed = performance.now();
    const dirty = this.store.takeDirty();
    if (dirty.all) {
      this.picture.reset(this.store.inOrder());
      this.#forgetGone();
      this.emit('changed', null);
    } else if (dirty.ids.size) {
      /** @type {Label[]} */
      const labels = [];
      /** @type {string[]} */
      const removed = [];
      for (const id of dirty.ids) {
        const label = this.store.shown(id);
        if (label) labels.push(label);
        else removed.push(id);
      }
      this.picture.change(labels, removed, this.store.count);
      if (removed.length) this.#forgetGone();
      this.emit('changed', dirty.ids);
    }
    if (dirty.all || dirty.ids.size) this.#liftLess();
    if (this.#awaited) this.#selectAwaited();
    if (dirty.canvas) this.#showCanvas();
    // They are for the panels, which come after the first picture.
    for (const news of this.#listeners.has('news') ? this.store.takeNews() : []) {
      if (news.kind === 'renamed') {
        const { id, to } = news;
        this.selected = new Set([...this.selected].map((each) => (each === id ? to : each)));
        if (this.focused === news.id) this.focused = news.to;
      }
      this.emit('news', news);
    }
    this.showStatus();
    this.#wake();
  }

  /** Takes what others have removed off the lifted layer, and keeps it for a way back. */
  #liftLess() {
    const { lifted } = this;
    if (!lifted || lifted.isCopy) return;
    const left = lifted.labels.filter(({ id }) => this.store.find(id));
    if (left.length === lifted.labels.length) return;
    this.lost = [...this.lost, ...lifted.labels.filter(({ id }) => !this.store.find(id))].slice(-removalLimit);
    this.relift(left);
  }

  #forgetGone() {
    const selected = [...this.selected].filter((id) => this.store.shown(id));
    const focused = this.focused !== null && this.store.shown(this.focused) ? this.focused : null;
    if (selected.length !== this.selected.size || focused !== this.focused) this.select(selected, focused);
  }

  #showCanvas() {
    const { width, height, fill } = this.store.canvas;
    this.picture.setSheet({ width, height, fill });
    const { content } = this.viewport;
    if (content.width !== width || content.height !== height) this.setViewport(this.viewport.withContent({ width, height }));
    const key = this.store.background ? `${this.store.background.digest}\0${this.name}` : '';
    if (key !== this.#pictureKey) this.picture.setPicture(key);
    this.#pictureKey = key;
    this.emit('canvas', undefined);
  }

  // MARK: The camera

  /** @returns {import('./canvas').Camera} */
  get camera() {
    const { center, zoom, view } = this.viewport;
    return { x: this.inset.left + view.width / 2 - center.x * zoom, y: this.inset.top + view.height / 2 - center.y * zoom, zoom };
  }

  /**
   * Shows another part, with the next frame.
   * @param {Viewport} viewport
   */
  setViewport(viewport) {
    const { viewport: before } = this;
    this.viewport = viewport;
    // At an edge, or at the smallest zoom, nothing moves.
    if (viewport.zoom === before.zoom && viewport.center.x === before.center.x && viewport.center.y === before.center.y && viewport.content === before.content) return;
    this.#cameraFrame ||= requestAnimationFrame(() => this.#place());
  }

  #place() {
    cancelAnimationFrame(this.#cameraFrame);
    this.#cameraFrame = 0;
    this.picture.setCamera(this.camera);
    this.emit('camera', undefined);
  }

  /** The stage has another size or place. */
  resize() {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    this.stageRect = { left, top, width, height };
    const view = { width: Math.max(50, width - this.inset.left - this.inset.right), height: Math.max(50, height - this.inset.top - this.inset.bottom) };
    this.viewport = this.viewport.resize(view);
    this.picture.camera = this.camera;
    this.picture.resize({ width, height });
    this.#place();
  }

  /**
   * Other bars or sheets are around the canvas.
   * @param {{ left: number, top: number, right: number, bottom: number }} inset
   */
  setInset(inset) {
    if (JSON.stringify(inset) === JSON.stringify(this.inset)) return;
    this.inset = inset;
    this.resize();
  }

  /**
   * The point of the document at a point of the window.
   * @param {{ clientX: number, clientY: number }} event
   * @returns {Point}
   */
  documentPoint({ clientX, clientY }) {
    const { x, y, zoom } = this.camera;
    return { x: (clientX - this.stageRect.left - x) / zoom, y: (clientY - this.stageRect.top - y) / zoom };
  }

  /**
   * The point of the viewport at a point of the window.
   * @param {{ clientX: number, clientY: number }} event
   * @returns {Point}
   */
  viewPoint({ clientX, clientY }) {
    return { x: clientX - this.stageRect.left - this.inset.left, y: clientY - this.stageRect.top - this.inset.top };
  }

  /**
   * The document's part that the stage shows.
   * @returns {Rect}
   */
  get visible() {
    const { x, y, zoom } = this.camera;
    return { x: -x / zoom, y: -y / zoom, width: this.stageRect.width / zoom, height: this.stageRect.height / zoom };
  }

  /** The point of the document at the middle of the view. */
  get middle() {
    return this.viewport.center;
  }

  // MARK: Selection

  /** @param {Iterable<string>} ids @param {string | null} [focused] */
  select(ids, focused) {
    this.selected = new Set(ids);
    if (focused !== undefined) this.focused = focused;
    else if (this.focused === null || !this.selected.has(this.focused)) this.focused = [...this.selected].at(-1) ?? this.focused;
    this.emit('selected', undefined);
    this.tellPresence();
  }

  /**
   * Selects a label as soon as it is shown: an answer may come before its event.
   * @param {string} id
   */
  selectNew(id) {
    this.#awaited = id;
    this.#selectAwaited();
  }

  #selectAwaited() {
    if (!this.store.shown(this.#awaited)) return;
    this.select([this.#awaited]);
    this.#awaited = '';
  }

  /**
   * The selected labels, bottom to top.
   * @returns {Label[]}
   */
  get selection() {
    if (this.selected.size * 8 > this.store.count) return this.store.inOrder().filter((label) => this.selected.has(label.id));
    const labels = [...this.selected].flatMap((id) => this.store.shown(id) ?? []);
    return labels.sort((a, b) => a.z - b.z || (a.id < b.id ? -1 : 1));
  }

  /**
   * Tells others the selection and the drag.
   * @param {[number, number] | null} [drag]
   */
  tellPresence(drag = null) {
    this.presence.tell(this.selected, drag);
  }

  // MARK: Tools

  /** @param {Tool} tool */
  setTool(tool) {
    this.settle();
    this.tool = tool;
    this.emit('tool', undefined);
    if ((tool === 'stamp' || tool === 'brush') && !this.stamp) this.emit('ui', 'emoji');
  }

  /**
   * Sets what a stamp and a brush draw.
   * @param {string} text
   * @param {number} [size]
   */
  setStamp(text, size = this.stampSize) {
    this.stamp = text;
    this.stampSize = size;
    this.emit('tool', undefined);
  }

  /** @param {boolean} isOn */
  setSnapping(isOn) {
    this.isSnapping = isOn;
    settings.set('snapping', isOn ? 'on' : 'off');
    this.emit('tool', undefined);
  }

  /** @param {boolean} isHeld */
  holdHand(isHeld) {
    if (isHeld === this.isHandHeld) return;
    this.isHandHeld = isHeld;
    this.emit('tool', undefined);
  }

  focusCanvas() {
    document.getElementById('options')?.focus({ preventScroll: true });
  }

  /** Leaves one thing at a time: the gesture, the alert, the tool, the selection. */
  escape() {
    if (this.isGrabbed) return this.putBack();
    this.settle();
    if (this.cancelGesture() || this.closeAlert()) return;
    if (this.tool !== 'select') this.setTool('select');
    else this.select([], null);
  }

  /** Puts what keys have taken up back to where it was. */
  putBack() {
    this.isGrabbed = false;
    this.unsettled = null;
    this.release();
    this.emit('say', null);
  }

  // MARK: Lifting

  /**
   * Takes labels onto the lifted layer. Copies leave the originals in place.
   * @param {readonly Label[]} labels
   */
  lift(labels, isCopy = false) {
    this.lifted = { labels, matrix: identity, isCopy };
    const ids = labels.map(({ id }) => id);
    this.store.lift(isCopy ? [] : ids);
    this.picture.lift([...labels], isCopy ? [] : ids);
    this.emit('gesture', undefined);
  }

  /**
   * Leaves labels out of the picture until `release`.
   * @param {string[]} ids
   */
  hide(ids) {
    this.lifted = { labels: [], matrix: identity, isCopy: true };
    this.store.lift(ids);
    this.picture.lift([], ids);
    return this.lifted;
  }

  /**
   * Lifts more copies.
   * @param {readonly Label[]} labels
   */
  relift(labels) {
    if (!this.lifted) return;
    this.lifted.labels = labels;
    this.picture.relift([...labels], this.lifted.isCopy ? [] : labels.map(({ id }) => id));
  }

  /**
   * Moves, turns or scales what is lifted.
   * @param {Matrix} matrix
   */
  transform(matrix) {
    if (!this.lifted) return;
    this.lifted.matrix = matrix;
    this.picture.moveLifted(matrix);
    this.tellPresence(matrix[0] === 1 && matrix[1] === 0 ? [matrix[4], matrix[5]] : null);
    this.emit('gesture', undefined);
  }

  /**
   * Ends lifting with an edit, or without.
   * @param {readonly Change[]} [changes]
   * @param {string} [name]
   */
  release(changes = [], name = '') {
    if (!this.lifted) return;
    this.store.drop();
    this.lifted = null;
    this.perform(changes, name);
    this.picture.drop();
    this.tellPresence(null);
    this.emit('gesture', undefined);
  }

  /** Ends what is under way before something else is done. */
  settle() {
    const end = this.unsettled;
    this.unsettled = null;
    end?.();
  }

  // MARK: Editing

  save() {
    this.settle();
    this.net.request({ save: true }).catch((error) => this.emit('message', { error }));
  }

  /**
   * Makes an edit. Too many changes for a message become several edits.
   * @param {readonly Change[]} changes
   * @param {string} name
   */
  perform(changes, name) {
    if (!changes.length) return;
    if (this.isLeaving || !this.isOpen) return this.emit('news', { kind: 'betweenDocuments', name });
    const limit = (this.net.welcome?.limits.message ?? leastLimit) - messageRoom;
    for (const part of parts(changes, limit)) this.#send(this.store.perform(part, cut(name, 60), this.net.makeTag()), name);
    this.refresh();
  }

  /**
   * Asks for an edit that the server plans. The answer comes after a break, too. `changes` are what is shown until then.
   * @param {Record<string, unknown>} body @param {string} name @param {readonly Change[]} [changes] @returns {Promise<Message>}
   */
  ask(body, name, changes = []) {
    const tag = this.net.makeTag();
    const answer = new Promise((resolve, reject) => this.#answers.set(tag, { resolve, reject }));
    // A caller may ignore the answer: news tell the user of an error.
    answer.catch(() => {});
    if (this.isLeaving || !this.isOpen) {
      this.#answers.get(tag)?.reject(between());
      this.#answers.delete(tag);
      this.emit('news', { kind: 'betweenDocuments', name });
      return answer;
    }
    this.#send(this.store.ask(body, name, tag, changes), name);
    this.refresh();
    return answer;
  }

  /**
   * Sends a request behind all older ones: those that are pending after a break go first.
   * @param {import('./types').Request} request
   * @param {string} name
   */
  #send(request, name) {
    this.#keep(request, name);
    if (this.#isFollowing) this.net.send(request);
  }
}

/**
 * The document that the tab had open in a folder before it was loaded again.
 * @param {string} folderID
 * @returns {string | null}
 */
function openBefore(folderID) {
  try {
    const before = JSON.parse(tab.get('document') ?? 'null');
    return before?.folderID === folderID && typeof before.name === 'string' ? before.name : null;
  } catch {
    return null;
  }
}
