// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  addition, bottomFirst, changed, cut, differences, editName, isSameLabel, parts, shortText, withFields,
} from '../../Sources/CStudioPage/page/changes.js';
import { changesOf } from '../../Sources/CStudioPage/page/drags.js';
import { Store } from '../../Sources/CStudioPage/page/store.js';
import './support/crypto.js';
import { randomLabel, randomLabels } from './support/labels.js';
import { Random } from './support/random.js';

const bee = { id: 'aaaaaaaa', text: '🐝', x: 10, y: 20, size: 40, z: 16 };
const flower = { id: 'bbbbbbbb', text: '🌸', x: 50, y: 20, size: 40, z: 32, rotation: 30, color: '#cc0000' };
const caption = { id: 'cccccccc', text: 'Hi', x: 0, y: 0, size: 10, z: 8, kind: 'caption', box: [1.5, 1.25] };

const answer = (labels = [bee, flower], more = {}) => ({
  document: { background: null, canvas: { height: 768, width: 1024 }, emojis: labels, revision: 3 },
  saved: { head: 'o:3', revision: 3 }, state: { state: 'open' }, unsaved: 0, version: 5, ...more,
});

function opened(labels, more) {
  const store = new Store('ada');
  store.load(answer(labels, more));
  store.takeDirty();
  return store;
}

/** The event after the store's version. */
const event = (store, effect, { tag, by = 'Bob', session, ...more } = {}) => ({
  changed: {
    before: store.version, cause: 'edit', effect, revision: store.revision + 1, version: store.version + 1,
    edits: [{ by, changes: [], id: 'o:9', what: 'edit', ...(session ? { session } : {}), ...(tag ? { tags: [tag] } : {}) }],
    ...more,
  },
});

const own = (tag) => ({ tag, session: 'ada', by: 'Ada' });

test('a new id is neither that of a label, confirmed, removed or added by an own edit, nor one that was drawn before', () => {
  const store = opened();
  store.perform([['remove', 'aaaaaaaa']], 'remove', 't');
  assert.equal(store.shown('aaaaaaaa'), undefined);
  // As a page that was loaded again sends it, which has drawn no id.
  store.perform([['add', 'cccccccc', '🐞', 1, 2, 40, 48]], 'add', 'u');
  const drawn = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd', 'dddddddd', 'eeeeeeee'];
  const draw = (length) => (assert.equal(length, 8), drawn.shift());
  assert.deepEqual([store.newID(draw), store.newID(draw)], ['dddddddd', 'eeeeeeee']);
  assert.equal(new Set(Array.from({ length: 1000 }, () => store.newID())).size, 1000);
  assert.match(store.newID(), /^[0-9a-hjkmnp-tv-z]{8}$/);
});

// MARK: Labels and changes

test('changes are parted by their bytes, and none is lost', () => {
  const changes = Array.from({ length: 1000 }, (_, index) => ['text', `id${index}`, index % 3 ? 'a' : '🐝漢é'.repeat(index % 50)]);
  for (const limit of [1, 100, 5000, 1e9]) {
    const all = parts(changes, limit);
    assert.deepEqual(all.flat(), changes);
    for (const part of all) assert.ok(part.length === 1 || Buffer.byteLength(JSON.stringify(part)) <= limit + 2, `${limit}`);
  }
  assert.equal(parts(changes, 1e9).length, 1);
  assert.deepEqual(parts([], 10), [[]]);
});

test('a text is cut between code points', () => {
  assert.equal(cut('move 🐝🌸', 6), 'move 🐝');
  assert.equal(cut('bees', 60), 'bees');
});

test('the differences of two labels, applied, give the other one', (t) => {
  const random = new Random(2);
  let count = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const [from, to] = [randomLabel(random, 16), { ...randomLabel(random, 16 * random.int(1, 2)) }];
    if (random.chance(0.3)) to.mirrored = true;
    if (random.chance(0.3)) to.color = '#00ff00';
    if (random.chance(0.3)) Object.assign(to, { text: from.text, kind: from.kind, box: from.box });
    for (const key of ['kind', 'box']) if (to[key] === undefined) delete to[key];
    to.id = from.id;
    const changes = differences(from, to);
    count += changes.length;
    assert.ok(isSameLabel(changes.reduce(changed, from), to));
    assert.deepEqual(differences(to, to), []);
    assert.deepEqual(changed(undefined, JSON.parse(JSON.stringify(addition(to)))), to);
  }
  t.diagnostic(`${count} changes`);
});

