// SPDX-License-Identifier: Apache-2.0

// Labels and the changes of FORMAT.md that edits are made of.

/** @typedef {import('./types').Label} Label */
/** @typedef {import('./types').Fields} Fields */
/** @typedef {import('./types').Change} Change */

const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Random letters of the alphabet of ids. A label has eight; `Store.newID` draws one that no other has.
 * @param {number} length
 */
export function drawID(length) {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte & 31]).join('');
}

/**
 * The label with new values. Usual values, such as a rotation of 0, are left out, as in documents.
 * @param {Label} label
 * @param {Fields} fields
 * @returns {Label}
 */
export function withFields(label, fields) {
  const all = { ...label, ...fields };
  const ofText = fields.text === undefined ? all : fields;
  /** @type {{ -readonly [key in keyof Label]: Label[key] }} */
  const values = { id: label.id, text: all.text, x: all.x, y: all.y, size: all.size, z: all.z };
  if (all.rotation) values.rotation = all.rotation;
  if (all.mirrored) values.mirrored = true;
  if (all.color) values.color = all.color;
  if (ofText.kind) [values.kind, values.box] = [ofText.kind, ofText.box];
  return values;
}

/**
 * The change that adds a label.
 * @param {Label} label
 * @returns {Change}
 */
export function addition(label) {
  /** @type {Record<string, unknown>} */
  const style = {};
  if (label.box) style.box = label.box;
  if (label.color) style.color = label.color;
  if (label.kind) style.kind = label.kind;
  if (label.mirrored) style.mirrored = true;
  if (label.rotation) style.rotation = label.rotation;
  /** @type {Change} */
  const change = ['add', label.id, label.text, label.x, label.y, label.size, label.z];
  return Object.keys(style).length > 0 ? [...change, style] : change;
}

/**
 * The changes that give a label the values of another one, whatever its id.
 * @param {Label} from
 * @param {Label} to
 * @returns {Change[]}
 */
export function differences(from, to) {
  /** @type {Change[]} */
  const changes = [];
  const { id } = from;
  if (from.text !== to.text || !hasSameBox(from, to)) {
    changes.push(to.kind ? ['text', id, to.text, { box: to.box, kind: to.kind }] : ['text', id, to.text]);
  }
  if (from.x !== to.x || from.y !== to.y) changes.push(['move', id, to.x, to.y]);
  if (from.size !== to.size) changes.push(['resize', id, to.size]);
  if (from.z !== to.z) changes.push(['order', id, to.z]);
  if ((from.rotation ?? 0) !== (to.rotation ?? 0)) changes.push(['rotate', id, to.rotation ?? 0]);
  if ((from.mirrored ?? false) !== (to.mirrored ?? false)) changes.push(['mirror', id, to.mirrored ?? false]);
  if ((from.color ?? null) !== (to.color ?? null)) changes.push(['color', id, to.color ?? null]);
  return changes;
}

/** @param {Label} a @param {Label} b */
const hasSameBox = (a, b) =>
  a.kind === b.kind && a.box?.[0] === b.box?.[0] && a.box?.[1] === b.box?.[1];

/**
 * Whether two labels have equal values.
 * @param {Label | undefined} a
 * @param {Label | undefined} b
 */
export const isSameLabel = (a, b) =>
  a === b || (a !== undefined && b !== undefined && a.id === b.id && a.x === b.x && a.y === b.y
    && a.size === b.size && a.z === b.z && a.text === b.text && a.rotation === b.rotation
    && a.mirrored === b.mirrored && a.color === b.color && hasSameBox(a, b));

/**
 * The label after a change of it; undefined if there is none. What does not fit, such as a move of a missing label, has no effect.
 * @param {Label | undefined} label
 * @param {Change} change
 * @returns {Label | undefined}
 */
export function changed(label, change) {
  const [kind, id, ...values] = change;
  if (kind === 'add') {
    if (label) return label;
    const [text, x, y, size, z, style] = values;
    return withFields({ id, text, x, y, size, z }, style ?? {});
  }
  if (!label) return undefined;
  switch (kind) {
    case 'remove': return undefined;
    case 'move': return { ...label, x: values[0], y: values[1] };
    case 'resize': return { ...label, size: values[0] };
    case 'text': return withFields(label, { text: values[0], ...values[1] });
    case 'order': return { ...label, z: values[0] };
    case 'rotate': return withFields(label, { rotation: values[0] });
    case 'mirror': return withFields(label, { mirrored: values[0] });
    case 'color': return withFields(label, { color: values[0] });
    default: return label;
  }
}

/**
 * Whether a change is of a label, and not of the canvas or the background.
 * @param {Change} change
 */
export const isOfLabel = ([kind]) => !['canvas', 'fill', 'background', 'pending'].includes(kind);

/**
 * The name of an edit, as the commands give it: `move 🐝 🌸`, `move 12 emoji`.
 * @param {import('./words').Verb} verb
 * @param {readonly Pick<Label, 'text' | 'kind'>[]} labels
 */
export function editName(verb, labels) {
  return labels.length <= 3
    ? [verb, ...labels.map(shortText)].join(' ') : `${verb} ${labels.length} emoji`;
}

/**
 * The text of an emoji label, or the beginning of a caption in quotes.
 * @param {Pick<Label, 'text' | 'kind'>} label
 */
export function shortText({ text, kind }) {
  if (kind !== 'caption') return text;
  const letters = [...text.replaceAll('\n', '\\n')];
  return `"${letters.length > 24 ? `${letters.slice(0, 23).join('')}…` : letters.join('')}"`;
}

/**
 * The beginning of a text, of at most that many code points.
 * @param {string} text
 * @param {number} count
 */
export const cut = (text, count) => [...text].slice(0, count).join('');

/** @param {string} text */
function utf8Length(text) {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Half of a pair stands for two of its four bytes.
    if (unit >= 0x80) length += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}

/**
 * The changes in parts that each have at most so many bytes as JSON; one part, unless there are too many.
 * @param {readonly Change[]} changes
 * @param {number} limit
 * @returns {Change[][]}
 */
export function parts(changes, limit) {
  /** @type {Change[][]} */
  const result = [[]];
  let size = 0;
  for (const change of changes) {
    const length = utf8Length(JSON.stringify(change)) + 1;
    if (size + length > limit && size > 0) {
      result.push([]);
      size = 0;
    }
    size += length;
    result[result.length - 1].push(change);
  }
  return result;
}

/**
 * Ascending by z, then by id.
 * @param {Label} a
 * @param {Label} b
 */
export const bottomFirst = (a, b) => a.z - b.z || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
