// SPDX-License-Identifier: Apache-2.0

// The order in which labels are read, and which one is next in a direction. For keys and screen readers.

/** @typedef {import('./types').Label} Label */
/** @typedef {'left' | 'right' | 'up' | 'down'} Direction */

/**
 * The labels as a text is read: in rows from above, each from the left. A label is in the row that begins above it if its centre is within
 * half of the height of that row's first label.
 * @param {readonly Label[]} labels
 * @returns {Label[]}
 */
export function readingOrder(labels) {
  const byID = (/** @type {Label} */ a, /** @type {Label} */ b) => (a.id < b.id ? -1 : 1);
  const falling = [...labels].sort((a, b) => a.y - b.y || a.x - b.x || byID(a, b));
  /** @type {Label[]} */
  const result = [];
  for (let start = 0; start < falling.length;) {
    const limit = falling[start].y + falling[start].size / 2;
    let end = start + 1;
    while (end < falling.length && falling[end].y <= limit) end += 1;
    // One by one: a function takes only so many arguments.
    for (const label of falling.slice(start, end).sort((a, b) => a.x - b.x || a.y - b.y || byID(a, b))) result.push(label);
    start = end;
  }
  return result;
}

/**
 * Gives the studio the order of reading, which is worked out when it is asked for after a change.
 * @param {import('./studio').Studio} studio
 */
export function attachReading(studio) {
  /** @type {Label[] | null} */
  let order = null;
  studio.on('changed', () => { order = null; });
  studio.inReadingOrder = () => {
    order ??= readingOrder(studio.store.inOrder());
    return order;
  };
}

/** How much more a step aside counts than one ahead. */
const asideWeight = 2;

/**
 * The nearest label in a direction; null if there is none. What lies more to the side than ahead is not in that direction.
 * @param {readonly Label[]} labels
 * @param {Label} from
 * @param {Direction} direction
 * @returns {Label | null}
 */
export function nearest(labels, from, direction) {
  const [across, down] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[direction];
  /** @type {Label | null} */
  let best = null;
  let least = Infinity;
  for (const label of labels) {
    const [x, y] = [label.x - from.x, label.y - from.y];
    const ahead = x * across + y * down;
    const aside = Math.abs(x * down) + Math.abs(y * across);
    if (label.id === from.id || ahead <= 0 || aside > ahead) continue;
    const distance = ahead + aside * asideWeight;
    if (distance < least || (distance === least && best && label.id < best.id)) [best, least] = [label, distance];
  }
  return best;
}

/**
 * Which labels get an element for screen readers: the focused one with those around it in the order of reading, the selected ones, and as
 * many of those in view as there is room for.
 * @param {readonly Label[]} order of reading
 * @param {{ focused: string | null, selected: ReadonlySet<string>, inView: readonly string[], limit: number, isThere: (id: string) => boolean }} state
 *   `isThere` says which ones have an element already
 * @returns {Set<string>}
 */
export function optionsOf(order, { focused, selected, inView, limit, isThere }) {
  /** @type {Set<string>} */
  const ids = new Set();
  const index = focused === null ? -1 : order.findIndex(({ id }) => id === focused);
  if (index >= 0) {
    ids.add(order[index].id);
    for (let step = 1; step <= aroundFocus; step += 1) for (const each of [order[index - step], order[index + step]]) if (each && ids.size < limit) ids.add(each.id);
  }
  for (const id of selected) if (ids.size < limit) ids.add(id);
  // Elements that are there stay, so that few are made.
  for (const id of inView) if (ids.size < limit && isThere(id)) ids.add(id);
  for (const id of inView) if (ids.size < limit) ids.add(id);
  return ids;
}

/** How many labels before and after the focused one have elements. */
const aroundFocus = 20;
