// SPDX-License-Identifier: Apache-2.0

// New places, sizes and rotations of labels: in line, evenly apart, in rows; moved, resized, turned and copied.
//
// The rules of the first part are those of Arranging.swift, equal bit for bit. Each takes boxes and gives their new centres in the same order.

import {
  edgesAround, edgesOf, extentOf, greatest, least, limits, rotation, rounded, sineAndCosine,
} from './rules.js';
import { bottomFirst } from './changes.js';

/** @typedef {import('./types').Box} Box */
/** @typedef {import('./types').Fields} Fields */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').Size} Size */

/** @typedef {'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'} Alignment */
/** @typedef {'horizontally' | 'vertically'} Axis */
/** @typedef {number | string} Length pixels, or a text such as `5%` */
/** @typedef {string | readonly [Length, Length]} Target a name such as `top-right`, or a place */

/** The step of z from one new label to the next one. */
export const zStep = 2 ** 20;
/** The smallest size that a gesture gives to a label that was not smaller before. */
const leastSize = 1;

/**
 * Aligns boxes to an edge or the middle of the rectangle around them; a single one to the canvas.
 * @param {readonly Box[]} boxes
 * @param {Alignment} line
 * @param {Size} canvas
 * @returns {Point[]}
 */
export function align(boxes, line, canvas) {
  const around = boxes.length === 1
    ? { left: 0, top: 0, right: canvas.width, bottom: canvas.height } : edgesAround(boxes.map(edgesOf));
  if (!around) return [];
  return boxes.map((box) => {
    const extent = extentOf(box);
    switch (line) {
      case 'left': return { x: rounded(around.left + extent.x), y: box.y };
      case 'center': return { x: rounded((around.left + around.right) / 2), y: box.y };
      case 'right': return { x: rounded(around.right - extent.x), y: box.y };
      case 'top': return { x: box.x, y: rounded(around.top + extent.y) };
      case 'middle': return { x: box.x, y: rounded((around.top + around.bottom) / 2) };
      case 'bottom': return { x: box.x, y: rounded(around.bottom - extent.y) };
    }
  });
}

/**
 * Makes the gaps between neighbours equal; negative where there is too little room. The outermost two boxes stay.
 * @param {readonly Box[]} boxes
 * @param {Axis} axis
 * @returns {Point[]}
 */
export function distribute(boxes, axis) {
  const centers = boxes.map(({ x, y }) => ({ x, y }));
  if (boxes.length <= 2) return centers;
  const key = axis === 'horizontally' ? 'x' : 'y';
  const places = boxes.map((box) => box[key]);
  const extents = boxes.map((box) => extentOf(box)[key]);
  const order = boxes.map((_, index) => index).sort((a, b) => places[a] - places[b] || a - b);
  const [first, last] = [order[0], order[order.length - 1]];
  const room = places[last] + extents[last] - places[first] + extents[first];
  const filled = order.reduce((sum, index) => sum + 2 * extents[index], 0);
  const gap = (room - filled) / (order.length - 1);
  let start = places[first] - extents[first];
  for (const index of order) {
    if (index !== first && index !== last) centers[index][key] = rounded(start + extents[index]);
    start += 2 * extents[index] + gap;
  }
  return centers;
}

/**
 * Puts boxes into rows of cells that are each as large as the largest box. Without a target the centre of all boxes stays. Throws
 * `RangeError` for values out of bounds.
 * @param {readonly Box[]} boxes
 * @param {number} columns
 * @param {Length} gap percent are of the canvas's shorter side
 * @param {Target | null} target
 * @param {Size} canvas
 * @returns {Point[]}
 */