test('changes have the form of the log', () => {
  assert.deepEqual(addition(bee), ['add', 'aaaaaaaa', '🐝', 10, 20, 40, 16]);
  assert.deepEqual(addition({ ...caption, mirrored: true }),
    ['add', 'cccccccc', 'Hi', 0, 0, 10, 8, { box: [1.5, 1.25], kind: 'caption', mirrored: true }]);
  const to = { ...bee, text: '🌸', x: 1, size: 9, z: 1, rotation: -5, mirrored: true, color: '#123456' };
  assert.deepEqual(differences(bee, to), [
    ['text', 'aaaaaaaa', '🌸'], ['move', 'aaaaaaaa', 1, 20], ['resize', 'aaaaaaaa', 9], ['order', 'aaaaaaaa', 1],
    ['rotate', 'aaaaaaaa', -5], ['mirror', 'aaaaaaaa', true], ['color', 'aaaaaaaa', '#123456'],
  ]);
  assert.deepEqual(differences(to, bee).slice(4),
    [['rotate', 'aaaaaaaa', 0], ['mirror', 'aaaaaaaa', false], ['color', 'aaaaaaaa', null]]);
  assert.deepEqual(differences(bee, { ...caption, x: 10, y: 20, size: 40, z: 16 }),
    [['text', 'aaaaaaaa', 'Hi', { box: [1.5, 1.25], kind: 'caption' }]]);
});

test('usual values are left out, and a text without kind is no caption any more', () => {
  assert.deepEqual(withFields(flower, { rotation: 0, color: null }), { ...bee, id: 'bbbbbbbb', text: '🌸', x: 50, z: 32 });
  assert.deepEqual(withFields(caption, { text: '🐝' }), { id: 'cccccccc', text: '🐝', x: 0, y: 0, size: 10, z: 8 });
  assert.deepEqual(withFields(caption, { x: 4 }).box, [1.5, 1.25]);
});

test('edits have the names that the commands give them', () => {
  assert.equal(editName('move', [bee, flower]), 'move 🐝 🌸');
  assert.equal(editName('move', [bee, bee, bee, bee]), 'move 4 emoji');
  assert.equal(shortText({ text: 'Happy\nbirthday', kind: 'caption' }), '"Happy\\nbirthday"');
  assert.equal(shortText({ text: 'x'.repeat(25), kind: 'caption' }), `"${'x'.repeat(23)}…"`);
});

// MARK: Confirmed

test('an effect changes the fields that it names', () => {
  const store = opened([bee, flower, caption]);
  const added = { id: 'dddddddd', text: '🐛', x: 1, y: 1, size: 5, z: 20, mirrored: true };
  const applied = store.apply(event(store, {
    added: [added], canvas: { width: 5, height: 6 }, fill: '#ffffff', background: null, removed: ['cccccccc'],
    updated: [{ id: 'aaaaaaaa', x: 11, y: 20 }, { id: 'bbbbbbbb', color: null, rotation: 0 }, { id: 'zzzzzzzz', z: 1 }],
  }));
  assert.equal(applied, 'applied');
  assert.deepEqual(store.inOrder(), [{ ...bee, x: 11 }, added, { ...bee, id: 'bbbbbbbb', text: '🌸', x: 50, z: 32 }]);
  assert.deepEqual(store.canvas, { width: 5, height: 6, fill: '#ffffff' });
  const dirty = store.takeDirty();
  assert.deepEqual([[...dirty.ids].sort(), dirty.all, dirty.canvas],
    [['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'], false, true]);
  assert.deepEqual(store.takeDirty(), { all: false, ids: new Set(), canvas: false });
});

test('backgrounds follow effects', () => {
  const store = opened();
  const background = { digest: 'd', height: 1, width: 2, mediaType: 'image/png' };
  const pending = { anchor: 'topLeft', reason: 'dns', since: 1, url: 'https://example.org' };
  store.apply(event(store, { background, pending }));
  assert.deepEqual([store.background, store.pendingBackground], [background, pending]);
  store.apply(event(store, { pending: null }));
  assert.deepEqual([store.background, store.pendingBackground], [background, null]);
});

