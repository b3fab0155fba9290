// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { zStep } from '../../Sources/CStudioPage/page/arrange.js';
import { changed } from '../../Sources/CStudioPage/page/changes.js';
import { changesOf, pinchDrag } from '../../Sources/CStudioPage/page/drags.js';
import { Gestures, wheeled } from '../../Sources/CStudioPage/page/gestures.js';
import { HitIndex } from '../../Sources/CStudioPage/page/hit.js';
import { Viewport, limits } from '../../Sources/CStudioPage/page/rules.js';
import { bounds, frameOf, handlesOf } from '../../Sources/CStudioPage/page/selection.js';
import { Store } from '../../Sources/CStudioPage/page/store.js';
import { randomLabels } from './support/labels.js';
import { Random } from './support/random.js';

const canvas = { width: 1000, height: 1000 };
const square = (id, x, y, more = {}) =>
  ({ id, text: '🐝', x, y, size: 100, z: Number.parseInt(id, 36) * 16, kind: 'caption', box: [1, 1], ...more });

/** A page without a picture: a store, an index and a selection, which do what gestures ask for. */
class Page {
  selection = new Set();
  viewport = Viewport.fitting(canvas, canvas);
  tool = { kind: 'select' };
  isPanning = false;
  snaps = false;
  seed = 1;
  marquee = null;
  guides = [];
  drag = null;
  effects = [];
  /** The newest effect `gesture`. */
  layer = null;
  requests = [];
  gestures = new Gestures();
  #drawn = 0;

  constructor(...labels) {
    this.store = new Store('ada');
    const document = { canvas, emojis: labels, revision: 0 };
    this.store.load({ document, saved: { head: null, revision: 0 }, state: { state: 'open' }, unsaved: 0, version: 0 });
    this.index = new HitIndex(labels);
  }

  get scene() {
    const { viewport, selection, tool, isPanning, snaps, seed, store, index } = this;
    return {
      viewport, canvas, selection, tool, isPanning, snaps, seed, topZ: store.topZ,
      label: (id) => store.shown(id), topAt: (x, y, reach) => index.topNear(x, y, reach),
      inRect: (rect) => index.inRect(rect), newID: () => `new${this.#drawn++}`,
    };
  }

  input(input) {
    for (const effect of this.gestures.input(input, this.scene)) this.#perform(effect);
  }

  #perform(effect) {
    this.effects.push(effect.kind);
    switch (effect.kind) {
      case 'gesture':
        this.layer = effect;
        if (!effect.isNew) this.store.lift(effect.labels.map(({ id }) => id));
        [this.guides, this.drag] = [effect.guides, effect.drag];
        break;
      case 'commit': {
        this.name = effect.name;
        const changes = this.layerChanges;
        this.layer = null;
        this.store.drop();
        this.requests.push(changes.length > 0 ? this.store.perform(changes, effect.name, `t${this.requests.length}`) : null);
        break;
      }
      case 'cancel':
        this.layer = null;
        this.store.drop();
        break;
      case 'select': this.selection = effect.ids; break;
      case 'view': this.viewport = effect.viewport; break;
      case 'marquee': this.marquee = effect.rect; break;
      default: assert.fail(effect.kind);
    }
  }

  /** A pointer goes down, along places, and up. Keys are those of the whole way. */
  drag1(places, keys = {}, { up = true } = {}) {
    const event = (type, [x, y]) => this.input({
      type, id: keys.id ?? 1, x, y, button: 0, shift: false, ctrl: false, alt: false, pointerType: 'mouse', ...keys,
    });
    event('down', places[0]);
    for (const place of places.slice(1)) event('move', place);
    if (up) event('up', places.at(-1));
    return this;
  }

  tap(x, y, keys) { return this.drag1([[x, y]], keys); }

  touch(type, id, x, y) {
    this.input({ type, id, x, y, button: 0, shift: false, ctrl: false, alt: false, pointerType: 'touch' });
    return this;
  }

  get selected() { return [...this.selection].sort().join(''); }

  get layerChanges() { return this.layer ? changesOf(this.layer, (id) => this.store.find(id)) : []; }

  /** The labels with what the gesture makes of them, bottom to top. */
  get labels() {
    const labels = new Map(this.store.inOrder().map((label) => [label.id, label]));
    for (const change of this.layerChanges) labels.set(change[1], changed(labels.get(change[1]), change));
    return [...labels.values()];
  }

  label(id) { return this.labels.find((label) => label.id === id); }

  place(id) {
    const { x, y } = this.label(id);
    return [x, y];
  }

  get changes() { return this.requests.at(-1)?.edit.changes; }
}

