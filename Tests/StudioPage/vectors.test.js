// SPDX-License-Identifier: Apache-2.0

// Replays the vectors of Fixtures/rules, which RuleVectorTests.swift writes and describes, and those of Fixtures/boxes, which a program in Python
// has worked out. The results of rules must be equal bit for bit.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import * as arrange from '../../Sources/CStudioPage/page/arrange.js';
import {
  Viewport, boxOf, contains, cornersOf, edgesOf, ems, extentOf, overlaps,
} from '../../Sources/CStudioPage/page/rules.js';
import { browserPlace, layoutOf } from '../../Sources/CStudioPage/page/layout.js';
import { snap, snapLines } from '../../Sources/CStudioPage/page/snapping.js';

const fixtures = new URL('../../Fixtures/', import.meta.url);
const rules = new URL('rules/', fixtures);

const size = ([width, height]) => ({ width: Number(width), height: Number(height) });
const rect = ([x, y, width, height]) => ({ x, y, width, height });
const edges = ([left, top, right, bottom]) => ({ left, top, right, bottom });
const point = ({ x, y }) => [x, y];
const listed = (part) => part && [part.x, part.y, part.width, part.height];
const sides = ({ left, top, right, bottom }) => [left, top, right, bottom];

/** Compares without a tolerance; the two zeros are equal, as in the vectors. */
function assertEqual(actual, expected, what) {
  if (Array.isArray(expected)) {
    assert.equal(actual?.length, expected.length, what);
    expected.forEach((each, index) => assertEqual(actual[index], each, `${what}[${index}]`));
  } else {
    assert.ok(actual === expected, `${what} is ${actual}, not ${expected}`);
  }
}

const steps = {
  fit: (viewport) => viewport.fit(),
  zoomTo: (viewport, zoom, x, y) => viewport.zoomTo(zoom, x === undefined ? undefined : { x, y }),
  zoomBy: (viewport, factor, x, y) => viewport.zoomBy(factor, x === undefined ? undefined : { x, y }),
  zoomToRect: (viewport, ...values) => viewport.zoomToRect(rect(values)),
  scrollBy: (viewport, x, y) => viewport.scrollBy(x, y),
  scrollTo: (viewport, x, y) => viewport.scrollTo(x, y),
  resize: (viewport, width, height) => viewport.resize({ width, height }),
};

function assertState(viewport, state, probe, what) {
  assertEqual(viewport.zoom, state.zoom, `${what} zoom`);
  for (const key of ['fitZoom', 'isFit', 'maximumZoom', 'minimumZoom']) {
    assertEqual(viewport[key], state[key], `${what} ${key}`);
  }
  assertEqual(point(viewport.center), state.center, `${what} center`);
  assertEqual(point(viewport.offset), state.offset, `${what} offset`);
  assertEqual(point(viewport.contentPlace(...probe)), state.contentPlace, `${what} contentPlace`);
  assertEqual(point(viewport.viewPlace(...probe)), state.viewPlace, `${what} viewPlace`);
  assertEqual(listed(viewport.visible), state.visible, `${what} visible`);
  assertEqual(listed(viewport.window), state.window, `${what} window`);
}

