// SPDX-License-Identifier: Apache-2.0

// Pointers on the canvas: events go into the machines of gestures.js, their effects into the studio. Also what lies over the picture, since most
// of it shows gestures.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Point} Point */
/** @typedef {import('./types').Change} Change */
/** @typedef {import('./canvas').Matrix} Matrix */
/** @typedef {import('./gestures').Effect} Effect */
/** @typedef {import('./gestures').Scene} Scene */

import { addWords, setWords } from './actions.js';
import { optionsOf } from './reading.js';
import { identity } from './canvas.js';
import { changesOf } from './drags.js';
import { Gestures, reachOf, wheeled } from './gestures.js';
import { EmojiNames } from './names.js';
import { Options, Overlay } from './overlay.js';
import { captionWords } from './pasted.js';
import { boxOf } from './rules.js';
import { frameOf, handleAt, handlesOf } from './selection.js';
import { shortText, withFields } from './changes.js';
import { colorOf, peerName } from './panels.js';
import { words } from './words.js';

/** The most labels that have an outline of their own. */
const outlineLimit = 200;
/** Milliseconds of rest after which the names for assistive technology follow. */
const optionsRest = 250;
const jitter = { place: 0.35, size: 0.35, turn: 25 };

/** @param {Studio} studio */
export function attachPointer(studio) {
  const { stage } = studio;
  const gestures = new Gestures();
  const view = new View(studio, gestures);
  /**
   * The gesture's newest layer.
   * @type {Extract<Effect, { kind: 'gesture' }> | null}
   */
  let layer = null;
  /**
   * The pointer's events that wait for the next frame.
   * @type {Map<number, PointerEvent>}
   */
  const moves = new Map();
  let frame = 0;
  /** @type {PointerEvent | null} */
  let hover = null;

  /** Whether there is nothing to stamp; then the pointer moves the view. */
  const isWithoutStamp = () => (studio.tool === 'stamp' || studio.tool === 'brush') && !studio.stamp;

  /** @returns {Scene} */
  const scene = () => {
    const { store, hits } = studio;
    const stamp = { text: studio.stamp, size: studio.stampSize };
    // Each move of the pointer has a scene, and few gestures look at the order of all labels, or draw a seed.
    return {
      viewport: studio.viewport, canvas: store.canvas, selection: studio.selected,
      tool: studio.tool === 'stamp' ? { kind: 'stamp', stamp } : studio.tool === 'brush' ? { kind: 'brush', stamp, spacing: studio.stampSize * 0.9, jitter } : { kind: 'select' },
      isPanning: studio.isHandHeld || studio.tool === 'hand' || isWithoutStamp(), snaps: studio.isSnapping,
      get topZ() { return store.topZ; },
      get seed() { return crypto.getRandomValues(new Uint32Array(1))[0]; },
      label: (id) => store.shown(id), topAt: (x, y, reach) => (reach ? hits.topNear(x, y, reach) : hits.topAt(x, y)), inRect: (rect) => hits.inRect(rect), newID: () => store.newID(),
    };
  };

  /** @param {PointerEvent} event @param {'down' | 'move' | 'up' | 'cancel'} type */
  const input = (event, type) => {
    const { x, y } = studio.viewPoint(event);
    perform(gestures.input({
      type, id: event.pointerId, x, y, button: event.button, shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey,
      pointerType: event.pointerType, time: event.timeStamp,
    }, scene()));
  };

  /** @param {Effect[]} effects */
  const perform = (effects) => {
    for (const effect of effects) {
      switch (effect.kind) {
        case 'gesture': show(effect); break;
        case 'commit': commit(effect.name); break;
        case 'cancel':
          layer = null;
          view.guides = [];
          studio.release();
          break;
        case 'select': studio.select(effect.ids); break;
        case 'view': studio.setViewport(ofNow(effect.viewport)); break;
        case 'marquee': view.marquee = effect.rect; break;
      }
    }
    if (effects.length) view.later();
  };

  /**
   * A gesture that is cancelled gives the viewport back that it began with. The page or the canvas may have another size since.
   * @param {import('./rules').Viewport} viewport
   */
  const ofNow = (viewport) => {
    const { view, content } = studio.viewport;
    const resized = viewport.view === view ? viewport : viewport.resize(view);
    return resized.content === content ? resized : resized.withContent(content);
  };

  /** @param {Extract<Effect, { kind: 'gesture' }>} effect */
  const show = (effect) => {
    const { labels, newValues, isNew, guides } = effect;
    view.guides = guides;
    if (!layer || !studio.lifted) studio.lift(labels, isNew);
    else if (isNew && labels.length !== studio.lifted.labels.length) studio.relift(labels);
    layer = effect;
    const [first] = studio.lifted?.labels ?? [];
    if (!first || gestures.current === 'brush') return;
    // A stamp has moved already; others are moved by their new values.
    const now = isNew ? labels.find(({ id }) => id === first.id) : first;
    if (now) studio.transform(similarity(first, withFields(now, newValues(now))));
  };

  /** @param {string} name */
  const commit = (name) => {
    if (!layer) return;
    const { isNew } = layer;
    const changes = changesOf(layer, (id) => studio.store.find(id));
    layer = null;
    view.guides = [];
    studio.release(changes, name);
    if (isNew && studio.tool === 'stamp') studio.emit('ui', 'used');
  };

  const flush = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    const events = [...moves.values()];
    moves.clear();
    for (const event of events) input(event, 'move');
  };

  // MARK: Events

  const isOurs = (/** @type {Event} */ { target }) => !(target instanceof HTMLTextAreaElement);

  stage.addEventListener('pointerdown', (event) => {
      if (studio.isLeaving) return;
    if (!isOurs(event) || !studio.isOpen || (event.button !== 0 && event.button !== 1)) return;
    // Once a press of a finger is cancelled, Firefox sends no moves of a second one. The mouse events of fingers are cancelled below instead.
    if (event.pointerType !== 'touch') event.preventDefault();
    view.endWords();
    studio.focusCanvas();
    studio.settle();
    flush();
    const isTool = event.button === 0 && !studio.isHandHeld;
    if (studio.tool === 'caption' && isTool) {
      const { x, y } = studio.documentPoint(event);
      const label = studio.store.shown(studio.hits.topAt(x, y) ?? '');
      return label?.kind === 'caption' ? view.beginWords(label, label) : view.beginWords({ x: Math.round(x), y: Math.round(y) });
    }
    if (isTool && isWithoutStamp()) studio.emit('note', { text: words.emoji.forStamp });
    stage.setPointerCapture(event.pointerId);
    input(event, 'down');
    view.showCursor(event);
  });
  stage.addEventListener('mousedown', (event) => isOurs(event) && event.preventDefault());
  stage.addEventListener('pointermove', (event) => {
    hover = event;
    if (gestures.current) {
      moves.set(event.pointerId, event);
      frame ||= requestAnimationFrame(flush);
    } else if (event.pointerType === 'mouse' && isOurs(event)) {
      view.showCursor(event);
    }
  });
  stage.addEventListener('pointerup', (event) => {
    flush();
    input(event, 'up');
    view.showCursor(event);
  });
  stage.addEventListener('pointercancel', (event) => {
    moves.delete(event.pointerId);
    input(event, 'cancel');
  });
  stage.addEventListener('lostpointercapture', (event) => {
    // After a release this is nothing; a capture that was taken away cancels.
    if (gestures.current) input(event, 'cancel');
  });
  stage.addEventListener('pointerleave', () => view.hideGhost());
  stage.addEventListener('contextmenu', (event) => isOurs(event) && event.preventDefault());
  stage.addEventListener('dblclick', (event) => {
    if (studio.tool !== 'select' || !isOurs(event)) return;
    const { x, y } = studio.documentPoint(event);
    const label = studio.store.shown(studio.hits.topAt(x, y) ?? '');
    if (label?.kind === 'caption') view.beginWords(label, label);
  });
  stage.addEventListener('wheel', (event) => {
    event.preventDefault();
    const times = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? studio.stageRect.height : 1;
    const { x, y } = studio.viewPoint(event);
    studio.setViewport(wheeled(studio.viewport, { dx: event.deltaX * times, dy: event.deltaY * times, x, y, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey }));
  }, { passive: false });

  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (!/^(Shift|Control|Meta|Alt)$/.test(event.key)) return;
    if (gestures.current && event.key === 'Alt') event.preventDefault();
    perform(gestures.input({ type: 'keys', shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey, alt: event.altKey }, scene()));
  };
  addEventListener('keydown', keys);
  addEventListener('keyup', keys);
  const abort = () => {
    const isBusy = gestures.current !== null;
    moves.clear();
    perform(gestures.input({ type: 'abort' }, scene()));
    return isBusy;
  };
  studio.cancelGesture = abort;
  studio.isGesturing = () => gestures.current !== null;
  addEventListener('blur', abort);
  document.addEventListener('visibilitychange', () => document.hidden && abort());
  studio.on('tool', () => hover && view.showCursor(hover));

  // A click that a screen reader makes has no pointer.
  document.getElementById('options')?.addEventListener('click', (event) => {
    const id = event.target instanceof HTMLElement ? event.target.dataset.id : undefined;
    if (id && event.detail === 0) studio.select([id], id);
  });
}

