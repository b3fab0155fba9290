// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { HitIndex } from '../../Sources/CStudioPage/page/hit.js';
import { boxOf, contains, edgesOf, overlaps } from '../../Sources/CStudioPage/page/rules.js';
import { bottomFirst } from '../../Sources/CStudioPage/page/changes.js';
import { randomLabel, randomLabels } from './support/labels.js';
import { Random } from './support/random.js';

/** What the index must find, by looking at every label. */
const plain = {
  allAt: (labels, x, y) => labels.filter((label) => contains(boxOf(label), x, y)).sort(bottomFirst).reverse()
    .map(({ id }) => id),
  inRect: (labels, rect) => labels.filter((label) => overlaps(boxOf(label), rect)).map(({ id }) => id).sort(),
  nearest(labels, x, y) {
    const distance = (label) => (label.x - x) ** 2 + (label.y - y) ** 2;
    return [...labels].sort((a, b) => distance(a) - distance(b) || bottomFirst(b, a))[0]?.id ?? null;
  },
  topNear(labels, x, y, reach) {
    const gap = (label) => {
      const { left, top, right, bottom } = edgesOf(boxOf(label));
      return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
    };
    const near = labels.filter((label) => gap(label) <= reach);
    return near.sort((a, b) => gap(a) - gap(b) || bottomFirst(b, a))[0]?.id ?? null;
  },
};

function compare(index, labels, random, places) {
  assert.equal(index.size, labels.length);
  for (let place = 0; place < places; place += 1) {
    const [x, y] = [random.number(-300, 1_300), random.number(-300, 1_100)];
    const all = plain.allAt(labels, x, y);
    assert.equal(index.topAt(x, y), all[0] ?? null);
    const rect = { x, y, width: random.number(0.1, 400), height: random.number(0.1, 400) };
    assert.deepEqual(index.inRect(rect).sort(), plain.inRect(labels, rect));
    assert.equal(index.nearest(x, y), plain.nearest(labels, x, y));
    const reach = random.number(0, 60);
    assert.equal(index.topNear(x, y, reach), all[0] ?? plain.topNear(labels, x, y, reach));
  }
}

test('the index finds what a look at every label finds, also after changes', (t) => {
  let places = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = new Random(seed);
    let labels = randomLabels(random, random.int(0, 300));
    // Equal places and equal z, tiny and huge sizes.
    labels = labels.map((label, number) => (number % 7 === 0 ? { ...label, x: 500, y: 400, z: 16 } : label));
    labels = labels.map((label, number) => (number % 11 === 0 ? { ...label, size: random.pick([0.000001, 900, 100_000]) } : label));
    const index = new HitIndex(labels);
    compare(index, labels, random, 10);
    for (let change = 0; change < 100; change += 1) {
      const number = random.int(0, Math.max(0, labels.length - 1));
      if (labels.length === 0 || random.chance(0.3)) {
        const label = randomLabel(random, random.int(-5, 500));
        labels.push(label);
        index.set(label);
      } else if (random.chance(0.4)) {
        index.remove(labels[number].id);
        labels.splice(number, 1);
      } else {
        labels[number] = { ...labels[number], x: random.number(-200, 1_200), size: random.number(1, 300), z: random.int(0, 99) };
        index.set(labels[number]);
      }
    }
    compare(index, labels, random, 10);
    places += 20;
  }
  t.diagnostic(`${places} places and rectangles`);
});

test('labels at the bounds of places are found, and rectangles may reach beyond them', () => {
  const at = (id, x, y, size = 40) => ({ id, text: '🐝', x, y, size, z: 1 });
  const labels = [at('a', -1e6, -1e6), at('b', 1e6, 1e6), at('c', 1e6, -1e6, 0.5), at('d', 0, 0, 100_000)];
  const index = new HitIndex(labels);
  assert.equal(index.topAt(-1e6 - 3, -1e6 - 3), 'a');
  assert.equal(index.topAt(1e6 + 3, 1e6 + 3), 'b');
  assert.deepEqual(index.inRect({ x: -1e9, y: -1e9, width: 2e9, height: 2e9 }).sort(), ['a', 'b', 'c', 'd']);
  assert.equal(index.nearest(9e5, -9e5), 'c');
  assert.equal(index.nearest(-2e6, -3e6), 'a');
});

test('nearest takes only accepted labels, and null where there is none', () => {
  const labels = [1, 2, 3].map((x) => ({ id: `${x}`, text: '🐝', x: x * 100, y: 0, size: 40, z: 1 }));
  const index = new HitIndex(labels);
  assert.equal(index.nearest(90, 0), '1');
  assert.equal(index.nearest(90, 0, (_, box) => box.x > 150), '2');
  assert.equal(index.nearest(90, 0, () => false), null);
  assert.equal(new HitIndex().nearest(0, 0), null);
});

test('a removed label can come back, and another one takes its place', () => {
  const label = { id: 'a', text: '🐝', x: 0, y: 0, size: 40, z: 1 };
  const index = new HitIndex([label]);
  index.remove('a');
  index.remove('a');
  assert.deepEqual([index.size, index.has('a'), index.boxOf('a'), index.topAt(0, 0)], [0, false, undefined, null]);
  index.set({ ...label, id: 'b' });
  index.set({ ...label, x: 500 });
  assert.deepEqual([index.topAt(0, 0), index.topAt(500, 0), index.size], ['b', 'a', 2]);
  assert.equal(index.boxOf('a')?.x, 500);
});
