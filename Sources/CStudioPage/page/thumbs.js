// SPDX-License-Identifier: Apache-2.0

// Small pictures of documents: only of what is seen, the newest wish first, and at most a few at once.
//
//     seen for a moment ──▶ wanted ──▶ fetched ──▶ kept by the key of its state
//           └──scrolled away: the request is cancelled, and the server ends its drawing

/** How many pictures are asked for at once: as many as the server draws, and one that is on its way. */
const atOnce = 3;
/** How many pictures are kept. */
const keptLimit = 400;
/** Milliseconds that a document must be seen while scrolling before its picture is asked for: what is only passed is not. */
const restTime = 60;
/** The sides of pictures that the server makes, in pixels. */
const sides = [192, 384, 768];

/** Milliseconds until a picture is asked for again that a busy server could not give. */
const retryTime = 2000;
/** The errors that are the document's own: until its state changes, nothing else can come. */
const ofDocument = ['damaged', 'notADocument', 'newerFormat', 'tooLarge', 'noSuchDocument', 'notPermitted', 'inputOutput', 'badValue'];

/** @typedef {{ path: string, key: string }} Wanted */

export class Thumbnails {
  #fetch;
  #show;
  /** @type {Map<string, string>} the address of each picture by its key and side; the oldest use first */
  #kept = new Map();
  /** @type {Map<string, AbortController>} by key and side */
  #running = new Map();
  /** @type {Wanted[]} */
  #wanted = [];
  /** @type {Set<string>} keys whose pictures cannot be drawn */
  #failed = new Set();
  #side = sides[0];
  #timer = 0;

  /**
   * @param {(path: string, options: RequestInit) => Promise<Response>} fetch asks the server
   * @param {(path: string, key: string, picture: string | { code: string, message: string }) => void} show shows a picture by its address, or why it
   *   cannot be drawn
   */
  constructor(fetch, show) {
    this.#fetch = fetch;
    this.#show = show;
  }

  /**
   * The side of pictures that are shown with so many pixels.
   * @param {number} pixels
   */
  setSide(pixels) { this.#side = sides.find((side) => side >= pixels) ?? sides[sides.length - 1]; }

  /**
   * The address of a picture that is there already.
   * @param {string} key
   */
  address(key) {
    const name = `${this.#side} ${key}`;
    const address = this.#kept.get(name);
    if (!address) return null;
    this.#kept.delete(name);
    this.#kept.set(name, address);
    return address;
  }

  /** @param {string} key */
  hasFailed(key) { return this.#failed.has(key); }

  /**
   * What is seen now, the most wanted first. Everything else is cancelled.
   * @param {Wanted[]} wanted
   * @param {boolean} [isPassing] whether it may be passed in a moment, as by scrolling
   */
  want(wanted, isPassing = false) {
    this.#wanted = wanted.filter(({ key }) => !this.#kept.has(`${this.#side} ${key}`) && !this.#failed.has(key));
    const names = new Set(this.#wanted.map(({ key }) => `${this.#side} ${key}`));
    for (const [name, work] of this.#running) if (!names.has(name)) work.abort();
    clearTimeout(this.#timer);
    if (!this.#wanted.length) return;
    if (isPassing) this.#timer = setTimeout(() => this.#next(), restTime);
    else this.#next();
  }

  /** Another connection: what failed may succeed. */
  restart() {
    for (const work of this.#running.values()) work.abort();
    this.#failed.clear();
  }

  /** Asks for nothing more, and lets go of all pictures. */
  end() {
    this.want([]);
    for (const address of this.#kept.values()) URL.revokeObjectURL(address);
    this.#kept.clear();
  }

  #next() {
    const side = this.#side;
    for (const wanted of this.#wanted) {
      if (this.#running.size >= atOnce) return;
      const name = `${side} ${wanted.key}`;
      if (!this.#running.has(name) && !this.#kept.has(name) && !this.#failed.has(wanted.key)) this.#load(wanted, side, name);
    }
  }

  /** @param {Wanted} wanted @param {number} side @param {string} name */
  async #load({ path, key }, side, name) {
    const work = new AbortController();
    this.#running.set(name, work);
    try {
      const response = await this.#fetch(`/thumbnail?document=${encodeURIComponent(path)}&side=${side}`, { signal: work.signal });
      const address = URL.createObjectURL(await response.blob());
      this.#keep(name, address);
      this.#show(path, key, address);
    } catch (error) {
      const { code, message } = /** @type {import('./net').RequestError} */ (error);
      // A cancelled one may be wanted again, and one without an answer when the server is back. The key of a document that cannot be drawn
      // changes with its state.
      if (!work.signal.aborted && ofDocument.includes(code)) {
        this.#failed.add(key);
        this.#show(path, key, { code, message });
      } else if (!work.signal.aborted) {
        // Not at once, again and again.
        this.#running.delete(name);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#next(), retryTime);
        return;
      }
    }
    this.#running.delete(name);
    this.#next();
  }

  /** @param {string} name @param {string} address */
  #keep(name, address) {
    this.#kept.set(name, address);
    const [oldest] = this.#kept;
    if (this.#kept.size <= keptLimit || !oldest) return;
    this.#kept.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
}