const pair = () => new Page(square('1', 200, 200), square('2', 600, 200));

test('a tap selects, Shift and Ctrl toggle, and a tap beside everything selects nothing', () => {
  const page = pair().tap(200, 200);
  assert.equal(page.selected, '1');
  assert.equal(page.tap(600, 200, { shift: true }).selected, '12');
  assert.equal(page.tap(200, 200, { ctrl: true }).selected, '2');
  assert.equal(page.tap(900, 900, { shift: true }).selected, '2');
  assert.equal(page.tap(900, 900).selected, '');
  assert.equal(page.tap(603, 203, { pointerType: 'touch' }).selected, '2');
  assert.deepEqual(page.requests, []);
});

test('a tap on one of several selected labels selects it alone', () => {
  const page = pair().tap(200, 200).tap(600, 200, { shift: true }).tap(600, 200);
  assert.equal(page.selected, '2');
});

test('the topmost label is taken', () => {
  assert.equal(new Page(square('1', 200, 200), square('2', 220, 200)).tap(210, 200).selected, '2');
});

test('a drag of a label moves it, from the threshold on', () => {
  const page = pair().drag1([[200, 200], [203, 200]]);
  assert.deepEqual([page.place('1'), page.requests, page.selected], [[200, 200], [], '1']);
  page.drag1([[200, 200], [204, 200], [230, 250.5]]);
  assert.deepEqual(page.changes, [['move', '1', 230, 250.5]]);
  assert.deepEqual(page.drag, [30, 50.5]);
  assert.equal(page.name, 'move "🐝"');
  const finger = pair().drag1([[200, 200], [209, 200]], { pointerType: 'touch' });
  assert.deepEqual(finger.requests, []);
  finger.drag1([[200, 200], [210, 200]], { pointerType: 'touch' });
  assert.deepEqual([finger.changes, finger.selected], [[['move', '1', 210, 200]], '1']);
});

test('a drag moves the whole selection, also from between its members', () => {
  const page = pair().tap(200, 200).tap(600, 200, { shift: true }).drag1([[600, 200], [610, 220]]);
  assert.deepEqual(page.changes, [['move', '1', 210, 220], ['move', '2', 610, 220]]);
  page.drag1([[400, 220], [390, 220]]);
  assert.deepEqual(page.changes, [['move', '1', 200, 220], ['move', '2', 600, 220]]);
  assert.equal(page.selected, '12');
  assert.equal(page.tap(400, 220).selected, '', 'a tap there selects nothing');
});

test('a drag of a label that is not selected selects it; with Shift, beside the others', () => {
  const page = pair().tap(200, 200).drag1([[600, 200], [600, 240]]);
  assert.deepEqual([page.selected, page.changes], ['2', [['move', '2', 600, 240]]]);
  page.drag1([[200, 200], [240, 203]], { shift: true });
  assert.deepEqual([page.selected, page.changes], ['12', [['move', '2', 640, 240], ['move', '1', 240, 200]]]);
});

test('a drag to where it began is no edit', () => {
  const page = pair().drag1([[200, 200], [300, 300], [200, 200]]);
  assert.deepEqual(page.requests, [null]);
  assert.ok(!page.layer);
});

