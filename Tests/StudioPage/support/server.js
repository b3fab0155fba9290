// SPDX-License-Identifier: Apache-2.0

// A model of the server for the schedules of pages: it performs requests one by one, each tag once, and sends the effects to all pages.

import assert from 'node:assert/strict';

const fields = {
  move: ['x', 'y'], resize: ['size'], text: ['text', 'kind', 'box'], order: ['z'], rotate: ['rotation'],
  mirror: ['mirrored'], color: ['color'],
};
const usual = { rotation: 0, mirrored: false, color: null };

/** A change as values by their keys; undefined for a key that the label loses. */
function valuesOf([kind, , ...values]) {
  if (kind === 'text') return { text: values[0], kind: values[1]?.kind, box: values[1]?.box };
  return Object.fromEntries(fields[kind].map((key, index) => [key, values[index]]));
}

const valueOf = (label, key) => label[key] ?? usual[key];

export class ServerModel {
  labels = new Map();
  canvas = { width: 100, height: 100 };
  fill = null;
  version = 0;
  revision = 0;
  saved = 0;
  /** By the client and the tag. */
  made = new Map();
  /** The revision of each that has had an effect. */
  revisions = new Map();
  refused = new Set();
  connections = new Set();
  log = [];

  constructor(faults = {}) { this.faults = faults; }

  /** The answer to `open` and `show`. */
  show() {
    return structuredClone({
      document: {
        background: null, canvas: this.fill === null ? this.canvas : { ...this.canvas, fill: this.fill },
        emojis: [...this.labels.values()].sort((a, b) => a.z - b.z || (a.id < b.id ? -1 : 1)),
        revision: this.revision,
      },
      saved: this.savedState, state: { state: 'open' }, unsaved: this.unsaved, version: this.version,
    });
  }

  get unsaved() { return this.revision - this.saved; }

  get savedState() { return { head: this.saved === 0 ? null : `server:${this.saved}`, revision: this.saved }; }

  /** Performs a request of a page, or of another program without a client, and returns the answer. */
  perform(client, request) {
    const key = `${client} ${request.tag}`;
    if (client && this.made.has(key) && !this.faults.makesTwice) {
      return { ok: { repeated: true, unsaved: this.unsaved }, tag: request.tag };
    }
    if (client && request.tag.endsWith('7')) {
      this.refused.add(key);
      return { error: { code: 'badValue', message: 'a tag with 7' }, tag: request.tag };
    }
    if (client) this.made.set(key, (this.made.get(key) ?? 0) + 1);
    const undone = request.undo ? this.log.findLast((entry) => entry.client === client && !entry.isUndone) : null;
    if (request.undo && !undone) {
      return { error: { code: 'nothingToUndo', message: 'nothing' }, tag: request.tag };
    }
    const changes = undone ? this.#inverse(undone) : request.edit.changes;
    if (undone) undone.isUndone = true;
    const before = this.revision;
    this.#apply(changes, client, request.tag, undone ? null : client);
    if (this.revision > before) this.revisions.set(key, this.revision);
    return { ok: { unsaved: this.unsaved }, tag: request.tag };
  }

  /** The changes that restore what still has the values that the entry set. */
  #inverse({ before, after }) {
    const changes = [];
    for (const [id, old] of before) {
      const [now, was] = [this.labels.get(id), after.get(id)];
      if (!old && now) changes.push(['remove', id]);
      if (old && !was && !now) changes.push(['whole', id, old]);
      if (!old || !was || !now) continue;
      if (old.x !== was.x && now.x === was.x) changes.push(['move', id, old.x, now.y]);
      if (old.size !== was.size && now.size === was.size) changes.push(['resize', id, old.size]);
    }
    return changes;
  }

  #apply(changes, client, tag, undoable) {
    const [before, canvas, fill] = [new Map(), this.canvas, this.fill];
    for (const change of changes) {
      const [kind, id] = change;
      if (kind === 'canvas') { this.canvas = { width: change[1], height: change[2] }; continue; }
      if (kind === 'fill') { this.fill = change[1]; continue; }
      const label = this.labels.get(id);
      if (!before.has(id)) before.set(id, label);
      if (kind === 'whole') this.labels.set(id, change[2]);
      else if (kind === 'add') {
        if (label) continue;
        const [, , text, x, y, size, z, style] = change;
        this.labels.set(id, { id, text, x, y, size, z, ...style });
      } else if (!label) continue;
      else if (kind === 'remove') this.labels.delete(id);
      else {
        const next = { ...label, ...valuesOf(change) };
        for (const key of Object.keys(next)) {
          if (next[key] === undefined || (key in usual && next[key] === usual[key])) delete next[key];
        }
        this.labels.set(id, next);
      }
    }
    const effect = this.#effect(before, canvas, fill);
    if (Object.keys(effect).length === 0) return;
    const after = new Map([...before.keys()].map((id) => [id, this.labels.get(id)]));
    if (undoable) this.log.push({ client, before, after, isUndone: false });
    this.#tell(effect, client, tag, changes);
  }

  #tell(effect, client, tag, changes) {
    const edit = { by: client ?? 'other', changes, id: `server:${this.revision + 1}`, what: 'edit' };
    if (client) edit.session = client;
    if (tag) edit.tags = [tag];
    const event = {
      changed: {
        before: this.version, cause: 'edit', edits: [edit], effect, revision: this.revision + 1,
        version: this.version + 1,
      },
    };
    this.version += 1;
    this.revision += 1;
    this.send(event);
  }

  #effect(before, canvas, fill) {
    const [added, updated, removed] = [[], [], []];
    for (const [id, old] of before) {
      const now = this.labels.get(id);
      if (!old && now) added.push(now);
      if (old && !now) removed.push(id);
      if (!old || !now) continue;
      const update = { id };
      for (const keys of Object.values(fields)) {
        if (keys.every((key) => JSON.stringify(valueOf(old, key)) === JSON.stringify(valueOf(now, key)))) continue;
        for (const key of keys) if (valueOf(now, key) !== undefined) update[key] = valueOf(now, key);
      }
      if (Object.keys(update).length > 1) updated.push(update);
    }
    const effect = {};
    if (added.length > 0) effect.added = added;
    if (updated.length > 0) effect.updated = updated;
    if (removed.length > 0) effect.removed = removed;
    if (canvas.width !== this.canvas.width || canvas.height !== this.canvas.height) effect.canvas = this.canvas;
    if (fill !== this.fill) effect.fill = this.fill;
    return effect;
  }

  /** Another program's save: gives a label of a page another id, as after a collision. */
  rename(id, to) {
    const label = this.labels.get(id);
    if (!label || this.labels.has(to)) return;
    const before = new Map([[id, label], [to, undefined]]);
    this.labels.delete(id);
    this.labels.set(to, { ...label, id: to });
    this.#tell(this.#effect(before, this.canvas, this.fill), null, null, []);
    this.send({ renamed: { id, to } });
  }

  save() {
    if (this.saved === this.revision) return;
    this.saved = this.revision;
    this.send({ saved: this.savedState });
  }

  send(event) {
    for (const connection of this.connections) connection(structuredClone(event));
  }

  /** Whether no request was made twice. */
  assertMadeOnce() {
    for (const [key, times] of this.made) assert.equal(times, 1, `${key} was made ${times} times`);
  }
}
