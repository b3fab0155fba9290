// SPDX-License-Identifier: Apache-2.0

// The one table of what can be done. The menu, the keys, the palette of commands, the buttons, the help and the tests use it.

/** @typedef {import('./studio').Studio} Studio */
/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Fields} Fields */
/** @typedef {import('./types').Change} Change */

/**
 * @typedef {object} Action
 * @property {string} id its name is in words.js
 * @property {string} group
 * @property {readonly string[]} keys such as `Mod+Shift+Z`; `Mod` is Ctrl, or Command on a Mac
 * @property {(studio: Studio) => unknown} run
 * @property {(studio: Studio) => boolean} [isEnabled]
 * @property {(studio: Studio) => boolean} [isOn] for what is on or off
 * @property {boolean} [isNative] whether the browser's own event does it, so that keys must not be taken
 * @property {boolean} [repeats] whether a held key repeats it
 */

import { align, distribute, mover, scaler, tidy } from './arrange.js';
import { identity } from './canvas.js';
import { addition, bottomFirst, differences, editName, withFields } from './changes.js';
import { folderOf } from './documents.js';
import { all, bounds, inverted, middleOf, sameEmoji } from './selection.js';
import { nearest } from './reading.js';
import { boxOf, edgesOf, rotation, rounded } from './rules.js';
import { errorText, isMac, words } from './words.js';

/** How much larger the steps of arrows are while something is grabbed. */
const grabStep = 10;
/** The usual distance of neighbours in z-order. */
export const zStep = 2 ** 20;

// MARK: Edits

/** @typedef {(label: Label, index: number) => Fields} Values the new values of a label */

/**
 * Gives labels other values, as one edit. What is under way is ended first: the new values are those of the labels as they are then.
 * @param {Studio} studio
 * @param {import('./words').Verb} verb
 * @param {ReadonlySet<string>} ids
 * @param {(labels: readonly Label[]) => Values} values of the labels, bottom to top
 */
export function edit(studio, verb, ids, values) {
  studio.settle();
  const labels = ids === studio.selected ? studio.selection : [...ids].flatMap((id) => studio.store.shown(id) ?? []).sort(bottomFirst);
  const valuesOf = values(labels);
  const changes = labels.flatMap((label, index) => differences(label, withFields(label, valuesOf(label, index))));
  studio.perform(changes, editName(verb, labels));
}

/**
 * Adds labels above all others, as one edit, and selects them.
 * @param {Studio} studio
 * @param {import('./words').Verb} verb
 * @param {readonly Omit<Label, 'id' | 'z'>[]} labels
 * @returns {Label[]}
 */
export function add(studio, verb, labels, isSelected = true) {
  studio.settle();
  const top = studio.store.topZ;
  const added = labels.map((label, index) => ({ ...label, id: studio.store.newID(), z: top + zStep * (index + 1) }));
  studio.perform(added.map(addition), editName(verb, added));
  if (isSelected) studio.select(added.map(({ id }) => id));
  return added;
}

/** @param {Studio} studio */
export function remove(studio, labels = studio.selection) {
  studio.settle();
  studio.perform(labels.map(({ id }) => ['remove', id]), editName('remove', labels));
}

/** @param {Studio} studio */
function duplicate(studio) {
  const copies = studio.selection.map((label) => ({ ...label, x: rounded(label.x + 20), y: rounded(label.y + 20) }));
  add(studio, 'duplicate', copies);
}

/**
 * The box of words until the server has measured them, in ems.
 * @param {string} text
 * @returns {[width: number, height: number]}
 */
function estimatedBox(text) {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen) pen.font = '100px "DejaVu Sans", "Noto Sans", sans-serif, "Noto Color Emoji"';
  const lines = text.split('\n');
  const width = lines.reduce((most, line) => Math.max(most, (pen?.measureText(line).width ?? 50 * line.length) / 100), 0.1);
  return [rounded(Math.min(2000, width)), rounded(Math.min(2000, lines.length * 1.17))];
}

/**
 * Adds a caption, shows it at once, and selects it. Rejected if the server refuses its words.
 * @param {Studio} studio
 * @param {{ text: string, x: number, y: number, size: number }} caption
 */
export function addWords(studio, caption) {
  studio.settle();
  /** @type {Label} */
  const label = { ...caption, id: studio.store.newID(), z: studio.store.topZ + zStep, kind: 'caption', box: estimatedBox(caption.text) };
  const [changes, name] = [[addition(label)], editName('add', [label])];
  const answer = studio.ask({ edit: { changes, name } }, name, changes);
  studio.select([label.id]);
  return answer;
}

