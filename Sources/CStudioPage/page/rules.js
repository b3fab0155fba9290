// SPDX-License-Identifier: Apache-2.0

// The rules of viewports and boxes: those of Viewport.swift, EmojiBox.swift and Geometry.swift, in the same order of operations, so that their
// results are equal bit for bit. Only the sine and the cosine of other than right angles may differ in the last bit; what is computed with
// them is rounded to millionths.

/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').Size} Size */
/** @typedef {import('./types').Rect} Rect */
/** @typedef {import('./types').Box} Box */
/** @typedef {import('./types').Edges} Edges */
/** @typedef {Pick<import('./types').Label, 'text' | 'kind' | 'box'>} Text */
/** @typedef {Text & Point & { readonly size: number, readonly rotation?: number }} Placed */

/** The bounds of a document's values. */
export const limits = Object.freeze({
  /** The largest distance from the origin, in x and in y. */
  coordinate: 1_000_000,
  /** The largest font size. Sizes are above zero. */
  fontSize: 100_000,
  /** The largest side of a canvas. The smallest is 1. */
  canvasSide: 100_000,
  /** The number of emoji in a document. */
  emojiCount: 1_000_000,
});

// MARK: Numbers

/**
 * Swift's `min`: the first value unless the second one is less, which matters for NaN.
 * @param {number} a
 * @param {number} b
 */
export const least = (a, b) => (b < a ? b : a);

/**
 * Swift's `max`: the second value unless it is less, which matters for NaN.
 * @param {number} a
 * @param {number} b
 */
export const greatest = (a, b) => (b >= a ? b : a);

/**
 * The nearest whole number; halves are rounded away from zero.
 * @param {number} value
 */
