// SPDX-License-Identifier: Apache-2.0

// What the page knows of a document, in layers:
//
//     gesture     what a gesture under way gives to lifted labels; not sent. Here are their ids; gestures.js has their new values
//     pending     own edits, oldest first, that the server has not answered
//     confirmed   the document with the effects of all `changed` events
//
// The value of a field is that of the newest pending edit that sets it, else the confirmed one. There is no rebase: an event changes
// `confirmed` only.
//
// The life of a pending edit. The server performs the requests of one page in their order; answers and events come in two streams, each in
// order, but not to each other.
//
//     sent ── own event, or error ──▶ gone
//     sent ── ok ──▶ answered: shown until the events up to the version of the answer have come ──▶ gone
//     sent ── event of a later own edit ──▶ overtaken: not shown any more ── ok or error ──▶ gone
//
// The server tells a version of the document before answers: it has all edits that they answer. So the picture does not jump back where the event
// of an edit is a moment later than its answer, and an edit without effect, which has no event, is not shown longer than others.

/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Change} Change */
/** @typedef {import('./types').Size} Size */
/** @typedef {import('./types').Background} Background */
/** @typedef {import('./types').PendingBackground} PendingBackground */
/** @typedef {import('./types').DocumentState} DocumentState */
/** @typedef {import('./types').ErrorValue} ErrorValue */
/** @typedef {import('./types').ShowAnswer} ShowAnswer */
/** @typedef {import('./types').ChangedEvent} ChangedEvent */
/** @typedef {import('./types').SavedState} SavedState */
/** @typedef {import('./types').Request} Request */

/**
 * A request that is not answered.
 * @typedef {object} Pending
 * @property {string} tag
 * @property {string} name
 * @property {Request} request as it was first sent
 * @property {readonly Change[]} changes its prediction; empty for a request whose effect only the server knows
 * @property {Map<string, Change[]>} byID the changes of labels
 * @property {boolean} isOvertaken
 * @property {number} version what it is shown until, once it is answered
 */

/**
 * Something to tell the user, or another part of the page.
 * @typedef {{ kind: 'removedUnderGesture', ids: string[], by: string | null }
 *   | { kind: 'dropped', edit: string, changes: readonly Change[] }
 *   | { kind: 'renamed', id: string, to: string }
 *   | { kind: 'refused', tag: string, name: string, error: ErrorValue }} News
 */

/** @typedef {{ all: boolean, ids: Set<string>, canvas: boolean }} Dirty */
/** @typedef {'saved' | 'saving' | 'notSaved' | 'reconnecting'} Status */

import { bottomFirst, changed, drawID, isOfLabel, isSameLabel, withFields } from './changes.js';

// MARK: Store

export class Store {
  /**
   * The session of this page, by which its own edits are told from others with equal tags.
   */
  client;
  /** The version of `confirmed`; -1 before the first `load`. */
  version = -1;
  /** The revision of `confirmed`. */
  revision = 0;
  /**
   * What is durably in the file.
   * @type {SavedState}
   */
  saved = { head: null, revision: 0 };
  /** @type {DocumentState} */
  state = { state: 'open' };
  /** @type {Background | null} */
  background = null;
  /**
   * The background that is still to be fetched.
   * @type {PendingBackground | null}
   */
  pendingBackground = null;

  #isConnected = false;
  /**
   * The events since a gap, for the next `load`; null without a gap.
   * @type {Record<string, any>[] | null}
   */
  #held = null;
  /** @type {Map<string, Label>} */
  #confirmed = new Map();
  /** @type {{ size: Size, fill: string | null }} */
  #confirmedCanvas = { size: { width: 1, height: 1 }, fill: null };
  /**
   * Oldest first.
   * @type {Pending[]}
   */
  #pending = [];
  /**
   * Answered edits that are still shown, oldest first; older than all of `#pending` that are not overtaken.
   * @type {Pending[]}
   */
  #answered = [];
  /** The version that has all answered edits. */
  #answeredVersion = 0;
  /**
   * The labels of the gesture under way.
   * @type {ReadonlySet<string>}
   */
  #lifted = new Set();
  /**
   * The new ids of the gesture's labels, by their former ones.
   * @type {Map<string, string>}
   */
  #renamed = new Map();
  /**
   * The ids that `newID` has drawn.
   * @type {Set<string>}
   */
  #drawn = new Set();