test('a known version is skipped, and a gap asks for the document and waits for it', () => {
  const store = opened();
  const [next, later] = [event(store, { removed: ['aaaaaaaa'] }), event(store, { removed: ['bbbbbbbb'] })];
  later.changed.before += 1;
  later.changed.version += 1;
  assert.equal(store.apply({ changed: { ...next.changed, before: 4, version: 5 } }), 'skipped');
  assert.equal(store.apply(later), 'resync');
  assert.equal(store.apply({ saved: { head: 'o:5', revision: 5 } }), 'skipped');
  assert.equal(store.count, 2);
  const shown = answer([flower], { version: 6 });
  shown.document.revision = 4;
  // The event at which the gap was noticed is older than the answer; here the answer is made up to lack it.
  assert.equal(store.load(shown), 'applied');
  assert.deepEqual([store.version, store.saved.revision], [6, 5]);
  assert.equal(store.apply({ resync: { version: 6 } }), 'resync');
});

test('order is by z and by id, and a change of other fields leaves it', () => {
  const store = opened([bee, { ...flower, z: 16 }, caption]);
  const ids = () => store.inOrder().map(({ id }) => id[0]).join('');
  assert.equal(ids(), 'cab');
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', z: 17 }, { id: 'cccccccc', x: 5, y: 5 }] }));
  assert.equal(ids(), 'cba');
  assert.equal(store.inOrder()[0].x, 5);
  assert.deepEqual([store.topZ, store.bottomZ], [17, 8]);
});

// MARK: Pending

test('an own edit is shown at once, and confirmed by its event', () => {
  const store = opened();
  const request = store.perform([['move', 'aaaaaaaa', 1, 2]], 'move 🐝', 't1');
  assert.deepEqual(request, { edit: { changes: [['move', 'aaaaaaaa', 1, 2]], name: 'move 🐝' }, since: 'o:3', tag: 't1' });
  assert.deepEqual([store.shown('aaaaaaaa').x, store.confirmed('aaaaaaaa').x, store.status], [1, 10, 'saving']);
  store.takeDirty();
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 1, y: 2 }] }, own('t1')));
  assert.deepEqual([store.confirmed('aaaaaaaa').x, store.pending.length, store.takeDirty().ids.size], [1, 0, 0]);
  assert.equal(store.status, 'saving');
  store.apply({ saved: { head: 'o:4', revision: 4 } });
  assert.equal(store.status, 'saved');
});

test('the newest edit that sets a field is shown, whatever others set', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.perform([['resize', 'aaaaaaaa', 99]], 'resize', 't2');
  store.perform([['move', 'aaaaaaaa', 3, 4]], 'move', 't3');
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 7, y: 7, z: 90 }] }));
  assert.deepEqual(store.shown('aaaaaaaa'), { ...bee, x: 3, y: 4, size: 99, z: 90 });
  store.answer('t3', { error: { code: 'badValue', message: 'no' } });
  assert.deepEqual(store.shown('aaaaaaaa'), { ...bee, x: 1, y: 2, size: 99, z: 90 });
  assert.deepEqual(store.takeNews(), [{ kind: 'refused', tag: 't3', name: 'move', error: { code: 'badValue', message: 'no' } }]);
});

test('an edit of another page with the same tag is not an own one', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 7, y: 7 }] }, { tag: 't1', session: 'bob' }));
  assert.deepEqual([store.pending.length, store.shown('aaaaaaaa').x], [1, 1]);
});

test('an answered edit stays until its event, so the picture does not jump', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.takeDirty();
  store.answersAt(store.version + 2);
  store.answer('t1', { ok: { unsaved: 1 } });
  assert.deepEqual([store.shown('aaaaaaaa').x, store.pending.length, store.status], [1, 0, 'saving']);
  // What others have done before is not shown; the own event is.
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 8, y: 8 }] }));
  assert.equal(store.shown('aaaaaaaa').x, 1);
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 1, y: 2 }] }, own('t1')));
  assert.deepEqual([store.shown('aaaaaaaa').x, store.takeDirty().ids.size], [1, 0]);
});

