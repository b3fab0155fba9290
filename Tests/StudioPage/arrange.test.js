// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { bounded, copies, grid, mover, scaler, sized, tidy, turner, valuesOf, zStep } from '../../Sources/CStudioPage/page/arrange.js';
import { boxOf, edgesAround, edgesOf, extentOf, limits } from '../../Sources/CStudioPage/page/rules.js';
import { withFields } from '../../Sources/CStudioPage/page/changes.js';
import { randomLabels } from './support/labels.js';
import { Random } from './support/random.js';

const canvas = { width: 1024, height: 768 };
const label = (id, x, y, more = {}) => ({ id, text: '🐝', x, y, size: 40, z: 1, ...more });

test('tidy keeps the rows and the order in them, and nothing overlaps', (t) => {
  let count = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = new Random(seed);
    const labels = randomLabels(random, random.int(1, 40));
    const boxes = labels.map(boxOf);
    const centers = tidy(boxes, canvas);
    assert.equal(new Set(centers.map(({ x, y }) => `${x},${y}`)).size, labels.length, 'each has a cell');
    const after = boxes.map((box, index) => ({ ...box, ...centers[index] }));
    const edges = after.map(edgesOf);
    for (let a = 0; a < edges.length; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const apart = edges[a].left >= edges[b].right || edges[b].left >= edges[a].right
          || edges[a].top >= edges[b].bottom || edges[b].top >= edges[a].bottom;
        assert.ok(apart, `seed ${seed}: ${a} and ${b} overlap`);
      }
    }
    assert.equal(new Set(centers.map(({ x }) => x)).size, Math.min(labels.length, Math.ceil(Math.sqrt(labels.length))));
    count += labels.length;
  }
  t.diagnostic(`${count} labels`);
});

test('tidy takes labels in rows from the left, though they are not quite in line, and their centre stays', () => {
  const boxes = [label('c', 30, 107), label('a', 0, 8), label('d', 130, 100), label('b', 120, 0)].map(boxOf);
  const centers = tidy(boxes, canvas);
  const [c, a, d, b] = centers;
  assert.ok(a.x === c.x && b.x === d.x && a.x < b.x && a.y === b.y && c.y === d.y && a.y < c.y);
  const around = (all) => edgesAround(all.map(edgesOf));
  const [old, now] = [around(boxes), around(boxes.map((box, index) => ({ ...box, ...centers[index] })))];
  assert.ok(Math.abs(old.left + old.right - now.left - now.right) < 1e-5);
  const gap = 0.25 * (49.8 + 47) / 2;
  assert.ok(Math.abs(b.x - a.x - 49.8 - gap) < 1e-5);
  assert.deepEqual(tidy([], canvas), []);
});

test('a grid that is too large or has no columns is refused', () => {
  const boxes = [boxOf(label('a', 0, 0))];
  assert.throws(() => grid(boxes, 0, 10, null, canvas), RangeError);
  assert.throws(() => grid(boxes, 1, 2e6, null, canvas), RangeError);
  assert.throws(() => grid([...boxes, ...boxes, ...boxes], 3, 1e6, null, canvas), RangeError);
});

test('moved labels keep their distances, also at the bounds of places', () => {
  const labels = [label('a', 0, 0), label('b', 999_990, -10)];
  assert.deepEqual(Object.fromEntries(valuesOf(labels, mover(labels)(0.1, -0.2))),
    { a: { x: 0.1, y: -0.2 }, b: { x: 999_990.1, y: -10.2 } });
  assert.deepEqual(Object.fromEntries(valuesOf(labels, mover(labels)(500, -3e6))),
    { a: { x: 10, y: -999_990 }, b: { x: 1_000_000, y: -1_000_000 } });
});

test('sizes stay above zero and within the bounds, in the same ratio', () => {
  const labels = [label('a', 10, 10, { size: 40 }), label('b', 30, 10, { size: 0.5 })];
  assert.deepEqual(Object.fromEntries(valuesOf(labels, scaler(labels)(2, { x: 10, y: 10 }))),
    { a: { x: 10, y: 10, size: 80 }, b: { x: 50, y: 10, size: 1 } });
  const huge = valuesOf(labels, scaler(labels)(1e9, { x: 10, y: 10 }));
  assert.deepEqual([huge.get('a').size, huge.get('b').size], [limits.fontSize, 1_250]);
  // One that is small already does not get smaller.
  for (const factor of [0, -5, 1e-9]) assert.equal(valuesOf(labels, scaler(labels)(factor, { x: 0, y: 0 })).get('b').size, 0.5);
  assert.equal(valuesOf([labels[0]], scaler([labels[0]])(-1, { x: 0, y: 0 })).get('a').size, 1);
  assert.equal(sized(1e-6, 0.1), 1e-6);
});

test('turning by right angles is exact, and turning back gives what it was', () => {
  const labels = [label('a', 10, 0, { rotation: 170 }), label('b', -10, 5)];
  assert.deepEqual(Object.fromEntries(valuesOf(labels, turner(90, { x: 0, y: 0 }))),
    { a: { x: 0, y: 10, rotation: -100 }, b: { x: -5, y: -10, rotation: 90 } });
  const random = new Random(4);
  for (let round = 0; round < 500; round += 1) {
    const [degrees, about] = [random.int(-179, 180), { x: random.int(0, 99), y: random.int(0, 99) }];
    const turn = turner(degrees, about);
    const there = labels.map((each) => withFields(each, turn(each)));
    const back = valuesOf(there, turner(-degrees, about));
    for (const each of labels) {
      const { x, y, rotation } = back.get(each.id);
      assert.ok(Math.abs(x - each.x) < 3e-6 && Math.abs(y - each.y) < 3e-6 && rotation === (each.rotation ?? 0));
    }
  }
});

test('copies are above all others, in the order of their originals', () => {
  let number = 0;
  const made = copies([label('b', 0, 0, { z: 5 }), label('a', 1, 1, { z: 2 })], () => `n${number++}`, 100);
  assert.deepEqual(made.map(({ id, x, z }) => [id, x, z]), [['n0', 1, 100 + zStep], ['n1', 0, 100 + 2 * zStep]]);
});

test('coordinates are in millionths and within the bounds', () => {
  assert.deepEqual([bounded(0.1 + 0.2), bounded(2e6), bounded(-2e6)], [0.3, 1e6, -1e6]);
  assert.ok(extentOf(boxOf(label('a', 0, 0))).x > 0);
});
