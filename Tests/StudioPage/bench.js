// SPDX-License-Identifier: Apache-2.0

// Prints how long the pure modules take: `node Tests/StudioPage/bench.js`. No test, because times depend on the machine.

import { moved, scaled, turned } from '../../Sources/CStudioPage/page/arrange.js';
import { HitIndex } from '../../Sources/CStudioPage/page/hit.js';
import { boxOf, edgesOf } from '../../Sources/CStudioPage/page/rules.js';
import { snap, snapLines } from '../../Sources/CStudioPage/page/snapping.js';
import { Store } from '../../Sources/CStudioPage/page/store.js';
import { randomLabels } from './support/labels.js';
import { Random } from './support/random.js';

const random = new Random(1);
const canvas = { width: 10_000, height: 10_000 };
const many = randomLabels(random, 100_000, canvas);
const some = many.slice(0, 10_000);

/** Prints the least and the median of some runs, each divided by `count`. */
function measure(name, body, { runs = 9, count = 1 } = {}) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    body(run);
    times.push((performance.now() - start) / count);
  }
  times.sort((a, b) => a - b);
  const [least, median] = [times[0], times[runs >> 1]].map((time) => time.toFixed(4).padStart(10));
  console.log(`${name.padEnd(56)}${least} ${median} ms`);
}

const shown = (labels) => ({
  document: { canvas, emojis: labels, revision: 1 }, saved: { head: null, revision: 1 }, state: { state: 'open' },
  unsaved: 0, version: 0,
});

let index = new HitIndex();
measure('hit: build from 100,000', () => { index = new HitIndex(many); }, { runs: 5 });
measure('hit: topAt', () => {
  for (let each = 0; each < 1_000; each += 1) index.topAt(random.number(0, 10_000), random.number(0, 10_000));
}, { count: 1_000 });
measure('hit: inRect of 1000 x 1000', () => {
  for (let each = 0; each < 20; each += 1) {
    index.inRect({ x: random.number(0, 9_000), y: random.number(0, 9_000), width: 1_000, height: 1_000 });
  }
}, { count: 20 });
measure('hit: inRect of everything', () => index.inRect({ x: 0, y: 0, width: 10_000, height: 10_000 }));
measure('hit: nearest', () => {
  for (let each = 0; each < 1_000; each += 1) index.nearest(random.number(0, 10_000), random.number(0, 10_000));
}, { count: 1_000 });
measure('hit: update 10,000', (run) => {
  for (const label of some) index.set({ ...label, x: label.x + run });
});

const store = new Store('ada');
measure('store: load 100,000', () => store.load(shown(many)), { runs: 5 });
store.load(shown(some));
measure('store: inOrder after loading 10,000', () => { store.load(shown(some)); store.inOrder(); });
let version = 0;
measure('store: event that moves 10,000', (run) => {
  version += 1;
  const updated = some.map(({ id, x, y }) => ({ id, x: x + run + 1, y }));
  store.apply({
    changed: { before: version - 1, cause: 'edit', edits: [], effect: { updated }, revision: version, version },
  });
});
measure('store: gesture that moves 10,000, in order, dirty', (run) => {
  store.setGesture(moved(some, run + 1, 2));
  store.inOrder();
  store.takeDirty();
});
let tag = 0;
measure('store: commit of 10,000 and its answer', (run) => {
  store.setGesture(moved(some, run + 100, 2));
  const request = store.commitGesture('move', `t${tag}`);
  store.answer(`t${tag}`, { ok: { unsaved: 1 } });
  store.settle();
  tag += 1;
  if (run === 0) console.log(`  its message has ${(JSON.stringify(request).length / 1024).toFixed(0)} KiB`);
});

measure('gesture: moved 10,000', (run) => moved(some, run + 0.5, 2));
measure('gesture: scaled 10,000', () => scaled(some, 1.1, { x: 1, y: 2 }));
measure('gesture: turned 10,000', () => turned(some, 30, { x: 1, y: 2 }));

const edges = some.map((label) => edgesOf(boxOf(label)));
let lines = snapLines([], canvas);
measure('snap: lines of 10,000', () => { lines = snapLines(edges, canvas); });
measure('snap: one call', () => {
  for (let each = 0; each < 1_000; each += 1) {
    const [left, top] = [random.number(0, 9_000), random.number(0, 9_000)];
    snap(lines, { left, top, right: left + 50, bottom: top + 47 }, 8);
  }
}, { count: 1_000 });
