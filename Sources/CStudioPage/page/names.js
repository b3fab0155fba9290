// SPDX-License-Identifier: Apache-2.0

// The names of the emoji that have elements on the page, in its language. They are asked for when an emoji first has one, many at a time.

/** @typedef {import('./studio').Studio} Studio */

import { language } from './language.js';

/** The most emoji of a request. */
const portion = 500;
/** Milliseconds that gather emoji. */
const gathering = 60;

export class EmojiNames {
  #studio;
  #known;
  /** @type {Map<string, string>} the text itself for what has no name */
  #names = new Map();
  /** @type {Set<string>} */
  #wanted = new Set();
  #timer = 0;

  /**
   * @param {Studio} studio
   * @param {() => void} known is called when names have come
   */
  constructor(studio, known) {
    this.#studio = studio;
    this.#known = known;
  }

  /**
   * The name of an emoji; the emoji itself while it is not known, and where it has none.
   * @param {string} text
   */
  of(text) {
    const name = this.#names.get(text);
    if (name === undefined) {
      this.#wanted.add(text);
      this.#timer ||= setTimeout(() => this.#ask(), gathering);
    }
    return name ?? text;
  }

  async #ask() {
    this.#timer = 0;
    const texts = [...this.#wanted].slice(0, portion);
    for (const text of texts) this.#wanted.delete(text);
    try {
      const { names } = await this.#studio.net.request({ names: { language, texts } });
      texts.forEach((text, index) => this.#names.set(text, names[index] ?? text));
      this.#known();
    } catch {
      // They are asked for again when they are shown again.
    }
    if (this.#wanted.size) this.#timer ||= setTimeout(() => this.#ask(), gathering);
  }
}