test('a drag with Alt leaves the label and moves a copy above all', () => {
  const page = pair().drag1([[200, 200], [210, 300]], { alt: true });
  assert.deepEqual(page.place('1'), [200, 200]);
  assert.deepEqual(page.changes,
    [['add', 'new0', '🐝', 210, 300, 100, 32 + zStep, { box: [1, 1], kind: 'caption' }]]);
  assert.deepEqual([page.selected, page.name], ['new0', 'duplicate "🐝"']);
});

test('a moved box snaps with guides; Ctrl does not snap, and Shift keeps to an axis', () => {
  const page = pair();
  page.snaps = true;
  page.drag1([[200, 200], [206, 305]], {}, { up: false });
  // Its top is 5 below the other one's bottom.
  assert.deepEqual(page.place('1'), [206, 300]);
  assert.deepEqual(page.guides, [{ axis: 'y', at: 250, from: 156, to: 650 }]);
  page.input({ type: 'keys', shift: false, ctrl: true, alt: false });
  assert.deepEqual([page.place('1'), page.guides], [[206, 305], []]);
  page.input({ type: 'keys', shift: true, ctrl: false, alt: false });
  assert.deepEqual([page.place('1'), page.guides.length], [[200, 300], 1]);
  page.input({ type: 'abort' });
  assert.deepEqual(page.place('1'), [200, 200]);
});

test('a marquee selects what it touches, while it is drawn', () => {
  const page = pair().drag1([[400, 400], [240, 240]], {}, { up: false });
  assert.deepEqual([page.selected, page.marquee], ['1', { x: 240, y: 240, width: 160, height: 160 }]);
  page.input({ type: 'move', id: 1, x: 420, y: 440, button: 0, pointerType: 'mouse' });
  assert.equal(page.selected, '');
  page.input({ type: 'up', id: 1, x: 560, y: 240, button: 0, pointerType: 'mouse' });
  assert.deepEqual([page.selected, page.marquee], ['2', null]);
  page.drag1([[100, 400], [160, 240]], { shift: true });
  assert.equal(page.selected, '12');
});

test('a marquee begins at a place of the document, also when the view gets another size or moves', () => {
  const page = pair().drag1([[400, 400], [240, 240]], {}, { up: false });
  page.viewport = page.viewport.resize({ width: 500, height: 500 });
  page.input({ type: 'move', id: 1, x: 120, y: 120, button: 0, pointerType: 'mouse' });
  assert.deepEqual([page.selected, page.marquee], ['1', { x: 240, y: 240, width: 160, height: 160 }]);
  page.viewport = page.viewport.zoomBy(2, { x: 120, y: 120 });
  page.input({ type: 'move', id: 1, x: 120, y: 120, button: 0, pointerType: 'mouse' });
  assert.deepEqual(page.marquee, { x: 240, y: 240, width: 160, height: 160 });
});

test('a corner resizes about the opposite one, and with Alt about the centre', () => {
  const page = pair().tap(200, 200).drag1([[250, 250], [300, 300]], {}, { up: false });
  assert.deepEqual([page.place('1'), page.label('1').size], [[225, 225], 150]);
  page.input({ type: 'keys', shift: false, ctrl: false, alt: true });
  assert.deepEqual([page.place('1'), page.label('1').size], [[200, 200], 200]);
  page.input({ type: 'up', id: 1, x: 300, y: 300, button: 0, alt: true, pointerType: 'mouse' });
  assert.deepEqual([page.changes, page.name], [[['resize', '1', 200]], 'resize "🐝"']);
});

test('the dragged corner of an upright frame snaps; with Ctrl, and where the frame is turned, it does not', () => {
  const page = pair().tap(200, 200);
  page.snaps = true;
  page.drag1([[250, 250], [545, 545]], {}, { up: false });
  // The other one's left edge is at 550.
  assert.deepEqual([page.place('1'), page.label('1').size], [[350, 350], 400]);
  assert.deepEqual(page.guides, [{ axis: 'x', at: 550, from: 150, to: 550 }]);
  page.input({ type: 'keys', shift: false, ctrl: true, alt: false });
  assert.deepEqual([page.label('1').size, page.guides], [395, []]);
  page.input({ type: 'abort' });
  page.store.perform([['rotate', '1', 90]], 'rotate', 'turned');
  page.drag1([[250, 250], [545, 545]], {}, { up: false });
  assert.deepEqual([page.label('1').size, page.guides], [395, []]);
});

