// SPDX-License-Identifier: Apache-2.0

/**
 * The connection to the server: session, proof, socket, reconnecting, and requests with tags.
 *
 *     starting ──connect──▶ connecting ──both proofs──▶ open ──closed──▶ waiting ──timer, online, visible──▶ connecting
 *         └──no session──▶ refused ◀──the server or its proof refuses──┘
 *
 * A page whose server does not prove that it knows the token sends nothing more to it. Another program may have the port only for a while: a
 * refused page with a session tries again, and stays refused until a server has proved itself, or nothing answers.
 *
 * @typedef {'starting' | 'connecting' | 'open' | 'waiting' | 'refused'} NetState
 * @typedef {{code: string, message: string, remedy?: string, subject?: string}} Refusal
 * @typedef {{[key: string]: any}} Message
 */

const delays = { first: 250, longest: 5000 };
/** Milliseconds until the next try after too many failures. */
const failuresTime = 60_000;
/** Milliseconds in which a server proves itself. */
const handshakeTime = 10_000;
/** Milliseconds that a reloaded page waits for its lock. */
const lockTime = 2000;
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * An id of the document's alphabet.
 * @param {number} length
 */
export function drawID(length) {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte & 31]).join('');
}

/** A request that failed, with the server's code. */
export class RequestError extends Error {
  /** @param {Refusal} refusal */
  constructor(refusal) {
    super(refusal.message);
    this.code = refusal.code;
    this.refusal = refusal;
  }
}

const disconnected = () => new RequestError({ code: 'disconnected', message: 'there is no connection' });

export class Net {
  /** @type {NetState} */ state = 'starting';
  /** Why the connection was refused or lost. */ reason = '';
  /** Whether the page was opened by a new link. */ isNew = false;
  /** Whether the page begins anew, with what a link has brought. */ isRestarting = false;
  /** The document that the link names, or nothing. */ first = /** @type {string | null} */ (null);
  /** @type {Message | null} */ welcome = null;
  /** The session of the editing protocol: undo belongs to it. */ client = '';
  /** The user's name as others see it, or nothing. */ name = localStorage.getItem('name') ?? '';
  /**
   * Others see the name from the next connection on.
   * @param {string} name
   */
  setName(name) {
    // The server takes 64 bytes.
    this.name = [...name].slice(0, 16).join('');
    localStorage.setItem('name', this.name);
  }

  /**
   * A message that answers no request.
   * @type {(message: Message) => void}
   */
  onMessage = () => {};
  /** @type {(state: NetState) => void} */ onState = () => {};

  /** @type {WebSocket | null} */ #socket = null;
  /** @type {{session: string, token: string} | null} */ #session = null;
  /** @type {Map<string, {resolve: (answer: Message) => void, reject: (error: Error) => void}>} */ #requests = new Map();
  #delay = delays.first;
  #timer = 0;
  #heard = 0;
  #count = 0;
  #prefix = drawID(6);