/**
 * Gives a caption other words, and shows them at once. Rejected if the server refuses them, or does not have the caption any more.
 * @param {Studio} studio
 * @param {string} id
 * @param {string} text
 */
export const setWords = (studio, id, text) =>
  studio.ask({ setText: { ref: id, words: text } }, 'caption', [['text', id, text, { box: estimatedBox(text), kind: 'caption' }]]);

/**
 * @param {Studio} studio
 * @param {import('./words').Verb} verb
 * @param {(boxes: import('./types').Box[]) => import('./types').Point[]} rule
 */
function arrange(studio, verb, rule) {
  edit(studio, verb, studio.selected, (labels) => {
    const places = rule(labels.map(boxOf));
    return (_, index) => places[index];
  });
}

/**
 * Resizes the selection about its centre.
 * @param {Studio} studio
 * @param {number} factor
 */
export function scale(studio, factor) {
  edit(studio, 'resize', studio.selected, (labels) => scaler(labels)(factor, middleOf(labels)));
}

/**
 * Mirrors each selected label, and the places of several.
 * @param {Studio} studio
 */
function mirror(studio) {
  edit(studio, 'mirror', studio.selected, (labels) => {
    const sum = 2 * middleOf(labels).x;
    return (label) => ({ mirrored: !label.mirrored, x: labels.length > 1 ? rounded(sum - label.x) : label.x, rotation: rotation(-(label.rotation ?? 0)) });
  });
}

/**
 * Puts the selection in front of, or behind, all others.
 * @param {Studio} studio
 * @param {boolean} isFront
 */
function reorder(studio, isFront) {
  studio.settle();
  const labels = studio.selection;
  const order = studio.store.inOrder();
  const last = isFront ? order.slice(-labels.length) : order.slice(0, labels.length);
  if (last.every((label, index) => label.id === labels[index].id)) return;
  const start = isFront ? studio.store.topZ + zStep : studio.store.bottomZ - zStep * labels.length;
  edit(studio, 'order', studio.selected, () => (_, index) => ({ z: start + zStep * index }));
}

/**
 * Puts the selection one step nearer or farther: beyond the next label that overlaps it, or else the next one.
 * @param {Studio} studio
 * @param {boolean} isForward
 */
function step(studio, isForward) {
  studio.settle();
  const labels = studio.selection;
  const order = studio.store.inOrder();
  const around = bounds(labels);
  if (!around) return;
  const touching = new Set(studio.hits.inRect({ x: around.left, y: around.top, width: around.right - around.left, height: around.bottom - around.top }));
  const places = new Map(order.map(({ id }, index) => [id, index]));
  const edge = /** @type {number} */ (places.get((isForward ? labels[labels.length - 1] : labels[0]).id));
  const beyond = isForward ? order.slice(edge + 1) : order.slice(0, edge).reverse();
  const next = beyond.find(({ id }) => touching.has(id) && !studio.selected.has(id)) ?? beyond.find(({ id }) => !studio.selected.has(id));
  if (!next) return;
  const index = /** @type {number} */ (places.get(next.id));
  const other = order[isForward ? index + 1 : index - 1];
  const [low, high] = isForward ? [next.z, other?.z ?? next.z + zStep * (labels.length + 1)] : [other?.z ?? next.z - zStep * (labels.length + 1), next.z];
  const gap = Math.floor((high - low) / (labels.length + 1));
  // Without room between the two, the server finds places.
  if (gap < 1) {
    const [lower, upper] = isForward ? [[next], labels] : [labels, [next]];
    return studio.ask({ order: { above: lower[lower.length - 1].id, ref: upper.map(({ id }) => id) } }, 'order');
  }
  edit(studio, 'order', studio.selected, () => (_, number) => ({ z: low + gap * (number + 1) }));
  return undefined;
}

/**
 * Moves the selection by keys: one edit until the key is released, or something else is done.
 * @param {Studio} studio
 * @param {number} across
 * @param {number} down
 */
function move(studio, across, down) {
  if (studio.isGrabbed) [across, down] = [across * grabStep, down * grabStep];
  else if (!studio.unsettled || !studio.lifted) {
    studio.settle();
    studio.lift(studio.selection);
    studio.unsettled = () => endMove(studio);
  }
  const [, , , , x, y] = studio.lifted?.matrix ?? identity;
  studio.transform([1, 0, 0, 1, x + across, y + down]);
  studio.emit('say', placeWords(studio));
}

