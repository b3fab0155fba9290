// SPDX-License-Identifier: Apache-2.0

// Pure: how the page is laid out, by its size. `StudioLayout` in Swift is the same rule; vectors compare both, and a test in a browser compares
// them with the widths in studio.css.

/** The least width and height, in CSS pixels, that are *regular*; below they are *compact*. */
export const regular = { width: 600, height: 480 };
/** The least width at which the documents have room beside an open one. */
export const besideWidth = 1000;

/**
 * @typedef {object} Layout
 * @property {'compact' | 'regular'} horizontal
 * @property {'compact' | 'regular'} vertical
 * @property {'panel' | 'sheet' | 'side'} palette the emoji: beside the canvas, in a sheet from below, or in one from the side
 * @property {'bar' | 'bottom' | 'side'} tools in the bar, or at the thumb
 * @property {'beside' | 'instead'} documents
 */

/**
 * @param {number} width
 * @param {number} height
 * @returns {Layout}
 */
export function layoutOf(width, height) {
  const horizontal = width < regular.width ? 'compact' : 'regular';
  const vertical = height < regular.height ? 'compact' : 'regular';
  const isSide = vertical === 'compact';
  const isBelow = !isSide && horizontal === 'compact';
  return {
    horizontal, vertical,
    palette: isSide ? 'side' : isBelow ? 'sheet' : 'panel',
    tools: isSide ? 'side' : isBelow ? 'bottom' : 'bar',
    documents: !isSide && width >= besideWidth ? 'beside' : 'instead',
  };
}

/**
 * Where the document browser is: over the whole room, beside the open document, or nowhere. Like a split view: where there is no room for both,
 * the open document is shown, and the browser comes in its place when it is asked for.
 * @param {Layout} layout
 * @param {{ isOpen: boolean, isWanted: boolean, isOnTop: boolean }} state `isWanted` beside a document, `isOnTop` in place of it
 * @returns {'whole' | 'beside' | 'none'}
 */
export function browserPlace(layout, { isOpen, isWanted, isOnTop }) {
  if (!isOpen) return 'whole';
  if (layout.documents === 'beside') return isWanted ? 'beside' : 'none';
  return isOnTop ? 'whole' : 'none';
}

// MARK: The sheet

/** @typedef {'closed' | 'half' | 'full'} SheetState */

/** The heights of a sheet, as parts of the page's height. */
export const sheetParts = /** @type {const} */ ({ closed: 0, half: 0.46, full: 0.88 });
/** Milliseconds of its speed that a sheet goes on when it is let go. */
const glide = 140;

/**
 * Where a sheet rests that is let go.
 * @param {number} part its visible height, as a part of the page's
 * @param {number} speed upwards, in parts of the page's height a millisecond
 * @returns {SheetState}
 */
export function restOf(part, speed) {
  const aim = part + speed * glide;
  const states = /** @type {SheetState[]} */ (Object.keys(sheetParts));
  return states.reduce((best, state) => (Math.abs(sheetParts[state] - aim) < Math.abs(sheetParts[best] - aim) ? state : best));
}

/**
 * The room around the canvas that bars and sheets take, in pixels, where left is the side at which lines begin.
 * @param {Layout} layout
 * @param {SheetState} sheet
 * @param {number} height of the page
 */
export function insetsOf({ palette }, sheet, height) {
  if (palette === 'panel') return { start: 28, top: 26, end: 28, bottom: 74 };
  if (palette === 'side') return { start: 66, top: 10, end: sheet === 'closed' ? 14 : sideWidth + 14, bottom: 14 };
  return { start: 14, top: 14, end: 14, bottom: sheet === 'half' ? Math.round(height * sheetParts.half) + 12 : 84 };
}

/** The width of a sheet at the side. */
export const sideWidth = 296;
