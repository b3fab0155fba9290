// SPDX-License-Identifier: Apache-2.0

// The selected labels, as a set of ids. Each function gives another selection and leaves the old one as it is.

import { boxOf, cornersOf, edgesAround, edgesOf, sineAndCosine } from './rules.js';

/** @typedef {import('./types').Edges} Edges */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./rules.js').Viewport} Viewport */
/** @typedef {ReadonlySet<string>} Selection */

/**
 * The rectangle around a selection, with its handles: that of a single label is turned with it.
 * @typedef {object} Frame
 * @property {readonly [Point, Point, Point, Point]} corners clockwise from the top left one before turning
 * @property {Point} center
 * @property {number} rotation in degrees
 */

/** How far the turn handle is from the frame, in the view's units. */
const turnHandleDistance = 28;

/** @type {Selection} */
export const nothing = Object.freeze(new Set());

/**
 * @param {Iterable<string>} ids
 * @returns {Selection}
 */
export const selectionOf = (ids) => new Set(ids);

/**
 * Selects a label that is not selected, and the other way round.
 * @param {Selection} selection
 * @param {string} id
 * @returns {Selection}
 */
export function toggled(selection, id) {
  const result = new Set(selection);
  if (!result.delete(id)) result.add(id);
  return result;
}

/**
 * With more ids.
 * @param {Selection} selection
 * @param {Iterable<string>} ids
 * @returns {Selection}
 */
export const including = (selection, ids) => new Set([...selection, ...ids]);

/**
 * What a marquee selects: what it touches, and with `adds` what was selected before.
 * @param {Selection} before the selection when the marquee was begun
 * @param {Iterable<string>} touched
 * @param {boolean} adds
 * @returns {Selection}
 */
export const marqueed = (before, touched, adds) => (adds ? including(before, touched) : new Set(touched));

/**
 * All labels.
 * @param {Iterable<Pick<Label, 'id'>>} labels
 * @returns {Selection}
 */
export function all(labels) {
  const result = new Set();
  for (const { id } of labels) result.add(id);
  return result;
}

/**
 * All labels whose text is that of a selected one. U+FE0F, which typed emoji may lack, does not count.
 * @param {Selection} selection
 * @param {Iterable<Pick<Label, 'id' | 'text'>>} labels
 * @returns {Selection}
 */
export function sameEmoji(selection, labels) {
  const list = [...labels];
  const texts = new Set(list.filter(({ id }) => selection.has(id)).map(({ text }) => plain(text)));
  return all(list.filter(({ text }) => texts.has(plain(text))));
}

/** @param {string} text */
const plain = (text) => text.replaceAll('\u{FE0F}', '');

/**
 * The labels that are not selected.
 * @param {Selection} selection
 * @param {Iterable<Pick<Label, 'id'>>} labels
 * @returns {Selection}
 */
export function inverted(selection, labels) {
  const result = new Set();
  for (const { id } of labels) if (!selection.has(id)) result.add(id);
  return result;
}

/**
 * Whether two selections have the same ids.
 * @param {Selection} a
 * @param {Selection} b
 */
export const isSame = (a, b) => a === b || (a.size === b.size && [...a].every((id) => b.has(id)));

/**
 * The selected labels that are there.
 * @param {Selection} selection
 * @param {(id: string) => Label | undefined} label
 * @returns {Label[]}
 */
export function labelsOf(selection, label) {
  const labels = [];
  for (const id of selection) {
    const found = label(id);
    if (found) labels.push(found);
  }
  return labels;
}

/**
 * The smallest upright rectangle around labels; null without labels.
 * @param {readonly Label[]} labels
 * @returns {Edges | null}
 */
export const bounds = (labels) => edgesAround(labels.map((label) => edgesOf(boxOf(label))));

/**
 * The middle of what labels take.
 * @param {readonly Label[]} labels
 * @returns {import('./types').Point}
 */
export function middleOf(labels) {
  const around = bounds(labels);
  return around ? { x: (around.left + around.right) / 2, y: (around.top + around.bottom) / 2 } : { x: 0, y: 0 };
}

/**
 * The frame around labels; null without labels.
 * @param {readonly Label[]} labels
 * @returns {Frame | null}
 */
export function frameOf(labels) {
  if (labels.length === 1) {
    const box = boxOf(labels[0]);
    return { corners: cornersOf(box), center: { x: box.x, y: box.y }, rotation: box.rotation };
  }
  const around = bounds(labels);
  if (!around) return null;
  const { left, top, right, bottom } = around;
  return {
    corners: [{ x: left, y: top }, { x: right, y: top }, { x: right, y: bottom }, { x: left, y: bottom }],
    center: { x: (left + right) / 2, y: (top + bottom) / 2 }, rotation: 0,
  };
}

/**
 * Whether a point is within a frame or on its edge.
 * @param {Frame} frame
 * @param {number} x
 * @param {number} y
 */
export function isInFrame({ corners }, x, y) {
  // The corners are clockwise, so the point is on the same side of each edge.
  return corners.every((corner, index) => {
    const next = corners[(index + 1) % 4];
    return (next.x - corner.x) * (y - corner.y) - (next.y - corner.y) * (x - corner.x) >= 0;
  });
}

// MARK: Handles

/** @typedef {{ kind: 'corner', index: number } | { kind: 'turn' }} Handle */

/**
 * The places of a frame's handles in the view.
 * @param {Frame} frame
 * @param {Viewport} viewport
 * @returns {{ corners: Point[], turn: Point }}
 */
export function handlesOf(frame, viewport) {
  const corners = frame.corners.map(({ x, y }) => viewport.viewPlace(x, y));
  const [left, right] = corners;
  const [sine, cosine] = sineAndCosine(frame.rotation);
  return {
    corners,
    turn: {
      x: (left.x + right.x) / 2 + turnHandleDistance * sine,
      y: (left.y + right.y) / 2 - turnHandleDistance * cosine,
    },
  };
}

/**
 * The handle at a point of the view. The inner half of the frame has none, so that a small label can be moved.
 * @param {Frame} frame
 * @param {Viewport} viewport
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 * @returns {Handle | null}
 */
export function handleAt(frame, viewport, x, y, reach) {
  const { corners, turn } = handlesOf(frame, viewport);
  if (Math.hypot(x - turn.x, y - turn.y) <= reach) return { kind: 'turn' };
  const center = viewport.viewPlace(frame.center.x, frame.center.y);
  const inner = corners.map((corner) => ({ x: (corner.x + center.x) / 2, y: (corner.y + center.y) / 2 }));
  if (isInFrame({ ...frame, corners: /** @type {Frame['corners']} */ (/** @type {unknown} */ (inner)) }, x, y)) {
    return null;
  }
  const distances = corners.map((corner) => Math.hypot(x - corner.x, y - corner.y));
  const nearest = Math.min(...distances);
  return nearest <= reach ? { kind: 'corner', index: distances.indexOf(nearest) } : null;
}
