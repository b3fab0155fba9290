// SPDX-License-Identifier: Apache-2.0

// The requests that the server has not answered, so that they outlive their page, its tab, and its connection. They wait at the page's address.
//
//     kept ──sealed, stored──▶ stored ──answered──▶ gone
//       └──no room, or no site data──▶ short: told in the status, and before the page is left
//
// Each one says what it is for: the folder and the document by their identities, since another folder may have a document of that name, and
// another server the port. It is sent there and nowhere else, by its own page or by a later one, under its client and its tag: so it is done once.
//
// A program that has the server's port for a while can run scripts in this origin: it reads and writes what the browser keeps. So each request is
// sealed with a secret that a server gives to a page which both have proved themselves. Such a script can neither read a request nor make one up;
// it can remove them.

/** @typedef {import('./types').Request} Request */

/**
 * A request, and what it is for.
 * @typedef {object} KeptRequest
 * @property {string} client the session of the editing protocol that it belongs to
 * @property {string} folderID the identity of the folder
 * @property {string} folder its path, for people
 * @property {string} document the document's own id
 * @property {string} path its path in the folder when the request was made
 * @property {string} name the name of the edit
 * @property {Request} request
 */

/**
 * A request as it is stored, and brought by a link.
 * @typedef {{ client: string, tag: string, order: number, sealed: Uint8Array }} Sealed
 */

/** @typedef {{ kept: KeptRequest, order: number, state: 'new' | 'stored' | 'short' | 'gone', work: Promise<void> }} Entry */

/** @param {string} client @param {string} tag */
const keyOf = (client, tag) => `${client} ${tag}`;

export class Outbox {
  #records;
  /** @type {CryptoKey | null} */ #key = null;
  /** @type {Map<string, Entry>} */ #entries = new Map();
  /**
   * What a link has brought, until it can be opened.
   * @type {Sealed[]}
   */
  #offered = [];
  /**
   * What is stored, and cannot be opened yet, or by this user's secret.
   * @type {Sealed[]}
   */
  #closed = [];
  #order = 0;
  #shortCount = 0;
  /** Something can no longer be kept, or can be again. */
  onChange = () => {};

