// SPDX-License-Identifier: Apache-2.0

// Which labels are at a point or in a rectangle: a grid of cells for each power of two of sizes.
//
// A label is in the level whose cells are at least as large as its box, and there in the one cell that has its centre. So a box reaches at most
// half a cell beyond its cell, and of each level a point needs the four cells around it, whatever sizes the labels have.

import { boxOf, contains, edgesOf, extentOf, overlaps } from './rules.js';

/** @typedef {import('./types').Box} Box */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Rect} Rect */

/** The side of the smallest cells, in pixels. */
const smallestSide = 64;
/**
 * The number of columns and of rows. Centres are within 1,000,000 pixels, so columns and rows are from `-stride / 2` on. A cell's number has 30
 * bits, which is a small integer for JavaScript.
 */
const stride = 2 ** 15;

/** @param {number} column @param {number} row */
const cellOf = (column, row) => (column + stride / 2) * stride + row + stride / 2;

/**
 * The column or row of a place in cells.
 * @param {number} place
 */
const lineAt = (place) => Math.max(-stride / 2, Math.min(Math.floor(place), stride / 2 - 1));

/** The numbers of a label in `#numbers`, from its slot on. */
const [X, Y, WIDTH, HEIGHT, ROTATION, REACH_X, REACH_Y, Z] = [0, 1, 2, 3, 4, 5, 6, 7];
const numbersOfLabel = 8;
const noSlot = -1;

export class HitIndex {
  /**
   * The slots of labels. Their values lie in arrays of numbers: 100,000 objects would take several times the time and the memory.
   * @type {Map<string, number>}
   */
  #slots = new Map();
  /** @type {string[]} */
  #ids = [];
  /** @type {number[]} */
  #freeSlots = [];
  #capacity = 256;
  #numbers = new Float64Array(this.#capacity * numbersOfLabel);
  #sides = new Float64Array(this.#capacity);
  #cells = new Int32Array(this.#capacity);
  /** The next slot of the same cell. */
  #next = new Int32Array(this.#capacity);
  /**
   * The first slot of each cell of each level, which is named by the side of its cells.
   * @type {Map<number, Map<number, number>>}
   */
  #levels = new Map();

  /** @param {Iterable<Label>} labels */
  constructor(labels = []) {
    for (const label of labels) this.set(label);
  }