/** @param {Studio} studio */
function endMove(studio) {
  if (!studio.lifted) return;
  const [, , , , dx, dy] = studio.lifted.matrix;
  const labels = studio.lifted.labels.flatMap(({ id }) => studio.store.shown(id) ?? []);
  const newValues = mover(labels)(dx, dy);
  studio.release(labels.flatMap((label) => differences(label, withFields(label, newValues(label)))), editName('move', labels));
}

/** @param {Studio} studio @param {-1 | 1} direction */
function focusNext(studio, direction) {
  const order = studio.inReadingOrder();
  if (!order.length) return;
  const index = order.findIndex(({ id }) => id === studio.focused);
  focusLabel(studio, order[(index + direction + order.length) % order.length] ?? order[0]);
}

/** @param {Studio} studio @param {import('./reading').Direction} direction */
function focusNearest(studio, direction) {
  const order = studio.inReadingOrder();
  const from = order.find(({ id }) => id === studio.focused);
  const next = from ? nearest(order, from, direction) : order[0];
  if (next) focusLabel(studio, next);
  else studio.emit('say', words.speech.noneThere);
}

/** @param {Studio} studio @param {Label} label */
function focusLabel(studio, label) {
  studio.select([label.id], label.id);
  const [{ left, top, right, bottom }, { x, y, width, height }] = [edgesOf(boxOf(label)), studio.visible];
  // The view follows to what is outside of it.
  if (right < x || bottom < y || left > x + width || top > y + height) studio.setViewport(studio.viewport.scrollTo(label.x, label.y));
}

/**
 * Takes the selection up: arrows move it in larger steps, until Enter puts it down, or Escape puts it back.
 * @param {Studio} studio
 */
function grab(studio) {
  if (studio.isGrabbed) return putDown(studio);
  studio.settle();
  studio.lift(studio.selection);
  studio.isGrabbed = true;
  studio.unsettled = () => putDown(studio);
  studio.emit('say', words.speech.grabbed(words.selected(studio.selected.size)));
  return undefined;
}

/** @param {Studio} studio */
function putDown(studio) {
  studio.isGrabbed = false;
  studio.unsettled = null;
  endMove(studio);
  studio.emit('say', words.speech.putDown(placeWords(studio)));
}

/**
 * Where the selection is, or its middle.
 * @param {Studio} studio
 */
export function placeWords(studio) {
  if (!studio.selected.size) return '';
  const { x, y } = middleOf(studio.selection);
  const [, , , , dx, dy] = studio.lifted?.matrix ?? identity;
  return words.speech.place(x + dx, y + dy);
}

// MARK: The table

const some = (/** @type {Studio} */ { selected, isOpen }) => isOpen && selected.size > 0;
const several = (/** @type {Studio} */ { selected }) => selected.size > 1;
const three = (/** @type {Studio} */ { selected }) => selected.size > 2;
const open = (/** @type {Studio} */ { isOpen }) => isOpen;
const isCaption = (/** @type {Studio} */ studio) => studio.selected.size === 1 && studio.selection[0]?.kind === 'caption';
const hasCaption = (/** @type {Studio} */ studio) => studio.selected.size > 0 && studio.selected.size < 1000 && studio.selection.some(({ kind }) => kind === 'caption');

/** @param {string} id @param {string[]} keys @returns {Action} */
const tool = (id, keys) => ({
  id: `tool.${id}`, group: 'tool', keys, isEnabled: open, isOn: (studio) => studio.tool === id, run: (studio) => studio.setTool(/** @type {any} */ (id)),
});