  /**
   * What is shown, kept up to date.
   * @type {Map<string, Label>}
   */
  #shown = new Map();
  /**
   * The ids of `#shown` in z-order, except for those in `#unordered`.
   * @type {string[]}
   */
  #order = [];
  /** @type {Set<string>} */
  #unordered = new Set();
  /**
   * The labels in z-order; null if one has changed.
   * @type {Label[] | null}
   */
  #inOrder = null;
  /** @type {Dirty} */
  #dirty = { all: true, ids: new Set(), canvas: true };
  /** @type {News[]} */
  #news = [];

  /** @param {string} client */
  constructor(client) { this.client = client; }

  // MARK: What is shown

  /** @param {string} id @returns {Label | undefined} */
  shown(id) { return this.#shown.get(id); }

  /**
   * The shown label of a gesture that had that id when it was lifted: the server may have given it another one, and the id to another label.
   * @param {string} id
   * @returns {Label | undefined}
   */
  find(id) { return this.#shown.get(this.#renamed.get(id) ?? '') ?? this.#shown.get(id); }

  /** The number of shown labels. */
  get count() { return this.#shown.size; }

  /**
   * All shown labels, bottom to top. The array is valid until the next change.
   * @returns {readonly Label[]}
   */
  inOrder() {
    if (this.#unordered.size > 0) this.#sort();
    this.#inOrder ??= this.#order.map((id) => /** @type {Label} */ (this.#shown.get(id)));
    return this.#inOrder;
  }

  /**
   * Draws an id that no label has, nor one that is still to be added. Eight letters alone are not enough: of 88,000 labels two have the same
   * once in 300 documents, and one of them would take the place of the other.
   */
  newID(draw = drawID) {
    let id;
    do id = draw(8); while (this.#drawn.has(id) || this.#confirmed.has(id) || this.#shown.has(id));
    this.#drawn.add(id);
    return id;
  }

  /** The ids of all shown labels, in any order. */
  ids() { return this.#shown.keys(); }

  /**
   * The size and the colour of the canvas.
   * @returns {Size & { fill: string | null }}
   */
  get canvas() {
    let { size: { width, height }, fill } = this.#confirmedCanvas;
    for (const edit of this.#layers()) {
      for (const change of edit.changes) {
        if (change[0] === 'canvas') [width, height] = [change[1], change[2]];
        if (change[0] === 'fill') fill = change[1];
      }
    }
    return { width, height, fill };
  }

  /** The largest z; 0 without labels. */
  get topZ() { return this.#z(-1); }

  /** The smallest z; 0 without labels. */
  get bottomZ() { return this.#z(0); }

  /** @param {number} place in z-order */
  #z(place) {
    if (this.#unordered.size > 0) this.#sort();
    return this.#shown.get(this.#order.at(place) ?? '')?.z ?? 0;
  }

  /**
   * The confirmed label.
   * @param {string} id
   * @returns {Label | undefined}
   */
  confirmed(id) { return this.#confirmed.get(id); }

  /** The number of confirmed labels. */
  get confirmedCount() { return this.#confirmed.size; }

  /**
   * What has changed since the last call: ids of labels whose shown value may differ, or that are gone.
   * @returns {Dirty}
   */
  takeDirty() {
    const dirty = this.#dirty;
    this.#dirty = { all: false, ids: new Set(), canvas: false };
    return dirty;
  }

  /**
   * What has happened since the last call.
   * @returns {News[]}
   */
  takeNews() {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  // MARK: The state

  /**
   * The pending requests, oldest first.
   * @returns {readonly Readonly<Pending>[]}
   */
  get pending() { return this.#pending; }

  /**
   * Takes over the pending requests of an earlier page of this session. `load` and `resend` follow.
   * @param {readonly { name: string, request: Request }[]} kept
   */
  restore(kept) {
    const known = new Set(this.#pending.map(({ tag }) => tag));
    for (const { name, request } of kept) {
      const edit = /** @type {{ changes: readonly Change[] } | undefined} */ (request.edit);
      if (!known.has(request.tag)) this.#add(request, edit?.changes ?? [], name);
    }
  }

  get isSaved() {
    return this.#pending.length === 0 && this.version >= this.#answeredVersion && this.saved.revision === this.revision;
  }

  /**
   * What to tell about saving; the reason of `notSaved` is in `state`.
   * @returns {Status}
   */
  get status() {
    if (!this.#isConnected) return 'reconnecting';
    if (this.state.state === 'error' || this.state.state === 'editingDisabled') return 'notSaved';
    return this.isSaved ? 'saved' : 'saving';
  }

  /** Forgets everything, pending requests, too: another document is to be loaded. */
  reset() {
    this.disconnected();
    [this.#pending, this.#answered] = [[], []];
    this.#confirmed = new Map();
    [this.background, this.pendingBackground] = [null, null];
    [this.saved, this.state] = [{ head: null, revision: 0 }, { state: 'open' }];
    this.drop();
    this.version = -1;
    this.#showAll();
  }

  /** The connection has broken. */
  disconnected() {
    this.#isConnected = false;
    this.#held = null;
  }

  // MARK: Messages of the server

  /**
   * Replaces what is confirmed by the answer to `open` or `show`. Pending edits stay pending; after a break, send `resend()`. At `resync`
   * there is still a gap: ask for the document once more.
   * @param {ShowAnswer} answer
   * @returns {'applied' | 'resync'}
   */
  load(answer) {
    const { document } = answer;
    this.#isConnected = true;
    [this.version, this.revision] = [answer.version, document.revision];
    [this.saved, this.state] = [answer.saved, answer.state];
    this.background = document.background ?? null;
    this.pendingBackground = document.pending ?? null;
    const { width, height, fill } = document.canvas;
    this.#confirmedCanvas = { size: { width, height }, fill: fill ?? null };
    const gone = [...this.#lifted].filter((id) => this.#confirmed.has(id));
    this.#confirmed = new Map(document.emojis.map((label) => [label.id, label]));
    this.#reportRemoved(gone.filter((id) => !this.#confirmed.has(id)), null);
    // The document has all that was answered before.
    this.#answered = [];
    this.#answeredVersion = 0;
    this.#showAll();
    const held = this.#held ?? [];
    this.#held = null;
    return held.map((event) => this.apply(event)).includes('resync') ? 'resync' : 'applied';
  }

  /**
   * Applies an event of the document; others are skipped. At `resync`, which is returned once for a gap, ask for the document and `load` the
   * answer; events until then are kept for it.
   * @param {Record<string, any>} event
   * @returns {'applied' | 'skipped' | 'resync'}
   */
  apply(event) {
    if (this.#held) {
      this.#held.push(event);
      return 'skipped';
    }
    // At `resync` any events are missing, not only changes. The answer is newer than this event.
    if (event.resync || event.changed?.before > this.version) {
      this.#held = [];
      return 'resync';
    }
    if (event.changed) return this.#change(event.changed);
    if (event.saved) {
      // The answer to `show` may have overtaken the event.
      if (event.saved.revision < this.saved.revision) return 'skipped';
      this.saved = { head: event.saved.head ?? this.saved.head, revision: event.saved.revision };
    } else if (typeof event.state === 'string') {
      this.state = /** @type {DocumentState} */ (event);
    } else if (event.dropped) {
      this.#news.push({ kind: 'dropped', ...event.dropped });
    } else if (event.renamed) {
      this.#rename(event.renamed.id, event.renamed.to);
    } else {
      return 'skipped';
    }
    return 'applied';
  }

  /**
   * @param {ChangedEvent} event
   * @returns {'applied' | 'skipped'}
   */
  #change(event) {
    if (event.before !== this.version) return 'skipped';
    [this.version, this.revision] = [event.version, event.revision];
    if (event.saved) this.saved = event.saved;
    const { effect } = event;
    /** @type {Set<string>} */
    const touched = new Set(effect.removed);
    for (const id of effect.removed ?? []) this.#confirmed.delete(id);
    for (const { id, ...fields } of effect.updated ?? []) {
      const label = this.#confirmed.get(id);
      if (!label) continue;
      this.#confirmed.set(id, withFields(label, fields));
      touched.add(id);
    }
    for (const label of effect.added ?? []) {
      if (this.#confirmed.has(label.id)) continue;
      this.#confirmed.set(label.id, withFields(label, {}));
      touched.add(label.id);
    }
    if (effect.canvas) this.#confirmedCanvas = { ...this.#confirmedCanvas, size: effect.canvas };
    if (effect.fill !== undefined) this.#confirmedCanvas = { ...this.#confirmedCanvas, fill: effect.fill };
    if (effect.background !== undefined) this.background = effect.background;
    if (effect.pending !== undefined) this.pendingBackground = effect.pending;
    const isCanvas = effect.canvas || effect.fill !== undefined || effect.background !== undefined;
    if (isCanvas || effect.pending !== undefined) this.#dirty.canvas = true;

    this.#reportRemoved((effect.removed ?? []).filter((id) => this.#lifted.has(id)), event.edits.at(-1)?.by ?? null);
    const done = this.#answered.filter(({ version }) => version <= this.version);
    this.#answered = this.#answered.filter(({ version }) => version > this.version);
    for (const edit of [...done, ...this.#takeDone(event)]) this.#touch(edit, touched);
    this.#showAgain(touched);
    return 'applied';
  }

  /**
   * Takes the pending edits out that the event has, and returns all that are not shown any more.
   * @param {ChangedEvent} event
   */
  #takeDone(event) {
    if (this.#pending.length === 0) return [];
    /** @type {Set<string>} */
    const tags = new Set();
    for (const edit of event.edits) {
      if (edit.session === this.client) for (const tag of edit.tags ?? []) tags.add(tag);
    }
    let count = this.#pending.length;
    while (count > 0 && !tags.has(this.#pending[count - 1].tag)) count -= 1;
    const hidden = this.#pending.slice(0, count);
    for (const edit of hidden) edit.isOvertaken = true;
    this.#pending = this.#pending.filter(({ tag }) => !tags.has(tag));
    return hidden;
  }

  /** @param {string[]} ids @param {string | null} by */
  #reportRemoved(ids, by) {
    if (ids.length > 0) this.#news.push({ kind: 'removedUnderGesture', ids, by });
  }

  /**
   * The server gives one of this page's labels another id.
   * @param {string} id
   * @param {string} to
   */
  #rename(id, to) {
    const again = /** @type {(ref: any) => any} */ ((ref) => (Array.isArray(ref) ? ref.map(again) : ref === id ? to : ref));
    for (const edit of [...this.#pending, ...this.#answered]) {
      // What the server plans names labels, too.
      for (const verb of ['order', 'setText']) {
        const asked = /** @type {Record<string, any> | undefined} */ (edit.request[verb]);
        if (asked) edit.request = { ...edit.request, [verb]: Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, key === 'words' ? value : again(value)])) };
      }
      const mine = edit.byID.get(id);
      if (!mine) continue;
      edit.changes = edit.changes.map((change) =>
        (isOfLabel(change) && change[1] === id ? [change[0], to, ...change.slice(2)] : change));
      edit.byID = byID(edit.changes);
      if (edit.request.edit) edit.request = { ...edit.request, edit: { changes: edit.changes, name: edit.name } };
    }
    if (this.#lifted.has(id)) {
      this.#lifted = new Set([...this.#lifted].map((each) => (each === id ? to : each)));
      this.#renamed.set(id, to);
    }
    this.#news.push({ kind: 'renamed', id, to });
    this.#showAgain(new Set([id, to]));
  }

  // MARK: Own requests

  /**
   * Adds an edit, shows it, and returns the request to send.
   * @param {readonly Change[]} changes
   * @param {string} name
   * @param {string} tag unique in this page's session
   * @param {string | null} [since]
   * @returns {Request}
   */
  perform(changes, name, tag, since = this.saved.head) {
    return this.#add({ tag, edit: { changes, name }, since }, changes, name);
  }

  /**
   * Adds a request whose effect the server knows best, such as `{"undo":1}`, and returns it as it is to be sent.
   * @param {Record<string, unknown>} body
   * @param {string} name
   * @param {string} tag unique in this page's session
   * @param {readonly Change[]} [changes] what is likely, and shown until the server tells
   * @param {string | null} [since]
   * @returns {Request}
   */
  ask(body, name, tag, changes = [], since = this.saved.head) { return this.#add({ tag, ...body, since }, changes, name); }

  /** @param {Request} request @param {readonly Change[]} changes @param {string} name */
  #add(request, changes, name) {
    const edit = {
      tag: request.tag, name, request, changes, byID: byID(changes), isOvertaken: false, version: 0,
    };
    this.#pending.push(edit);
    /** @type {Set<string>} */
    const touched = new Set();
    this.#touch(edit, touched);
    this.#showAgain(touched);
    return request;
  }

  /**
   * The version of the document that has all edits which are answered next.
   * @param {number} version
   */
  answersAt(version) { this.#answeredVersion = Math.max(this.#answeredVersion, version); }

  /**
   * The answer to a request of `perform` or `ask`. Other tags have no effect.
   * @param {string} tag
   * @param {{ ok?: Record<string, any>, error?: ErrorValue }} outcome
   */
  answer(tag, { ok, error }) {
    const index = this.#pending.findIndex((edit) => edit.tag === tag);
    if (index < 0) return;
    const [edit] = this.#pending.splice(index, 1);
    if (error) this.#news.push({ kind: 'refused', tag, name: edit.name, error });
    if (ok && !edit.isOvertaken && this.version < this.#answeredVersion) {
      edit.version = this.#answeredVersion;
      this.#answered.push(edit);
    } else {
      /** @type {Set<string>} */
      const touched = new Set();
      this.#touch(edit, touched);
      this.#showAgain(touched);
    }
  }

  /**
   * The pending requests as they were first sent, oldest first, for another connection.
   * @returns {Request[]}
   */
  resend() { return this.#pending.map(({ request }) => request); }

  // MARK: Gestures

  /**
   * A gesture has these labels from now on: it is news when others remove one.
   * @param {Iterable<string>} ids
   */
  lift(ids) { [this.#lifted, this.#renamed] = [new Set(ids), new Map()]; }

  /** The gesture has ended. */
  drop() { this.lift([]); }

  // MARK: Layers

  /** The edits above `confirmed`, oldest first. */
  #layers() { return [...this.#answered, ...this.#pending.filter((edit) => !edit.isOvertaken)]; }

  /** @param {string} id */
  #value(id) {
    let label = this.#confirmed.get(id);
    for (const edit of this.#answered) label = changedBy(edit, id, label);
    for (const edit of this.#pending) if (!edit.isOvertaken) label = changedBy(edit, id, label);
    return label;
  }

  /**
   * Notes what an edit is about.
   * @param {Pending} edit
   * @param {Set<string>} touched
   */
  #touch(edit, touched) {
    for (const id of edit.byID.keys()) touched.add(id);
    if (edit.changes.some((change) => !isOfLabel(change))) this.#dirty.canvas = true;
  }

  /** @param {Iterable<string>} ids */
  #showAgain(ids) {
    for (const id of ids) {
      const [old, value] = [this.#shown.get(id), this.#value(id)];
      if (isSameLabel(old, value)) continue;
      if (value) this.#shown.set(id, value); else this.#shown.delete(id);
      this.#dirty.ids.add(id);
      this.#inOrder = null;
      if (old?.z !== value?.z) this.#unordered.add(id);
    }
  }

  #showAll() {
    const ids = new Set(this.#confirmed.keys());
    for (const edit of this.#layers()) for (const id of edit.byID.keys()) ids.add(id);
    this.#shown = new Map();
    for (const id of ids) {
      const label = this.#value(id);
      if (label) this.#shown.set(id, label);
    }
    this.#inOrder = [...this.#shown.values()].sort(bottomFirst);
    this.#order = this.#inOrder.map(({ id }) => id);
    this.#unordered = new Set();
    this.#dirty = { all: true, ids: new Set(), canvas: true };
  }

  /** Puts the ids of `#unordered` into `#order`, which is sorted without them. */
  #sort() {
    const label = (/** @type {string} */ id) => /** @type {Label} */ (this.#shown.get(id));
    const placed = [...this.#unordered].filter((id) => this.#shown.has(id)).map(label).sort(bottomFirst);
    /** @type {string[]} */
    const order = [];
    let next = 0;
    for (const id of this.#order) {
      if (this.#unordered.has(id)) continue;
      if (next < placed.length) {
        const above = label(id);
        while (next < placed.length && bottomFirst(placed[next], above) < 0) order.push(placed[next++].id);
      }
      order.push(id);
    }
    while (next < placed.length) order.push(placed[next++].id);
    this.#order = order;
    this.#unordered = new Set();
  }
}

/** @param {readonly Change[]} changes */
function byID(changes) {
  /** @type {Map<string, Change[]>} */
  const map = new Map();
  for (const change of changes) {
    if (!isOfLabel(change)) continue;
    const mine = map.get(change[1]);
    if (mine) mine.push(change); else map.set(change[1], [change]);
  }
  return map;
}

/** @param {Pending} edit @param {string} id @param {Label | undefined} label */
function changedBy(edit, id, label) {
  for (const change of edit.byID.get(id) ?? []) label = changed(label, change);
  return label;
}