  get size() { return this.#slots.size; }

  /** @param {string} id */
  has(id) { return this.#slots.has(id); }

  /** @param {string} id */
  boxOf(id) {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#box(slot);
  }

  /**
   * Inserts a label, or updates it.
   * @param {Label} label
   */
  set(label) {
    const old = this.#slots.get(label.id);
    if (old !== undefined) this.#takeOut(old);
    const slot = old ?? this.#newSlot(label.id);
    const box = boxOf(label);
    const { x: reachX, y: reachY } = extentOf(box);
    const numbers = this.#numbers;
    const at = slot * numbersOfLabel;
    [numbers[at + X], numbers[at + Y], numbers[at + ROTATION]] = [box.x, box.y, box.rotation];
    [numbers[at + WIDTH], numbers[at + HEIGHT]] = [box.width, box.height];
    [numbers[at + REACH_X], numbers[at + REACH_Y], numbers[at + Z]] = [reachX, reachY, label.z];
    let side = smallestSide;
    while (side < 2 * reachX || side < 2 * reachY) side *= 2;
    const cell = cellOf(lineAt(box.x / side), lineAt(box.y / side));
    let level = this.#levels.get(side);
    if (!level) this.#levels.set(side, (level = new Map()));
    [this.#sides[slot], this.#cells[slot], this.#next[slot]] = [side, cell, level.get(cell) ?? noSlot];
    level.set(cell, slot);
  }

  /**
   * Removes a label if it is there.
   * @param {string} id
   */
  remove(id) {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#takeOut(slot);
    this.#slots.delete(id);
    this.#freeSlots.push(slot);
  }

  /** @param {string} id */
  #newSlot(id) {
    const slot = this.#freeSlots.pop() ?? this.#ids.length;
    if (slot >= this.#capacity) this.#grow();
    this.#ids[slot] = id;
    this.#slots.set(id, slot);
    return slot;
  }

  #grow() {
    const [numbers, sides, cells, next] = [this.#numbers, this.#sides, this.#cells, this.#next];
    this.#capacity *= 2;
    this.#numbers = new Float64Array(this.#capacity * numbersOfLabel);
    this.#sides = new Float64Array(this.#capacity);
    this.#cells = new Int32Array(this.#capacity);
    this.#next = new Int32Array(this.#capacity);
    this.#numbers.set(numbers);
    this.#sides.set(sides);
    this.#cells.set(cells);
    this.#next.set(next);
  }

  /**
   * Takes a slot out of its cell.
   * @param {number} slot
   */
  #takeOut(slot) {
    const [side, cell, next] = [this.#sides[slot], this.#cells[slot], this.#next];
    const level = this.#levels.get(side);
    const first = level?.get(cell);
    if (!level || first === undefined) return;
    if (first !== slot) {
      let before = first;
      while (next[before] !== slot) before = next[before];
      next[before] = next[slot];
    } else if (next[slot] !== noSlot) {
      level.set(cell, next[slot]);
    } else {
      level.delete(cell);
      if (level.size === 0) this.#levels.delete(side);
    }
  }

  /**
   * @param {number} slot
   * @returns {Box}
   */
  #box(slot) {
    const [numbers, at] = [this.#numbers, slot * numbersOfLabel];
    return {
      x: numbers[at + X], y: numbers[at + Y], width: numbers[at + WIDTH], height: numbers[at + HEIGHT],
      rotation: numbers[at + ROTATION],
    };
  }

  /**
   * Whether the first one is nearer to the viewer: by z, then by id. Everything is nearer than no slot.
   * @param {number} a
   * @param {number} b
   */
  #isAbove(a, b) {
    if (b === noSlot) return true;
    const [zA, zB] = [this.#numbers[a * numbersOfLabel + Z], this.#numbers[b * numbersOfLabel + Z]];
    return zA > zB || (zA === zB && this.#ids[a] > this.#ids[b]);
  }

  // MARK: Asking

  /**
   * The id of the topmost label at a point.
   * @param {number} x
   * @param {number} y
   * @returns {string | null}
   */
  topAt(x, y) {
    let top = noSlot;
    this.#visit(x, y, x, y, (slot) => {
      if (this.#isAbove(slot, top) && contains(this.#box(slot), x, y)) top = slot;
    });
    return top === noSlot ? null : this.#ids[top];
  }

  /**
   * The ids of the labels of which a part is in a rectangle, in any order.
   * @param {Rect} rect
   */
  inRect(rect) {
    /** @type {string[]} */
    const found = [];
    this.#visit(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height, (slot) => {
      if (overlaps(this.#box(slot), rect)) found.push(this.#ids[slot]);
    });
    return found;
  }

  /**
   * The id of the topmost label at a point; without one, of the label whose upright rectangle is nearest to it, at most `reach` away.
   * For fingers.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   * @returns {string | null}
   */
  topNear(x, y, reach) {
    const top = this.topAt(x, y);
    if (top !== null) return top;
    let [nearest, least] = [noSlot, reach];
    this.#visit(x - reach, y - reach, x + reach, y + reach, (slot) => {
      const { left, top: upper, right, bottom } = edgesOf(this.#box(slot));
      const distance = Math.hypot(Math.max(left - x, x - right, 0), Math.max(upper - y, y - bottom, 0));
      if (distance < least || (distance === least && this.#isAbove(slot, nearest))) {
        [nearest, least] = [slot, distance];
      }
    });
    return nearest === noSlot ? null : this.#ids[nearest];
  }

  /**
   * The id of the label whose centre is nearest to a point, among those that `accepts` takes; of equally near ones the topmost.
   * @param {number} x
   * @param {number} y
   * @param {(id: string, box: Box) => boolean} [accepts]
   * @returns {string | null}
   */
  nearest(x, y, accepts = () => true) {
    // All centres are within 1,000,000 pixels of the origin, and the last of these squares has all of them.
    const farthest = 1_000_000 + Math.max(Math.abs(x), Math.abs(y));
    for (let reach = 64; ; reach *= 4) {
      let [best, least] = [noSlot, Infinity];
      this.#visit(x - reach, y - reach, x + reach, y + reach, (slot) => {
        const box = this.#box(slot);
        const distance = (box.x - x) ** 2 + (box.y - y) ** 2;
        if (distance > least || !accepts(this.#ids[slot], box)) return;
        if (distance < least || this.#isAbove(slot, best)) [best, least] = [slot, distance];
      });
      if (least <= reach * reach || reach > farthest) return best === noSlot ? null : this.#ids[best];
    }
  }

  /**
   * Visits the labels whose upright rectangles touch that one.
   * @param {number} left
   * @param {number} top
   * @param {number} right
   * @param {number} bottom
   * @param {(slot: number) => void} body
   */
  #visit(left, top, right, bottom, body) {
    const [numbers, next] = [this.#numbers, this.#next];
    /** @param {number | undefined} first */
    const visitCell = (first) => {
      for (let slot = first ?? noSlot; slot !== noSlot; slot = next[slot]) {
        const at = slot * numbersOfLabel;
        const [x, y, reachX, reachY] =
          [numbers[at + X], numbers[at + Y], numbers[at + REACH_X], numbers[at + REACH_Y]];
        if (x - reachX <= right && x + reachX >= left && y - reachY <= bottom && y + reachY >= top) body(slot);
      }
    };
    for (const [side, level] of this.#levels) {
      const [firstColumn, lastColumn] = [lineAt(left / side - 0.5), lineAt(right / side + 0.5)];
      const [firstRow, lastRow] = [lineAt(top / side - 0.5), lineAt(bottom / side + 0.5)];
      if ((lastColumn - firstColumn + 1) * (lastRow - firstRow + 1) > level.size) {
        for (const first of level.values()) visitCell(first);
        continue;
      }
      for (let column = firstColumn; column <= lastColumn; column += 1) {
        for (let row = firstRow; row <= lastRow; row += 1) visitCell(level.get(cellOf(column, row)));
      }
    }
  }
}

/**
 * Gives the studio an index, and keeps it up to date. Others that listen for changes find it so.
 * @param {import('./studio').Studio} studio
 */
export function attachHits(studio) {
  studio.hits = new HitIndex(studio.store.inOrder());
  studio.on('changed', (ids) => {
    if (!ids) studio.hits = new HitIndex(studio.store.inOrder());
    for (const id of ids ?? []) {
      const label = studio.store.shown(id);
      if (label) studio.hits.set(label);
      else studio.hits.remove(id);
    }
  });
}