/** @type {readonly Action[]} */
export const actions = [
  tool('select', ['V', '1']),
  tool('hand', ['H']),
  tool('stamp', ['S']),
  tool('brush', ['P']),
  tool('caption', ['T', '8']),
  { id: 'emoji', group: 'tool', keys: ['/', 'E'], run: (studio) => studio.emit('ui', 'emoji') },

  { id: 'undo', group: 'edit', keys: ['Mod+Z'], repeats: true, isEnabled: ({ can, store }) => can.undo !== null || store.pending.length > 0, run: (studio) => revert(studio, 'undo') },
  { id: 'redo', group: 'edit', keys: ['Mod+Shift+Z', 'Mod+Y'], repeats: true, isEnabled: ({ can }) => can.redo !== null, run: (studio) => revert(studio, 'redo') },
  { id: 'cut', group: 'edit', keys: ['Mod+X'], isNative: true, isEnabled: some, run: async (studio) => (await transfer(studio)).copy(studio, true) },
  { id: 'copy', group: 'edit', keys: ['Mod+C'], isNative: true, isEnabled: some, run: async (studio) => (await transfer(studio)).copy(studio, false) },
  { id: 'copy.png', group: 'edit', keys: ['Shift+Alt+C'], isEnabled: open, run: async (studio) => (await transfer(studio)).copyPicture(studio) },
  { id: 'paste', group: 'edit', keys: ['Mod+V'], isNative: true, isEnabled: open, run: async (studio) => (await transfer(studio)).paste(studio) },
  { id: 'duplicate', group: 'edit', keys: ['Mod+D'], isEnabled: some, run: duplicate },
  { id: 'delete', group: 'edit', keys: ['Delete', 'Backspace'], isEnabled: some, run: (studio) => remove(studio) },
  { id: 'replace', group: 'edit', keys: ['R'], isEnabled: some, run: (studio) => studio.emit('ui', 'replace') },
  { id: 'edit.words', group: 'edit', keys: ['Enter', 'F2'], isEnabled: isCaption, run: (studio) => studio.emit('ui', 'words') },
  { id: 'color.words', group: 'edit', keys: [], isEnabled: hasCaption, run: (studio) => studio.emit('ui', 'color') },

  { id: 'select.all', group: 'select', keys: ['Mod+A'], isEnabled: open, run: (studio) => studio.select(all(studio.store.inOrder())) },
  { id: 'select.same', group: 'select', keys: ['Mod+Shift+A'], isEnabled: some, run: (studio) => studio.select(sameEmoji(studio.selected, studio.store.inOrder())) },
  { id: 'select.invert', group: 'select', keys: ['Mod+I'], isEnabled: open, run: (studio) => studio.select(inverted(studio.selected, studio.store.inOrder())) },
  { id: 'select.none', group: 'select', keys: ['Escape'], run: (studio) => studio.escape() },
  { id: 'select.next', group: 'select', keys: ['Tab'], isEnabled: open, repeats: true, run: (studio) => focusNext(studio, 1) },
  { id: 'select.previous', group: 'select', keys: ['Shift+Tab'], isEnabled: open, repeats: true, run: (studio) => focusNext(studio, -1) },

  .../** @type {const} */ ([['left', 'Left'], ['right', 'Right'], ['up', 'Up'], ['down', 'Down']]).map(([direction, key]) => ({
    id: `select.${direction}`, group: 'select', keys: [`Mod+Arrow${key}`], isEnabled: open, repeats: true, run: (/** @type {Studio} */ studio) => focusNearest(studio, direction),
  })),
  { id: 'fields', group: 'move', keys: ['F6'], isEnabled: some, run: (studio) => studio.emit('ui', 'fields') },
  { id: 'grab', group: 'move', keys: ['G'], isEnabled: some, run: grab },

  { id: 'order.front', group: 'arrange', keys: ['Mod+Shift+]'], isEnabled: some, run: (studio) => reorder(studio, true) },
  { id: 'order.forward', group: 'arrange', keys: ['Mod+]'], isEnabled: some, run: (studio) => step(studio, true) },
  { id: 'order.backward', group: 'arrange', keys: ['Mod+['], isEnabled: some, run: (studio) => step(studio, false) },
  { id: 'order.back', group: 'arrange', keys: ['Mod+Shift+['], isEnabled: some, run: (studio) => reorder(studio, false) },
  { id: 'mirror', group: 'arrange', keys: ['Shift+H'], isEnabled: some, run: mirror },
  { id: 'straighten', group: 'arrange', keys: [], isEnabled: some, run: (studio) => edit(studio, 'rotate', studio.selected, () => () => ({ rotation: 0 })) },
  { id: 'larger', group: 'arrange', keys: ['Mod+Shift+.'], repeats: true, isEnabled: some, run: (studio) => scale(studio, 1.1) },
  { id: 'smaller', group: 'arrange', keys: ['Mod+Shift+,'], repeats: true, isEnabled: some, run: (studio) => scale(studio, 1 / 1.1) },
  .../** @type {const} */ ([['left', ['Mod+Shift+ArrowLeft']], ['center', []], ['right', ['Mod+Shift+ArrowRight']], ['top', ['Mod+Shift+ArrowUp']], ['middle', []], ['bottom', ['Mod+Shift+ArrowDown']]])
    .map(([line, keys]) => ({
      id: `align.${line}`, group: 'arrange', keys, isEnabled: some,
      run: (/** @type {Studio} */ studio) => arrange(studio, 'align', (boxes) => align(boxes, line, studio.store.canvas)),
    })),
  .../** @type {const} */ ([['horizontally', ['Alt+H']], ['vertically', ['Alt+V']]]).map(([axis, keys]) => ({
    id: `distribute.${axis}`, group: 'arrange', keys, isEnabled: three,
    run: (/** @type {Studio} */ studio) => arrange(studio, 'distribute', (boxes) => distribute(boxes, axis)),
  })),
  { id: 'tidy', group: 'arrange', keys: ['Alt+T'], isEnabled: several, run: (studio) => arrange(studio, 'grid', (boxes) => tidy(boxes, studio.store.canvas)) },

  .../** @type {const} */ ([['Left', -1, 0], ['Right', 1, 0], ['Up', 0, -1], ['Down', 0, 1]]).flatMap(([way, across, down]) => [
    { id: `move.${way.toLowerCase()}`, group: 'move', keys: [`Arrow${way}`], repeats: true, isEnabled: some, run: (/** @type {Studio} */ studio) => move(studio, across, down) },
    { id: `move.far${way}`, group: 'move', keys: [`Shift+Arrow${way}`], repeats: true, isEnabled: some, run: (/** @type {Studio} */ studio) => move(studio, 10 * across, 10 * down) },
  ]),

  { id: 'zoom.in', group: 'view', keys: ['Mod+=', 'Mod++'], repeats: true, run: (studio) => studio.setViewport(studio.viewport.zoomBy(1.25)) },
  { id: 'zoom.out', group: 'view', keys: ['Mod+-'], repeats: true, run: (studio) => studio.setViewport(studio.viewport.zoomBy(1 / 1.25)) },
  { id: 'zoom.full', group: 'view', keys: ['Mod+0'], run: (studio) => studio.setViewport(studio.viewport.zoomTo(1)) },
  { id: 'zoom.fit', group: 'view', keys: ['Shift+1'], run: (studio) => studio.setViewport(studio.viewport.fit()) },
  { id: 'zoom.selection', group: 'view', keys: ['Shift+2'], isEnabled: some, run: zoomToSelection },
  { id: 'snap', group: 'view', keys: ['Alt+S'], isOn: ({ isSnapping }) => isSnapping, run: (studio) => studio.setSnapping(!studio.isSnapping) },
  { id: 'history', group: 'view', keys: ['Mod+Shift+H'], isEnabled: open, run: async (studio) => (await past(studio)).toggle(studio) },

  { id: 'background', group: 'document', keys: ['Shift+B'], isEnabled: open, run: async (studio) => (await dialogs(studio)).showBackground(studio) },
  { id: 'background.remove', group: 'document', keys: [], isEnabled: ({ store }) => Boolean(store.background || store.pendingBackground), run: (studio) => studio.ask({ background: null }, 'background') },
  { id: 'canvas', group: 'document', keys: ['Shift+C'], isEnabled: open, run: async (studio) => (await dialogs(studio)).showCanvas(studio) },
  { id: 'export', group: 'document', keys: ['Mod+Shift+E'], isEnabled: open, run: async (studio) => (await dialogs(studio)).showExport(studio) },
  { id: 'documents', group: 'document', keys: ['Mod+O'], run: async (studio) => (await library(studio)).documentBrowser(studio).toggle() },
  { id: 'new', group: 'document', keys: ['Alt+N'], isEnabled: ({ net }) => net.state === 'open', run: async (studio) => (await filing(studio)).newDocument(studio, folderOf(studio.name)) },
  { id: 'rename', group: 'document', keys: [], isEnabled: open, run: async (studio) => (await filing(studio)).renameDocument(studio) },
  { id: 'print', group: 'document', keys: ['Mod+P'], isEnabled: open, run: async (studio) => (await transfer(studio)).print(studio) },
  { id: 'save', group: 'document', keys: ['Mod+S'], isEnabled: open, run: (studio) => studio.save() },
  { id: 'connect', group: 'document', keys: [], isEnabled: ({ net }) => net.state !== 'open', run: async (studio) => (await dialogs(studio)).askLink(studio) },
  { id: 'name', group: 'document', keys: [], run: async (studio) => (await dialogs(studio)).showName(studio) },
  { id: 'font', group: 'document', keys: [], isEnabled: ({ net }) => net.state === 'open', run: async (studio) => (await dialogs(studio)).showFonts(studio) },
  { id: 'language', group: 'document', keys: [], isEnabled: ({ net }) => net.state === 'open', run: async (studio) => (await dialogs(studio)).showLanguage(studio) },

  { id: 'palette', group: 'help', keys: ['Mod+/', 'Mod+Shift+P'], run: async (studio) => (await dialogs(studio)).showCommands(studio) },
  { id: 'help', group: 'help', keys: ['?'], run: async (studio) => (await dialogs(studio)).showHelp(studio) },
];