test('an edit without effect is shown no longer than its answer, if all events have come', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.answersAt(store.version);
  store.answer('t1', { ok: { unsaved: 0 } });
  assert.deepEqual([store.shown('aaaaaaaa').x, store.status], [10, 'saved']);
});

test('an edit that a later own one has overtaken is not shown any more', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'without effect', 't1');
  store.perform([['resize', 'aaaaaaaa', 9]], 'resize', 't2');
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', size: 9 }] }, own('t2')));
  assert.deepEqual([store.shown('aaaaaaaa').x, store.pending.map(({ tag }) => tag)], [10, ['t1']]);
});

test('additions and removals are shown at once, and go with a refusal', () => {
  const store = opened();
  store.perform([addition({ ...caption }), ['remove', 'aaaaaaaa']], 'replace', 't1');
  store.perform([['move', 'cccccccc', 9, 9]], 'move', 't2');
  assert.deepEqual(store.inOrder().map(({ id, x }) => [id, x]), [['cccccccc', 9], ['bbbbbbbb', 50]]);
  store.answer('t1', { error: { code: 'badText', message: 'no' } });
  assert.deepEqual(store.inOrder().map(({ id }) => id), ['aaaaaaaa', 'bbbbbbbb']);
});

test('pending changes of the canvas are shown', () => {
  const store = opened();
  store.perform([['canvas', 10, 20], ['fill', '#000000']], 'canvas', 't1');
  assert.deepEqual(store.canvas, { width: 10, height: 20, fill: '#000000' });
  assert.ok(store.takeDirty().canvas);
  store.answer('t1', { error: { code: 'busy', message: 'no' } });
  assert.deepEqual(store.canvas, { width: 1024, height: 768, fill: null });
  assert.ok(store.takeDirty().canvas);
});

test('a request that the server plans names a label by its new id, too', () => {
  const store = opened();
  store.ask({ setText: { ref: 'aaaaaaaa', words: 'aaaaaaaa' } }, 'caption', 't1', [['text', 'aaaaaaaa', 'Hi', { box: [1, 1], kind: 'caption' }]]);
  store.ask({ order: { above: 'aaaaaaaa', ref: ['bbbbbbbb', 'aaaaaaaa'] } }, 'order', 't2');
  assert.equal(store.shown('aaaaaaaa').text, 'Hi', 'what is likely is shown');
  store.apply({ renamed: { id: 'aaaaaaaa', to: 'nnnnnnnn' } });
  assert.deepEqual(store.resend().map(({ setText, order }) => setText ?? order), [{ ref: 'nnnnnnnn', words: 'aaaaaaaa' }, { above: 'nnnnnnnn', ref: ['bbbbbbbb', 'nnnnnnnn'] }]);
  store.answer('t1', { error: { code: 'noSuchEmoji', message: 'no' } });
  assert.equal(store.shown('aaaaaaaa').text, bee.text);
});

test('after a break pending requests are sent again as they were, and others are not undone by them', () => {
  const store = opened();
  const first = store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.apply({ saved: { head: 'o:4', revision: 4 } });
  const second = store.ask({ undo: 1 }, 'undo', 't2');
  store.disconnected();
  assert.equal(store.status, 'reconnecting');
  // The server had made the first one, and then another page has moved the label.
  store.load(answer([{ ...bee, x: 7, y: 7 }, flower], { version: 9 }));
  assert.deepEqual(store.resend(), [first, second]);
  assert.deepEqual([first.since, second.since], ['o:3', 'o:4']);
  assert.equal(store.shown('aaaaaaaa').x, 1);
  store.answer('t1', { ok: { repeated: true, unsaved: 2 } });
  assert.equal(store.shown('aaaaaaaa').x, 7);
  store.answer('t2', { error: { code: 'nothingToUndo', message: 'nothing' } });
  assert.deepEqual([store.pending.length, store.takeNews().length], [0, 1]);
});

test('an edit that is sent again is not said to be saved when it is answered', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.load(answer([bee, flower], { version: 9 }));
  store.answersAt(10);
  store.answer('t1', { ok: { unsaved: 1 } });
  assert.deepEqual([store.pending.length, store.status], [0, 'saving']);
});