/**
 * The transform that takes one state of a label to another one: a gesture moves, turns and scales all labels alike.
 * @param {Label} from
 * @param {Label} to
 * @returns {Matrix}
 */
function similarity(from, to) {
  const times = to.size / from.size;
  const degrees = (to.rotation ?? 0) - (from.rotation ?? 0);
  if (times === 1 && degrees === 0) return [1, 0, 0, 1, to.x - from.x, to.y - from.y];
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180) * times, Math.cos((degrees * Math.PI) / 180) * times];
  return [cosine, sine, -sine, cosine, to.x - (cosine * from.x - sine * from.y), to.y - (sine * from.x + cosine * from.y)];
}

// MARK: What lies over the picture

class View {
  /** @type {readonly import('./snapping').Guide[]} */
  guides = [];
  /** @type {import('./types').Rect | null} */
  marquee = null;
  #frame = 0;
  #timer = 0;
  /**
   * The selection's frame and outlines, until it changes.
   * @type {{ frame: import('./selection').Frame | null, outlines: import('./types').Box[] } | null}
   */
  #selection = null;
  #overlay;
  #options;
  /** @type {HTMLElement | null} */
  #ghost = null;
  /** @type {{ area: HTMLTextAreaElement, place: () => void, end: (isKept: boolean) => void } | null} */
  #words = null;

