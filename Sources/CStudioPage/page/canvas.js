// SPDX-License-Identifier: Apache-2.0

// The layers of the picture. The carpet is a picture of all that lies still, larger than the view; a worker paints it, and CSS moves and scales
// it until the next one comes. A lifted layer is a picture of what is dragged; every gesture is a similarity transform, so CSS moves, turns and
// scales it, too. The main thread draws no label.

/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Size} Size */
/** @typedef {import('./types').Edges} Edges */
/** @typedef {Label & { width: number, height: number }} PaintedLabel a label with its box in ems */
/** @typedef {{ x: number, y: number, scale: number, width: number, height: number, ratio: number, layer?: number }} PaintRequest
 *   `x`, `y` is the document's origin in the picture; all in device pixels, of which `ratio` are one of the page's */
/** @typedef {{ stamp?: number, ticket?: string, colors?: { desk: string, edge: string, shadow: string }, reset?: boolean, put?: PaintedLabel[],
 *   remove?: string[], sheet?: Size & { fill: string | null }, picture?: string, lift?: { labels: PaintedLabel[], without: string[] } | null,
 *   carpet?: PaintRequest, lifted?: PaintRequest, font?: boolean }} ToPainter */
/** @typedef {{ x: number, y: number, zoom: number }} Camera `x`, `y` is the document's origin in the view */
/** @typedef {readonly [a: number, b: number, c: number, d: number, e: number, f: number]} Matrix as in CSS, in canvas pixels */

import { boxOf, edgesAround, edgesOf, ems } from './rules.js';

/** The carpet's side for one of the view. */
const carpetTimes = 1.5;
/** Milliseconds between requests while the camera moves, and until one after it has come to rest. */
const pace = { moving: 60, rest: 80 };
/** Milliseconds until another painter is started in place of one that has failed, the first at once; and after which a failure counts as the first. */
const restart = { step: 1000, most: 30_000, calm: 60_000 };
/** @type {Matrix} */
export const identity = [1, 0, 0, 1, 0, 0];

/** A canvas that shows a painted picture wherever the camera is. */
class Layer {
  element = document.createElement('canvas');
  /** @type {PaintRequest | null} */
  drawn = null;
  #context = /** @type {ImageBitmapRenderingContext} */ (this.element.getContext('bitmaprenderer'));

  /** @param {ImageBitmap} bitmap @param {PaintRequest} request */
  show(bitmap, request) {
    const { style } = this.element;
    const { width, height, ratio } = request;
    if (this.drawn?.width !== width || this.drawn.height !== height || this.drawn.ratio !== ratio) {
      style.width = `${width / ratio}px`;
      style.height = `${height / ratio}px`;
    }
    this.drawn = request;
    this.#context.transferFromImageBitmap(bitmap);
  }

  /** @param {Camera} camera @param {Matrix} matrix */
  place({ x, y, zoom }, [a, b, c, d, e, f]) {
    if (!this.drawn) return;
    const { x: left, y: top, scale, ratio } = this.drawn;
    const times = (zoom * ratio) / scale;
    let across = x + zoom * (e - (a * left + c * top) / scale);
    let down = y + zoom * (f - (b * left + d * top) / scale);
    // A picture that is only moved stays sharp on whole pixels.
    if (Math.abs(times - 1) < 1e-9 && a === 1 && b === 0) {
      [across, down] = [Math.round(across * ratio) / ratio, Math.round(down * ratio) / ratio];
    }
    this.element.style.transform = `matrix(${a * times},${b * times},${c * times},${d * times},${across},${down})`;
  }
}

/** @typedef {{ number: number, layer: Layer, labels: PaintedLabel[], without: string[], edges: Edges, matrix: Matrix, asked: PaintRequest | null, goneAt: number | null }} Lifted */

export class Picture {
  /** @type {Camera} */
  camera = { x: 0, y: 0, zoom: 1 };
  /** How many labels the worker knows. */
  count = 0;
  /** @type {Size} */
  #view = { width: 1, height: 1 };
  #stamp = 0;
  #paintedStamp = -1;
  #isSharp = false;
  #asked = 0;
  #isAsking = false;
  #lastAsked = '';
  #timer = 0;
  #carpet = new Layer();
  /**
   * What is dragged, and layers that wait for the carpet with their labels.
   * @type {Lifted[]}
   */
  #lifted = [];
  #liftedCount = 0;
  /** @type {{ stamp: number, sharp: boolean, resolve: () => void }[]} */
  #waiting = [];
  #makeWorker;
  #worker;
  /**
   * What another worker must be told, beside the labels.
   * @type {Pick<ToPainter, 'ticket' | 'colors' | 'sheet' | 'picture'>}
   */
  #told = {};
  /** How many painters have failed one soon after the other, and when the last one did. */
  #failures = 0;
  #failedAt = -Infinity;
  #restarting = 0;
  /**
   * All labels, for another painter. The studio sets it.
   * @type {() => Iterable<Label>}
   */
  labels = () => [];