export function grid(boxes, columns, gap, target, canvas) {
  if (columns <= 0) throw new RangeError(`${columns} columns`);
  if (boxes.length === 0) return [];
  const filled = Math.min(columns, boxes.length);
  const rows = Math.trunc((boxes.length + filled - 1) / filled);
  const space = rounded(checked(pixels(gap, least(canvas.width, canvas.height), (value) => value)));
  const extents = boxes.map(extentOf);
  const width = 2 * extents.map(({ x }) => x).reduce(greatest);
  const height = 2 * extents.map(({ y }) => y).reduce(greatest);
  const extent = { x: (filled * (width + space) - space) / 2, y: (rows * (height + space) - space) / 2 };
  checked(extent.x);
  checked(extent.y);
  const center = target === null ? middle(boxes) : place(target, canvas, extent);
  return boxes.map((_, index) => ({
    x: rounded(center.x - extent.x + width / 2 + (index % filled) * (width + space)),
    y: rounded(center.y - extent.y + height / 2 + Math.trunc(index / filled) * (height + space)),
  }));
}

/**
 * Puts boxes into a grid that is about square, row by row as they are now, with gaps of a quarter of their mean size. Their centre stays.
 *
 * A row has the boxes whose centres are at most the mean half height below that of its first one.
 * @param {readonly Box[]} boxes
 * @param {Size} canvas
 * @returns {Point[]}
 */
export function tidy(boxes, canvas) {
  if (boxes.length === 0) return [];
  const extents = boxes.map(extentOf);
  /** @param {(extent: Point) => number} value */
  const mean = (value) => extents.reduce((sum, extent) => sum + value(extent), 0) / boxes.length;
  const order = inRows(boxes, mean(({ y }) => y));
  const gap = 0.25 * mean(({ x, y }) => x + y);
  const columns = Math.ceil(Math.sqrt(boxes.length));
  const centers = grid(order.map((index) => boxes[index]), columns, gap, null, canvas);
  /** @type {Point[]} */
  const result = new Array(boxes.length);
  order.forEach((index, cell) => { result[index] = centers[cell]; });
  return result;
}

/**
 * The indices of boxes, row by row, from left to right.
 * @param {readonly Box[]} boxes
 * @param {number} reach how far below its first one a box may be in a row
 */
function inRows(boxes, reach) {
  const order = boxes.map((_, index) => index).sort((a, b) => boxes[a].y - boxes[b].y || a - b);
  /** @type {number[][]} */
  const rows = [];
  for (const index of order) {
    const row = rows.at(-1);
    if (row && boxes[index].y - boxes[row[0]].y <= reach) row.push(index); else rows.push([index]);
  }
  for (const row of rows) row.sort((a, b) => boxes[a].x - boxes[b].x || a - b);
  return rows.flat();
}

// MARK: Lengths and places

/**
 * @param {Length} length
 * @param {number} side
 * @param {(value: number) => number} round how a part of the side is rounded
 */
const pixels = (length, side, round) =>
  typeof length === 'number' ? length : round((Number(length.replace('%', '')) / 100) * side);

/**
 * The value. Throws `RangeError` if it is no coordinate.
 * @param {number} value
 */
function checked(value) {
  if (!(Math.abs(value) <= limits.coordinate)) throw new RangeError(`${value} pixels`);
  return value;
}

/**
 * @param {readonly Box[]} boxes
 * @returns {Point}
 */
function middle(boxes) {
  const around = edgesAround(boxes.map(edgesOf));
  if (!around) return { x: 0, y: 0 };
  return { x: checked((around.left + around.right) / 2), y: checked((around.top + around.bottom) / 2) };
}

/** What part of the canvas is to the left of a named place, and above it. */
const fractions = /** @type {const} */ ({
  'top-left': [0, 0], top: [0.5, 0], 'top-right': [1, 0], left: [0, 0.5], center: [0.5, 0.5],
  right: [1, 0.5], 'bottom-left': [0, 1], bottom: [0.5, 1], 'bottom-right': [1, 1],
});

/**
 * The centre of something that reaches that far from its centre. At a named place it touches the edges, unless it is too large.
 * @param {Target} target
 * @param {Size} canvas
 * @param {Point} extent
 * @returns {Point}
 */