  /**
   * @param {Studio} studio
   * @param {Gestures} gestures
   */
  constructor(studio, gestures) {
    this.studio = studio;
    this.gestures = gestures;
    this.#overlay = new Overlay(studio.stage);
    const list = /** @type {HTMLElement} */ (document.getElementById('options'));
    const names = new EmojiNames(studio, () => this.#soon());
    this.#options = new Options(list, (label) => words.option(label.kind === 'caption' ? `${words.caption} "${label.text.replaceAll('\n', ' ')}"` : names.of(label.text), label.x, label.y, label.size, label.rotation ?? 0));
    const stale = () => {
      this.#selection = null;
      this.later();
      this.#soon();
    };
    studio.on('selected', stale);
    studio.on('changed', stale);
    studio.on('opened', stale);
    studio.on('peers', () => this.later());
    studio.on('tool', () => this.later());
    studio.on('gesture', () => this.draw());
    studio.on('camera', () => {
      this.draw();
      this.#words?.place();
      this.#soon();
    });
    studio.on('ui', (name) => {
      const [label] = studio.selection.length === 1 ? studio.selection : [];
      if (name === 'words' && label) this.beginWords(label, label);
    });
    list.addEventListener('focus', () => this.later());
    list.addEventListener('blur', () => this.later());
    stale();
  }

  later() {
    this.#frame ||= requestAnimationFrame(() => this.draw());
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#options.pause();
    this.#timer = setTimeout(() => this.#showOptions(), optionsRest);
  }

  get #shape() {
    if (this.#selection) return this.#selection;
    const labels = this.studio.selected.size ? this.studio.selection : [];
    const outlines = labels.length > 1 && labels.length <= outlineLimit ? labels.map(boxOf) : [];
    this.#selection = { frame: frameOf(labels), outlines };
    return this.#selection;
  }

  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { studio } = this;
    const { lifted, viewport } = studio;
    // While words are typed, nothing else is around them.
    const { frame, outlines } = lifted && !lifted.labels.length ? { frame: null, outlines: [] } : this.#shape;
    const isBusy = this.gestures.current !== null && this.gestures.current !== 'press';
    const handles = frame && !isBusy && !lifted && studio.tool === 'select' ? handlesOf(frame, viewport) : null;
    const inDocument = ({ x, y } = { x: 0, y: 0 }) => viewport.contentPlace(x, y);
    const focused = document.querySelector('#options:focus-visible') && studio.focused !== null ? studio.store.shown(studio.focused) : undefined;
    this.#overlay.show(studio.camera, {
      outlines, frame: frame?.corners ?? null, matrix: lifted && this.gestures.current !== 'stamp' ? lifted.matrix : identity,
      handles: handles ? handles.corners.map(inDocument) : [], turnHandle: handles ? inDocument(handles.turn) : null,
      guides: this.guides, marquee: this.marquee, focus: focused && !(studio.selected.size === 1 && studio.selected.has(focused.id)) ? boxOf(focused) : null,
      peers: studio.peers.map((peer) => ({
        color: colorOf(peer.client), name: peerName(peer), drag: peer.drag ?? [0, 0],
        boxes: peer.ids.slice(0, outlineLimit).flatMap((id) => { const label = studio.store.shown(id); return label ? [boxOf(label)] : []; }),
      })),
    });
  }

  #showOptions() {
    const { studio } = this;
    const { selected, focused } = studio;
    const order = studio.inReadingOrder();
    const ids = optionsOf(order, { focused, selected, inView: studio.hits.inRect(studio.visible), limit: Options.limit, isThere: (id) => this.#options.has(id) });
    /** @type {import('./overlay').Option[]} */
    const options = [];
    order.forEach((label, index) => {
      if (ids.has(label.id)) options.push({ label, position: index + 1, isSelected: selected.has(label.id) });
    });
    this.#options.show(studio.camera, options, order.length, focused);
  }

  // MARK: Cursor

  /** @param {PointerEvent} event */
  showCursor(event) {
    const cursor = this.#cursor(event);
    if (this.studio.stage.dataset.cursor !== cursor) this.studio.stage.dataset.cursor = cursor;
    const isGhost = (this.studio.tool === 'stamp' || this.studio.tool === 'brush') && !this.studio.isHandHeld && event.pointerType === 'mouse' && !this.gestures.current;
    if (isGhost && this.studio.stamp) this.#showGhost(event);
    else this.hideGhost();
  }

  /** @param {PointerEvent} event */
  #cursor(event) {
    const { studio, gestures } = this;
    if (gestures.current === 'pan') return 'grabbing';
    if (studio.isHandHeld || studio.tool === 'hand') return 'grab';
    if (studio.tool === 'caption') return 'text';
    if (studio.tool !== 'select') return 'crosshair';
    if (gestures.current) return studio.stage.dataset.cursor ?? '';
    const { frame } = this.#shape;
    const { x, y } = studio.viewPoint(event);
    const handle = frame && handleAt(frame, studio.viewport, x, y, reachOf.mouse);
    if (frame && handle?.kind === 'turn') return 'turn';
    if (frame && handle?.kind === 'corner') {
      const corner = frame.corners[handle.index];
      const angle = (Math.atan2(corner.y - frame.center.y, corner.x - frame.center.x) * 180) / Math.PI;
      return ['ew', 'nwse', 'ns', 'nesw'][(Math.round(angle / 45) + 8) % 4];
    }
    const place = studio.documentPoint(event);
    return studio.hits.topAt(place.x, place.y) === null ? '' : event.altKey ? 'copy' : 'move';
  }

  /** @param {PointerEvent} event */
  #showGhost(event) {
    const { studio } = this;
    this.#ghost ??= Object.assign(document.createElement('div'), { className: 'ghost' });
    if (!this.#ghost.isConnected) studio.stage.append(this.#ghost);
    this.#ghost.textContent = studio.stamp;
    const { style } = this.#ghost;
    const size = studio.stampSize * studio.camera.zoom;
    style.fontSize = `${size}px`;
    style.transform = `translate(${event.clientX - studio.stageRect.left}px,${event.clientY - studio.stageRect.top}px) translate(-50%,-50%)`;
  }

  hideGhost() {
    this.#ghost?.remove();
  }

  // MARK: Words

  /**
   * Lets people type words in place: new ones, or those of a caption.
   * @param {Point} at
   * @param {Label} [caption]
   * @param {string} [typed] what was typed before
   */
  beginWords(at, caption, typed = caption?.text ?? '') {
    this.endWords();
    const { studio } = this;
    const size = caption?.size ?? Math.max(8, Math.round(studio.stampSize * 0.7));
    const area = document.createElement('textarea');
    Object.assign(area, { id: 'words', value: typed, spellcheck: false });
    area.setAttribute('aria-label', words.caption);
    area.wrap = 'off';
    area.style.fontSize = `${size}px`;
    area.style.color = caption?.color ?? '#000000';
    const place = () => {
      const { x, y, zoom } = studio.camera;
      area.style.width = '0';
      area.style.height = '0';
      const [width, height] = [Math.max(area.scrollWidth + 4, size), Math.max(area.scrollHeight, size * 1.2)];
      area.style.width = `${width}px`;
      area.style.height = `${height}px`;
      area.style.transform = `translate(${at.x * zoom + x}px,${at.y * zoom + y}px) scale(${zoom}) rotate(${caption?.rotation ?? 0}deg) translate(-50%,-50%)`;
    };
    // The words are not painted while they are typed.
    const hidden = caption ? studio.hide([caption.id]) : null;
    const { name } = studio;
    let isDone = false;
    const end = (/** @type {boolean} */ isKept) => {
      if (isDone) return;
      isDone = true;
      this.#words = null;
      const text = captionWords(area.value);
      area.readOnly = true;
      if (caption && isKept && text === '') {
        // The gesture ends before the removal, so the page does not report its own removal.
        studio.release();
        studio.perform([['remove', caption.id]], `remove ${shortText(caption)}`);
      } else if (isKept && text !== '' && text !== caption?.text) {
        const answer = caption ? setWords(studio, caption.id, text) : addWords(studio, { text, x: at.x, y: at.y, size });
        // The store tells why it was refused. What was typed comes back: to the canvas if the document is there, and nothing else is done meanwhile.
        answer.catch(({ code }) => {
          area.remove();
          if (code === 'left') return;
          const isHere = code !== 'between' && studio.name === name && !this.#words && !studio.lifted;
          if (isHere) this.beginWords(at, caption && studio.store.shown(caption.id), text);
          else studio.emit('note', { text: words.news.typed(text), kind: 'bad', stays: true });
        });
      }
      if (hidden && studio.lifted === hidden) studio.release();
      studio.refresh();
      // The field stays until the words are painted, which does not wait for the server.
      studio.picture.whenPainted().then(() => {
        area.remove();
        studio.emit('gesture', undefined);
      });
    };
    area.addEventListener('input', place);
    area.addEventListener('blur', () => end(true));
    area.addEventListener('keydown', (event) => {
      event.stopPropagation();
      const isEnter = event.key === 'Enter' && !event.shiftKey;
      if (event.key !== 'Escape' && !(isEnter && !event.isComposing)) return;
      event.preventDefault();
      end(true);
      studio.focusCanvas();
    });
    studio.stage.append(area);
    this.#words = { area, place, end };
    studio.emit('gesture', undefined);
    place();
    area.focus();
    area.select();
    if (studio.tool === 'caption') studio.setTool('select');
  }

  endWords() {
    this.#words?.end(true);
  }
}
