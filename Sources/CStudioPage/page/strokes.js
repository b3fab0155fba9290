// SPDX-License-Identifier: Apache-2.0

// Strokes of the tools that add labels: a stamp is put where the pointer is lifted; a brush leaves stamps along its way.

import { bounded, sized, zStep } from './arrange.js';
import { editName } from './changes.js';
import { rotation } from './rules.js';

/** @typedef {import('./types').Activity} Activity */
/** @typedef {import('./types').GestureEffect} Effect */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').PointerInput} PointerInput */
/** @typedef {import('./types').Scene} Scene */
/** @typedef {import('./types').Tool} Tool */

/** The number of labels of one stroke. */
const strokeLimit = 1_000;

/**
 * A stamp is put where the pointer is lifted; a brush leaves stamps along its way.
 * @implements {Activity}
 */
export class Stroke {
  /** @param {Exclude<Tool, { kind: 'select' }>} tool @param {Scene} scene */
  constructor(tool, scene) {
    this.name = tool.kind;
    this.tool = tool;
    this.random = generator(scene.seed);
    this.firstZ = scene.topZ + zStep;
    /** @type {Label[]} */
    this.labels = [];
    /**
     * The place of the last stamp before it was shifted.
     * @type {Point | null}
     */
    this.last = null;
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  move(input, scene) {
    const to = scene.viewport.contentPlace(input.x, input.y);
    const before = this.labels;
    if (this.tool.kind === 'stamp') this.labels = [this.#label(to, before[0]?.id ?? scene.newID(), 0)];
    else this.#paint(to, this.tool.spacing, scene);
    if (this.labels === before) return [];
    return [{ kind: 'gesture', labels: this.labels, newValues: () => ({}), isNew: true, drag: null, guides: [] }];
  }

  /** @param {Point} to @param {number} spacing @param {Scene} scene */
  #paint(to, spacing, scene) {
    const step = Math.max(spacing, 1 / scene.viewport.zoom);
    const added = [];
    while (this.labels.length + added.length < strokeLimit) {
      /** @type {Point} */
      let next = to;
      if (this.last) {
        const [dx, dy] = [to.x - this.last.x, to.y - this.last.y];
        const distance = Math.hypot(dx, dy);
        if (distance < step) break;
        next = { x: this.last.x + (dx / distance) * step, y: this.last.y + (dy / distance) * step };
      }
      added.push(this.#label(next, scene.newID(), this.labels.length + added.length));
      this.last = next;
    }
    if (added.length > 0) this.labels = [...this.labels, ...added];
  }

  /** @param {Point} point @param {string} id @param {number} index @returns {Label} */
  #label(point, id, index) {
    const { stamp } = this.tool;
    const jitter = this.tool.kind === 'brush' ? this.tool.jitter : { place: 0, size: 0, turn: 0 };
    const [x, y, size, turn] = [jitter.place, jitter.place, jitter.size, jitter.turn]
      .map((part) => (part === 0 ? 0 : (2 * this.random() - 1) * part));
    const angled = rotation((stamp.rotation ?? 0) + Math.round(turn));
    return {
      ...stamp, id, x: bounded(point.x + x * stamp.size), y: bounded(point.y + y * stamp.size),
      size: sized(stamp.size, Math.max(0.1, 1 + size)), z: this.firstZ + zStep * index,
      ...(angled === 0 ? {} : { rotation: angled }),
    };
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  end(input, scene) {
    const effects = this.move(input, scene);
    return [...effects, { kind: 'commit', name: editName('add', this.labels) }];
  }

  /** @returns {Effect[]} */
  cancel() { return [{ kind: 'cancel' }]; }
}

/**
 * Numbers at least 0 and below 1 (Mulberry32).
 * @param {number} seed
 */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
