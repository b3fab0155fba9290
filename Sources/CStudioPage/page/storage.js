// SPDX-License-Identifier: Apache-2.0

// What the browser keeps for the page. It may keep nothing: site data can be blocked, and its room can be full. Then values last as long as
// the page does.

/** Texts by their names, of all tabs or of this one. */
class Texts {
  /** @type {Storage | null} */ #storage = null;
  /**
   * What the browser does not keep.
   * @type {Map<string, string | null>}
   */
  #own = new Map();
  /**
   * A text was set.
   * @type {(name: string, text: string | null) => void}
   */
  onSet = () => {};

  /** @param {() => Storage} open which throws where site data is blocked */
  constructor(open) {
    try {
      this.#storage = open() ?? null;
    } catch {
      // The texts are kept here only.
    }
  }

  /**
   * The text with that name; null if there is none.
   * @param {string} name
   * @returns {string | null}
   */
  get(name) {
    const own = this.#own.get(name);
    if (own !== undefined) return own;
    try {
      return this.#storage?.getItem(name) ?? null;
    } catch {
      return null;
    }
  }

  /** @param {string} name @param {string | null} text null to forget it */
  set(name, text) {
    this.put(name, text);
    this.onSet(name, text);
  }

  /**
   * As `set`, for a text that comes from where it is kept.
   * @param {string} name
   * @param {string | null} text
   */
  put(name, text) {
    this.#own.delete(name);
    try {
      if (text === null) this.#storage?.removeItem(name);
      else if (this.#storage) this.#storage.setItem(name, text);
      if (this.#storage) return;
    } catch {
      // There is no room, or site data was blocked meanwhile.
    }
    this.#own.set(name, text);
  }
}

/** What the user has chosen for all documents, such as the language. The server keeps it, too: at another address the browser has nothing. */
export const settings = new Texts(() => globalThis.localStorage);

/** What this tab needs after a reload. */
export const tab = new Texts(() => globalThis.sessionStorage);

// MARK: Records

/** Milliseconds in which a database opens. Some browsers that keep nothing never answer. */
const openTime = 5000;

/** The stores of the database, and the members that name a record. */
const stores = { requests: ['client', 'tag'], sessions: ['client'] };

/** @typedef {keyof typeof stores} StoreName */

/** Records in IndexedDB; in memory where there is none. */
export class Records {
  /** @type {IDBDatabase | null} */ #database = null;
  /** @type {Map<StoreName, Map<string, any>>} */ #memory = new Map();

  /** Opens the database of the page. Never rejected. */
  static async open() {
    const records = new Records();
    let timer = 0;
    try {
      records.#database = await Promise.race([openDatabase(), new Promise((_, reject) => { timer = setTimeout(reject, openTime); })]);
    } catch {
      // Site data is blocked.
    }
    clearTimeout(timer);
    return records;
  }

  /** Whether records outlive the page. */
  get areKept() { return this.#database !== null; }

  /**
   * All records of a store.
   * @param {StoreName} name
   * @returns {Promise<any[]>}
   */
  async all(name) {
    if (!this.#database) return [...this.#own(name).values()];
    return this.#run(name, 'readonly', (store) => store.getAll());
  }

  /**
   * Keeps a record. Rejected if there is no room.
   * @param {StoreName} name
   * @param {any} record
   */
  async put(name, record) {
    if (!this.#database) this.#own(name).set(keyOf(name, record), record);
    else await this.#run(name, 'readwrite', (store) => store.put(record));
  }

  /**
   * @param {StoreName} name
   * @param {any} record one with its key
   */
  async delete(name, record) {
    if (!this.#database) this.#own(name).delete(keyOf(name, record));
    else await this.#run(name, 'readwrite', (store) => store.delete(stores[name].map((each) => record[each])));
  }

  /** @param {StoreName} name */
  #own(name) {
    const own = this.#memory.get(name) ?? new Map();
    this.#memory.set(name, own);
    return own;
  }

  /**
   * Does one thing in a transaction, and waits until it is kept.
   * @param {StoreName} name
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest} work
   * @returns {Promise<any>}
   */
  #run(name, mode, work) {
    return new Promise((resolve, reject) => {
      const transaction = /** @type {IDBDatabase} */ (this.#database).transaction(name, mode);
      const request = work(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('not kept'));
      // Browsers finish a transaction that is committed even if its page goes now, and drop others.
      if (mode === 'readwrite') transaction.commit();
    });
  }
}

/** @param {StoreName} name @param {any} record */
const keyOf = (name, record) => JSON.stringify(stores[name].map((each) => record[each]));

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('emojiart', 1);
    opening.onupgradeneeded = () => {
      for (const [name, keyPath] of Object.entries(stores)) opening.result.createObjectStore(name, { keyPath });
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}
