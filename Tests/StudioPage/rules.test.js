// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  Viewport, boxOf, characterCount, edgesAround, ems, greatest, least, nearestWhole, rect, rotation, rounded,
} from '../../Sources/CStudioPage/page/rules.js';
import { Random } from './support/random.js';

test('halves are rounded away from zero, and numbers just below them are not', () => {
  for (const [value, whole] of [
    [0.5, 1], [-0.5, -1], [1.5, 2], [2.5, 3], [-2.5, -3], [0.49999999999999994, 0], [4503599627370495.5, 4503599627370496],
    [-4503599627370495.5, -4503599627370496], [2 ** 53 - 1, 2 ** 53 - 1], [Infinity, Infinity], [1e300, 1e300],
  ]) assert.equal(nearestWhole(value), whole, `${value}`);
  assert.ok(Object.is(nearestWhole(-0.3), -0));
  assert.ok(Number.isNaN(nearestWhole(NaN)));
  // Math.round does not.
  assert.notEqual(Math.round(-2.5), nearestWhole(-2.5));
});

test('computed values are rounded to millionths within the bounds of places', () => {
  assert.equal(rounded(0.1 + 0.1 + 0.1), 0.3);
  assert.equal(rounded(-1.0000005), -1.000001);
  assert.equal(rounded(1_000_000.0000004), 1_000_000.0000004);
});

test('M31 degrees lie above -180 and up to 180, in millionths', () => {
  for (const [given, kept] of [
    [0, 0], [180, 180], [-180, 180], [181, -179], [-181, 179], [360, 0], [540, 180], [-540, 180], [720.5, 0.5],
    [4e-7, 0], [-4e-7, 0], [12.3456789, 12.345679], [179.9999999, 180], [-179.9999999, 180],
  ]) assert.ok(Object.is(rotation(given), kept), `${given}`);
});

test('minimum and maximum take the first of two values that are not ordered, as in Swift', () => {
  assert.ok(Number.isNaN(least(NaN, 1)) && least(1, NaN) === 1);
  assert.ok(Number.isNaN(greatest(NaN, 1)) && greatest(1, NaN) === 1);
  assert.ok(Object.is(least(0, -0), 0) && Object.is(greatest(0, -0), -0));
});

test('characters are grapheme clusters, also after many texts', () => {
  for (const [text, count] of [['🐝', 1], ['👩‍🚀🌸', 2], ['❤️', 1], ['🇩🇪🇫🇷', 2], ['1️⃣', 1], ['a🐝b', 3]]) {
    assert.equal(characterCount(text), count, text);
    assert.deepEqual(ems({ text }), [1.245 * count, 1.175]);
  }
  for (let number = 0; number < 20_001; number += 1) characterCount(`${number}`);
  assert.equal(characterCount('👩‍🚀🌸'), 2);
  assert.deepEqual(boxOf({ text: 'Hi', kind: 'caption', box: [2, 1.25], x: 1, y: 2, size: 10 }),
    { x: 1, y: 2, width: 20, height: 12.5, rotation: 0 });
});

test('the rectangle around several is null for none', () => {
  assert.equal(edgesAround([]), null);
  assert.deepEqual(edgesAround([{ left: 1, top: 2, right: 3, bottom: 4 }, { left: -1, top: 3, right: 2, bottom: 9 }]),
    { left: -1, top: 2, right: 3, bottom: 9 });
});

test('a rectangle has an area and lies within the bounds', () => {
  assert.deepEqual(rect(-0, 1, 2, 3), { x: 0, y: 1, width: 2, height: 3 });
  for (const bad of [[0, 0, 0, 1], [0, 0, 1, -1], [1e6, 0, 1, 1], [NaN, 0, 1, 1], [0, -1e6 - 1, 1, 1], [0, 0, NaN, 1]]) {
    assert.equal(rect(...bad), null, `${bad}`);
  }
});

test('a viewport is a value', () => {
  const viewport = Viewport.fitting({ width: 1000, height: 500 }, { width: 200, height: 200 });
  const zoomed = viewport.zoomTo(2, { x: 150, y: 100 });
  assert.equal(viewport.zoom, 0.2);
  assert.deepEqual([zoomed.zoom, zoomed.center], [2, { x: 725, y: 250 }]);
  assert.throws(() => { zoomed.zoom = 3; }, TypeError);
  assert.equal(viewport.zoomTo(NaN), viewport);
  assert.equal(viewport.zoomBy(-1), viewport);
});

test('another size of the content keeps a fitting view fitting, and another one where it is as far as possible', () => {
  const viewport = Viewport.fitting({ width: 1000, height: 500 }, { width: 200, height: 200 });
  const wide = viewport.withContent({ width: 2000, height: 100 });
  assert.ok(wide.isFit && wide.zoom === 0.1);
  const near = viewport.zoomTo(4, { x: 200, y: 100 }).withContent({ width: 700, height: 500 });
  assert.deepEqual([near.zoom, near.center.x, near.visible.x + near.visible.width], [4, 675, 700]);
});

test('V1 in random walks the view stays within the content or the content in its middle', (t) => {
  const random = new Random(7);
  let steps = 0;
  for (let walk = 0; walk < 200; walk += 1) {
    let viewport = Viewport.fitting(
      { width: random.number(1, 5_000), height: random.number(1, 5_000) },
      { width: random.number(1, 2_000), height: random.number(1, 2_000) });
    for (let step = 0; step < 50; step += 1) {
      const place = { x: random.number(-50, 2_000), y: random.number(-50, 2_000) };
      viewport = random.pick([
        () => viewport.zoomBy(random.number(0.3, 3), place), () => viewport.scrollBy(place.x - 800, place.y - 800),
        () => viewport.scrollTo(place.x, place.y), () => viewport.fit(),
        () => viewport.resize({ width: random.number(1, 2_000), height: random.number(1, 2_000) }),
        () => viewport.zoomToRect({ ...place, width: random.number(1, 500), height: random.number(1, 500) }),
      ])();
      const { visible, content } = viewport;
      assert.ok(visible.x >= 0 && visible.y >= 0, 'begins in the content');
      assert.ok(visible.x + visible.width <= content.width * (1 + 1e-12), 'ends in the content');
      assert.ok(visible.y + visible.height <= content.height * (1 + 1e-12), 'ends in the content');
      assert.ok(viewport.zoom >= viewport.minimumZoom && viewport.zoom <= viewport.maximumZoom);
      steps += 1;
    }
  }
  t.diagnostic(`${steps} steps`);
});