test('an edit that is answered after the document was loaded again does not stay', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.load(answer([{ ...bee, x: 7, y: 7 }, flower], { version: 9 }));
  store.answer('t1', { ok: { unsaved: 1 } });
  assert.deepEqual([store.shown('aaaaaaaa').x, store.status], [7, 'saved']);
});

test('an event of `saved` that the document has overtaken is skipped', () => {
  const store = opened();
  assert.equal(store.apply({ saved: { head: 'o:2', revision: 2 } }), 'skipped');
  assert.deepEqual(store.saved, { head: 'o:3', revision: 3 });
});

test('nothing of a document goes into another one', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2]], 'move', 't1');
  store.lift(['aaaaaaaa']);
  store.reset();
  assert.deepEqual([store.count, store.status, store.resend(), store.takeDirty().all], [0, 'reconnecting', [], true]);
  store.load(answer([bee], { version: 0 }));
  assert.deepEqual([store.inOrder(), store.status, store.takeNews()], [[bee], 'saved', []]);
});

test('pending requests outlive their page', () => {
  const before = opened();
  before.perform([['move', 'aaaaaaaa', 1, 2]], 'move 🐝', 't1');
  before.ask({ undo: 1 }, 'Undo', 't2');
  const after = new Store('me');
  const kept = before.pending.map(({ name, request }) => ({ name, request }));
  after.restore(JSON.parse(JSON.stringify(kept)));
  after.load(answer([bee, flower], { version: 9 }));
  assert.deepEqual(after.resend(), before.resend());
  assert.equal(after.shown('aaaaaaaa').x, 1);
  // A page that comes back as it was has them already.
  after.restore(kept);
  assert.equal(after.pending.length, 2);
});

test('the status is that of the document', () => {
  const store = opened();
  assert.equal(new Store('x').status, 'reconnecting');
  assert.equal(store.status, 'saved');
  store.apply({ state: 'error', code: 'diskFull', reason: 'no space' });
  assert.deepEqual([store.status, store.state.reason], ['notSaved', 'no space']);
  store.apply({ state: 'editingDisabled', reason: 'newer' });
  assert.equal(store.status, 'notSaved');
  store.apply({ state: 'open' });
  assert.equal(store.status, 'saved');
  assert.equal(store.apply({ watching: true }), 'skipped');
});

test('a label that gets another id keeps its pending edits, and its former id leads to it', () => {
  const store = opened();
  store.perform([['move', 'aaaaaaaa', 1, 2], ['move', 'bbbbbbbb', 3, 3]], 'move', 't1');
  store.lift(['aaaaaaaa']);
  store.apply({ renamed: { id: 'aaaaaaaa', to: 'nnnnnnnn' } });
  // Another program has added a label with that id.
  store.apply(event(store, { added: [{ ...bee, id: 'nnnnnnnn' }], updated: [{ id: 'aaaaaaaa', text: '🐜', x: 400 }] }));
  assert.equal(store.shown('aaaaaaaa').x, 400);
  assert.deepEqual(store.shown('nnnnnnnn'), { ...bee, id: 'nnnnnnnn', x: 1, y: 2 });
  const gesture = { labels: [bee], newValues: () => ({ size: 77 }), isNew: false };
  assert.deepEqual(changesOf(gesture, (id) => store.find(id)), [['resize', 'nnnnnnnn', 77]]);
  assert.deepEqual(store.resend()[0].edit.changes, [['move', 'nnnnnnnn', 1, 2], ['move', 'bbbbbbbb', 3, 3]]);
  assert.deepEqual(store.takeNews().at(-1), { kind: 'renamed', id: 'aaaaaaaa', to: 'nnnnnnnn' });
  // The server did not know the old id any more.
  store.answer('t1', { ok: { unsaved: 1 } });
  assert.equal(store.shown('nnnnnnnn').x, 10);
  // Who removes it now removes it under the gesture.
  store.takeNews();
  store.apply(event(store, { removed: ['nnnnnnnn'] }));
  assert.deepEqual(store.takeNews(), [{ kind: 'removedUnderGesture', ids: ['nnnnnnnn'], by: 'Bob' }]);
  // A later gesture of the other label is about that one.
  store.lift(['aaaaaaaa']);
  assert.deepEqual(changesOf(gesture, (id) => store.find(id)), [['resize', 'aaaaaaaa', 77]]);
});

