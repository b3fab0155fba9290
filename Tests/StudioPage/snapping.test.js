// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { snap, snapLines } from '../../Sources/CStudioPage/page/snapping.js';
import { Random } from './support/random.js';

const canvas = { width: 1000, height: 800 };
const edges = (left, top, right, bottom) => ({ left, top, right, bottom });

test('edges and centres snap to those of others and of the canvas', () => {
  const lines = snapLines([edges(100, 100, 200, 180)], canvas);
  assert.deepEqual(snap(lines, edges(203, 500, 243, 560), 8),
    { dx: -3, dy: 0, guides: [{ axis: 'x', at: 200, from: 100, to: 560 }] });
  assert.deepEqual(snap(lines, edges(475, 365, 515, 425), 8), {
    dx: 5, dy: 5,
    guides: [{ axis: 'x', at: 500, from: 0, to: 800 }, { axis: 'y', at: 400, from: 0, to: 1000 }],
  });
  assert.deepEqual(snap(lines, edges(310, 500, 350, 560), 8), { dx: 0, dy: 0, guides: [] });
});

test('the earlier place wins a tie, and then the line before', () => {
  const lines = snapLines([edges(100, 0, 100, 1), edges(110, 0, 110, 1)], { width: 5_000, height: 5_000 });
  // The start is 5 from both lines.
  assert.equal(snap(lines, edges(105, 900, 300, 940), 8).dx, -5);
  // The start is 3 behind a line, and the end 3 before one: the start goes back.
  assert.equal(snap(lines, edges(103, 900, 107, 940), 8).dx, -3);
});

test('the nearest pair of a place and a line is taken, as by trying all', (t) => {
  const random = new Random(3);
  let snapped = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const box = () => {
      const [left, top] = [random.int(0, 200), random.int(0, 200)];
      return edges(left, top, left + random.int(0, 60), top + random.int(0, 60));
    };
    const others = Array.from({ length: random.int(0, 12) }, box);
    const [lines, moved, distance] = [snapLines(others, canvas), box(), random.int(0, 10)];
    const result = snap(lines, moved, distance);
    for (const [axis, start, end] of [['x', 'left', 'right'], ['y', 'top', 'bottom']]) {
      const places = (each) => [each[start], (each[start] + each[end]) / 2, each[end]];
      const all = [...others, edges(0, 0, canvas.width, canvas.height)].flatMap(places);
      let best = null;
      for (const place of places(moved)) {
        for (const at of all.sort((a, b) => a - b)) {
          const offset = at - place;
          if (Math.abs(offset) <= distance && (best === null || Math.abs(offset) < Math.abs(best))) best = offset;
        }
      }
      assert.equal(result[`d${axis}`], best ?? 0);
      if (best === null) continue;
      snapped += 1;
      const shifted = places(moved).map((place) => place + best);
      const wanted = [...new Set(all.filter((at) => shifted.includes(at)))].sort((a, b) => a - b);
      const guides = result.guides.filter((guide) => guide.axis === axis);
      assert.deepEqual(guides.map(({ at }) => at), wanted);
      for (const { from, to } of guides) assert.ok(from <= to);
    }
  }
  t.diagnostic(`${snapped} axes snapped`);
  assert.ok(snapped > 1_000);
});
