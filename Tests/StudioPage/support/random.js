// SPDX-License-Identifier: Apache-2.0

/** A seeded generator (SplitMix32). */
export class Random {
  #state;

  constructor(seed) { this.#state = seed >>> 0; }

  /** A whole number below 2^32. */
  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (bits ^ (bits >>> 15)) >>> 0;
  }

  /** At least 0, below 1. */
  unit() { return this.next() / 2 ** 32; }

  /** A whole number from `low` to `high`. */
  int(low, high) { return low + (this.next() % (high - low + 1)); }

  number(low, high) { return low + this.unit() * (high - low); }

  chance(part) { return this.unit() < part; }

  pick(list) { return list[this.next() % list.length]; }

  /** Eight characters of Crockford's base32. */
  id() {
    return Array.from({ length: 8 }, () => this.pick('0123456789abcdefghjkmnpqrstvwxyz')).join('');
  }
}