/** Each replays one case. */
const replays = {
  viewport({ content, every, maximumTimes, probe, states, steps: taken, view }, name) {
    let viewport = Viewport.fitting(size(content), size(view), Number(maximumTimes));
    const place = probe.map(Number);
    assertState(viewport, states[0], place, `${name} at first`);
    let compared = 1;
    taken.forEach(([step, ...values], index) => {
      viewport = steps[step](viewport, ...values.map(Number));
      if ((index + 1) % every !== 0) return;
      assertState(viewport, states[compared], place, `${name} after step ${index + 1}, ${step}`);
      compared += 1;
    });
    assert.equal(compared, states.length, `${name}: all states are compared`);
  },
  boxes({ corners, edges: outer, emoji, ems: em, extent, points, rectangles }, name) {
    const box = boxOf(emoji);
    assertEqual(ems(emoji), em, `${name} ems`);
    assertEqual(cornersOf(box).map(point), corners, `${name} corners`);
    assertEqual(sides(edgesOf(box)), outer, `${name} edges`);
    assertEqual(point(extentOf(box)), extent, `${name} extent`);
    for (const [x, y, isInside] of points) assert.equal(contains(box, x, y), isInside, `${name} ${x},${y}`);
    for (const [x, y, width, height, isTouched] of rectangles) {
      assert.equal(overlaps(box, { x, y, width, height }), isTouched, `${name} ${x},${y},${width}x${height}`);
    }
  },
  align({ canvas, centers, emojis }, name) {
    for (const [line, expected] of Object.entries(centers)) {
      const actual = arrange.align(emojis.map(boxOf), line, size(canvas)).map(point);
      assertEqual(actual, expected, `${name} ${line}`);
    }
  },
  distribute({ centers, emojis }, name) {
    for (const [axis, expected] of Object.entries(centers)) {
      assertEqual(arrange.distribute(emojis.map(boxOf), axis).map(point), expected, `${name} ${axis}`);
    }
  },
  grid({ at, canvas, centers, columns, emojis, error, gap }, name) {
    const run = () => arrange.grid(emojis.map(boxOf), columns, gap, at, size(canvas)).map(point);
    if (error) assert.throws(run, RangeError, name); else assertEqual(run(), centers, name);
  },
  snapping({ canvas, moves, name, others }) {
    const lines = snapLines(others.map((each) => edges(each.map(Number))), size(canvas));
    moves.forEach(({ distance, dx, dy, guides, moved }, index) => {
      const result = snap(lines, edges(moved.map(Number)), distance);
      assertEqual([result.dx, result.dy], [dx, dy], `${name}, move ${index + 1}: shift`);
      const found = result.guides.map(({ axis, at, from, to }) => [axis, at, from, to]);
      assertEqual(found, guides, `${name}, move ${index + 1}: guides`);
    });
  },
  layout({ places, size: [width, height], ...expected }, name) {
    const layout = layoutOf(width, height);
    assert.deepEqual(layout, expected, name);
    places.forEach((place, state) => {
      assert.equal(browserPlace(layout, { isOpen: Boolean(state & 4), isWanted: Boolean(state & 2), isOnTop: Boolean(state & 1) }), place, `${name} state ${state}`);
    });
  },
};

test('each rule that the page has is in the vectors, and each of the vectors has a rule of the page', () => {
  const files = readdirSync(rules).filter((name) => name.endsWith('.json'));
  assert.deepEqual(files.sort(), Object.keys(replays).map((rule) => `${rule}.json`).sort());
});

for (const [rule, replay] of Object.entries(replays)) {
  test(`A14 ${rule} gives what Swift gives`, (t) => {
    const vectors = JSON.parse(readFileSync(new URL(`${rule}.json`, rules), 'utf8'));
    assert.equal(vectors.rule, rule);
    vectors.cases.forEach((each, index) => replay(each, `${rule} ${index + 1}`));
    t.diagnostic(`${rule}: ${vectors.cases.length} vectors`);
    assert.ok(vectors.cases.length >= 30);
  });
}

test('control: a result that differs in its last bit is found', () => {
  assert.throws(() => assertEqual([0.1 + 0.2], [0.3], 'sum'), /sum\[0\] is 0.30000000000000004, not 0.3/);
  const vectors = JSON.parse(readFileSync(new URL('viewport.json', rules), 'utf8'));
  const [first] = vectors.cases;
  first.states[0].zoom *= 1 + 2 ** -52;
  assert.throws(() => replays.viewport(first, 'changed'));
});

test('M29 corners, edges, points and rectangles are those that another program works out', (t) => {
  const lines = readFileSync(new URL('boxes/boxes.jsonl', fixtures), 'utf8').trim().split('\n');
  const near = (actual, expected, what) => expected.forEach((value, index) => {
    assert.ok(Math.abs(actual[index] - value) < 2e-6, `${what}: ${actual[index]}, not ${value}`);
  });
  for (const line of lines) {
    const vector = JSON.parse(line);
    const [box, name] = [boxOf(vector.emoji), `${vector.emoji.text} turned by ${vector.emoji.rotation ?? 0}`];
    cornersOf(box).forEach((corner, index) => near(point(corner), vector.corners[index], name));
    near(sides(edgesOf(box)), vector.edges, name);
    for (const [x, y] of vector.inside) assert.ok(contains(box, x, y), name);
    for (const [x, y] of vector.outside) assert.ok(!contains(box, x, y), name);
    for (const part of vector.overlapped) assert.ok(overlaps(box, rect(part)), name);
    for (const part of vector.apart) assert.ok(!overlaps(box, rect(part)), name);
  }
  t.diagnostic(`boxes.jsonl: ${lines.length} vectors`);
  assert.ok(lines.length >= 27);
});