test('a request that the server plans gets the new id of a label, too', () => {
  const store = opened();
  store.ask({ setText: { ref: 'aaaaaaaa', words: 'aaaaaaaa' } }, 'caption', 't1');
  store.ask({ order: { above: 'aaaaaaaa', ref: ['bbbbbbbb', 'aaaaaaaa'] } }, 'order', 't2');
  store.ask({ undo: 1 }, 'Undo', 'aaaaaaaa');
  store.apply({ renamed: { id: 'aaaaaaaa', to: 'nnnnnnnn' } });
  assert.deepEqual(store.resend().map(({ since, ...request }) => request), [
    { tag: 't1', setText: { ref: 'nnnnnnnn', words: 'aaaaaaaa' } }, { tag: 't2', order: { above: 'nnnnnnnn', ref: ['bbbbbbbb', 'nnnnnnnn'] } }, { tag: 'aaaaaaaa', undo: 1 },
  ]);
});

test('dropped changes are reported', () => {
  const store = opened();
  store.apply({ dropped: { edit: 'o:7', changes: [['move', 'aaaaaaaa', 1, 2]] } });
  assert.deepEqual(store.takeNews(), [{ kind: 'dropped', edit: 'o:7', changes: [['move', 'aaaaaaaa', 1, 2]] }]);
  assert.deepEqual(store.takeNews(), []);
});

// MARK: Gestures

/** A gesture that gives each label new values. */
const gesture = (labels, newValues) => ({ labels, newValues, isNew: false });

test('a gesture ends as an edit of what differs from what is shown', () => {
  const store = opened();
  const find = (id) => store.find(id);
  assert.deepEqual(changesOf(gesture([bee, flower], () => ({ x: 10, y: 5 })), find), [['move', 'aaaaaaaa', 10, 5], ['move', 'bbbbbbbb', 10, 5]]);
  assert.deepEqual(changesOf(gesture([bee, flower], ({ x }) => ({ x })), find), [], 'nothing changes');
  assert.deepEqual(changesOf({ labels: [caption], newValues: () => ({}), isNew: true }, find), [addition(caption)]);
});

test('a gesture changes labels as they are when it ends', () => {
  const store = opened();
  const [find, still] = [(id) => store.find(id), gesture([bee], () => ({ x: 10, y: 20 }))];
  store.lift(['aaaaaaaa']);
  store.apply(event(store, { updated: [{ id: 'aaaaaaaa', x: 9, y: 9 }] }));
  assert.deepEqual(changesOf(still, find), [['move', 'aaaaaaaa', 10, 20]], 'its own values win');
  store.apply(event(store, { removed: ['aaaaaaaa'] }));
  assert.deepEqual(changesOf(still, find), [], 'a removed label stays removed');
});

test('what others remove under a gesture is reported with their name, also after a break', () => {
  const store = opened();
  store.lift(['aaaaaaaa', 'bbbbbbbb']);
  store.apply(event(store, { removed: ['bbbbbbbb', 'qqqqqqqq'] }));
  store.load(answer([]));
  assert.deepEqual(store.takeNews(), [
    { kind: 'removedUnderGesture', ids: ['bbbbbbbb'], by: 'Bob' },
    { kind: 'removedUnderGesture', ids: ['aaaaaaaa'], by: null },
  ]);
  store.drop();
  store.load(answer([bee]));
  store.apply(event(store, { removed: ['aaaaaaaa'] }));
  assert.deepEqual(store.takeNews(), [], 'the gesture has ended');
});

test('effects and edits of 10,000 labels', () => {
  const labels = randomLabels(new Random(9), 10_000);
  const store = opened(labels);
  store.apply(event(store, { updated: labels.map(({ id }) => ({ id, x: 1, y: 1 })), removed: [] }));
  assert.equal(store.takeDirty().ids.size, 10_000);
  const changes = changesOf(gesture(store.inOrder(), () => ({ z: 5 })), (id) => store.find(id));
  const request = store.perform(changes, 'order', 't');
  const order = store.inOrder();
  for (let index = 1; index < order.length; index += 1) assert.ok(bottomFirst(order[index - 1], order[index]) < 0);
  assert.equal(request.edit.changes.length, 10_000);
  assert.ok(JSON.stringify(request).length < 2 ** 20, 'fits into a message');
});
