// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { nearest, optionsOf, readingOrder } from '../../Sources/CStudioPage/page/reading.js';
import { Random } from './support/random.js';

const label = (id, x, y, size = 40) => ({ id, x, y, size, text: '🐝', z: 0 });
const ids = (labels) => labels.map(({ id }) => id).join('');

test('labels are read in rows, whatever their order is', () => {
  const rows = [label('a', 10, 10), label('b', 60, 25), label('c', 110, 5), label('d', 10, 100), label('e', 60, 90)];
  assert.equal(ids(readingOrder(rows)), 'abcde');
  assert.equal(ids(readingOrder([...rows].reverse())), 'abcde');
  assert.equal(ids(readingOrder([])), '');
});

test('a small label far below a tall one begins a row', () => {
  assert.equal(ids(readingOrder([label('a', 100, 100, 200), label('b', 10, 190, 10), label('c', 10, 220, 10)])), 'bac');
});

test('the order of reading has each label once, and is the same for any order of equal labels', (t) => {
  const chance = new Random(18);
  const random = () => chance.unit();
  for (let round = 0; round < 200; round += 1) {
    const labels = Array.from({ length: 30 }, (_, index) => label(`id${index}`, Math.round(random() * 5) * 20, Math.round(random() * 5) * 20, 10 + random() * 60));
    const order = readingOrder(labels);
    assert.equal(new Set(order).size, labels.length);
    const shuffled = [...labels].sort(() => random() - 0.5);
    assert.deepEqual(readingOrder(shuffled), order);
  }
  t.diagnostic('200 documents of 30 labels');
});

test('the nearest label in a direction is ahead, and not beside', () => {
  const labels = [label('m', 100, 100), label('r', 160, 110), label('R', 300, 100), label('u', 95, 20), label('x', 110, 400)];
  const from = labels[0];
  assert.equal(nearest(labels, from, 'right')?.id, 'r');
  assert.equal(nearest(labels, from, 'up')?.id, 'u');
  assert.equal(nearest(labels, from, 'down')?.id, 'x');
  assert.equal(nearest(labels, from, 'left'), null);
});

test('each label can be reached by steps to the nearest ones or in the order of reading', () => {
  const chance = new Random(7);
  const random = () => chance.unit();
  const labels = Array.from({ length: 200 }, (_, index) => label(`id${index}`, random() * 1000, random() * 1000));
  const order = readingOrder(labels);
  for (const each of labels) {
    for (const direction of ['left', 'right', 'up', 'down']) {
      const next = nearest(labels, each, direction);
      if (next) assert.ok(direction === 'left' ? next.x < each.x : direction === 'right' ? next.x > each.x : direction === 'up' ? next.y < each.y : next.y > each.y);
    }
  }
  assert.equal(order.length, 200);
});

test('of 10,000 labels at most 500 have elements: the focused one, its neighbours, the selected ones, and what is in view', () => {
  const order = Array.from({ length: 10_000 }, (_, index) => label(`id${index}`, index % 100, Math.floor(index / 100)));
  const inView = order.slice(0, 3000).map(({ id }) => id);
  const kept = optionsOf(order, { focused: 'id5000', selected: new Set(['id9999']), inView, limit: 500, isThere: (id) => id === 'id2999' });
  assert.equal(kept.size, 500);
  for (const id of ['id5000', 'id4980', 'id5020', 'id9999', 'id2999', 'id0']) assert.ok(kept.has(id), id);
  assert.ok(!kept.has('id5021'));
  const all = new Set(order.map(({ id }) => id));
  assert.equal(optionsOf(order, { focused: null, selected: all, inView: [], limit: 500, isThere: () => false }).size, 500);
  assert.equal(optionsOf([], { focused: 'gone', selected: new Set(), inView: [], limit: 500, isThere: () => false }).size, 0);
});

test('a row may have more labels than a function takes arguments', () => {
  const labels = Array.from({ length: 150_000 }, (_, index) => ({ id: String(index).padStart(8, '0'), x: index, y: 5, size: 10 }));
  assert.deepEqual(readingOrder([...labels].reverse()).map(({ x }) => x), labels.map(({ x }) => x));
});