test('several are resized together, and sizes stay within the bounds', () => {
  const page = pair().tap(200, 200).tap(600, 200, { shift: true });
  page.drag1([[650, 250], [400, 200]], {}, { up: false });
  const frame = bounds(['1', '2'].map((id) => page.label(id)));
  assert.ok(Math.abs(frame.left - 150) < 1e-5 && Math.abs(frame.top - 150) < 1e-5, 'the opposite corner stays');
  assert.equal(page.label('1').size, page.label('2').size);
  page.input({ type: 'move', id: 1, x: -9e9, y: -9e9, button: 0, pointerType: 'mouse' });
  assert.equal(page.label('1').size, 1);
  page.input({ type: 'move', id: 1, x: 9e9, y: 9e9, button: 0, pointerType: 'mouse' });
  const { x, size } = page.label('2');
  assert.deepEqual([x, size], [limits.coordinate < 150 + 450_000 ? limits.coordinate : 450_150, limits.fontSize]);
});

test('the turn handle turns about the centre, and with Shift in steps of 15°', () => {
  const page = pair().tap(200, 200).drag1([[200, 122], [278, 200]], {}, { up: false });
  assert.equal(page.label('1').rotation, 90);
  page.input({ type: 'move', id: 1, x: 278, y: 190, button: 0, pointerType: 'mouse' });
  assert.ok(page.label('1').rotation > 82 && page.label('1').rotation < 83);
  page.input({ type: 'keys', shift: true, ctrl: false, alt: false });
  assert.equal(page.label('1').rotation, 90);
  page.input({ type: 'up', id: 1, x: 250, y: 150, button: 0, shift: true, pointerType: 'mouse' });
  assert.deepEqual([page.changes, page.name], [[['rotate', '1', 45]], 'rotate "🐝"']);
});

test('a turned label ends at a multiple of 15° with Shift', () => {
  const page = new Page(square('1', 200, 200, { rotation: 10 })).tap(200, 200);
  const [x, y] = [200 + 78 * Math.sin(Math.PI / 18), 200 - 78 * Math.cos(Math.PI / 18)];
  page.drag1([[x, y], [278, 195]], { shift: true });
  assert.deepEqual(page.changes, [['rotate', '1', 90]]);
});

test('Space and the middle button move the view, and Escape moves it back', () => {
  const page = pair();
  page.viewport = page.viewport.zoomTo(4, { x: 0, y: 0 });
  page.drag1([[500, 500], [400, 450]], { button: 1 });
  assert.deepEqual(page.viewport.visible, { x: 25, y: 12.5, width: 250, height: 250 });
  page.isPanning = true;
  page.drag1([[500, 500], [400, 450]], {}, { up: false });
  assert.equal(page.viewport.visible.x, 50);
  page.input({ type: 'abort' });
  assert.equal(page.viewport.visible.x, 25);
  assert.deepEqual([page.selected, page.requests], ['', []]);
});

test('two fingers zoom the view about their middle', () => {
  const page = pair();
  page.touch('down', 1, 400, 800).touch('down', 2, 600, 800);
  assert.equal(page.gestures.current, 'pinch');
  page.touch('move', 1, 300, 800).touch('move', 2, 700, 800);
  assert.equal(page.viewport.zoom, 2);
  const { x, y } = page.viewport.viewPlace(500, 800);
  assert.ok(Math.abs(x - 500) < 1e-9 && Math.abs(y - 800) < 201, 'the content under the fingers stays');
  page.touch('up', 1, 300, 800).touch('move', 2, 100, 100).touch('up', 2, 100, 100);
  assert.deepEqual([page.viewport.zoom, page.selected, page.requests], [2, '', []]);
});