  /** Takes the launch code or the kept session, and the client's id. `connect` follows. */
  async start() {
    const { code, document: first, kept } = takeLink();
    this.first = first;
    this.isNew = code !== null && (await this.#trade(code));
    if (!this.isNew) this.#session = readSession();
    // Only a valid code says that the user wants what the link brings. Until there is one, the next link brings it.
    if (this.isNew && kept) takeKept(kept);
    else if (kept) sessionStorage.setItem('offered', kept);
    await this.#claim();
  }

  /** Connects, now and after each break. */
  connect() {
    addEventListener('online', () => this.#soon());
    document.addEventListener('visibilitychange', () => document.hidden || this.#soon());
    addEventListener('hashchange', () => this.#launch());
    if (this.#session) this.#connect();
    else this.#become('refused', this.reason || 'noSession');
  }

  /** A new link was opened in this tab. */
  async #launch() {
    const { code, kept } = takeLink();
    if (!code) return;
    if (!(await this.#trade(code))) return this.#become(this.state, this.reason);
    if (kept) {
      // What the link brings is for a page that begins.
      takeKept(kept);
      this.isRestarting = true;
      return location.reload();
    }
    this.isNew = true;
    this.#socket?.close();
    this.#socket = null;
    this.#drop();
    this.#become('connecting', '');
    this.#connect();
  }

  /**
   * Trades a launch code.
   * @param {string} code
   */
  async #trade(code) {
    try {
      const response = await fetch('/session', post({ code }));
      const answer = await response.json();
      if (response.status === 403 || response.status === 429) {
        this.reason = response.status === 403 ? 'usedLink' : 'tooManyFailures';
        return false;
      }
      if (!response.ok) throw new RequestError(answer.error);
      this.#session = { session: answer.session, token: answer.token };
      sessionStorage.setItem('session', JSON.stringify(this.#session));
      return true;
    } catch (error) {
      this.reason = error instanceof RequestError ? error.message : 'noServer';
      return false;
    }
  }

  /** Claims the client's id by a lock for the life of this page. A copied tab has the id, but not the lock. */
  async #claim() {
    const kept = sessionStorage.getItem('client');
    // At a reload the page before may have the lock for a moment.
    const isReload = performance.getEntriesByType('navigation').some((entry) => /** @type {any} */ (entry).type === 'reload');
    const claim = (/** @type {string} */ id) => new Promise((resolve) => {
      if (!navigator.locks) return resolve(true);
      const options = isReload ? { signal: /** @type {any} */ (AbortSignal).timeout(lockTime) } : { ifAvailable: true };
      navigator.locks.request(`emojiart ${id}`, options, (lock) => {
        resolve(lock !== null);
        return lock ? new Promise(() => {}) : undefined;
      }).catch(({ name }) => resolve(name !== 'TimeoutError'));
    });
    const valid = kept !== null && /^[0-9a-hjkmnp-tv-z]{12}$/.test(kept);
    const id = valid && (await claim(kept)) ? kept : drawID(12);
    if (id !== kept) {
      await claim(id);
      sessionStorage.setItem('client', id);
      // A copied tab leaves them to the tab that it was copied from.
      if (isReload) keepEditsOnly();
      else sessionStorage.removeItem('pending');
    }
    this.client = id;
  }

  #connect() {
    const session = this.#session;
    // A try that is under way keeps its time.
    if (!session || this.#socket) return;
    clearTimeout(this.#timer);
    if (this.state !== 'refused') this.#become('connecting', '');
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`, 'emojiart-1');
    this.#socket = socket;
    const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
    const key = proofKey(session.token);
    let work = Promise.resolve();
    let isProven = false;
    const handshake = async (/** @type {Message} */ message) => {
      // What an unknown server says is not shown.
      if (typeof message.bye === 'string') return this.#refuse(socket, message.status === 429 ? 'tooManyFailures' : isProven ? message.bye : 'notAdmitted');
      if (message.welcome && isProven) return this.#opened(message.welcome);
      const expected = await prove(key, `server:${nonce}`);
      if (this.#socket !== socket) return undefined;
      if (isProven || typeof message.challenge !== 'string' || message.proof !== expected) return this.#refuse(socket, 'notProven');
      isProven = true;
      const proof = await prove(key, `page:${message.challenge}`);
      if (this.#socket !== socket) return undefined;
      const name = this.name ? { name: this.name } : {};
      socket.send(JSON.stringify({ answer: { client: this.client, ...name, proof } }));
      return undefined;
    };
    socket.onopen = () => socket.send(JSON.stringify({ hello: { nonce, session: session.session } }));
    socket.onmessage = (event) => {
      if (this.#socket !== socket) return;
      this.#heard = performance.now();
      const message = readMessage(event.data);
      if (this.state === 'open') this.#receive(message);
      // The steps of the handshake wait for each other.
      else {
        work = work.then(() => {
          // Another try may have begun meanwhile.
          if (this.#socket !== socket) return undefined;
          return this.state === 'open' ? this.#receive(message) : handshake(message);
        });
      }
    };
    const end = () => {
      if (this.#socket === socket) this.#lost();
    };
    socket.onclose = end;
    // A program that accepts a connection and says nothing may be another one. It may also be the server, stopped.
    this.#timer = setTimeout(() => {
      if (this.state === 'open') return;
      end();
      socket.close();
    }, handshakeTime);
  }

  /** @param {Message} welcome */
  #opened(welcome) {
    this.welcome = welcome;
    clearTimeout(this.#timer);
    this.#delay = delays.first;
    this.#become('open', '');
  }

  /** @param {WebSocket} socket @param {string} reason */
  #refuse(socket, reason) {
    this.#socket = null;
    socket.close();
    this.#drop();
    if (this.state !== 'refused' || this.reason !== reason) this.#become('refused', reason);
    this.#later(reason === 'tooManyFailures' ? failuresTime : 0);
  }

  #lost() {
    this.#socket = null;
    this.#drop();
    // What refused this page is not what is away.
    this.#become('waiting', this.state === 'refused' ? '' : this.reason);
    this.#later();
  }

  /** Connects again, later each time. */
  #later(least = 0) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), Math.max(least, this.#delay * (0.75 + Math.random() / 2)));
    this.#delay = Math.min(this.#delay * 2, delays.longest);
  }

  /** Tries again at once if a try is due. */
  #soon() {
    if (this.state !== 'waiting' && (this.state !== 'refused' || this.reason === 'tooManyFailures')) return;
    this.#delay = delays.first;
    this.#connect();
  }

  /** Ends the requests that wait for an answer. */
  #drop() {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const { reject } of requests) reject(disconnected());
  }

  /** @param {NetState} state @param {string} reason */
  #become(state, reason) {
    this.state = state;
    this.reason = reason;
    this.onState(state);
  }

  // MARK: Requests

  /** A tag that is unique in the client's life. */
  makeTag() {
    return `${this.#prefix}-${++this.#count}`;
  }

  /**
   * Asks something that changes no document, and answers with the server's answer. Rejected if the connection breaks.
   * @param {Message} message @returns {Promise<Message>}
   */
  request(message) {
    return new Promise((resolve, reject) => {
      const tag = this.makeTag();
      if (!this.send({ ...message, tag })) return reject(disconnected());
      this.#requests.set(tag, { resolve, reject });
    });
  }

  /**
   * Sends a message; its answer, if it has one, comes to `onMessage`.
   * @param {Message} message
   */
  send(message) {
    if (this.state !== 'open' || !this.#socket) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /**
   * Sends a message if the connection is not busy.
   * @param {Message} message
   */
  tell(message) {
    return this.#socket !== null && this.#socket.bufferedAmount < 1 << 16 && this.send(message);
  }

  /** Whether another program may have the port: this page was connected, and is not. */
  get isAway() { return this.welcome !== null && this.state !== 'open'; }

  /** Milliseconds since the server has sent something. */
  get silence() { return performance.now() - this.#heard; }

  /** Connects anew: what the server tells cannot be followed. */
  restart() { this.#socket?.close(); }

  /** @param {Message} message */
  #receive(message) {
    if (typeof message.bye === 'string') this.reason = message.bye;
    const request = typeof message.tag === 'string' ? this.#requests.get(message.tag) : undefined;
    if (!request) return this.onMessage(message);
    this.#requests.delete(message.tag);
    if (message.error) request.reject(new RequestError(message.error));
    else request.resolve(message);
  }

  /**
   * Asks by HTTP with the connection's ticket. Without a connection nothing is asked: another program may have the port.
   * @param {string} path
   * @param {RequestInit} [options]
   */
  async fetch(path, options = {}) {
    if (this.state !== 'open') throw disconnected();
    const headers = { ...options.headers, Authorization: `Bearer ${this.welcome?.ticket}` };
    // What the browser says of it is in its own language.
    const response = await fetch(path, { ...options, headers }).catch(() => { throw disconnected(); });
    if (response.ok) return response;
    const answer = await response.json().catch(() => ({}));
    throw new RequestError(answer.error ?? { code: String(response.status), message: response.statusText });
  }
}

/**
 * A message of the server. What is none, of another program at the port, proves nothing.
 * @param {unknown} data
 * @returns {Message}
 */
function readMessage(data) {
  try {
    const message = JSON.parse(String(data));
    return message && typeof message === 'object' ? message : {};
  } catch {
    return {};
  }
}

// MARK: Presence

/** The most labels that are told to others. */
const presenceLimit = 500;

/** Tells other pages what is selected here, and how far it is dragged: at most 20 times a second. */
export class Presence {
  #net;
  /** @type {ReadonlySet<string>} */
  #ids = new Set();
  /** @type {[number, number] | null} */
  #drag = null;
  #told = '';
  #timer = 0;

  /** @param {Net} net */
  constructor(net) { this.#net = net; }

  /** Another connection knows nothing yet. */
  restart() { this.#told = ''; }

  /** @param {ReadonlySet<string>} ids @param {[number, number] | null} drag */
  tell(ids, drag) {
    [this.#ids, this.#drag] = [ids, drag];
    if (!this.#timer) this.#tell();
  }

  #tell() {
    this.#timer = 0;
    if (this.#net.state !== 'open') return;
    const ids = [];
    for (const id of this.#ids) if (ids.push(id) === presenceLimit) break;
    const presence = this.#drag ? { drag: this.#drag, ids } : { ids };
    const text = JSON.stringify(presence);
    if (text === this.#told) return;
    if (this.#net.tell({ presence })) this.#told = text;
    this.#timer = setTimeout(() => this.#tell(), 50);
  }
}

// MARK: What outlives the page

/**
 * What a page leaves to the next one in its tab: its client's id, the folder and name of the open document, and the requests that are not
 * answered. `sessionStorage` brings them over a reload, a link to a server at another port.
 * @typedef {{ client: string, folder: string, document: string, pending: import('./store').Kept[] }} Kept
 */

/**
 * What is kept, of each document apart.
 * @returns {Kept[]}
 */
const allKept = () => JSON.parse(sessionStorage.getItem('pending') ?? '[]');

/** @param {Kept[]} all */
function storeKept(all) {
  if (all.length) sessionStorage.setItem('pending', JSON.stringify(all));
  else sessionStorage.removeItem('pending');
}

/** @param {Kept} kept */
export function keep(kept) {
  const others = allKept().filter(({ folder, document }) => folder !== kept.folder || document !== kept.document);
  if (!kept.pending.length) return storeKept(others);
  sessionStorage.setItem('client', kept.client);
  sessionStorage.setItem('document', kept.document);
  // The newest first: it is opened first.
  return storeKept([kept, ...others]);
}

/**
 * Forgets what was kept of a document: its page goes on, or has nothing pending.
 * @param {string} name
 */
export const forget = (name) => storeKept(allKept().filter(({ document }) => document !== name));

/**
 * The requests that an earlier page has left for a document, once.
 * @param {string} folder
 * @param {string} name
 * @returns {import('./store').Kept[]}
 */
export function takePending(folder, name) {
  const all = allKept();
  const kept = all.find((each) => each.document === name && each.folder === folder);
  if (!kept) return [];
  storeKept(all.filter((each) => each !== kept));
  return kept.pending;
}

/**
 * Forgets the kept requests that another client must not send again. An edit sets values, so it can be made twice.
 */
function keepEditsOnly() {
  storeKept(allKept().map((kept) => ({ ...kept, pending: kept.pending.filter(({ request }) => request.edit) })).filter(({ pending }) => pending.length));
}

/** The document of the requests that an earlier page has left. */
export const pendingDocument = () => allKept()[0]?.document ?? null;

/** @param {string} text what another page put into a link */
function takeKept(text) {
  try {
    const kept = JSON.parse(text);
    const isValid = typeof kept.client === 'string' && typeof kept.folder === 'string' && typeof kept.document === 'string' && Array.isArray(kept.pending)
      && kept.pending.every((/** @type {any} */ each) => typeof each.name === 'string' && typeof each.request?.tag === 'string');
    if (isValid) keep(kept);
    sessionStorage.removeItem('offered');
  } catch {
    // A link that was cut brings nothing.
  }
}

/** The longest link that browsers take. */
const linkLimit = 2_000_000;

/**
 * The address that brings what is kept to the page of a link; null if it is none, `too long` if there is too much to bring. What another page
 * has offered with a link that was no longer valid goes first.
 * @param {string} text
 * @param {Kept} kept
 * @returns {string | null}
 */
export function linkWith(text, kept) {
  const link = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}\/#c=[0-9a-z]+(&d=[^&]*)?$/i.exec(text.trim());
  if (!link) return null;
  const whole = `${link[0]}&kept=${encodeURIComponent(sessionStorage.getItem('offered') ?? JSON.stringify(kept))}`;
  return whole.length < linkLimit ? whole : 'too long';
}

// MARK: Session and proof

/** Takes the launch code, the document to open first, and what a link brings, out of the address bar. */
function takeLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  return { code: link.get('c'), document: link.get('d'), kept: link.get('kept') };
}

function readSession() {
  try {
    const kept = JSON.parse(sessionStorage.getItem('session') ?? 'null');
    return typeof kept?.session === 'string' && /^[0-9a-f]{64}$/.test(kept.token) ? kept : null;
  } catch {
    return null;
  }
}

/**
 * The options of a POST with a JSON body.
 * @param {object} body
 * @returns {RequestInit}
 */
export function post(body) {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The key of the proofs: the SHA-256 of the token.
 * @param {string} token
 */
async function proofKey(token) {
  const bytes = new Uint8Array((token.match(/../g) ?? []).map((digits) => parseInt(digits, 16)));
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return crypto.subtle.importKey('raw', digest, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** @param {Promise<CryptoKey>} key @param {string} text */
async function prove(key, text) {
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(text))));
}
