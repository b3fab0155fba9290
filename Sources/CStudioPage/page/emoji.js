// SPDX-License-Identifier: Apache-2.0

// The panel of emoji: search, recent ones, palettes, skin tones. Drag, tap or Enter adds.

/** @typedef {import('./studio').Studio} Studio */

import { add, edit } from './actions.js';
import { language } from './language.js';
import { build } from './panels.js';
import { Sheet } from './sheet.js';
import { settings } from './storage.js';
import { words } from './words.js';

/** The most emoji that a search gives. */
const foundLimit = 160;
/** How many names a request asks for, and the milliseconds until the first one: nothing else waits for them. */
const [namedPart, namedDelay] = [50, 4000];
/** The most recent ones that are shown. */
const recentLimit = 24;
const dragThreshold = 6;
const modifiers = ['', '\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];

/** The emoji of Unicode's list, which fonts draw as one picture. A browser without the list gives a tone to one person only. */
const known = (() => {
  try { return new RegExp('^\\p{RGI_Emoji}$', 'v'); } catch { return /^\P{Emoji_Modifier}*\p{Emoji_Modifier}\P{Emoji_Modifier}*$/u; }
})();

/**
 * An emoji with another skin tone, if there is one. Hands between people are those of the people.
 * @param {string} text
 * @param {string} modifier
 */
function toned(text, modifier) {
  if (!modifier || /\p{Emoji_Modifier}/u.test(text)) return text;
  const result = text.replace(/(?<!\u200D)(\p{Emoji_Modifier_Base})\uFE0F?|(?<=\u200D)(?!\u{1F91D})(\p{Emoji_Modifier_Base})\uFE0F?/gu, (_, first, later) => `${first ?? later}${modifier}`);
  return known.test(result) ? result : text;
}

/**
 * The name of a palette: that of a theme, or what the user has called it.
 * @param {string} name
 */
const paletteName = (name) => /** @type {Record<string, string>} */ (words.palettes)[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

/** @param {Studio} studio */
export function attachEmoji(studio) {
  const panel = new Panel(studio);
  studio.on('opened', () => { if (!panel.isLoaded) panel.load(); });
  studio.on('ui', (name) => {
    if (name === 'emoji') panel.open();
    if (name === 'replace') panel.open(true);
    if (name === 'used') panel.use(studio.stamp);
  });
  studio.on('tool', () => panel.showStamp());
  studio.on('selected', () => { if (!studio.selected.size) panel.isReplacing = false; });
  panel.load();
}

class Panel {
  isReplacing = false;
  isLoaded = false;
  #aside = /** @type {HTMLElement} */ (document.getElementById('emoji'));
  #find = /** @type {HTMLInputElement} */ (document.getElementById('find'));
  #found = /** @type {HTMLElement} */ (document.getElementById('found'));
  #sheet;
  #tone = modifiers.find((each) => each === settings.get('tone')) ?? '';
  /** @type {{ name: string, emoji: string[] }[]} */
  #palettes = [];
  /** @type {string[]} */
  #recent = [];
  #query = 0;
  /**
   * What the newest choice has selected.
   * @type {ReadonlySet<string> | null}
   */
  #added = null;
  /** How often the panel was opened or closed. */
  #turns = 0;
  /** The words whose result is shown: the shown emoji are those of no other words. */
  #shownFor = '';
  /**
   * The names of emoji in the page's language, for searching without the server.
   * @type {Map<string, string>}
   */
  #names = new Map();
  /**
   * The emoji whose skin tones the server's font lacks.
   * @type {Set<string>}
   */
  #untoned = new Set();
  /** @type {{ pointer: number, text: string, from: { x: number, y: number }, ghost: HTMLElement | null } | null} */
  #drag = null;
  #hasDragged = false;
  /** The newest search: its first emoji, empty without one. */
  #searching = Promise.resolve('');

  /** @param {Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.#sheet = new Sheet(studio, this.#aside);
    this.#find.disabled = false;
    this.#find.addEventListener('input', () => { this.#searching = this.#search(); });
    this.#find.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        if (this.#find.value) {
          this.#find.value = '';
          this.#searching = this.#search();
        } else {
          this.close();
        }
        event.stopPropagation();
        event.preventDefault();
      }
      if (event.key === 'Enter' && !event.isComposing) {
        // What is typed or pressed before the result comes does not change this choice.
        if (this.#words) this.#searching.then(this.#choice());
        else this.#choice()(this.#found.querySelector('button')?.dataset.emoji ?? '');
      }
      if (event.key === 'ArrowDown') {
        event.preventDefault();
        this.#first().then((button) => { if (document.activeElement === this.#find) button?.focus(); });
      }
    });
    this.#found.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button && (event.detail === 0 || !this.#hasDragged)) this.#choice()(button.dataset.emoji ?? '');
    });
    this.#found.addEventListener('keydown', (event) => this.#walk(event));
    this.#attachDrag();
    this.#showTones();
  }

  async load() {
    try {
      const { palettes, recent } = await this.studio.net.request({ palettes: true });
      [this.#palettes, this.#recent] = [palettes, recent.slice(0, recentLimit)];
      this.isLoaded = true;
      if (!this.#find.value) this.#show();
      setTimeout(() => requestIdleCallback(() => { this.#loadNames().catch(() => {}); }), namedDelay);
    } catch {
      // Without a connection the panel stays as it is.
    }
  }

  async #loadNames() {
    const texts = [...new Set([...this.#recent, ...this.#palettes.flatMap(({ emoji }) => emoji)])];
    for (let start = 0; start < texts.length; start += namedPart) {
      const part = texts.slice(start, start + namedPart);
      const { names } = await this.studio.net.request({ names: { language, texts: part } });
      part.forEach((text, index) => { if (names[index]) this.#names.set(text, names[index]); });
    }
  }

  open(isReplacing = false) {
    this.#turns += 1;
    this.isReplacing = isReplacing;
    if (isReplacing) this.studio.emit('note', { text: words.emoji.replacing });
    else if (this.studio.tool === 'stamp' || this.studio.tool === 'brush') this.studio.emit('note', { text: words.emoji.forStamp });
    if (this.#sheet.isSheet && this.#sheet.state !== 'closed' && !isReplacing) return this.close();
    if (this.#sheet.isSheet && this.#sheet.state === 'closed') this.#sheet.show('half');
    // With a finger one taps; a keyboard on the screen would cover the emoji.
    if (matchMedia('(pointer: coarse)').matches) return undefined;
    this.#find.focus();
    this.#find.select();
    return undefined;
  }

  close() {
    this.#turns += 1;
    this.isReplacing = false;
    this.#sheet.show('closed');
    this.studio.focusCanvas();
  }

  // MARK: What is shown

  get #words() { return this.#find.value.trim(); }

  /** Shows what fits, unless other words are typed before it comes; without the server, what fits of the emoji that are here. Returns the first one. */
  async #search() {
    const query = ++this.#query;
    const text = this.#words;
    if (!text) {
      this.#show();
      return '';
    }
    this.#found.ariaBusy = 'true';
    const tone = this.#tone;
    const request = this.studio.net.request({ find: { language, limit: foundLimit, words: text } });
    const found = await request.then((answer) => answer.found, () => this.#known(text));
    for (const { text: emoji, name, untoned } of found) {
      this.#names.set(emoji, name);
      if (untoned) this.#untoned.add(emoji);
    }
    const first = found.length ? this.#toned(found[0].text, tone) : '';
    if (query !== this.#query) return first;
    if (found.length) this.#found.replaceChildren(this.#grid(found));
    else this.#found.replaceChildren(build('p', { class: 'empty' }, words.emoji.nothing));
    this.#shownFor = text;
    this.#found.ariaBusy = null;
    this.#rove();
    return first;
  }

  /**
   * The emoji with known names that have all words, or their beginnings.
   * @param {string} text
   */
  #known(text) {
    const wanted = text.toLowerCase().split(/\s+/);
    return [...this.#names].filter(([, name]) => {
      const parts = name.toLowerCase().split(/[^\p{Letter}\p{Number}]+/u);
      return wanted.every((word) => parts.some((part) => part.startsWith(word)));
    }).slice(0, foundLimit).map(([emoji, name]) => ({ text: emoji, name }));
  }

  /** The button of the first emoji of the words that are typed, once it is shown; none of other words. */
  async #first() {
    const text = this.#words;
    await this.#searching;
    return text === this.#words && text === this.#shownFor ? this.#found.querySelector('button') : null;
  }

  #show() {
    this.#shownFor = '';
    this.#found.ariaBusy = null;
    const palettes = this.#palettes.map(({ name, emoji }) => ({ name: paletteName(name), emoji }));
    const groups = [{ name: words.emoji.recent, emoji: this.#recent }, ...palettes].filter(({ emoji }) => emoji.length);
    this.#found.replaceChildren(...groups.flatMap(({ name, emoji }) => [build('h2', {}, name), this.#grid(emoji.map((text) => ({ text, name: text })))]));
    this.showStamp();
    this.#rove();
  }

  /**
   * Tab reaches one emoji; arrows go on from it.
   * @param {HTMLElement | null} [button]
   */
  #rove(button = this.#found.querySelector('button')) {
    for (const other of this.#found.querySelectorAll('button[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    button?.setAttribute('tabindex', '0');
  }

  /** @param {{ text: string, name: string }[]} list */
  #grid(list) {
    return build('div', { class: 'grid' }, ...list.map(({ text, name }) => {
      const shown = this.#toned(text);
      return build('button', { type: 'button', 'data-emoji': shown, 'aria-label': name === text ? shown : name, title: name === text ? '' : name, draggable: false, tabIndex: -1 }, shown);
    }));
  }

  /**
   * An emoji with a skin tone, the chosen one by default, if the server's font has it.
   * @param {string} text
   */
  #toned(text, tone = this.#tone) {
    return this.#untoned.has(text) ? text : toned(text, tone);
  }

  showStamp() {
    const { studio } = this;
    const isStamping = studio.tool === 'stamp' || studio.tool === 'brush';
    for (const button of this.#found.querySelectorAll('button')) {
      if (isStamping && button.dataset.emoji === studio.stamp) button.setAttribute('aria-pressed', 'true');
      else button.removeAttribute('aria-pressed');
    }
  }

  #showTones() {
    const host = /** @type {HTMLElement} */ (document.getElementById('tones'));
    const buttons = modifiers.map((modifier, index) => {
      const name = index ? words.emoji.tones[index - 1] : words.emoji.noTone;
      const button = build('button', { type: 'button', 'aria-label': name, title: name, 'aria-pressed': this.#tone === modifier }, `\u{270B}${modifier}`);
      button.addEventListener('click', () => {
        this.#tone = modifier;
        settings.set('tone', modifier);
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
        if (this.#find.value) this.#searching = this.#search();
        else this.#show();
      });
      return button;
    });
    host.replaceChildren(build('span', {}, words.emoji.tone), ...buttons);
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const buttons = [...this.#found.querySelectorAll('button')];
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (index < 0) return;
    const row = buttons[index].offsetTop;
    const isOther = (/** @type {HTMLElement} */ button) => button.offsetTop !== row;
    const { offsetLeft } = buttons[index];
    const nearest = (/** @type {HTMLButtonElement[]} */ list) => {
      const next = list.find(isOther);
      const inRow = next ? list.filter(({ offsetTop }) => offsetTop === next.offsetTop) : [];
      return inRow.sort((a, b) => Math.abs(a.offsetLeft - offsetLeft) - Math.abs(b.offsetLeft - offsetLeft))[0];
    };
    const target = event.key === 'ArrowRight' ? buttons[index + 1] : event.key === 'ArrowLeft' ? buttons[index - 1]
      : event.key === 'ArrowDown' ? nearest(buttons.slice(index)) : event.key === 'ArrowUp' ? nearest(buttons.slice(0, index).reverse()) ?? this.#find : undefined;
    if (event.key === 'Escape') this.close();
    else if (target) {
      if (target !== this.#find) this.#rove(target);
      target.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // MARK: Choosing

  /**
   * Returns what is done with an emoji that is chosen now: it replaces the selected ones, or is added, or is only the next stamp. If its result
   * comes later, it keeps what was selected in the meantime, and the focus of a panel that was closed or opened again.
   */
  #choice() {
    const { studio, isReplacing } = this;
    const { name, tool, selected, selection } = studio;
    const turn = this.#turns;
    return (/** @type {string} */ text) => {
      if (!text || !studio.isOpen || studio.name !== name) return;
      if (isReplacing && selection.length) {
        edit(studio, 'replace', new Set(selection.filter(({ kind }) => kind !== 'caption').map(({ id }) => id)), () => () => ({ text }));
        if (this.#turns === turn) {
          this.isReplacing = false;
          studio.focusCanvas();
        }
      } else if (tool !== 'stamp' && tool !== 'brush') {
        const isSelected = [selected, this.#added].includes(studio.selected);
        add(studio, 'add', [{ text, ...this.#freePlace(), size: studio.stampSize }], isSelected);
        if (isSelected) this.#added = studio.selected;
      }
      studio.setStamp(text);
      this.use(text);
      // What was placed is to be seen.
      if (this.#sheet.state === 'full') this.#sheet.show('half');
    };
  }

  /**
   * Notes that an emoji was used.
   * @param {string} text
   */
  use(text) {
    if (this.#recent[0] === text) return;
    this.#recent = [text, ...this.#recent.filter((other) => other !== text)].slice(0, recentLimit);
    // While one is being dragged or walked, the others stay where they are.
    if (!this.#find.value && !this.#found.contains(document.activeElement)) this.#show();
  }

  /** A place in the middle of the view that has room. */
  #freePlace() {
    const { studio } = this;
    const { viewport: { visible }, stampSize: size, hits } = studio;
    const { x, y } = { x: visible.x + visible.width / 2, y: visible.y + visible.height / 2 };
    const side = size * 1.25;
    for (let index = 0; index < 60; index += 1) {
      // Points of a sunflower: evenly spread, from the middle outwards.
      const [distance, angle] = [side * Math.sqrt(index), index * 2.4];
      const place = { x: Math.round(x + distance * Math.cos(angle)), y: Math.round(y + distance * Math.sin(angle)) };
      const isInside = place.x > visible.x && place.x < visible.x + visible.width && place.y > visible.y && place.y < visible.y + visible.height;
      if (isInside && !hits.inRect({ x: place.x - size / 2, y: place.y - size / 2, width: size, height: size }).length) return place;
    }
    return { x: Math.round(x), y: Math.round(y) };
  }

  // MARK: Dragging

  #attachDrag() {
    this.#found.addEventListener('pointerdown', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      this.#hasDragged = false;
      if (!button || event.button !== 0) return;
      this.#drag = { pointer: event.pointerId, text: button.dataset.emoji ?? '', from: { x: event.clientX, y: event.clientY }, ghost: null };
    });
    addEventListener('pointermove', (event) => {
      const drag = this.#drag;
      if (drag?.pointer !== event.pointerId) return;
      const [dx, dy] = [event.clientX - drag.from.x, event.clientY - drag.from.y];
      if (!drag.ghost) {
        if (Math.hypot(dx, dy) < dragThreshold) return;
        drag.ghost = build('div', { class: 'dragged' }, drag.text);
        document.body.append(drag.ghost);
        this.#hasDragged = true;
      }
      const size = Math.max(20, this.studio.stampSize * this.studio.camera.zoom);
      drag.ghost.style.fontSize = `${size}px`;
      drag.ghost.style.transform = `translate(${event.clientX}px,${event.clientY}px) translate(-50%,-50%)`;
    });
    const cancel = () => {
      this.#drag?.ghost?.remove();
      this.#drag = null;
    };
    const end = (/** @type {PointerEvent} */ event, /** @type {boolean} */ isDropped) => {
      const drag = this.#drag;
      if (drag?.pointer !== event.pointerId) return;
      this.#drag = null;
      drag.ghost?.remove();
      const { studio } = this;
      // The sheet, bars and notes lie over the stage.
      const isOnStage = Boolean(document.elementFromPoint(event.clientX, event.clientY)?.closest('#stage'));
      if (!drag.ghost || !isDropped || !isOnStage || !studio.isOpen) return;
      const { x, y } = studio.documentPoint(event);
      add(studio, 'add', [{ text: drag.text, x: Math.round(x), y: Math.round(y), size: studio.stampSize }]);
      studio.setStamp(drag.text);
      this.use(drag.text);
      studio.focusCanvas();
    };
    addEventListener('pointerup', (event) => end(event, true));
    addEventListener('pointercancel', (event) => end(event, false));
    addEventListener('blur', cancel);
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#drag?.ghost) return;
      event.stopImmediatePropagation();
      cancel();
    }, true);
  }
}