  /** @param {HTMLElement} host @param {() => Worker} makeWorker */
  constructor(host, makeWorker) {
    this.#makeWorker = makeWorker;
    this.#worker = this.#start();
    this.#carpet.element.className = 'carpet';
    host.append(this.#carpet.element);
    this.#watchRatio();
  }

  // MARK: The painter

  #start() {
    const worker = this.#makeWorker();
    worker.onmessage = (event) => this.#painted(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      console.error('The painter has failed:', event.message);
      this.#fail(worker);
    };
    return worker;
  }

  /**
   * Another painter takes the place of one that has failed.
   * @param {Worker} worker
   */
  #fail(worker) {
    if (worker !== this.#worker || this.#restarting) return;
    const now = performance.now();
    // One that paints for a while, and fails at one picture again and again, is not begun anew without a pause.
    if (now - this.#failedAt > restart.calm) this.#failures = 0;
    this.#failedAt = now;
    this.#restarting = setTimeout(() => this.#restart(), Math.min(restart.most, restart.step * this.#failures));
    this.#failures += 1;
  }

  #restart() {
    this.#restarting = 0;
    // Its script comes from the server: not while another program may have the port.
    if (!this.#told.ticket) {
      this.#restarting = -1;
      return;
    }
    this.#worker.terminate();
    this.#worker = this.#start();
    const put = Array.from(this.labels(), painted);
    const current = this.#current;
    const lift = current ? { labels: current.labels, without: current.without } : null;
    this.count = put.length;
    this.#post({ ...this.#told, reset: true, put, lift, stamp: ++this.#stamp });
    this.#ask();
    if (current) this.#askLifted(current);
  }

  /** @param {ToPainter} message */
  #post(message) {
    for (const name of /** @type {const} */ (['ticket', 'colors', 'sheet', 'picture'])) if (message[name] !== undefined) Object.assign(this.#told, { [name]: message[name] });
    this.#worker.postMessage(message);
  }

  /** Another font was chosen: all pictures of glyphs are fetched again. */
  forgetGlyphs() {
    this.#post({ font: true });
    this.#ask();
  }

  /** Asks for other pictures when the window comes to a screen with other pixels, or the browser's zoom changes. */
  #watchRatio() {
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
      this.#watchRatio();
      this.#ask();
      this.#refine();
    }, { once: true });
  }

  // MARK: The document

  /** @param {string} ticket */
  setTicket(ticket) {
    this.#post({ ticket });
    if (ticket && this.#restarting < 0) this.#restart();
  }

  /** @param {{ desk: string, edge: string, shadow: string }} colors */
  setColors(colors) {
    this.#post({ colors, stamp: ++this.#stamp });
    this.#ask();
  }

  /**
   * Replaces all labels.
   * @param {Iterable<Label>} labels
   */
  reset(labels) {
    const put = Array.from(labels, painted);
    this.count = put.length;
    this.#post({ reset: true, put, stamp: ++this.#stamp });
    this.#ask();
  }

  /**
   * Inserts, updates and removes labels.
   * @param {Label[]} labels
   * @param {string[]} removed
   * @param {number} count how many there are then
   */
  change(labels, removed, count) {
    this.count = count;
    this.#post({ put: labels.map(painted), remove: removed, stamp: ++this.#stamp });
    this.#ask();
  }

  /** @param {Size & { fill: string | null }} sheet */
  setSheet(sheet) {
    this.#post({ sheet, stamp: ++this.#stamp });
    this.#ask();
  }

  /**
   * The background: its digest and the document's name, or nothing.
   * @param {string} key
   */
  setPicture(key) {
    this.#post({ picture: key, stamp: ++this.#stamp });
    this.#ask();
  }

  // MARK: The camera

  /** @param {Size} view */
  resize(view) {
    this.#view = view;
    this.#ask();
  }

  /**
   * Moves what is painted at once, and asks for a new picture now and then.
   * @param {Camera} camera
   */
  setCamera(camera) {
    this.camera = camera;
    this.#place();
    if (performance.now() - this.#asked > pace.moving) this.#ask();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#ask();
      this.#refine();
    }, pace.rest);
  }

  #place() {
    this.#carpet.place(this.camera, identity);
    for (const { layer, matrix } of this.#lifted) layer.place(this.camera, matrix);
  }

  /** Asks for a carpet once all that is changed at the same time is told. */
  #ask() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    queueMicrotask(() => {
      this.#isAsking = false;
      this.#askNow();
    });
  }

  #askNow() {
    this.#asked = performance.now();
    const ratio = devicePixelRatio;
    const { width, height } = this.#view;
    // A very large view gets little margin.
    const times = width * height * ratio * ratio > 9e6 ? 1.1 : carpetTimes;
    const margin = { x: Math.ceil((width * ratio * (times - 1)) / 2), y: Math.ceil((height * ratio * (times - 1)) / 2) };
    const carpet = {
      x: this.camera.x * ratio + margin.x, y: this.camera.y * ratio + margin.y, scale: this.camera.zoom * ratio,
      width: Math.ceil(width * ratio) + 2 * margin.x, height: Math.ceil(height * ratio) + 2 * margin.y, ratio,
    };
    const key = `${Object.values(carpet).join()},${this.#stamp}`;
    if (key === this.#lastAsked) return;
    this.#lastAsked = key;
    this.#post({ carpet, stamp: this.#stamp });
  }

  // MARK: Lifting

  /**
   * Takes labels onto a layer of their own. `without` are the ids that the carpet leaves out meanwhile.
   * @param {Label[]} labels @param {string[]} without
   */
  lift(labels, without) {
    const before = this.#current;
    if (before) before.goneAt = this.#stamp + 1;
    const list = labels.map(painted);
    const layer = new Layer();
    layer.element.className = 'lifted';
    // Behind the overlay, above the carpet and older layers.
    (this.#lifted.at(-1)?.layer ?? this.#carpet).element.after(layer.element);
    /** @type {Lifted} */
    const now = { number: ++this.#liftedCount, layer, labels: list, without, edges: around(list), matrix: identity, asked: null, goneAt: null };
    this.#lifted.push(now);
    this.#post({ lift: { labels: now.labels, without }, stamp: ++this.#stamp });
    this.#askLifted(now);
    this.#ask();
  }

  /**
   * Shows other labels on the lifted layer, such as those that a brush has added.
   * @param {Label[]} labels
   * @param {string[]} without
   */
  relift(labels, without) {
    const lifted = this.#current;
    if (!lifted) return;
    lifted.labels = labels.map(painted);
    lifted.without = without;
    lifted.edges = around(lifted.labels);
    this.#post({ lift: { labels: lifted.labels, without }, stamp: ++this.#stamp });
    this.#askLifted(lifted);
  }

  get #current() {
    const last = this.#lifted.at(-1);
    return last && last.goneAt === null ? last : undefined;
  }

  /**
   * Moves what is lifted.
   * @param {Matrix} matrix
   */
  moveLifted(matrix) {
    const lifted = this.#current;
    if (!lifted) return;
    lifted.matrix = matrix;
    lifted.layer.place(this.camera, matrix);
    if (lifted.asked && !this.#covers(lifted, lifted.asked) && performance.now() - this.#asked > pace.moving) {
      this.#asked = performance.now();
      this.#askLifted(lifted);
    }
  }

  /** Ends lifting. The layer stays until the carpet with what is put until now has come. */
  drop() {
    const lifted = this.#current;
    if (!lifted) return;
    this.#post({ lift: null, stamp: ++this.#stamp });
    lifted.goneAt = this.#stamp;
    this.#ask();
  }

  /** Asks for sharper pictures of what is lifted and was scaled. */
  #refine() {
    const lifted = this.#current;
    if (lifted?.asked && Math.abs(lifted.asked.scale / this.#scaleOf(lifted) - 1) > 0.01) this.#askLifted(lifted);
  }

  /** @param {Lifted} lifted */
  #scaleOf({ matrix: [a, b] }) {
    return this.camera.zoom * devicePixelRatio * Math.min(4, Math.max(0.1, Math.hypot(a, b)));
  }

  /**
   * The part of the document that must be on the lifted layer so that the view, and some room around it, is covered.
   * @param {Lifted} lifted
   */
  #needed({ edges, matrix: [a, b, c, d, e, f] }, times = carpetTimes) {
    const { width, height } = this.#view;
    const { x, y, zoom } = this.camera;
    const [roomX, roomY] = [(width * (times - 1)) / 2, (height * (times - 1)) / 2];
    const determinant = a * d - b * c || 1;
    const corners = [[-roomX, -roomY], [width + roomX, -roomY], [width + roomX, height + roomY], [-roomX, height + roomY]].map(([left, top]) => {
      const [dx, dy] = [(left - x) / zoom - e, (top - y) / zoom - f];
      return { x: (d * dx - c * dy) / determinant, y: (a * dy - b * dx) / determinant };
    });
    const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
    return {
      left: Math.max(edges.left, Math.min(...xs)), top: Math.max(edges.top, Math.min(...ys)),
      right: Math.min(edges.right, Math.max(...xs)), bottom: Math.min(edges.bottom, Math.max(...ys)),
    };
  }

  /** @param {Lifted} lifted @param {PaintRequest} asked */
  #covers(lifted, { x, y, scale, width, height }) {
    const { left, top, right, bottom } = this.#needed(lifted, 1);
    if (left >= right || top >= bottom) return true;
    const slack = 2 / scale;
    return left >= -x / scale - slack && top >= -y / scale - slack && right <= (width - x) / scale + slack && bottom <= (height - y) / scale + slack;
  }

  /** @param {Lifted} lifted */
  #askLifted(lifted) {
    const part = this.#needed(lifted);
    const scale = this.#scaleOf(lifted);
    const ratio = devicePixelRatio;
    const left = this.camera.x * ratio;
    const top = this.camera.y * ratio;
    // The layer's corner is on a whole pixel of the view.
    const [startX, startY] = [Math.floor(left + part.left * scale), Math.floor(top + part.top * scale)];
    const width = Math.min(8192, Math.max(1, Math.ceil(left + part.right * scale) - startX));
    const height = Math.min(8192, Math.max(1, Math.ceil(top + part.bottom * scale) - startY));
    lifted.asked = { x: left - startX, y: top - startY, scale, width, height, ratio, layer: lifted.number };
    this.#post({ lifted: lifted.asked, stamp: this.#stamp });
  }

  // MARK: What was painted

  /** @param {{ kind: string, bitmap: ImageBitmap, request: PaintRequest, stamp: number, isSharp: boolean, held: number, milliseconds: number }} message */
  #painted({ kind, bitmap, request, stamp, isSharp, held, milliseconds }) {
    if (kind === 'lifted') {
      const lifted = this.#lifted.find(({ number }) => number === request.layer);
      if (!lifted) return bitmap.close();
      lifted.layer.show(bitmap, request);
      lifted.layer.place(this.camera, lifted.matrix);
      return;
    }
    if (kind !== 'carpet') return;
    [this.lastMilliseconds, this.held] = [milliseconds, held];
    this.#carpet.show(bitmap, request);
    this.#carpet.place(this.camera, identity);
    this.#paintedStamp = stamp;
    this.#isSharp = isSharp;
    this.#lifted = this.#lifted.filter(({ goneAt, layer }) => {
      const isGone = goneAt !== null && stamp >= goneAt;
      if (isGone) layer.element.remove();
      return !isGone;
    });
    this.#waiting = this.#waiting.filter((waiting) => {
      const isDone = stamp >= waiting.stamp && (isSharp || !waiting.sharp);
      if (isDone) waiting.resolve();
      return !isDone;
    });
  }

  /** The time of the last carpet in the worker. */
  lastMilliseconds = 0;
  /** The bytes of the pictures of glyphs that the worker keeps. */
  held = 0;

  /** Resolves when all that was put until now is on the screen; `sharp` waits for the glyphs and the background, too. */
  whenPainted(sharp = false) {
    return /** @type {Promise<void>} */ (new Promise((resolve) => {
      const stamp = this.#stamp;
      const isDone = this.#paintedStamp >= stamp && (this.#isSharp || !sharp);
      const finish = () => requestAnimationFrame(() => resolve());
      if (isDone) finish();
      else this.#waiting.push({ stamp, sharp, resolve: finish });
    }));
  }
}

/** @param {Label} label @returns {PaintedLabel} */
function painted(label) {
  const [width, height] = ems(label);
  const { id, text, x, y, size, z, rotation, mirrored, color, box } = label;
  return { id, text, x, y, size, z, rotation, mirrored, color, box, width, height };
}

/**
 * The edges around labels, with room for ink beyond the boxes.
 * @param {Label[]} labels
 * @returns {Edges}
 */
function around(labels) {
  const edges = edgesAround(labels.map((label) => edgesOf(boxOf(label)))) ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const room = 0.15 * labels.reduce((most, { size }) => Math.max(most, size), 0);
  return { left: edges.left - room, top: edges.top - room, right: edges.right + room, bottom: edges.bottom + room };
}
