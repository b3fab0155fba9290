// SPDX-License-Identifier: Apache-2.0

// The gestures that give labels new values: moving, duplicating, resizing, turning, and two fingers on the selection.
//
// Their effect `gesture` has the labels as they were when the gesture began, and a function that gives their new values: a moved picture needs
// those of one label, and only the end needs all.

import { copies, mover, scaler, turner } from './arrange.js';
import { addition, differences, editName, withFields } from './changes.js';
import { boxOf, edgesOf, rotation } from './rules.js';
import { bounds, including, isSame, labelsOf, nothing, selectionOf } from './selection.js';
import { snap, snapDistance, snapLines } from './snapping.js';

/** @typedef {import('./arrange.js').NewValues} NewValues */
/** @typedef {import('./types').Activity} Activity */
/** @typedef {import('./types').Change} Change */
/** @typedef {import('./types').GestureEffect} Effect */
/** @typedef {import('./types').GestureName} GestureName */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').PointerInput} PointerInput */
/** @typedef {import('./types').Scene} Scene */
/** @typedef {import('./selection.js').Frame} Frame */
/** @typedef {import('./selection.js').Selection} Selection */
/** @typedef {import('./snapping.js').Guide} Guide */
/** @typedef {import('./snapping.js').Lines} Lines */

/** @typedef {Extract<Effect, { kind: 'gesture' }>} Gesture */
/** @typedef {{ readonly start: Point, now: Point }} Finger whose `now` the machine keeps up to date */

/** Degrees that two fingers turn before the selection turns. */
const pinchTurnFrom = 10;

// MARK: What they have in common

/**
 * The state of a gesture.
 * @param {readonly Label[]} labels
 * @param {NewValues} newValues
 * @param {{ isNew?: boolean, drag?: [number, number], guides?: readonly Guide[] }} [more]
 * @returns {Effect}
 */
const state = (labels, newValues, more = {}) =>
  ({ kind: 'gesture', labels, newValues, isNew: more.isNew ?? false, drag: more.drag ?? null, guides: more.guides ?? [] });

/**
 * What a gesture becomes when it ends: the changes from the labels as they are then to its new values.
 * @param {Gesture} gesture
 * @param {(id: string) => Label | undefined} find
 * @returns {Change[]}
 */
export const changesOf = ({ labels, newValues, isNew }, find) => labels.flatMap((label) => {
  if (isNew) return [addition(withFields(label, newValues(label)))];
  const now = find(label.id);
  return now ? differences(now, withFields(now, newValues(label))) : [];
});

/**
 * A drag that gives labels new values.
 * @implements {Activity}
 */
class Drag {
  /**
   * @param {GestureName} name
   * @param {import('./words').Verb} verb of the edit's name
   * @param {readonly Label[]} labels
   * @param {{ before: Selection, during: Selection }} selections
   * @param {(input: PointerInput, scene: Scene) => Effect} values
   */
  constructor(name, verb, labels, selections, values) {
    this.name = name;
    this.verb = verb;
    this.labels = labels;
    this.selectionBefore = selections.before;
    this.selectionDuring = selections.during;
    this.values = values;
  }

  /** @param {PointerInput} input @param {Scene} scene */
  move(input, scene) { return [this.values(input, scene)]; }

  /** @param {PointerInput} input @param {Scene} scene @returns {Effect[]} */
  end(input, scene) {
    return [this.values(input, scene), { kind: 'commit', name: editName(this.verb, this.labels) }];
  }

  /** @returns {Effect[]} */
  cancel() {
    const isSelected = isSame(this.selectionBefore, this.selectionDuring);
    return [{ kind: 'cancel' }, ...(isSelected ? [] : [selects(this.selectionBefore)])];
  }
}

/** @param {Selection} ids @returns {Effect} */
export const selects = (ids) => ({ kind: 'select', ids });

/** @param {Scene} scene */
const unchanged = ({ selection }) => ({ before: selection, during: selection });