/**
 * A part of the page that is loaded when it is needed, and not after a break: another program may have the port then. What it answers to a request
 * that was on its way is not the module of the sum in the document.
 * @template Part
 * @param {string[]} names its own one, and those of the parts that it imports
 * @param {() => Promise<Part>} load
 */
function part(names, load) {
  return async (/** @type {Studio} */ { net }) => {
    const throwMissing = () => { throw new Error(net.isAway ? words.news.noModule : words.news.otherModule); };
    if (!loaded.has(names[0]) && net.isAway) return throwMissing();
    const found = await load().catch(throwMissing);
    for (const name of names) loaded.add(name);
    return found;
  };
}
/** @type {Set<string>} */
const loaded = new Set();
export const library = part(['library'], () => import('./library.js'));
/** What is done with whole documents. */
export const filing = part(['filing', 'dialogs', 'transfer', 'pasted'], () => import('./filing.js'));
const dialogs = part(['dialogs', 'transfer', 'pasted'], () => import('./dialogs.js'));
export const transfer = part(['transfer', 'pasted'], () => import('./transfer.js'));
const past = part(['history'], () => import('./history.js'));

/**
 * Loads what may be wanted while the server is away.
 * @param {Studio} studio
 */
export const loadParts = (studio) => Promise.allSettled([dialogs, past, transfer, library, filing].map((load) => load(studio)));

