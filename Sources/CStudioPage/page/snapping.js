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

/** @typedef {{ readonly at: Float64Array, readonly from: Float64Array, readonly to: Float64Array }} AxisLines sorted by `at` */
/** @typedef {{ readonly x: AxisLines, readonly y: AxisLines }} Lines */
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
  const all = [...others, { left: 0, top: 0, right: canvas.width, bottom: canvas.height }];
  return {
    x: axisLines(all, ({ left, top, right, bottom }) => [left, right, top, bottom]),
    y: axisLines(all, ({ left, top, right, bottom }) => [top, bottom, left, right]),
  };
}

/**
 * @param {readonly Edges[]} all
 * @param {(edges: Edges) => [start: number, end: number, from: number, to: number]} along
 * @returns {AxisLines}
 */
function axisLines(all, along) {
  const places = new Float64Array(3 * all.length);
  all.forEach((edges, index) => {
    const [start, end] = along(edges);
    // A negative zero becomes zero.
    places.set([start + 0, (start + end) / 2 + 0, end + 0], 3 * index);
  });
  const at = places.slice().sort().filter((place, index, sorted) => index === 0 || place !== sorted[index - 1]);
  const [from, to] = [new Float64Array(at.length).fill(Infinity), new Float64Array(at.length).fill(-Infinity)];
  all.forEach((edges, index) => {
    const [, , low, high] = along(edges);
    for (const place of places.subarray(3 * index, 3 * index + 3)) {
      const line = firstNotBefore(at, place, 0);
      [from[line], to[line]] = [least(from[line], low + 0), greatest(to[line], high + 0)];
    }
  });
  return { at, from, to };
}

/**
 * The first line with at - place - shift >= 0; the number of lines if there is none.
 * @param {Float64Array} at
 * @param {number} place
 * @param {number} shift
 */
function firstNotBefore(at, place, shift) {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] - place - shift < 0) low = middle + 1; else high = middle;
  }
  return low;
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
 * @param {AxisLines} lines
 * @param {readonly number[]} places
 * @param {number} distance
 */
function shift({ at }, places, distance) {
  /** @type {number | null} */
  let best = null;
  for (const place of places) {
    const offset = at[nearestLine(at, place, 0)] - place;
    if (magnitude(offset) <= distance && (best === null || magnitude(offset) < magnitude(best))) {
      best = offset;
    }
  }
  return best;
}

/**
 * @param {'x' | 'y'} axis
 * @param {AxisLines} lines
 * @param {readonly number[]} places
 * @param {number} shift
 * @param {number} start of the shifted box on the other axis
 * @param {number} end
 */
function guidesOf(axis, { at, from, to }, places, shift, start, end) {
  /** @type {Guide[]} */
  const guides = [];
  for (const place of places) {
    const line = nearestLine(at, place, shift);
    if (magnitude(at[line] - place - shift) > guideTolerance) continue;
    if (guides.some((guide) => guide.at === at[line])) continue;
    guides.push({ axis, at: at[line], from: least(from[line], start), to: greatest(to[line], end) });
  }
  return guides;
}

/**
 * The line with the smallest |(at - place) - shift|; of equal ones the one with the smaller `at`. The canvas has lines, so there is one.
 * @param {Float64Array} at
 * @param {number} place
 * @param {number} shift
 */
function nearestLine(at, place, shift) {
  // The difference grows with `at`, so the nearest line is the first one that is not before the place, or one before that.
  const first = firstNotBefore(at, place, shift);
  let best = Math.min(first, at.length - 1);
  // Rounding gives several lines one difference where they are very near to each other.
  for (let line = first - 1; line >= 0; line -= 1) {
    if (magnitude(at[line] - place - shift) > magnitude(at[best] - place - shift)) break;
    best = line;
  }
  return best;
}