/**
 * The direction from one point to another one, in degrees clockwise.
 * @param {Point} from
 * @param {Point} to
 */
const angle = (from, to) => (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;

/** @param {Point} a @param {Point} b @returns {Point} */
export const between = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/**
 * Not 0, by which the distance of another moment is divided.
 * @param {Point} a
 * @param {Point} b
 */
export const apart = (a, b) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));

// MARK: The gestures

/**
 * Moves the selection; with Alt at the start, copies of it. Shift keeps to an axis, Ctrl does not snap.
 * @param {PointerInput} start
 * @param {Scene} scene
 * @param {Selection} before
 * @param {Selection} selection
 * @returns {{ activity: Activity, effects: Effect[] }}
 */
export function moveDrag(start, scene, before, selection) {
  const originals = labelsOf(selection, scene.label);
  const labels = start.alt ? copies(originals, scene.newID, scene.topZ) : originals;
  const during = start.alt ? selectionOf(labels.map(({ id }) => id)) : selection;
  const from = scene.viewport.contentPlace(start.x, start.y);
  const [around, move] = [bounds(labels), mover(labels)];
  /** @type {Lines | null} */
  let lines = null;
  const still = start.alt ? nothing : selection;

  /** @param {PointerInput} input @param {Scene} now @returns {Effect} */
  const values = (input, now) => {
    const to = now.viewport.contentPlace(input.x, input.y);
    let [dx, dy] = [to.x - from.x, to.y - from.y];
    /** @type {'x' | 'y' | null} */
    const fixed = !input.shift ? null : Math.abs(dx) >= Math.abs(dy) ? 'y' : 'x';
    if (fixed === 'x') dx = 0;
    if (fixed === 'y') dy = 0;
    /** @type {readonly Guide[]} */
    let guides = [];
    if (around && scene.snaps && !input.ctrl) {
      lines ??= snapLines(stillEdges(now, still), now.canvas);
      const movedEdges =
        { left: around.left + dx, top: around.top + dy, right: around.right + dx, bottom: around.bottom + dy };
      const snapped = snap(lines, movedEdges, snapDistance / now.viewport.zoom);
      if (fixed !== 'x') dx += snapped.dx;
      if (fixed !== 'y') dy += snapped.dy;
      guides = snapped.guides.filter(({ axis }) => axis !== fixed);
    }
    return state(labels, move(dx, dy), { isNew: start.alt, drag: [dx, dy], guides });
  };
  const name = start.alt ? 'duplicate' : 'move';
  const activity = new Drag(name, name, labels, { before, during }, values);
  // A press has selected its label already, unless it is a finger's.
  return { activity, effects: isSame(during, scene.selection) ? [] : [selects(during)] };
}

/**
 * The edges of the labels in view that do not move.
 * @param {Scene} scene
 * @param {Selection} moving
 */
function* stillEdges(scene, moving) {
  for (const id of scene.inRect(scene.viewport.visible)) {
    const label = moving.has(id) ? undefined : scene.label(id);
    if (label) yield edgesOf(boxOf(label));
  }
}

/**
 * Makes the selection larger or smaller about the opposite corner; with Alt about the centre. The dragged corner of an upright frame snaps,
 * but not with Ctrl.
 * @param {PointerInput} start
 * @param {Scene} scene
 * @param {readonly Label[]} labels
 * @param {Frame} frame
 * @param {number} index of the dragged corner
 */
