// SPDX-License-Identifier: Apache-2.0

// The art as it was: a picture over the canvas that the server has drawn, until the present is shown again. Nothing is edited meanwhile.

/** @typedef {import('./studio').Studio} Studio */

import { build } from './panels.js';
import { errorText, words } from './words.js';

/** The longest side of the picture, in pixels. */
const side = 2000;

export class Past {
  /** The revision that is shown, or is to be; null for the present. */
  revision = /** @type {number | null} */ (null);
  #studio;
  #picture = build('img', { alt: '', decoding: 'async', draggable: false });
  #banner = build('p', {});
  #cover;
  /** How many pixels of the picture a pixel of the canvas has. */
  #scale = 1;
  #isLoading = false;
  #shown = -1;

  /** @param {Studio} studio */
  constructor(studio) {
    this.#studio = studio;
    this.#cover = build('div', { class: 'past', hidden: true }, this.#picture, this.#banner);
    studio.stage.append(this.#cover);
    studio.on('camera', () => this.#place());
    studio.on('opened', () => this.end());
    studio.on('closed', () => this.end());
    // A press shows the present again; it edits nothing.
    this.#cover.addEventListener('pointerdown', (event) => {
      event.stopPropagation();
      this.end();
    });
  }

  /**
   * Shows the art at a revision. Of those that are asked for in quick succession the last is shown.
   * @param {number} revision
   * @param {string} text what is shown, in words
   */
  show(revision, text) {
    const studio = this.#studio;
    this.revision = revision;
    studio.past = this;
    studio.settle();
    studio.select([], null);
    this.#banner.textContent = words.past.shown(text);
    this.#load();
  }

  /** Shows the present. */
  end() {
    if (this.revision === null) return;
    this.revision = null;
    this.#shown = -1;
    this.#studio.past = null;
    this.#cover.hidden = true;
    this.#studio.emit('past', undefined);
  }

  async #load() {
    const studio = this.#studio;
    const { revision } = this;
    if (this.#isLoading || revision === null || revision === this.#shown) return;
    this.#isLoading = true;
    const { width, height } = studio.store.canvas;
    const scale = Math.min(2, side / Math.max(width, height));
    const { name } = studio;
    /** Whether it is still wanted when it comes. */
    const isWanted = () => this.revision === revision && studio.name === name;
    const query = new URLSearchParams({ document: name, format: 'png', scale: scale.toFixed(4), at: String(revision) });
    try {
      const response = await studio.net.fetch(`/render?${query}`);
      const address = URL.createObjectURL(await response.blob());
      const picture = build('img', { alt: '', src: address, draggable: false });
      await picture.decode();
      // One that was asked for meanwhile comes next; until then this one is nearer than the present.
      if (this.revision !== null && studio.name === name) {
        URL.revokeObjectURL(this.#picture.src);
        this.#picture.replaceWith(picture);
        this.#picture = picture;
        this.#scale = Number(query.get('scale'));
        this.#shown = revision;
        this.#cover.hidden = false;
        this.#place();
      } else {
        URL.revokeObjectURL(address);
      }
    } catch (error) {
      if (isWanted()) {
        this.end();
        studio.emit('note', { text: errorText(error), kind: 'bad' });
      }
    }
    this.#isLoading = false;
    this.#load();
  }

  #place() {
    if (this.revision === null) return;
    const { x, y, zoom } = this.#studio.camera;
    const { naturalWidth, naturalHeight } = this.#picture;
    Object.assign(this.#picture.style, {
      transform: `translate(${x}px,${y}px)`, width: `${naturalWidth / this.#scale * zoom}px`, height: `${naturalHeight / this.#scale * zoom}px`,
    });
  }
}
