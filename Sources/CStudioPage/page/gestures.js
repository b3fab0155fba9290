// SPDX-License-Identifier: Apache-2.0

// Gestures as machines: plain values of pointer events in, effects out.
//
//     idle ── down ──▶ press ── moved over the threshold ──▶ move, duplicate, marquee, resize or turn ── up ──▶ idle (commit)
//                      press ── up ──▶ idle (tap)
//     idle ── down with Space or the middle button ──▶ pan ── up ──▶ idle
//     idle ── down with a stamp, or a brush ──▶ stamp, brush ── up ──▶ idle (commit)
//     one finger, doing anything ── down of a second one ──▶ cancelled; pinch ── up of one ──▶ spent ── all up ──▶ idle
//     any ── `pointercancel` ──▶ cancelled; spent ── all up ──▶ idle
//     any ── Escape, lost window ──▶ cancelled; idle
//
// `cancel` takes the labels of the newest `gesture` back; the selection and the view are restored by effects of their own.

import { apart, between, moveDrag, pinchDrag, resizeDrag, selects, turnDrag } from './drags.js';
import { frameOf, handleAt, including, isInFrame, isSame, labelsOf, marqueed, nothing, selectionOf, toggled } from './selection.js';
import { Stroke } from './strokes.js';

export { handleAt, handlesOf } from './selection.js';

/** @typedef {import('./drags.js').Finger} Finger */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./rules.js').Viewport} Viewport */
/** @typedef {import('./selection.js').Frame} Frame */
/** @typedef {import('./selection.js').Handle} Handle */
/** @typedef {import('./selection.js').Selection} Selection */
/** @typedef {import('./types').Activity} Activity */
/** @typedef {import('./types').AbortInput} AbortInput */
/** @typedef {import('./types').GestureEffect} Effect */
/** @typedef {import('./types').GestureName} GestureName */
/** @typedef {import('./types').KeysInput} KeysInput */
/** @typedef {import('./types').PointerInput} PointerInput */
/** @typedef {import('./types').Scene} Scene */

/** How far a pointer moves, in the view's units, before a press is a drag. */
export const dragThreshold = Object.freeze({ mouse: 4, touch: 10 });
/** How far from a handle's centre it can be taken, and how far from a label a finger can be, in the view's units. */
export const reachOf = Object.freeze({ mouse: 12, touch: 20 });

// MARK: Wheel

/**
 * The viewport after a turn of the wheel, in the view's units: with Ctrl it zooms about the pointer, else it scrolls; Shift exchanges the axes.
 * @param {Viewport} viewport
 * @param {{ dx: number, dy: number, x: number, y: number, ctrl: boolean, shift: boolean }} wheel
 * @returns {Viewport}
 */
export function wheeled(viewport, { dx, dy, x, y, ctrl, shift }) {
  if (ctrl) return viewport.zoomBy(Math.exp(Math.max(-0.5, Math.min(-dy / 100, 0.5))), { x, y });
  return shift && dx === 0 ? viewport.scrollBy(dy, 0) : viewport.scrollBy(dx, dy);
}

// MARK: The machine

export class Gestures {
  /**
   * The pointers that are down, with the places where they came down.
   * @type {Map<number, { start: Point, now: Point, isTouch: boolean }>}
   */
  #pointers = new Map();
  /** @type {Activity | null} */
  #activity = null;
  /**
   * The pointer of the activity.
   * @type {number | null}
   */
  #pointer = null;
  /**
   * The second pointer of a pinch.
   * @type {number | null}
   */
  #second = null;
  /** @type {PointerInput | null} */
  #last = null;

  /**
   * What is under way.
   * @returns {GestureName | null}
   */
  get current() { return this.#activity?.name ?? null; }

  /**
   * Takes an input, and returns what is to be done, in order.
   * @param {PointerInput | KeysInput | AbortInput} input
   * @param {Scene} scene
   * @returns {Effect[]}
   */
  input(input, scene) {
    switch (input.type) {
      case 'down': return this.#down(input, scene);
      case 'move': return this.#move(input, scene);
      case 'up': return this.#up(input, scene);
      case 'cancel': {
        const takesPart = this.#takesPart(input.id);
        this.#pointers.delete(input.id);
        return takesPart ? this.#cancel() : [];
      }
      case 'keys': {
        if (!this.#last || !this.#activity || this.#activity.name === 'press') return [];
        const { shift, ctrl, alt } = input;
        return this.#activity.move({ ...this.#last, shift, ctrl, alt }, scene);
      }
      case 'abort':
        // The pointers may be lifted where the page does not learn of it.
        this.#pointers.clear();
        return this.#cancel();
    }
  }

  /**
   * Whether a pointer is one of the activity's; a palm or a third finger is none.
   * @param {number} id
   */
  #takesPart(id) {
    return this.#pointers.has(id) && (id === this.#pointer || (this.#activity?.name === 'pinch' && id === this.#second));
  }

  #cancel() {
    const effects = this.#activity?.cancel() ?? [];
    this.#activity = null;
    return effects;
  }

