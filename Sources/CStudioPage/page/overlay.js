// SPDX-License-Identifier: Apache-2.0

// What lies over the picture: frames, handles and guides, and the boxes that name labels for assistive technology.

import { boxOf, cornersOf, edgesOf } from './rules.js';

/** @typedef {import('./types').Label} Label */
/** @typedef {import('./canvas').Camera} Camera */
/** @typedef {import('./canvas').Matrix} Matrix */
/** @typedef {import('./types').Box} Box */
/** @typedef {import('./types').Point} Point */
/**
 * @typedef {object} OverlayState all in canvas pixels
 * @property {Box[]} outlines
 * @property {readonly Point[] | null} frame the corners of the selection's frame
 * @property {readonly Point[]} handles
 * @property {Point | null} turnHandle
 * @property {Matrix} matrix of the outlines and the frame
 * @property {readonly import('./snapping').Guide[]} guides
 * @property {{ x: number, y: number, width: number, height: number } | null} marquee
 * @property {Box | null} focus
 * @property {{ color: string, name: string, boxes: Box[], drag: readonly [number, number] }[]} peers
 */

/** The size of a handle, in pixels of the view. */
const handleSide = 9;

/** Frames, handles and guides, drawn by the browser as one small SVG. */
export class Overlay {
  element = make('svg', { id: 'overlay', 'aria-hidden': 'true' });
  #peers = make('g', {});
  #outline = make('path', { class: 'outline' });
  #focus = make('path', { class: 'focus' });
  #marquee = make('path', { class: 'marquee' });
  #frame = make('path', { class: 'frame' });
  #guides = make('path', { class: 'guide' });
  #handles = make('path', { class: 'handle' });
  /** @type {Map<Element, string>} */
  #shown = new Map();