  /** @param {import('./storage').Records} records */
  constructor(records) { this.#records = records; }

  /** Finds what is stored. Nothing of it can be read before `unlock`. */
  async load() {
    this.#closed = await this.#records.all('requests').catch(() => []);
    this.#order = this.#closed.reduce((most, { order }) => Math.max(most, order), 0);
  }

  /**
   * Opens what is stored, and what a link has brought. What cannot be opened is left as it is.
   * @param {string | undefined} secret of the user, in hexadecimal; without one nothing is stored
   */
  async unlock(secret) {
    if (secret && /^[0-9a-f]{64}$/.test(secret)) {
      const bytes = new Uint8Array((secret.match(/../g) ?? []).map((digits) => parseInt(digits, 16)));
      this.#key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
    }
    const stored = await this.#records.all('requests').catch(() => /** @type {Sealed[]} */ ([]));
    const known = new Set(stored.map(({ client, tag }) => keyOf(client, tag)));
    // Another tab has sent them.
    for (const [key, { state }] of this.#entries) if (state === 'stored' && !known.has(key)) this.#entries.delete(key);
    /** @type {Sealed[]} */
    const closed = [];
    for (const sealed of stored) {
      this.#order = Math.max(this.#order, sealed.order);
      const key = keyOf(sealed.client, sealed.tag);
      if (this.#entries.has(key)) continue;
      const kept = await this.#open(sealed);
      if (kept) this.#entries.set(key, { kept, order: sealed.order, state: 'stored', work: Promise.resolve() });
      else closed.push(sealed);
    }
    this.#closed = closed;
    this.unreadableCount = this.#key ? closed.length : 0;
    for (const sealed of this.#key ? this.#offered.splice(0) : []) {
      if (this.#entries.has(keyOf(sealed.client, sealed.tag))) continue;
      const kept = await this.#open(sealed);
      if (kept) this.#store(kept, sealed.order);
      else this.strangeCount += 1;
    }
    for (const entry of this.#entries.values()) if (entry.state === 'short') this.#write(entry);
  }

  /**
   * What is kept, the oldest first.
   * @returns {KeptRequest[]}
   */
  get all() {
    return [...this.#entries.values()].filter(({ state }) => state !== 'gone').sort((a, b) => a.order - b.order).map(({ kept }) => kept);
  }

  /** How many requests wait for a secret that opens them. */
  get closedCount() { return this.#closed.length + this.#offered.length; }

  /** How many of the stored requests the secret of this user does not open. */
  unreadableCount = 0;

  /** How many requests links have brought that it does not open. They are not stored. */
  strangeCount = 0;

  /**
   * Whether requests of a client wait, or any that cannot be opened yet.
   * @param {string} client
   */
  waits(client) { return this.closedCount > this.unreadableCount || [...this.#entries.values()].some(({ kept }) => kept.client === client); }

  /** Forgets what the secret does not open. */
  async forgetClosed() {
    const closed = this.#closed.splice(0);
    this.unreadableCount = 0;
    for (const sealed of closed) await this.#records.delete('requests', sealed).catch(() => {});
  }

  /** The client of what a link has brought and is not opened; null if there is none. */
  get offeredClient() { return this.#offered.at(-1)?.client ?? null; }

  /** Whether something would be lost with the page. */
  get isShort() { return this.#shortCount > 0; }

  /**
   * Keeps a request until it is answered. One that is kept already is replaced.
   * @param {KeptRequest} kept
   */
  keep(kept) {
    const former = this.#entries.get(keyOf(kept.client, kept.request.tag));
    if (!former) return this.#store(kept, this.#order += 1);
    former.kept = kept;
    this.#write(former);
    return undefined;
  }

  /**
   * The request was answered.
   * @param {string} client
   * @param {string} tag
   */
  remove(client, tag) {
    const key = keyOf(client, tag);
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    const wasShort = entry.state === 'short';
    entry.state = 'gone';
    entry.work = entry.work.then(() => this.#records.delete('requests', { client, tag })).catch(() => {});
    if (!wasShort && !this.#shortCount) return;
    this.#countShort();
    // There may be room now.
    for (const other of this.#entries.values()) if (other.state === 'short') this.#write(other);
  }

  // MARK: Links

  /**
   * Takes what a link has brought. It is nothing until `unlock` has opened it.
   * @param {string | null} text
   * @returns {string | null} the client that it belongs to
   */
  offer(text) {
    if (!text) return null;
    try {
      const all = JSON.parse(text);
      if (!Array.isArray(all)) return null;
      this.#offered = all.map(({ client, tag, order, sealed }) => ({ client: String(client), tag: String(tag), order: Number(order) || 0, sealed: fromBase64(sealed) }));
    } catch {
      // A link that was cut brings nothing.
      this.#offered = [];
    }
    return this.offeredClient;
  }

  /**
   * What a link brings to a page of another origin: all but what other tabs send. Null if something cannot be sealed.
   * @param {(client: string) => boolean} isElsewhere whether another tab sends the requests of a client
   * @returns {Promise<string | null>}
   */
  async pack(isElsewhere) {
    const entries = [...this.#entries.values()];
    if (entries.length && !this.#key) return null;
    const sealed = await Promise.all(entries.map(({ kept, order }) => this.#seal(kept, order)));
    return JSON.stringify([...this.#closed, ...this.#offered, ...sealed].filter(({ client }) => !isElsewhere(client)).sort((a, b) => a.order - b.order)
      .map(({ client, tag, order, sealed: bytes }) => ({ client, tag, order, sealed: toBase64(bytes) })));
  }

  // MARK: Storing

  /** @param {KeptRequest} kept @param {number} order */
  #store(kept, order) {
    /** @type {Entry} */
    const entry = { kept, order, state: 'new', work: Promise.resolve() };
    this.#entries.set(keyOf(kept.client, kept.request.tag), entry);
    this.#write(entry);
  }

  /** @param {Entry} entry */
  #write(entry) {
    entry.work = entry.work.then(async () => {
      // An answer is often there before the request is sealed.
      if (entry.state === 'gone') return;
      /** @type {Entry['state']} */
      let state = 'short';
      try {
        if (this.#key && this.#records.areKept) {
          const sealed = await this.#seal(entry.kept, entry.order);
          if (/** @type {Entry['state']} */ (entry.state) === 'gone') return;
          await this.#records.put('requests', sealed);
          state = 'stored';
        }
      } catch {
        // There is no room.
      }
      if (/** @type {Entry['state']} */ (entry.state) !== 'gone') entry.state = state;
      this.#countShort();
    });
  }

  #countShort() {
    const before = this.isShort;
    this.#shortCount = [...this.#entries.values()].filter(({ state }) => state === 'short').length;
    if (this.isShort !== before) this.onChange();
  }

  /** @param {KeptRequest} kept @param {number} order @returns {Promise<Sealed>} */
  async #seal(kept, order) {
    const { client, request: { tag } } = kept;
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(kept));
    const bytes = await crypto.subtle.encrypt(sealing(iv, client, tag), /** @type {CryptoKey} */ (this.#key), text);
    const sealed = new Uint8Array(iv.length + bytes.byteLength);
    sealed.set(iv);
    sealed.set(new Uint8Array(bytes), iv.length);
    return { client, tag, order, sealed };
  }

  /** @param {Sealed} stored @returns {Promise<KeptRequest | null>} */
  async #open({ client, tag, sealed }) {
    if (!this.#key) return null;
    try {
      const bytes = await crypto.subtle.decrypt(sealing(sealed.subarray(0, 12), client, tag), this.#key, sealed.subarray(12));
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      // It was sealed by nobody who has the secret.
      return null;
    }
  }
}

/** @param {Uint8Array} iv @param {string} client @param {string} tag */
const sealing = (iv, client, tag) => ({ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(`emojiart outbox 1\n${client}\n${tag}`) });

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let text = '';
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(text);
}

/** @param {unknown} text */
const fromBase64 = (text) => Uint8Array.from(atob(String(text)), (letter) => letter.charCodeAt(0));