export function resizeDrag(start, scene, labels, frame, index) {
  const [corner, opposite] = [frame.corners[index], frame.corners[(index + 2) % 4]];
  const taken = scene.viewport.contentPlace(start.x, start.y);
  const scale = scaler(labels);
  /** @type {Lines | null} */
  let lines = null;
  return new Drag('resize', 'resize', labels, unchanged(scene), (input, now) => {
    const about = input.alt ? frame.center : opposite;
    const to = now.viewport.contentPlace(input.x, input.y);
    const [x, y] = [corner.x + to.x - taken.x - about.x, corner.y + to.y - taken.y - about.y];
    const [alongX, alongY] = [corner.x - about.x, corner.y - about.y];
    const square = alongX * alongX + alongY * alongY;
    const factor = square > 0 ? (x * alongX + y * alongY) / square : 1;
    if (!scene.snaps || input.ctrl || frame.rotation !== 0) return state(labels, scale(factor, about));
    lines ??= snapLines(stillEdges(now, scene.selection), now.canvas);
    const snapped = snappedFactor(lines, about, { x: alongX, y: alongY }, factor, snapDistance / now.viewport.zoom);
    return state(labels, scale(snapped.factor, about), { guides: snapped.guides });
  });
}

/**
 * The factor with which a corner lies on the nearest line, and that line's guide.
 * @param {Lines} lines
 * @param {Point} about
 * @param {Point} along from there to the corner, with the factor 1
 * @param {number} factor
 * @param {number} distance
 */
function snappedFactor(lines, about, along, factor, distance) {
  const corner = (/** @type {number} */ times) => {
    const [x, y] = [about.x + along.x * times, about.y + along.y * times];
    return { left: x, top: y, right: x, bottom: y };
  };
  const { dx, dy, guides } = snap(lines, corner(factor), distance);
  // Both shifts change the factor, so the smaller one counts.
  const shifts = guides.map(({ axis }) => (axis === 'x' ? dx / along.x : dy / along.y)).filter(Number.isFinite);
  if (shifts.length === 0) return { factor, guides: [] };
  const times = factor + shifts.reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
  return { factor: times, guides: snap(lines, corner(times), 0.000001).guides };
}

/**
 * Turns the selection about its centre; with Shift in steps of 15°.
 * @param {PointerInput} start
 * @param {Scene} scene
 * @param {readonly Label[]} labels
 * @param {Frame} frame
 */
export function turnDrag(start, scene, labels, frame) {
  const from = angle(frame.center, scene.viewport.contentPlace(start.x, start.y));
  return new Drag('turn', 'rotate', labels, unchanged(scene), (input, now) => {
    const turn = angle(frame.center, now.viewport.contentPlace(input.x, input.y)) - from;
    // A single label ends at a multiple of the step, whatever its rotation was.
    const degrees = input.shift
      ? Math.round((turn + frame.rotation) / 15) * 15 - frame.rotation : Math.round(turn * 10) / 10;
    return state(labels, turner(degrees, frame.center));
  });
}

/**
 * Two fingers move, resize and turn the selection.
 * @param {Finger} first
 * @param {Finger} second
 * @param {Scene} scene
 * @param {readonly Label[]} labels
 */
export function pinchDrag(first, second, scene, labels) {
  const [startA, startB] = [first.now, second.now];
  const from = between(startA, startB);
  const about = scene.viewport.contentPlace(from.x, from.y);
  const scale = scaler(labels);
  /**
   * The turn at which labels began to turn.
   * @type {number | null}
   */
  let turnedFrom = null;
  const move = mover(labels);
  return new Drag('pinch', 'resize', labels, unchanged(scene), (_, now) => {
    const [a, b] = [first.now, second.now];
    const middle = between(a, b);
    const to = now.viewport.contentPlace(middle.x, middle.y);
    const turn = rotation(angle(a, b) - angle(startA, startB));
    if (turnedFrom === null && Math.abs(turn) > pinchTurnFrom) turnedFrom = Math.sign(turn) * pinchTurnFrom;
    const degrees = turnedFrom === null ? 0 : Math.round((turn - turnedFrom) * 10) / 10;
    // One after the other for each label: a frame needs the values of one, and only the end those of all.
    const steps = [scale(apart(a, b) / apart(startA, startB), about), turner(degrees, about), move(to.x - about.x, to.y - about.y)];
    return state(labels, (label) => {
      const { x, y, size, rotation: angled } = steps.reduce((each, values) => withFields(each, values(each)), label);
      return { x, y, size, rotation: angled ?? 0 };
    });
  });
}