test('two fingers on the selection move, resize and turn it', () => {
  const page = new Page(square('1', 500, 500, { size: 400 })).tap(500, 500);
  page.touch('down', 1, 400, 500).touch('down', 2, 600, 500).touch('move', 1, 300, 510).touch('move', 2, 700, 510);
  const { x, y, size, rotation } = page.label('1');
  assert.deepEqual([x, y, size, rotation], [500, 510, 800, undefined]);
  page.touch('move', 1, 500, 310).touch('move', 2, 500, 710);
  assert.equal(page.label('1').rotation, 80, 'from 10° on');
  page.touch('up', 2, 500, 710).touch('up', 1, 500, 310);
  assert.deepEqual(page.changes, [['move', '1', 500, 510], ['resize', '1', 800], ['rotate', '1', 80]]);
  assert.equal(page.viewport.zoom, 1);
});

test('a frame of a pinch computes the values of one label, not of all', () => {
  let count = 0;
  const labels = Array.from({ length: 500 }, (_, index) => Object.defineProperty(square(index.toString(36), 500, 500), 'size', { enumerable: true, get: () => { count += 1; return 100; } }));
  const [first, second] = [400, 600].map((x) => ({ start: { x, y: 500 }, now: { x, y: 500 } }));
  const scene = { viewport: Viewport.fitting(canvas, canvas), selection: new Set(labels.map(({ id }) => id)) };
  const drag = pinchDrag(first, second, scene, labels);
  count = 0;
  second.now = { x: 700, y: 500 };
  const [{ newValues }] = drag.move({}, scene);
  assert.equal(newValues(labels[7]).size, 150);
  assert.ok(count < 10, `${count} sizes were read`);
  labels.forEach(newValues);
  assert.ok(count >= labels.length, 'the count can fail');
});

test('a second finger undoes what the first one has done', () => {
  const page = pair().touch('down', 1, 200, 200).touch('move', 1, 300, 300);
  assert.deepEqual([page.selected, page.place('1')], ['1', [300, 300]]);
  page.touch('down', 2, 800, 800);
  assert.deepEqual([page.selected, page.place('1'), page.gestures.current], ['', [200, 200], 'pinch']);
  page.touch('cancel', 2, 800, 800);
  assert.equal(page.gestures.current, null);
  page.touch('up', 1, 300, 300).touch('down', 1, 200, 200).touch('up', 1, 200, 200);
  assert.deepEqual([page.selected, page.requests], ['1', []]);
});

test('a label that the first finger selected only by dragging it is not pinched', () => {
  const page = new Page(square('1', 500, 500, { size: 400 }));
  page.touch('down', 1, 400, 500).touch('move', 1, 420, 500);
  assert.equal(page.selected, '1');
  page.touch('down', 2, 600, 500).touch('move', 2, 780, 500);
  assert.deepEqual([page.viewport.zoom, page.selected, page.label('1').size], [2, '', 400]);
});

test('a stamp is put where the pointer is lifted', () => {
  const page = pair();
  page.tool = { kind: 'stamp', stamp: { text: '🌸', size: 64, rotation: 30 } };
  page.drag1([[300, 400], [310, 410]]);
  assert.deepEqual([page.changes, page.name],
    [[['add', 'new0', '🌸', 310, 410, 64, 32 + zStep, { rotation: 30 }]], 'add 🌸']);
  page.tap(500, 500);
  assert.deepEqual(page.changes, [['add', 'new1', '🌸', 500, 500, 64, 32 + 2 * zStep, { rotation: 30 }]]);
  assert.equal(page.labels.length, 4);
});

