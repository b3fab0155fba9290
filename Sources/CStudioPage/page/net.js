// SPDX-License-Identifier: Apache-2.0

import { drawID } from './changes.js';
import { isTaken } from './guard.js';
import { Outbox } from './outbox.js';
import { Records, settings, tab } from './storage.js';

/**
 * The connection to the server: session, proof, socket, reconnecting, and requests with tags.
 *
 *     starting ──connect──▶ connecting ──both proofs──▶ open ──closed──▶ waiting ──timer, online, visible──▶ connecting
 *         └──no session──▶ refused ◀──the server or its proof refuses──┘
 *
 * A page whose server does not prove that it knows the token sends nothing more to it. Another program may have the port only for a while: a
 * refused page with a session tries again, and stays refused until a server has proved itself, or nothing answers. A server that has proved
 * itself may end the session: then the page waits for another link.
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
/** The most sessions of tabs that are kept. */
const sessionLimit = 50;

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
  /** The document that the link names, until it is open; or nothing. */ first = /** @type {string | null} */ (null);
  /** @type {Message | null} */ welcome = null;
  /** The session of the editing protocol: undo belongs to it. */ client = '';

  /** The user's name as others see it, or nothing. The server takes 64 bytes. */
  get name() { return [...(settings.get('name') ?? '')].slice(0, 16).join(''); }

  /**
   * Others see the name from the next connection on.
   * @param {string} name
   */
  setName(name) { settings.set('name', name); }

  /**
   * A message that answers no request.
   * @type {(message: Message) => void}
   */
  onMessage = () => {};
  /** @type {(state: NetState) => void} */ onState = () => {};

  /** What is kept for other connections and other pages. */
  outbox;
  #records;

  /** @type {Line | null} */ #line = null;
  /** @type {Session | null} */ #session = null;
  /** @type {Map<string, {resolve: (answer: Message) => void, reject: (error: Error) => void}>} */ #requests = new Map();
  /** Ends the hold on the client's id. */ #release = () => {};
  /**
   * What the user has chosen, and the server does not keep yet.
   * @type {Map<string, string>}
   */
  #chosen = new Map();
  /** Resolves when the server has answered what it was told of that. */ told = Promise.resolve();
  #delay = delays.first;
  #timer = 0;

  /** @param {Records} records */
  constructor(records) {
    this.#records = records;
    this.outbox = new Outbox(records);
    settings.onSet = (name, text) => {
      this.#chosen.set(name, text ?? '');
      this.#tellChosen();
    };
  }

  /** Opens what the browser keeps, and takes the launch code or the kept session, and the client's id. `connect` follows. */
  static async start() {
    const { code, document: first, kept } = takeLink();
    const net = new Net(await Records.open());
    await net.outbox.load();
    net.first = first;
    const client = net.outbox.offer(kept);
    const former = tab.get('client');
    net.isNew = code !== null && (await net.#trade(code));
    if (!net.isNew) net.#session = await net.#keptSession(former);
    await net.#claim((net.isNew ? client : null) ?? former);
    await net.#keepSession();
    return net;
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
    const { code, document: first, kept } = takeLink();
    if (!code) return;
    const client = this.outbox.offer(kept) ?? this.outbox.offeredClient;
    if (!(await this.#trade(code))) return this.#become(this.state, this.reason);
    this.first = first;
    this.isNew = true;
    // A page that was never connected has no edits of its own.
    if (client && !this.welcome) await this.#claim(client);
    await this.#keepSession();
    this.#line?.close();
    this.#line = null;
    this.#drop();
    this.#become('connecting', '');
    this.#connect();
  }

  /**
   * Trades a launch code.
   * @param {string} code
   */
  async #trade(code) {
    if (isTaken()) {
      this.reason = 'taken';
      return false;
    }
    try {
      const response = await fetch('/session', post({ code }));
      const answer = await response.json();
      if (response.status === 403 || response.status === 429) {
        this.reason = response.status === 403 ? 'usedLink' : 'tooManyFailures';
        return false;
      }
      if (!response.ok) throw new RequestError(answer.error);
      this.#session = { session: answer.session, key: await proofKey(answer.token) };
      takePreferences(answer.preferences);
      return true;
    } catch (error) {
      this.reason = error instanceof RequestError ? error.message : 'noServer';
      return false;
    }
  }

  /**
   * The session that an earlier page of this tab has kept, or the page that the tab is a copy of.
   * @param {string | null} client
   * @returns {Promise<Session | null>}
   */
  async #keptSession(client) {
    const all = await this.#records.all('sessions').catch(() => []);
    const kept = all.find((each) => each.client === client);
    return kept ? { session: kept.session, key: kept.key } : null;
  }

  /** Keeps the session for a reload. Its key cannot be read, but it can be used by whoever may run scripts at this address. */
  async #keepSession() {
    if (!this.#session) return;
    const all = await this.#records.all('sessions').catch(() => []);
    for (const old of all.sort((a, b) => b.time - a.time).slice(sessionLimit)) await this.#records.delete('sessions', old).catch(() => {});
    await this.#records.put('sessions', { client: this.client, ...this.#session, time: Date.now() }).catch(() => {});
  }

  /**
   * Claims the client's id by a lock for the life of this page. A copied tab has the id, but not the lock.
   * @param {string | null} wanted
   */
  async #claim(wanted) {
    // At a reload the page before may have the lock for a moment.
    const isReload = performance.getEntriesByType('navigation').some((entry) => /** @type {any} */ (entry).type === 'reload');
    const isValid = wanted !== null && /^[0-9a-hjkmnp-tv-z]{12}$/.test(wanted);
    const drawn = drawID(12);
    const own = isValid ? await lock(wanted, isReload ? lockTime : 0) : null;
    const release = own ?? (await lock(drawn));
    // Another page may take up what the former client has left.
    this.#release();
    this.#release = release ?? (() => {});
    this.client = own ? String(wanted) : drawn;
    tab.set('client', this.client);
  }

  #connect() {
    const session = this.#session;
    // A try that is under way keeps its time.
    if (!session || this.#line) return;
    clearTimeout(this.#timer);
    if (isTaken()) return this.#become('refused', 'taken');
    if (this.state !== 'refused') this.#become('connecting', '');
    const line = new Line(session, this.client, this.name);
    this.#line = line;
    const isCurrent = () => this.#line === line;
    line.onWelcome = (welcome) => isCurrent() && this.#opened(welcome);
    line.onMessage = (message) => isCurrent() && this.#receive(message);
    line.onRefused = (reason) => isCurrent() && this.#refuse(reason);
    line.onEnd = () => isCurrent() && this.#lost();
  }

  /** @param {Message} welcome */
  #opened(welcome) {
    this.welcome = welcome;
    this.#delay = delays.first;
    this.#become('open', '');
    this.#tellChosen();
  }

  /** Has the server keep what the user has chosen, for pages at other addresses. */
  #tellChosen() {
    if (this.state !== 'open' || !this.#chosen.size) return;
    const chosen = [...this.#chosen];
    this.#chosen.clear();
    this.told = this.request({ preferences: Object.fromEntries(chosen) }).then(() => {}, ({ code }) => {
      // A server that cannot keep it is not asked again: the browser has it.
      if (code === 'disconnected') this.#chosen = new Map([...chosen, ...this.#chosen]);
    });
  }

  /** @param {string} reason */
  #refuse(reason) {
    this.#line?.close();
    this.#line = null;
    this.#drop();
    if (this.state !== 'refused' || this.reason !== reason) this.#become('refused', reason);
    if (reason !== 'sessionEnded') return this.#later(reason === 'tooManyFailures' ? failuresTime : 0);
    this.#session = null;
    this.#records.delete('sessions', { client: this.client }).catch(() => {});
    return undefined;
  }

  #lost() {
    this.#line = null;
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

  /**
   * A tag that is unique in the client's life: 80 random bits. Tags are in files, which others write, too; an edit of theirs with the tag of a
   * request to come would stand for that request.
   */
  makeTag() { return drawID(16); }

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
    if (this.state !== 'open' || !this.#line) return false;
    this.#line.send(message);
    return true;
  }

  /**
   * Sends a message if the connection is not busy.
   * @param {Message} message
   */
  tell(message) {
    return this.#line !== null && !this.#line.isBusy && this.send(message);
  }

  /** Whether another program may have the port: this page was connected, and is not. */
  get isAway() { return this.welcome !== null && this.state !== 'open'; }

  /** Milliseconds since the server has sent something. */
  get silence() { return performance.now() - (this.#line?.heard ?? 0); }

  /** Connects anew: what the server tells cannot be followed. */
  restart() { this.#line?.close(); }

  /** @param {Message} message */
  #receive(message) {
    if (message.bye && message.status === 401) return this.#refuse('sessionEnded');
    if (typeof message.bye === 'string') this.reason = message.bye;
    const request = typeof message.tag === 'string' ? this.#requests.get(message.tag) : undefined;
    if (!request) return this.onMessage(message);
    this.#requests.delete(message.tag);
    if (message.error) request.reject(new RequestError(message.error));
    else request.resolve(message);
  }

  /**
   * Sends what a page has left that is gone, under its client, by a connection of its own. It ends when all is answered, or at a break.
   * @param {string} client
   * @param {readonly { document: string, path: string, requests: readonly import('./types').Request[] }[]} documents what is left, by documents
   * @param {(tag: string, answer: Message) => void} onAnswer
   * @returns {Promise<void>}
   */
  deliver(client, documents, onAnswer) {
    return new Promise((resolve) => {
      if (!this.#session || this.state !== 'open') return resolve();
      const line = new Line(this.#session, client, this.name);
      const left = [...documents];
      /** @type {Set<string>} */
      const awaited = new Set();
      let identity = '';
      const end = () => {
        line.close();
        resolve();
      };
      const openNext = () => (left.length ? line.send({ open: left[0].path, tag: `open-${left.length}` }) : end());
      line.onWelcome = (welcome) => (welcome.folderID === this.welcome?.folderID ? openNext() : end());
      line.onMessage = (message) => {
        if (message.opening) identity = message.opening.id;
        const { tag } = message;
        if (typeof tag !== 'string' || !(message.ok || message.error || message.fetching)) return;
        if (awaited.delete(tag)) onAnswer(tag, message);
        else if (tag === `open-${left.length}`) {
          const { document, requests } = left[0];
          // Another document may have the path now.
          if (message.ok && identity === document) {
            for (const request of requests) {
              awaited.add(request.tag);
              line.send(request);
            }
          }
        } else return;
        if (awaited.size) return;
        left.shift();
        openNext();
      };
      line.onRefused = line.onEnd = end;
    });
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

// MARK: One connection

/**
 * A session, and the key of its proofs.
 * @typedef {{ session: string, key: CryptoKey }} Session
 */

/** A connection whose both ends prove themselves before anything else is said. */
class Line {
  #socket;
  #timer = 0;
  /** When the server has last said something. */ heard = 0;
  /** @type {(welcome: Message) => void} */
  onWelcome = () => {};
  /**
   * What comes after the welcome.
   * @type {(message: Message) => void}
   */
  onMessage = () => {};
  /**
   * Called instead of `onEnd`.
   * @type {(reason: string) => void}
   */
  onRefused = () => {};
  onEnd = () => {};

  /** @param {Session} session @param {string} client @param {string} name */
  constructor({ session, key }, client, name) {
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`, 'emojiart-1');
    this.#socket = socket;
    const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
    let work = Promise.resolve();
    let [isProven, isOpen, isOver] = [false, false, false];
    const refuse = (/** @type {string} */ reason) => {
      isOver = true;
      this.onRefused(reason);
    };
    const handshake = async (/** @type {Message} */ message) => {
      // What an unknown server says is not shown.
      if (typeof message.bye === 'string') {
        return refuse(message.status === 429 ? 'tooManyFailures' : !isProven ? 'notAdmitted' : message.status === 401 ? 'sessionEnded' : message.bye);
      }
      if (message.welcome && isProven) {
        isOpen = true;
        clearTimeout(this.#timer);
        return this.onWelcome(message.welcome);
      }
      const expected = await prove(key, `server:${nonce}`);
      if (isProven || typeof message.challenge !== 'string' || message.proof !== expected) return refuse('notProven');
      isProven = true;
      const proof = await prove(key, `page:${message.challenge}`);
      if (!isOver) this.send({ answer: { client, ...(name ? { name } : {}), proof } });
      return undefined;
    };
    socket.onopen = () => this.send({ hello: { nonce, session } });
    socket.onmessage = (event) => {
      if (isOver) return;
      this.heard = performance.now();
      const message = readMessage(event.data);
      if (isOpen) this.onMessage(message);
      // The steps of the handshake wait for each other.
      else work = work.then(() => (isOver ? undefined : isOpen ? this.onMessage(message) : handshake(message)));
    };
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(this.#timer);
      this.onEnd();
    };
    socket.onclose = end;
    // A program that accepts a connection and says nothing may be another one. It may also be the server, stopped.
    this.#timer = setTimeout(() => {
      end();
      socket.close();
    }, handshakeTime);
  }

  /** @param {Message} message */
  send(message) { this.#socket.send(JSON.stringify(message)); }

  /** Whether messages wait for the network. */
  get isBusy() { return this.#socket.bufferedAmount >= 1 << 16; }

  close() {
    clearTimeout(this.#timer);
    this.#socket.close();
  }
}

/**
 * Holds the lock of a client until the result is called, or for the life of this page; null if another page has it.
 * @param {string} client
 * @param {number} time in milliseconds that it is waited for
 * @returns {Promise<(() => void) | null>}
 */
const lock = (client, time = 0) => new Promise((resolve) => {
  const none = () => {};
  if (!navigator.locks) return resolve(none);
  const options = time ? { signal: /** @type {any} */ (AbortSignal).timeout(time) } : { ifAvailable: true };
  navigator.locks.request(`${lockPrefix}${client}`, options, (found) => {
    if (found) return new Promise((release) => { resolve(() => release(undefined)); });
    resolve(null);
    return undefined;
  }).catch(({ name }) => resolve(name === 'TimeoutError' ? null : none));
});

const lockPrefix = 'emojiart ';

/**
 * Does something while no other page has a client, nor takes it up. Nothing is done if one has it.
 * @param {string} client
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
export async function whileGone(client, work) {
  if (!navigator.locks) return work();
  await navigator.locks.request(`${lockPrefix}${client}`, { ifAvailable: true }, (found) => (found ? work() : undefined));
}

/**
 * The clients that pages of this browser have.
 * @returns {Promise<Set<string>>}
 */
export async function clientsHere() {
  const held = navigator.locks ? (await navigator.locks.query()).held ?? [] : [];
  return new Set(held.flatMap(({ name = '' }) => (name.startsWith(lockPrefix) ? [name.slice(lockPrefix.length)] : [])));
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

// MARK: Links

/** The longest link that each browser takes: Firefox throws for a longer one. */
const linkLimit = 1_048_572;

/**
 * The address of a link that a user gives: another server has another name, and its pages do not see what this one keeps, so the link brings it. Null
 * if it is no link; `too long` if there is too much to bring.
 * @param {string} text
 * @param {Net} net
 * @param {string} document the path of the open document, or an empty text
 * @returns {Promise<string | null>}
 */
export async function linkWith(text, net, document) {
  const [link, origin, names] = /^(http:\/\/[0-9a-f]{20}\.emojiart\.localhost:\d{1,5})\/#c=[0-9a-z]+(&d=[^&]*)?$/.exec(text.trim()) ?? [];
  if (!link) return null;
  if (origin === location.origin) return link;
  const here = await clientsHere();
  const kept = await net.outbox.pack((client) => client !== net.client && here.has(client));
  if (kept === '[]') return link;
  const whole = `${link}${names || !document ? '' : `&d=${encodeURIComponent(document)}`}&kept=${encodeURIComponent(kept ?? '')}`;
  return kept !== null && whole.length < linkLimit ? whole : 'too long';
}

// MARK: Preferences

/** What the server keeps of the settings. */
const preferenceNames = ['documents', 'export', 'exportMany', 'language', 'name', 'size', 'snapping', 'tone'];

/**
 * Takes what the user has chosen in other pages, perhaps at another address. Each reader of a setting checks it, as one that a stranger has sent.
 * @param {unknown} preferences
 */
function takePreferences(preferences) {
  if (typeof preferences !== 'object' || preferences === null) return;
  for (const name of preferenceNames) {
    const text = /** @type {Record<string, unknown>} */ (preferences)[name];
    if (typeof text === 'string' && text.length <= 256) settings.put(name, text || null);
  }
}

// MARK: Session and proof

/** Takes the launch code, the document to open first, and what a link brings, out of the address bar. */
function takeLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  return { code: link.get('c'), document: link.get('d'), kept: link.get('kept') };
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

/** @param {CryptoKey} key @param {string} text */
async function prove(key, text) {
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))));
}