function place(target, canvas, extent) {
  if (typeof target !== 'string') {
    const [x, y] = target;
    return {
      x: checked(pixels(x, canvas.width, rounded)), y: checked(pixels(y, canvas.height, rounded)),
    };
  }
  /** @param {number} fraction @param {number} side @param {number} reach */
  const along = (fraction, side, reach) => {
    const room = side - 2 * reach;
    return room > 0 ? rounded(reach + room * fraction) : side / 2;
  };
  const [x, y] = fractions[/** @type {keyof typeof fractions} */ (target)];
  return {
    x: checked(along(x, canvas.width, extent.x)), y: checked(along(y, canvas.height, extent.y)),
  };
}

// MARK: New values of labels

/**
 * A coordinate in millionths, within the bounds of places.
 * @param {number} value
 */
export const bounded = (value) => Math.max(-limits.coordinate, Math.min(rounded(value), limits.coordinate));

/** @typedef {(label: Label) => Fields} NewValues what a gesture gives to each label */

/**
 * The new values of labels by id.
 * @param {readonly Label[]} labels
 * @param {NewValues} newValues
 * @returns {Map<string, Fields>}
 */
export const valuesOf = (labels, newValues) => new Map(labels.map((label) => [label.id, newValues(label)]));

/**
 * Moves labels, as far as the farthest one can be. The bounds of all of them are computed once, for the many moves of a gesture.
 * @param {readonly Label[]} labels
 * @returns {(dx: number, dy: number) => NewValues}
 */
export function mover(labels) {
  const [along, down] = [shifter(labels.map(({ x }) => x)), shifter(labels.map(({ y }) => y))];
  return (dx, dy) => {
    const [x, y] = [along(dx), down(dy)];
    return (label) => ({ x: bounded(label.x + x), y: bounded(label.y + y) });
  };
}

/** @param {readonly number[]} places @returns {(shift: number) => number} */
function shifter(places) {
  const [low, high] = [places.reduce(least, Infinity), places.reduce(greatest, -Infinity)];
  return (shift) => Math.max(-limits.coordinate - low, Math.min(shift, limits.coordinate - high));
}

/**
 * Makes labels larger or smaller about a point, as far as the bounds of sizes allow it for all.
 * @param {readonly Label[]} labels
 * @returns {(factor: number, about: Point) => NewValues}
 */
export function scaler(labels) {
  let [low, high] = [0, Infinity];
  for (const { size } of labels) {
    low = Math.max(low, Math.min(1, leastSize / size));
    high = Math.min(high, limits.fontSize / size);
  }
  return (factor, about) => {
    const times = Math.max(low, Math.min(factor, high));
    return (label) => ({
      x: bounded(about.x + (label.x - about.x) * times), y: bounded(about.y + (label.y - about.y) * times),
      size: sized(label.size, times),
    });
  };
}

/**
 * A size times a factor, within the bounds of sizes.
 * @param {number} size
 * @param {number} factor
 */
export const sized = (size, factor) => Math.max(0.000001, Math.min(rounded(size * factor), limits.fontSize));

/**
 * Turns labels about a point.
 * @param {number} degrees
 * @param {Point} about
 * @returns {NewValues}
 */
export function turner(degrees, about) {
  const turn = rotation(degrees);
  const [sine, cosine] = sineAndCosine(turn);
  return (label) => {
    const [dx, dy] = [label.x - about.x, label.y - about.y];
    return {
      x: bounded(about.x + dx * cosine - dy * sine), y: bounded(about.y + dx * sine + dy * cosine),
      rotation: rotation((label.rotation ?? 0) + turn),
    };
  };
}

/**
 * Copies with new ids above all others, in the order of the originals.
 * @param {readonly Label[]} labels
 * @param {() => string} newID
 * @param {number} topZ
 * @returns {Label[]}
 */
export const copies = (labels, newID, topZ) =>
  [...labels].sort(bottomFirst).map((label, index) => ({ ...label, id: newID(), z: topZ + zStep * (index + 1) }));