/** @param {Studio} studio */
function zoomToSelection(studio) {
  const around = bounds(studio.selection);
  if (!around) return;
  const [width, height] = [around.right - around.left, around.bottom - around.top];
  const room = Math.max(width, height) * 0.15;
  studio.setViewport(studio.viewport.zoomToRect({ x: around.left - room, y: around.top - room, width: width + 2 * room, height: height + 2 * room }));
}

/**
 * @param {Studio} studio
 * @param {'undo' | 'redo'} verb
 */
function revert(studio, verb) {
  studio.settle();
  const { can } = studio;
  studio.ask({ [verb]: 1 }, `${verb === 'undo' ? 'Undo' : 'Redo'} ${can[verb] ?? ''}`);
}

const table = new Map(actions.map((action) => [action.id, action]));

/** The groups of what can be done while the art as it was is shown. */
const ofPast = ['view', 'document', 'help'];
/** What decides by itself about what is under way. */
const settlesItself = ['grab', 'select.none'];

/**
 * Does something by its id; false if it cannot be done now.
 * @param {Studio} studio
 * @param {string} id
 */
export function run(studio, id) {
  const action = table.get(id);
  if (!action || !isEnabled(studio, action)) return false;
  // What would edit the present first shows it.
  if (studio.past && !ofPast.includes(action.group)) {
    studio.past.end();
    return true;
  }
  if (!id.startsWith('move.') && !settlesItself.includes(id)) studio.settle();
  // News have told that the document was left.
  Promise.resolve(action.run(studio)).catch((error) => error.code === 'left' || error.code === 'between' || studio.emit('note', { text: errorText(error), kind: 'bad' }));
  return true;
}

/** @param {Studio} studio @param {Action} action */
export const isEnabled = (studio, action) => action.isEnabled?.(studio) ?? true;

/** @param {string} id */
export const actionOf = (id) => table.get(id);


/**
 * A key as people read it.
 * @param {string} key
 */
export function keyText(key) {
  /** @type {Record<string, string>} */
  const names = { ...words.keys, ...(isMac ? { Mod: '⌘', Alt: '⌥', Shift: '⇧' } : {}), ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };
  // The key `+` is written after a `+`.
  const parts = key.endsWith('++') ? [...key.slice(0, -2).split('+'), '+'] : key.split('+');
  return parts.map((part) => names[part] ?? part).join(isMac ? '' : '+');
}