export function nearestWhole(value) {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/**
 * Rounds a computed coordinate or size to a millionth of a pixel. A value out of bounds stays as it is.
 * @param {number} value
 */
export const rounded = (value) =>
  Math.abs(value) <= limits.coordinate ? nearestWhole(value * 1e6) / 1e6 : value;

/**
 * Degrees in the form in which documents keep them: above -180, up to 180, in millionths.
 * @param {number} degrees up to 1,000,000 either way
 */
export function rotation(degrees) {
  const [turn, half] = [360_000_000, 180_000_000];
  let rest = nearestWhole(degrees * 1e6) % turn;
  if (rest > half) rest -= turn;
  if (rest <= -half) rest += turn;
  // A negative zero becomes zero.
  return rest / 1e6 + 0;
}

/**
 * The sine and the cosine; exact for right angles.
 * @param {number} degrees
 * @returns {[sine: number, cosine: number]}
 */
export function sineAndCosine(degrees) {
  switch (degrees) {
    case 0: return [0, 1];
    case 90: return [1, 0];
    case 180: return [0, -1];
    case -90: return [-1, 0];
    default: {
      const radians = (degrees * Math.PI) / 180;
      return [Math.sin(radians), Math.cos(radians)];
    }
  }
}

// MARK: Boxes

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/**
 * The numbers of characters that were counted, since counting is slow.
 * @type {Map<string, number>}
 */
const counted = new Map();
const countedLimit = 10_000;

/**
 * The number of extended grapheme clusters.
 * @param {string} text
 */
export function characterCount(text) {
  let count = counted.get(text);
  if (count === undefined) {
    count = 0;
    for (const _ of graphemes.segment(text)) count += 1;
    if (counted.size >= countedLimit) counted.clear();
    counted.set(text, count);
  }
  return count;
}

/**
 * The width and height of a label in ems.
 * @param {Text} label
 * @returns {[width: number, height: number]}
 */
export const ems = (label) =>
  label.box ? [label.box[0], label.box[1]] : [1.245 * characterCount(label.text), 1.175];

/**
 * The rectangle that a label fills.
 * @param {Placed} label
 * @returns {Box}
 */
export function boxOf(label) {
  const [width, height] = ems(label);
  return {
    x: label.x, y: label.y, width: width * label.size, height: height * label.size,
    rotation: label.rotation ?? 0,
  };
}

/**
 * The corners, clockwise from the one that is top left before turning, in millionths.
 * @param {Box} box
 * @returns {[Point, Point, Point, Point]}
 */
export function cornersOf(box) {
  const [sine, cosine] = sineAndCosine(box.rotation);
  /** @param {number} right @param {number} down @returns {Point} */
  const corner = (right, down) => {
    const [dx, dy] = [(right * box.width) / 2, (down * box.height) / 2];
    return { x: rounded(box.x + dx * cosine - dy * sine), y: rounded(box.y + dx * sine + dy * cosine) };
  };
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/**
 * The distances of the rightmost and lowest points from the centre, in millionths. The leftmost and topmost ones are as far away.
 * @param {Box} box
 * @returns {Point}
 */
export function extentOf(box) {
  const [sine, cosine] = sineAndCosine(box.rotation);
  return {
    x: rounded((Math.abs(box.width * cosine) + Math.abs(box.height * sine)) / 2),
    y: rounded((Math.abs(box.width * sine) + Math.abs(box.height * cosine)) / 2),
  };
}

/**
 * The edges of the smallest upright rectangle around a box.
 * @param {Box} box
 * @returns {Edges}
 */
export function edgesOf(box) {
  const { x, y } = extentOf(box);
  return { left: box.x - x, top: box.y - y, right: box.x + x, bottom: box.y + y };
}

/**
 * Whether a point is within a box or on its edge.
 * @param {Box} box
 * @param {number} x
 * @param {number} y
 */
export function contains(box, x, y) {
  const [sine, cosine] = sineAndCosine(box.rotation);
  const [dx, dy] = [x - box.x, y - box.y];
  return Math.abs(dx * cosine + dy * sine) <= box.width / 2
    && Math.abs(dy * cosine - dx * sine) <= box.height / 2;
}

/**
 * Whether a part of a box with an area is within a rectangle. By the theorem of the separating axis.
 * @param {Box} box
 * @param {Rect} rect
 */
export function overlaps(box, rect) {
  const { left, top, right, bottom } = edgesOf(box);
  if (!(left < rect.x + rect.width && right > rect.x && top < rect.y + rect.height && bottom > rect.y)) {
    return false;
  }
  const [sine, cosine] = sineAndCosine(box.rotation);
  const [dx, dy] = [rect.x + rect.width / 2 - box.x, rect.y + rect.height / 2 - box.y];
  const along = (Math.abs(rect.width * cosine) + Math.abs(rect.height * sine)) / 2;
  const across = (Math.abs(rect.width * sine) + Math.abs(rect.height * cosine)) / 2;
  return Math.abs(dx * cosine + dy * sine) < box.width / 2 + along
    && Math.abs(dy * cosine - dx * sine) < box.height / 2 + across;
}

/**
 * The smallest upright rectangle around several; null for none.
 * @param {Iterable<Edges>} all
 * @returns {Edges | null}
 */
export function edgesAround(all) {
  /** @type {Edges | null} */
  let around = null;
  for (const edges of all) {
    around = around === null ? edges : {
      left: least(around.left, edges.left), top: least(around.top, edges.top),
      right: greatest(around.right, edges.right), bottom: greatest(around.bottom, edges.bottom),
    };
  }
  return around;
}

// MARK: Viewport

/** @param {number} side */
const clampedSide = (side) => greatest(0.001, least(side, limits.coordinate));

/**
 * Compares with a tolerance above the rounding error of a division and a multiplication, so that a fitting content is shown to its edges.
 * @param {number} length
 * @param {number} side
 */
const isShorter = (length, side) => length < side * (1 - 1e-12);

/**
 * @param {number} center
 * @param {number} length
 * @param {number} side
 */
const clampedCenter = (center, length, side) =>
  isShorter(length, side) ? greatest(length / 2, least(center, side - length / 2)) : side / 2;

/**
 * @param {number} center
 * @param {number} length
 * @param {number} side
 * @returns {[start: number, length: number]}
 */
const cut = (center, length, side) =>
  // Rounding errors must not move the end beyond the side.
  isShorter(length, side) ? [greatest(0, least(center - length / 2, side - length)), length] : [0, side];

/** @param {Size} size @returns {Size} */
const clampedSize = ({ width, height }) =>
  Object.freeze({ width: clampedSide(width), height: clampedSide(height) });

/**
 * The visible part of some content and its scale. A value: each change gives another viewport.
 *
 * Lengths are in the view's units unless noted otherwise; one content pixel is `zoom` units. If the content is larger than the view, the view
 * stays within its edges; if it is smaller, it is centred.
 */
export class Viewport {
  /**
   * In content pixels.
   * @readonly
   * @type {Size}
   */
  content;
  /** @readonly @type {Size} */
  view;
  /**
   * Between `minimumZoom` and `maximumZoom`.
   * @readonly
   * @type {number}
   */
  zoom;
  /**
   * The smallest zoom: `fitZoom`, but at most 1.
   * @readonly
   * @type {number}
   */
  minimumZoom;
  /** @readonly @type {number} */
  maximumZoom;
  /**
   * The point of the content at the view's centre.
   * @readonly
   * @type {Point}
   */
  center;
  /** @readonly @type {number} */
  #maximumTimes;

  /**
   * Use `Viewport.fitting`, and the methods that give other viewports.
   * @param {Size} content
   * @param {Size} view
   * @param {number} maximumTimes
   * @param {number} zoom
   * @param {Point} center
   */
  constructor(content, view, maximumTimes, zoom, center) {
    this.content = content;
    this.view = view;
    this.#maximumTimes = maximumTimes;
    this.zoom = zoom;
    this.center = center;
    this.minimumZoom = least(this.fitZoom, 1);
    this.maximumZoom = greatest(this.fitZoom, 1) * maximumTimes;
    Object.freeze(this);
  }

  /**
   * A viewport that shows the whole content. `maximumTimes` is clamped to 1 … 500.
   * @param {Size} content
   * @param {Size} view
   */
  static fitting(content, view, maximumTimes = 64) {
    const times = greatest(1, least(maximumTimes, 500));
    const [inside, outside] = [clampedSize(content), clampedSize(view)];
    return new Viewport(inside, outside, times, 1, { x: 0, y: 0 }).fit();
  }

  /** @param {number} zoom @param {Point} center */
  #with(zoom, center) {
    return new Viewport(this.content, this.view, this.#maximumTimes, zoom, center);
  }

  /**
   * The same, with its centre within the bounds.
   * @param {number} zoom
   * @param {number} x
   * @param {number} y
   */
  #clamped(zoom, x, y) {
    return this.#with(zoom, {
      x: clampedCenter(x, this.view.width / zoom, this.content.width),
      y: clampedCenter(y, this.view.height / zoom, this.content.height),
    });
  }

  // MARK: The visible part

  /** The largest zoom at which the whole content is visible. */
  get fitZoom() {
    return least(this.view.width / this.content.width, this.view.height / this.content.height);
  }

  get isFit() { return this.zoom === this.fitZoom; }

  /**
   * The view's top left corner relative to the content's, in the view's units.
   * @returns {Point}
   */
  get offset() {
    return {
      x: this.center.x * this.zoom - this.view.width / 2,
      y: this.center.y * this.zoom - this.view.height / 2,
    };
  }

  /**
   * The visible part of the content, in content pixels.
   * @returns {Rect}
   */
  get visible() {
    const [x, width] = cut(this.center.x, this.view.width / this.zoom, this.content.width);
    const [y, height] = cut(this.center.y, this.view.height / this.zoom, this.content.height);
    return { x, y, width, height };
  }

  /**
   * The whole view in content pixels, including the area beside the content. Null if that exceeds the bounds of a rectangle.
   * @returns {Rect | null}
   */
  get window() {
    const [width, height] = [this.view.width / this.zoom, this.view.height / this.zoom];
    return rect(this.center.x - width / 2, this.center.y - height / 2, width, height);
  }

  /**
   * The point of the content at a point of the view.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  contentPlace(x, y) {
    return {
      x: this.center.x + (x - this.view.width / 2) / this.zoom,
      y: this.center.y + (y - this.view.height / 2) / this.zoom,
    };
  }

  /**
   * The point of the view at a point of the content.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  viewPlace(x, y) {
    return {
      x: (x - this.center.x) * this.zoom + this.view.width / 2,
      y: (y - this.center.y) * this.zoom + this.view.height / 2,
    };
  }

  // MARK: Changes

  /** Shows the whole content. */
  fit() {
    return this.#with(this.fitZoom, { x: this.content.width / 2, y: this.content.height / 2 });
  }

  /**
   * Sets the zoom. The content under `place` of the view stays there as far as the content's edges allow.
   * @param {number} zoom NaN has no effect
   * @param {Point} [place] the view's centre if left out
   */
  zoomTo(zoom, place) {
    const about = place ?? { x: this.view.width / 2, y: this.view.height / 2 };
    if (Number.isNaN(zoom) || !Number.isFinite(about.x) || !Number.isFinite(about.y)) return this;
    const anchor = this.contentPlace(about.x, about.y);
    const zoomed = this.#with(greatest(this.minimumZoom, least(zoom, this.maximumZoom)), this.center);
    const moved = zoomed.contentPlace(about.x, about.y);
    let { x, y } = this.center;
    const [newX, newY] = [x + anchor.x - moved.x, y + anchor.y - moved.y];
    // Far away, the difference of two infinities is NaN.
    if (!Number.isNaN(newX) && !Number.isNaN(newY)) [x, y] = [newX, newY];
    return this.#clamped(zoomed.zoom, x, y);
  }

  /**
   * Multiplies the zoom.
   * @param {number} factor
   * @param {Point} [place]
   */
  zoomBy(factor, place) { return factor > 0 ? this.zoomTo(this.zoom * factor, place) : this; }

  /**
   * Shows a rectangle of the content as large as possible, and centred as far as the content's edges allow.
   * @param {Rect} part
   */
  zoomToRect(part) {
    const [across, down] = [this.view.width / part.width, this.view.height / part.height];
    const zoom = greatest(this.minimumZoom, least(least(across, down), this.maximumZoom));
    return this.#clamped(zoom, part.x + part.width / 2, part.y + part.height / 2);
  }

  /**
   * Moves the view over the content, right and down.
   * @param {number} x
   * @param {number} y
   */
  scrollBy(x, y) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return this;
    return this.#clamped(this.zoom, this.center.x + x / this.zoom, this.center.y + y / this.zoom);
  }

  /**
   * Moves a point of the content to the view's centre.
   * @param {number} x
   * @param {number} y
   */
  scrollTo(x, y) {
    return Number.isFinite(x) && Number.isFinite(y) ? this.#clamped(this.zoom, x, y) : this;
  }

  /**
   * Changes the view's size. A fitting content keeps fitting; otherwise the zoom and the centre stay.
   * @param {Size} view
   */
  resize(view) {
    const resized =
      new Viewport(this.content, clampedSize(view), this.#maximumTimes, this.zoom, this.center);
    if (this.isFit) return resized.fit();
    const zoom = greatest(resized.minimumZoom, least(this.zoom, resized.maximumZoom));
    return resized.#clamped(zoom, this.center.x, this.center.y);
  }

  /**
   * Changes the content's size. A fitting content keeps fitting; otherwise the zoom and the centre stay.
   * @param {Size} content
   */
  withContent(content) {
    const other =
      new Viewport(clampedSize(content), this.view, this.#maximumTimes, this.zoom, this.center);
    if (this.isFit) return other.fit();
    const zoom = greatest(other.minimumZoom, least(this.zoom, other.maximumZoom));
    return other.#clamped(zoom, this.center.x, this.center.y);
  }
}

/**
 * A rectangle in canvas pixels. Null for a side below 0.000001, or a corner out of bounds.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @returns {Rect | null}
 */
export function rect(x, y, width, height) {
  const isWithin = [x, y, x + width, y + height].every((side) => Math.abs(side) <= limits.coordinate);
  return width >= 0.000001 && height >= 0.000001 && isWithin ? { x: x + 0, y: y + 0, width, height } : null;
}