test('a brush leaves labels along its way in one edit, equal ones for equal seeds', () => {
  const stroke = (seed) => {
    const page = pair();
    page.seed = seed;
    page.tool = { kind: 'brush', stamp: { text: '🌸', size: 20 }, spacing: 30, jitter: { place: 0.5, size: 0.3, turn: 20 } };
    return page.drag1([[100, 500], [150, 500], [400, 500]]);
  };
  const page = stroke(5);
  assert.equal(page.requests.length, 1);
  assert.equal(page.changes.length, 11);
  page.changes.forEach(([kind, , text, x, y, size, z, style], index) => {
    assert.deepEqual([kind, text, z], ['add', '🌸', 32 + zStep * (index + 1)]);
    assert.ok(Math.abs(x - 100 - 30 * index) <= 10 && Math.abs(y - 500) <= 10 && size >= 14 && size <= 26);
    assert.ok(Math.abs(style?.rotation ?? 0) <= 20);
  });
  assert.deepEqual(stroke(5).changes, page.changes);
  assert.notDeepEqual(stroke(6).changes, page.changes);
  assert.equal(page.name, 'add 11 emoji');
});

test('what others do during a drag stays, and a label that they remove is not moved', () => {
  const page = pair().tap(200, 200).tap(600, 200, { shift: true });
  page.drag1([[200, 200], [250, 200]], {}, { up: false });
  page.store.apply({
    changed: {
      before: 0, cause: 'save', edits: [{ by: 'Bob', changes: [], id: 'x:1', what: 'remove' }],
      effect: { removed: ['2'], updated: [{ id: '1', size: 70 }] }, revision: 1, version: 1,
    },
  });
  assert.deepEqual(page.store.takeNews(), [{ kind: 'removedUnderGesture', ids: ['2'], by: 'Bob' }]);
  page.input({ type: 'up', id: 1, x: 250, y: 200, button: 0, pointerType: 'mouse' });
  assert.deepEqual(page.changes, [['move', '1', 250, 200]]);
  assert.equal(page.label('1').size, 70);
});

test('a lost pointer does not stop the next gesture', () => {
  const page = pair().drag1([[200, 200], [300, 300]], {}, { up: false });
  page.input({ type: 'abort' });
  assert.deepEqual([page.place('1'), page.gestures.current], [[200, 200], null]);
  page.drag1([[600, 200], [650, 200]]);
  assert.deepEqual(page.changes, [['move', '2', 650, 200]]);
  page.touch('down', 7, 200, 200).touch('move', 7, 300, 300);
  page.input({ type: 'abort' });
  page.touch('down', 8, 200, 200).touch('move', 8, 220, 200).touch('up', 8, 220, 200);
  assert.deepEqual(page.changes, [['move', '1', 220, 200]]);
  page.drag1([[220, 200], [200, 200]]);
  // A pointer that comes down again without having been lifted.
  page.drag1([[200, 200], [300, 300]], {}, { up: false }).drag1([[200, 200], [210, 200]]);
  assert.deepEqual(page.changes, [['move', '1', 210, 200]]);
});

test('the second button begins nothing', () => {
  const page = pair().drag1([[200, 200], [300, 300]], { button: 2 });
  assert.deepEqual([page.effects, page.selected], [[], '']);
});

test('the wheel scrolls, and zooms about the pointer with Ctrl', () => {
  const view = Viewport.fitting(canvas, canvas).zoomTo(4);
  const wheel = { dx: 0, dy: 40, x: 100, y: 100, ctrl: false, shift: false };
  assert.equal(wheeled(view, wheel).offset.y, view.offset.y + 40);
  assert.equal(wheeled(view, { ...wheel, shift: true }).offset.x, view.offset.x + 40);
  const zoomed = wheeled(view, { ...wheel, ctrl: true, dy: -120 });
  assert.ok(zoomed.zoom > view.zoom);
  const [before, after] = [view.contentPlace(100, 100), zoomed.contentPlace(100, 100)];
  assert.ok(Math.abs(before.x - after.x) < 1e-9);
});