  /** @param {HTMLElement} host */
  constructor(host) {
    this.element.append(this.#peers, this.#outline, this.#focus, this.#marquee, this.#frame, this.#guides, this.#handles);
    host.append(this.element);
  }

  /**
   * @param {Camera} camera
   * @param {OverlayState} state
   */
  show(camera, { outlines, frame, handles, turnHandle, matrix, guides, marquee, focus, peers }) {
    const view = (/** @type {Point} */ { x, y }) => `${(x * camera.zoom + camera.x).toFixed(1)} ${(y * camera.zoom + camera.y).toFixed(1)}`;
    const [a, b, c, d, e, f] = matrix;
    const moved = (/** @type {Point} */ { x, y }) => view({ x: a * x + c * y + e, y: b * x + d * y + f });
    const polygon = (/** @type {readonly Point[]} */ points, place = view) => `M${points.map(place).join('L')}Z`;
    this.#set(this.#outline, outlines.map((box) => polygon(cornersOf(box), moved)).join(''));
    this.#set(this.#frame, frame ? polygon(frame, moved) : '');
    this.#set(this.#focus, focus ? polygon(cornersOf(focus)) : '');
    const middle = handleSide / 2;
    this.#set(this.#handles, [
      ...handles.map((point) => `M${view(point)}m${-middle} ${-middle}h${handleSide}v${handleSide}h${-handleSide}z`),
      ...(turnHandle ? [`M${view(turnHandle)}m-5 0a5 5 0 1010 0a5 5 0 10-10 0`] : []),
    ].join(''));
    this.#set(this.#guides, guides.map(({ axis, at, from, to }) =>
      (axis === 'x' ? `M${view({ x: at, y: from })}L${view({ x: at, y: to })}` : `M${view({ x: from, y: at })}L${view({ x: to, y: at })}`)).join(''));
    this.#set(this.#marquee, marquee ? polygon([
      marquee, { x: marquee.x + marquee.width, y: marquee.y }, { x: marquee.x + marquee.width, y: marquee.y + marquee.height }, { x: marquee.x, y: marquee.y + marquee.height },
    ]) : '');
    this.#showPeers(peers, view);
  }

  /**
   * @param {Element} element
   * @param {string} path
   */
  #set(element, path) {
    if (this.#shown.get(element) === path) return;
    this.#shown.set(element, path);
    element.setAttribute('d', path);
  }

  /**
   * @param {OverlayState['peers']} peers
   * @param {(point: Point) => string} view
   */
  #showPeers(peers, view) {
    const text = peers.map(({ color, name, boxes, drag: [dx, dy] }) => [
      color, name, boxes.map((box) => `M${cornersOf({ ...box, x: box.x + dx, y: box.y + dy }).map(view).join('L')}Z`).join(''),
      boxes.length ? view({ x: boxes[0].x + dx, y: boxes[0].y + dy - boxes[0].height / 2 }) : '',
    ]);
    const key = JSON.stringify(text);
    if (this.#shown.get(this.#peers) === key) return;
    this.#shown.set(this.#peers, key);
    this.#peers.replaceChildren(...text.flatMap(([color, name, path, place]) => {
      if (!path) return [];
      const [x, y] = place.split(' ');
      const label = make('text', { x, y: String(Number(y) - 6), fill: color, 'text-anchor': 'middle' });
      label.textContent = name;
      return [make('path', { d: path, stroke: color, 'stroke-width': '2' }), label];
    }));
  }
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
function make(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** @typedef {{ label: Label, position: number, isSelected: boolean }} Option */

/** How many boxes are made without a pause. */
const portion = 40;

/**
 * The labels for assistive technology: transparent boxes with names, which carry the focus. At most 500; they follow the camera when it rests.
 */
export class Options {
  /** The most boxes. */
  static limit = 500;
  #world = document.createElement('div');
  /** @type {Map<string, HTMLElement>} */
  #nodes = new Map();
  #idle = 0;

  /**
   * @param {HTMLElement} list
   * @param {(label: Label) => string} nameOf
   */
  constructor(list, nameOf) {
    this.list = list;
    this.nameOf = nameOf;
    this.#world.setAttribute('role', 'presentation');
    list.append(this.#world);
  }

  /** @param {string} id */
  has(id) {
    return this.#nodes.has(id);
  }

  /** Leaves the rest of the boxes as they are: something moves. */
  pause() {
    cancelIdleCallback(this.#idle);
  }

  /**
   * Shows the boxes, some at a time while nothing else is to be done; the focused one at once.
   * @param {Camera} camera
   * @param {Option[]} options bottom to top
   * @param {number} count how many labels there are
   * @param {string | null} focused
   */
  show({ x, y, zoom }, options, count, focused) {
    this.pause();
    this.#world.style.transform = `translate(${x}px,${y}px) scale(${zoom})`;
    const wanted = new Set(options.map(({ label }) => label.id));
    for (const [id, node] of this.#nodes) {
      if (wanted.has(id)) continue;
      node.remove();
      this.#nodes.delete(id);
    }
    const first = options.find(({ label }) => label.id === focused);
    if (first) {
      const node = this.#node(first, count);
      if (!node.isConnected) this.#world.append(node);
      this.list.setAttribute('aria-activedescendant', node.id);
    } else {
      this.list.removeAttribute('aria-activedescendant');
    }
    let index = 0;
    /** @type {Element | null} */
    let before = null;
    const some = () => {
      for (const end = Math.min(options.length, index + portion); index < end; index += 1) {
        const node = this.#node(options[index], count);
        const next = /** @type {Element | null} */ (before ? before.nextElementSibling : this.#world.firstElementChild);
        if (next !== node) this.#world.insertBefore(node, next);
        before = node;
      }
      if (index < options.length) this.#idle = requestIdleCallback(some, { timeout: 500 });
    };
    this.#idle = requestIdleCallback(some, { timeout: 500 });
  }

  /**
   * @param {Option} option
   * @param {number} count
   */
  #node({ label, position, isSelected }, count) {
    const { id } = label;
    let node = this.#nodes.get(id);
    if (!node) {
      node = document.createElement('div');
      node.id = `option-${id}`;
      node.dataset.id = id;
      node.setAttribute('role', 'option');
      this.#nodes.set(id, node);
    }
    set(node, 'data-text', label.text);
    set(node, 'aria-label', this.nameOf(label));
    set(node, 'aria-selected', String(isSelected));
    set(node, 'aria-posinset', String(position));
    set(node, 'aria-setsize', String(count));
    // The upright rectangle is enough for names, and a transform for each would make every frame dearer.
    const { left, top, right, bottom } = edgesOf(boxOf(label));
    const place = `${left},${top},${right},${bottom}`;
    if (node.dataset.place !== place) {
      node.dataset.place = place;
      Object.assign(node.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    }
    return node;
  }
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {string} value
 */
function set(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