  /** @param {PointerInput} input @param {Scene} scene */
  #down(input, scene) {
    const effects = this.#pointers.delete(input.id) ? this.#cancel() : [];
    const now = { x: input.x, y: input.y };
    this.#pointers.set(input.id, { start: now, now, isTouch: input.pointerType === 'touch' });
    const pointers = [...this.#pointers.values()];
    if (pointers.length === 1) {
      [this.#pointer, this.#last] = [input.id, input];
      if (input.button === 2) return effects;
      const begun = begin(input, scene);
      this.#activity = begun.activity;
      return [...effects, ...begun.effects];
    }
    const [first, second] = pointers;
    this.#second = pointers.length === 2 ? input.id : this.#second;
    if (pointers.length > 2 || !first.isTouch || !second.isTouch || !this.#activity) return effects;
    // What the first finger has done is undone.
    const selection = this.#activity.selectionBefore ?? scene.selection;
    effects.push(...this.#cancel());
    this.#activity = pinch(first, second, { ...scene, selection });
    return effects;
  }

  /** @param {PointerInput} input @param {Scene} scene */
  #move(input, scene) {
    const pointer = this.#pointers.get(input.id);
    if (!pointer) return [];
    pointer.now = { x: input.x, y: input.y };
    if (!this.#activity) return [];
    if (!this.#takesPart(input.id)) return [];
    this.#last = input;
    if (!(this.#activity instanceof Press)) return this.#activity.move(input, scene);
    const begun = this.#activity.dragged(input, scene);
    if (!begun) return [];
    this.#activity = begun.activity;
    return [...begun.effects, ...begun.activity.move(input, scene)];
  }

  /** @param {PointerInput} input @param {Scene} scene */
  #up(input, scene) {
    if (!this.#pointers.has(input.id)) return [];
    const activity = this.#activity;
    const ends = activity !== null && this.#takesPart(input.id);
    const effects = ends ? activity.end(input, scene) : [];
    if (ends) this.#activity = null;
    this.#pointers.delete(input.id);
    return effects;
  }
}

/** @typedef {{ activity: Activity | null, effects: Effect[] }} Begun */

/** @param {PointerInput} input */
const reach = (input) => (input.pointerType === 'touch' ? reachOf.touch : reachOf.mouse);

/**
 * What a first pointer begins.
 * @param {PointerInput} input
 * @param {Scene} scene
 * @returns {Begun}
 */
function begin(input, scene) {
  const { tool } = scene;
  if (input.button === 1 || scene.isPanning) return { activity: new Pan(input, scene), effects: [] };
  if (tool.kind === 'stamp' || tool.kind === 'brush') {
    const activity = new Stroke(tool, scene);
    return { activity, effects: activity.move(input, scene) };
  }
  return press(input, scene);
}

// MARK: Press

/** @typedef {{ kind: 'label', id: string } | { kind: 'inside' } | { kind: 'empty' } | { kind: 'handle', handle: Handle, frame: Frame }} Pressed */

/**
 * @param {PointerInput} input
 * @param {Scene} scene
 * @returns {Begun}
 */
function press(input, scene) {
  const { viewport, selection } = scene;
  const frame = frameOf(labelsOf(selection, scene.label));
  const handle = frame && handleAt(frame, viewport, input.x, input.y, reach(input));
  if (frame && handle) {
    return { activity: new Press(input, scene, { kind: 'handle', handle, frame }), effects: [] };
  }
  const { x, y } = viewport.contentPlace(input.x, input.y);
  const id = scene.topAt(x, y, input.pointerType === 'touch' ? reachOf.touch / viewport.zoom : 0);
  if (id === null) {
    const isInside = frame !== null && selection.size > 1 && isInFrame(frame, x, y);
    return { activity: new Press(input, scene, { kind: isInside ? 'inside' : 'empty' }), effects: [] };
  }
  const activity = new Press(input, scene, { kind: 'label', id });
  // A finger may be the first of two, so it selects when it is lifted.
  const isSelecting = input.pointerType !== 'touch' && !input.shift && !input.ctrl && !selection.has(id);
  return { activity, effects: isSelecting ? [selects(selectionOf([id]))] : [] };
}

/**
 * A pointer that is down and has not moved yet.
 * @implements {Activity}
 */
class Press {
  name = /** @type {const} */ ('press');

  /** @param {PointerInput} input @param {Scene} scene @param {Pressed} pressed */
  constructor(input, scene, pressed) {
    this.start = input;
    this.pressed = pressed;
    this.selectionBefore = scene.selection;
  }

  /**
   * The drag that the movement begins; null below the threshold.
   * @param {PointerInput} input
   * @param {Scene} scene
   * @returns {{ activity: Activity, effects: Effect[] } | null}
   */
  dragged(input, scene) {
    const { start, pressed, selectionBefore: before } = this;
    const threshold = start.pointerType === 'touch' ? dragThreshold.touch : dragThreshold.mouse;
    if (Math.hypot(input.x - start.x, input.y - start.y) < threshold) return null;
    if (pressed.kind === 'empty') return { activity: new Marquee(start, scene, before), effects: [] };
    if (pressed.kind === 'handle') {
      const labels = labelsOf(before, scene.label);
      const { handle, frame } = pressed;
      const activity = handle.kind === 'turn'
        ? turnDrag(start, scene, labels, frame) : resizeDrag(start, scene, labels, frame, handle.index);
      return { activity, effects: [] };
    }
    const selection = pressed.kind === 'inside' || before.has(pressed.id) ? before
      : start.shift || start.ctrl ? including(before, [pressed.id]) : selectionOf([pressed.id]);
    return moveDrag(start, scene, before, selection);
  }

  move() { return []; }

  /**
   * A tap.
   * @returns {Effect[]}
   */
  end() {
    const { start, pressed, selectionBefore: before } = this;
    if (pressed.kind === 'handle') return [];
    const adds = start.shift || start.ctrl;
    if (pressed.kind !== 'label') return adds || before.size === 0 ? [] : [selects(nothing)];
    return [selects(adds ? toggled(before, pressed.id) : selectionOf([pressed.id]))];
  }

  /** @returns {Effect[]} */
  cancel() { return [selects(this.selectionBefore)]; }
}

// MARK: Marquee

/**
 * Selects what a rectangle touches; with Shift or Ctrl at the start, beside what was selected.
 * @implements {Activity}
 */
class Marquee {
  name = /** @type {const} */ ('marquee');

  /** @param {PointerInput} start @param {Scene} scene @param {Selection} before */
  constructor(start, scene, before) {
    this.adds = start.shift || start.ctrl;
    // A place of the document, so that it stays when the page gets another size, or its view moves.
    this.corner = scene.viewport.contentPlace(start.x, start.y);
    this.selectionBefore = before;
    this.during = before;
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  move(input, scene) {
    const [a, b] = [this.corner, scene.viewport.contentPlace(input.x, input.y)];
    const rect = {
      x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y),
    };
    const ids = marqueed(this.selectionBefore, scene.inRect(rect), this.adds);
    const isChanged = !isSame(ids, this.during);
    this.during = ids;
    return [{ kind: 'marquee', rect }, ...(isChanged ? [selects(ids)] : [])];
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  end(input, scene) { return [...this.move(input, scene), { kind: 'marquee', rect: null }]; }

  /** @returns {Effect[]} */
  cancel() { return [{ kind: 'marquee', rect: null }, selects(this.selectionBefore)]; }
}

// MARK: The view

/**
 * Moves the view with the pointer.
 * @implements {Activity}
 */
class Pan {
  name = /** @type {const} */ ('pan');

  /** @param {PointerInput} start @param {Scene} scene */
  constructor(start, scene) {
    this.last = start;
    this.before = scene.viewport;
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  move(input, scene) {
    const viewport = scene.viewport.scrollBy(this.last.x - input.x, this.last.y - input.y);
    this.last = input;
    return [{ kind: 'view', viewport }];
  }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  end(input, scene) { return this.move(input, scene); }

  /** @returns {Effect[]} */
  cancel() { return [{ kind: 'view', viewport: this.before }]; }
}

/**
 * Two fingers: they move, resize and turn the selection if both came down on it, else the view.
 * @param {Finger} first
 * @param {Finger} second
 * @param {Scene} scene
 * @returns {Activity}
 */
function pinch(first, second, scene) {
  const labels = labelsOf(scene.selection, scene.label);
  const frame = frameOf(labels);
  const isOnSelection = frame !== null && [first, second].every(({ start }) => {
    const { x, y } = scene.viewport.contentPlace(start.x, start.y);
    return isInFrame(frame, x, y);
  });
  return isOnSelection ? pinchDrag(first, second, scene, labels) : new PinchView(first, second, scene);
}

/** @implements {Activity} */
class PinchView {
  name = /** @type {const} */ ('pinch');

  /** @param {Finger} first @param {Finger} second @param {Scene} scene */
  constructor(first, second, scene) {
    this.fingers = [first, second];
    this.last = [first.now, second.now];
    this.before = scene.viewport;
  }

  /** @param {PointerInput} _ @param {Scene} scene @returns {Effect[]} */
  move(_, scene) {
    const [a, b] = this.fingers.map(({ now }) => now);
    const [oldA, oldB] = this.last;
    const [middle, oldMiddle] = [between(a, b), between(oldA, oldB)];
    this.last = [a, b];
    const viewport = scene.viewport.zoomBy(apart(a, b) / apart(oldA, oldB), oldMiddle)
      .scrollBy(oldMiddle.x - middle.x, oldMiddle.y - middle.y);
    return [{ kind: 'view', viewport }];
  }

  /** @returns {Effect[]} */
  end() { return []; }

  /** @returns {Effect[]} */
  cancel() { return [{ kind: 'view', viewport: this.before }]; }
}