test('cancelled gestures of any kind restore everything, and all values are within the bounds', (t) => {
  const seen = {};
  for (let seed = 1; seed <= 3_000; seed += 1) {
    const random = new Random(seed);
    const page = new Page(...randomLabels(random, random.int(1, 8), canvas));
    page.snaps = random.chance(0.5);
    page.isPanning = random.chance(0.1);
    page.selection = new Set([...page.store.ids()].filter(() => random.chance(0.5)));
    if (random.chance(0.2)) {
      page.tool = { kind: 'brush', stamp: { text: '🌸', size: 20 }, spacing: 9, jitter: { place: 1, size: 1, turn: 9 } };
    }
    const before = { selection: page.selection, labels: page.labels, viewport: page.viewport };
    const pointerType = random.pick(['mouse', 'touch']);
    const place = () => ({ x: random.number(-200, 1_200), y: random.number(-200, 1_200) });
    const keys = () => ({ shift: random.chance(0.2), ctrl: random.chance(0.2), alt: random.chance(0.2) });
    const frame = frameOf([...page.selection].map((id) => page.label(id)));
    const handles = frame ? handlesOf(frame, page.viewport) : null;
    const begin = () => {
      const spots = [place(), random.pick(before.labels)];
      if (handles) spots.push(random.pick(handles.corners), handles.turn, frame.center);
      const { x, y } = random.pick(spots);
      return { x, y };
    };
    const down = (id) => page.input({ type: 'down', id, ...begin(), ...keys(), button: random.pick([0, 0, 0, 1]), pointerType });
    down(1);
    if (pointerType === 'touch' && random.chance(0.5)) down(2);
    for (let move = 0; move < 6; move += 1) {
      const far = random.chance(0.1) ? { x: 1e7, y: -1e7 } : {};
      page.input({ type: 'move', id: random.int(1, 2), ...place(), ...keys(), ...far, button: 0, pointerType });
      if (random.chance(0.2)) page.input({ type: 'keys', ...keys() });
      for (const label of page.labels) {
        assert.ok(Math.abs(label.x) <= 1e6 && Math.abs(label.y) <= 1e6, `seed ${seed}: place`);
        assert.ok(label.size > 0 && label.size <= 100_000, `seed ${seed}: size`);
        const { rotation = 1 } = label;
        assert.ok(rotation > -180 && rotation <= 180 && rotation !== 0, `seed ${seed}: rotation`);
      }
    }
    seen[page.gestures.current] = (seen[page.gestures.current] ?? 0) + 1;
    page.input(random.pick([{ type: 'abort' }, { type: 'cancel', id: 1 }]));
    assert.deepEqual([...page.selection].sort(), [...before.selection].sort(), `seed ${seed}: selection`);
    assert.deepEqual(page.labels, before.labels, `seed ${seed}: labels`);
    assert.deepEqual(page.viewport.visible, before.viewport.visible, `seed ${seed}: view`);
    assert.deepEqual([page.marquee, page.requests], [null, []]);
  }
  t.diagnostic(JSON.stringify(seen));
  for (const name of ['move', 'duplicate', 'marquee', 'resize', 'turn', 'pan', 'pinch', 'brush']) {
    assert.ok(seen[name] > 5, name);
  }
});

test('a pointer that takes no part, such as a palm, neither cancels nor ends a gesture', () => {
  const pen = pair();
  pen.drag1([[200, 200], [300, 260]], {}, { up: false });
  pen.input({ type: 'down', id: 7, x: 500, y: 500, button: 0, pointerType: 'touch' });
  pen.input({ type: 'cancel', id: 7 });
  pen.input({ type: 'up', id: 1, x: 300, y: 260, button: 0, pointerType: 'mouse' });
  assert.deepEqual(pen.changes, [['move', '1', 300, 260]]);

  const touch = pair();
  touch.tap(200, 200);
  const finger = (type, id, x, y) => touch.input({ type, id, x, y, button: 0, pointerType: 'touch' });
  for (const [id, x] of [[2, 190], [3, 210]]) finger('down', id, x, 200);
  finger('move', 3, 230, 200);
  finger('down', 4, 500, 500);
  finger('up', 4, 500, 500);
  assert.equal(touch.requests.length, 0, 'the pinch goes on');
  finger('up', 3, 230, 200);
  assert.equal(touch.requests.length, 1);
});
