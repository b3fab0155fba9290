// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict';
import test from 'node:test';
import { Viewport } from '../../Sources/CStudioPage/page/rules.js';
import {
  all, bounds, frameOf, handleAt, handlesOf, including, inverted, isInFrame, isSame, labelsOf, marqueed, nothing,
  sameEmoji, selectionOf, toggled,
} from '../../Sources/CStudioPage/page/selection.js';

const label = (id, text = '🐝', more = {}) => ({ id, text, x: 100, y: 100, size: 100, z: 1, ...more });
const labels = [label('a'), label('b', '🌸'), label('c'), label('d', '❤️'), label('e', '❤')];
const ids = (selection) => [...selection].sort().join('');

test('selections are values', () => {
  const first = selectionOf(['a']);
  assert.equal(ids(toggled(first, 'b')), 'ab');
  assert.equal(ids(toggled(first, 'a')), '');
  assert.equal(ids(including(first, ['b', 'a'])), 'ab');
  assert.equal(ids(first), 'a');
  assert.ok(isSame(first, selectionOf(['a'])) && !isSame(first, selectionOf(['b'])) && !isSame(first, nothing));
});

test('a marquee replaces or adds to what was selected before it', () => {
  const before = selectionOf(['a']);
  assert.equal(ids(marqueed(before, ['b'], false)), 'b');
  assert.equal(ids(marqueed(before, ['b'], true)), 'ab');
});

test('all, the same emoji with or without its selector, and all others', () => {
  assert.equal(ids(all(labels)), 'abcde');
  assert.equal(ids(sameEmoji(selectionOf(['a']), labels)), 'ac');
  assert.equal(ids(sameEmoji(selectionOf(['d', 'b']), labels)), 'bde');
  assert.equal(ids(sameEmoji(nothing, labels)), '');
  assert.equal(ids(inverted(selectionOf(['a', 'c']), labels)), 'bde');
});

test('the frame of one label is turned with it, that of several is upright', () => {
  assert.equal(frameOf([]), null);
  assert.equal(bounds([]), null);
  const turned = frameOf([label('a', '🐝', { rotation: 90 })]);
  assert.deepEqual(turned.corners[0], { x: 158.75, y: 37.75 });
  assert.equal(turned.rotation, 90);
  const both = frameOf([label('a'), label('b', '🐝', { x: 300, rotation: 90 })]);
  assert.deepEqual(both.corners[0], { x: 37.75, y: 37.75 });
  assert.deepEqual(both.center, { x: (37.75 + 358.75) / 2, y: 100 });
  assert.ok(isInFrame(both, 200, 100) && !isInFrame(both, 200, 163) && !isInFrame(both, 37, 100));
});

test('handles are at the corners and above the frame, and none is in its inner half', () => {
  const viewport = Viewport.fitting({ width: 400, height: 400 }, { width: 800, height: 800 });
  const frame = frameOf([label('a')]);
  const { corners, turn } = handlesOf(frame, viewport);
  assert.deepEqual(corners[0], { x: 75.5, y: 82.5 });
  assert.deepEqual(turn, { x: 200, y: 82.5 - 28 });
  assert.deepEqual(handleAt(frame, viewport, 78, 80, 8), { kind: 'corner', index: 0 });
  assert.deepEqual(handleAt(frame, viewport, 324, 317, 8), { kind: 'corner', index: 2 });
  assert.deepEqual(handleAt(frame, viewport, 200, 50, 8), { kind: 'turn' });
  assert.equal(handleAt(frame, viewport, 200, 200, 8), null);
  // In a small frame a finger reaches all corners, but the middle is for moving.
  const small = frameOf([label('a', '🐝', { size: 8 })]);
  assert.equal(handleAt(small, viewport, 202, 202, 20), null);
  assert.equal(handleAt(small, viewport, 208, 208, 20)?.kind, 'corner');
  // The turn handle of a turned label is where its top is.
  const lying = handlesOf(frameOf([label('a', '🐝', { rotation: 90 })]), viewport);
  assert.ok(lying.turn.x > 317 && Math.abs(lying.turn.y - 200) < 1e-9);
});
