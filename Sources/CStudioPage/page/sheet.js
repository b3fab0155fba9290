// SPDX-License-Identifier: Apache-2.0

// The palette of emoji where it is no panel: a sheet from below with two heights, or one from the side. The canvas keeps clear of it.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./layout').SheetState} SheetState */

import { insetsOf, layoutOf, restOf, sheetParts } from './layout.js';
import { build } from './panels.js';
import { words } from './words.js';

/** Pixels that a finger moves before it drags. */
const threshold = 6;

export class Sheet {
  /** @type {SheetState} */
  state = 'closed';
  #studio;
  #aside;
  #grip;

  /** @param {Studio} studio @param {HTMLElement} aside */
  constructor(studio, aside) {
    this.#studio = studio;
    this.#aside = aside;
    this.#grip = build('button', { type: 'button', class: 'grip', 'aria-label': words.sheet.larger }, build('span', {}));
    aside.prepend(this.#grip);
    this.#attachGrip();
    addEventListener('resize', () => this.update());
    // A keyboard on the screen covers the page and moves nothing: the sheet stands on it.
    visualViewport?.addEventListener('resize', () => this.#showKeyboard());
    visualViewport?.addEventListener('scroll', () => this.#showKeyboard());
    studio.on('layout', () => this.update());
    this.update();
  }

  get layout() { return layoutOf(innerWidth, innerHeight); }

  /** Whether the palette is no panel, and may be closed. */
  get isSheet() { return this.layout.palette !== 'panel'; }

  /** @param {SheetState} state */
  show(state) {
    this.state = state;
    this.update();
  }

  /** The next state of the button that opens it. */
  toggle() { this.show(this.state === 'closed' ? 'half' : 'closed'); }

  /** Brings everything up to the page's size and the state. */
  update() {
    const { palette } = this.layout;
    const isClosed = this.isSheet && this.state === 'closed';
    this.#aside.dataset.sheet = palette === 'panel' ? 'none' : this.state;
    this.#aside.style.removeProperty('--dragged');
    this.#grip.hidden = palette !== 'sheet';
    const isFull = this.state === 'full';
    this.#grip.setAttribute('aria-label', isFull ? words.sheet.smaller : words.sheet.larger);
    this.#grip.setAttribute('aria-expanded', String(isFull));
    document.querySelector('.sheetButton')?.setAttribute('aria-expanded', String(!isClosed));
    // A closed sheet is off the page for keys and screen readers, too.
    this.#aside.inert = isClosed || document.body.dataset.documents === 'whole';
    const { start, end, top, bottom } = insetsOf(this.layout, this.state, innerHeight);
    const isRTL = getComputedStyle(document.documentElement).direction === 'rtl';
    this.#studio.setInset({ left: isRTL ? end : start, right: isRTL ? start : end, top, bottom });
  }

  #showKeyboard() {
    const covered = visualViewport ? innerHeight - visualViewport.height - visualViewport.offsetTop : 0;
    document.documentElement.style.setProperty('--keyboard', `${Math.max(0, Math.round(covered))}px`);
  }

  #attachGrip() {
    const grip = this.#grip;
    /** @type {{ pointer: number, from: number, part: number, isDragged: boolean, last: { y: number, time: number }, speed: number } | null} */
    let drag = null;
    // A click follows the release of a drag, too.
    let wasDragged = false;
    grip.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      wasDragged = false;
      drag = { pointer: event.pointerId, from: event.clientY, part: sheetParts[this.state], isDragged: false, last: { y: event.clientY, time: event.timeStamp }, speed: 0 };
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener('pointermove', (event) => {
      if (drag?.pointer !== event.pointerId) return;
      const moved = event.clientY - drag.from;
      drag.isDragged ||= Math.abs(moved) > threshold;
      if (!drag.isDragged) return;
      const time = Math.max(1, event.timeStamp - drag.last.time);
      drag.speed = (drag.last.y - event.clientY) / innerHeight / time;
      drag.last = { y: event.clientY, time: event.timeStamp };
      this.#aside.style.setProperty('--dragged', `${Math.max(0, Math.min(sheetParts.full, drag.part - moved / innerHeight)) * 100}%`);
    });
    const end = (/** @type {PointerEvent} */ event, /** @type {boolean} */ isCancelled) => {
      if (drag?.pointer !== event.pointerId) return;
      const { isDragged, part, from, speed } = drag;
      drag = null;
      wasDragged = isDragged;
      if (isCancelled) return this.update();
      if (isDragged) this.show(restOf(part - (event.clientY - from) / innerHeight, speed));
    };
    grip.addEventListener('pointerup', (event) => end(event, false));
    grip.addEventListener('pointercancel', (event) => end(event, true));
    grip.addEventListener('click', () => {
      if (!wasDragged) this.show(this.state === 'full' ? 'half' : 'full');
      wasDragged = false;
    });
  }
}
