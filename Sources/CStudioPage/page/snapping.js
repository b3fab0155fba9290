// SPDX-License-Identifier: Apache-2.0

// Snapping a moved box to the edges and centres of other boxes and of the canvas. Swift's twin is Snapping.swift. Both use only + - * /,
// comparisons, minimum and maximum on doubles, so their results are equal bit for bit. No value is NaN or infinite.
//
// Lines. Each of the other boxes is given by the edges of its upright rectangle: left, top, right, bottom. It has three lines across the x axis,
// at left, at (left + right) / 2 and at right, each from its top to its bottom; and three across the y axis, at top, at (top + bottom) / 2 and
// at bottom, each from its left to its right. The canvas has the lines of a box with the edges 0, 0, width, height. A negative zero of a
// line becomes zero: 0.0 is added to `at`, `from` and `to`. The lines of an axis are sorted by `at`, ascending. Lines with equal `at` become one,
// from the smallest `from` to the largest `to`.
//
// Distance. The box that moves has three places on each axis, in this order: its start (left or top), its middle (start + end) / 2, and its
// end (right or bottom). For each axis by itself: of all pairs of a place and a line with |at - place| <= distance, the one with the smallest
// |at - place| is taken; of equal ones that of the earlier place, then the one with the smaller `at`. The box is shifted along the axis by
// at - place, and by 0 if there is no such pair. (So a tie between a line before and one behind the same place goes to the one before.)
//
// Guides. An axis without such a pair has none. Else for each of the three places, in their order, the line with the smallest
// |(at - place) - shift| is looked up, of equal ones the one with the smaller `at`; if that is at most 0.000001, there is a guide at this line's
// `at`, from min(line's from, s + t) to max(line's to, e + t), where s and e are the start and the end of the moved box on the other axis
// before it is shifted, and t is the shift along the other axis. Guides of the x axis come first. A place on the same `at` as an earlier place
// (of a box without width) has no second guide.

import { greatest, least } from './rules.js';

/** @typedef {import('./types').Edges} Edges */
/** @typedef {import('./types').Size} Size */

/** @typedef {{ readonly at: number, readonly from: number, readonly to: number }} Line */
/** @typedef {{ readonly x: readonly Line[], readonly y: readonly Line[] }} Lines */
/** @typedef {{ readonly axis: 'x' | 'y', readonly at: number, readonly from: number, readonly to: number }} Guide */
/** @typedef {{ readonly dx: number, readonly dy: number, readonly guides: readonly Guide[] }} Snap */

/** How near a line must be, in the view's units. Divide it by the zoom. */
export const snapDistance = 8;

/** The largest distance of a guide from the place that it is for. */
const guideTolerance = 0.000001;

/** @param {number} value */
const magnitude = (value) => greatest(value, -value);

/**
 * Prepares the lines of a gesture.
 * @param {Iterable<Edges>} others the boxes that do not move
 * @param {Size} canvas
 * @returns {Lines}
 */
export function snapLines(others, canvas) {
  /** @type {Line[]} */
  const x = [];
  /** @type {Line[]} */
  const y = [];
  /** @param {Edges} edges */
  const add = ({ left, top, right, bottom }) => {
    for (const at of [left, (left + right) / 2, right]) x.push({ at: at + 0, from: top + 0, to: bottom + 0 });
    for (const at of [top, (top + bottom) / 2, bottom]) y.push({ at: at + 0, from: left + 0, to: right + 0 });
  };
  for (const edges of others) add(edges);
  add({ left: 0, top: 0, right: canvas.width, bottom: canvas.height });
  return { x: sorted(x), y: sorted(y) };
}

/** @param {Line[]} lines */
function sorted(lines) {
  lines.sort((a, b) => a.at - b.at);
  /** @type {Line[]} */
  const merged = [];
  for (const line of lines) {
    const last = merged.at(-1);
    if (last && last.at === line.at) {
      merged[merged.length - 1] =
        { at: last.at, from: least(last.from, line.from), to: greatest(last.to, line.to) };
    } else {
      merged.push(line);
    }
  }
  return merged;
}

/**
 * How far a moved box is shifted, and the guides of the lines that it lies on then.
 * @param {Lines} lines
 * @param {Edges} moved the edges of the box where the pointer has moved it
 * @param {number} distance in canvas pixels
 * @returns {Snap}
 */
export function snap(lines, moved, distance) {
  const across = [moved.left, (moved.left + moved.right) / 2, moved.right];
  const down = [moved.top, (moved.top + moved.bottom) / 2, moved.bottom];
  const [x, y] = [shift(lines.x, across, distance), shift(lines.y, down, distance)];
  const [dx, dy] = [x ?? 0, y ?? 0];
  const guides = [
    ...(x === null ? [] : guidesOf('x', lines.x, across, dx, moved.top + dy, moved.bottom + dy)),
    ...(y === null ? [] : guidesOf('y', lines.y, down, dy, moved.left + dx, moved.right + dx)),
  ];
  return { dx, dy, guides };
}

/**
 * The shift along an axis; null if no line is near enough.
 * @param {readonly Line[]} lines
 * @param {readonly number[]} places
 * @param {number} distance
 */
function shift(lines, places, distance) {
  /** @type {number | null} */
  let best = null;
  for (const place of places) {
    const line = nearestLine(lines, place, 0);
    if (!line) continue;
    const offset = line.at - place;
    if (magnitude(offset) <= distance && (best === null || magnitude(offset) < magnitude(best))) {
      best = offset;
    }
  }
  return best;
}

/**
 * @param {'x' | 'y'} axis
 * @param {readonly Line[]} lines
 * @param {readonly number[]} places
 * @param {number} shift
 * @param {number} start of the shifted box on the other axis
 * @param {number} end
 */
function guidesOf(axis, lines, places, shift, start, end) {
  /** @type {Guide[]} */
  const guides = [];
  for (const place of places) {
    const line = nearestLine(lines, place, shift);
    if (!line || magnitude(line.at - place - shift) > guideTolerance) continue;
    if (guides.some(({ at }) => at === line.at)) continue;
    guides.push({ axis, at: line.at, from: least(line.from, start), to: greatest(line.to, end) });
  }
  return guides;
}

/**
 * The line with the smallest |(at - place) - shift|; of equal ones the one with the smaller `at`.
 * @param {readonly Line[]} lines
 * @param {number} place
 * @param {number} shift
 * @returns {Line | undefined}
 */
function nearestLine(lines, place, shift) {
  // The difference grows with `at`, so the nearest line is the first one that is not before the place, or one before that.
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].at - place - shift < 0) low = middle + 1; else high = middle;
  }
  let best = lines[low];
  // Rounding gives several lines one difference where they are very near to each other.
  for (let index = low - 1; index >= 0; index -= 1) {
    const line = lines[index];
    const [distance, least] = [line.at - place - shift, best ? best.at - place - shift : Infinity];
    if (magnitude(distance) > magnitude(least)) break;
    best = line;
  }
  return best;
}
