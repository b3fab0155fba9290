// SPDX-License-Identifier: Apache-2.0

// The dialogs: background, canvas, export, the palette of commands, help. The alert of a refused background does not block the page.

/** @typedef {import('./studio').Studio} Studio */

import { actions, isEnabled, keyText, run } from './actions.js';
import { nameOf, title } from './documents.js';
import { numberField } from './fields.js';
import { chooseLanguage, chosenLanguage, fileSize, languages, number } from './language.js';
import { linkWith } from './net.js';
import { build } from './panels.js';
import { limits } from './rules.js';
import { settings } from './storage.js';
import { download, regionOf, setAddress, setPicture, visibleRegion, wasReplaced } from './transfer.js';
import { actionName, errorText, words } from './words.js';

/**
 * Shows a dialog until it is closed, and takes it away.
 * @param {Studio} studio
 * @param {string} title
 * @param {(Node | null)[]} content
 * @param {string} [kind]
 */
export function show(studio, title, content, kind = '') {
  const heading = build('h2', {}, title);
  const before = document.activeElement;
  const dialog = build('dialog', { class: kind, 'aria-label': title }, heading, ...content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    // To where it came from: a button of a menu that is gone leads to the canvas.
    if (before instanceof HTMLElement && before !== document.body && before.isConnected && !before.closest('[inert], [hidden]')) before.focus({ preventScroll: true });
    else studio.focusCanvas();
  });
  // A click beside it closes it.
  dialog.addEventListener('click', (event) => { if (event.target === dialog && isBeside(dialog, event)) dialog.close(); });
  dialog.tabIndex = -1;
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** @param {HTMLElement} dialog @param {MouseEvent} event */
function isBeside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/**
 * @param {string} name
 * @param {(Node | string)[]} controls
 */
export const field = (name, ...controls) => build('label', { class: 'field' }, build('span', {}, name), build('div', {}, ...controls));

/**
 * A group of controls that each have a label of their own.
 * @param {string} name
 * @param {(Node | string)[]} controls
 */
const group = (name, ...controls) => build('div', { class: 'field', role: 'group', 'aria-label': name }, build('span', {}, name), build('div', {}, ...controls));

/** @param {HTMLInputElement} box @param {string} name */
const choice = (box, name) => build('label', { class: 'choice' }, box, name);

/** @typedef {import('./fields').NumberInput} NumberInput */

/**
 * Whether a field has a number within its bounds; tells what it may have.
 * @param {NumberInput} input
 */
function isNumber(input) {
  const [least, most] = ['min', 'max'].map((name) => number(Number(input.getAttribute(`aria-value${name}`))));
  input.setCustomValidity(input.number === null ? words.numberWithin(least, most) : '');
  input.addEventListener('input', () => input.setCustomValidity(''), { once: true });
  return input.reportValidity();
}

/**
 * A form with *Cancel* and a main button.
 * @param {string} verb
 * @param {(Node | null)[]} fields
 * @param {() => unknown} act what is done; the dialog closes first
 */
export function form(verb, fields, act) {
  const cancel = build('button', { type: 'button', class: 'quiet' }, words.cancel);
  const element = build('form', {}, ...fields, build('div', { class: 'buttons' }, cancel, build('button', { type: 'submit', class: 'main' }, verb)));
  cancel.addEventListener('click', () => element.closest('dialog')?.close());
  // As in a field of text.
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target instanceof HTMLSelectElement) element.requestSubmit();
  });
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    // The browser checks no number that is typed as a text.
    const numbers = /** @type {NumberInput[]} */ ([...element.querySelectorAll('[role=spinbutton]')]).filter((input) => input.offsetParent !== null);
    if (!numbers.every(isNumber)) return;
    element.closest('dialog')?.close();
    act();
  });
  return element;
}

/**
 * @param {[value: string, name: string][]} options
 * @param {string} value
 */
export function select(options, value) {
  const element = build('select', {}, ...options.map(([each, name]) => build('option', { value: each }, name)));
  // If a kept value is no longer an option, the first option stays chosen.
  if (options.some(([each]) => each === value)) element.value = value;
  return element;
}

/** @param {Studio} studio @param {unknown} error */
const tell = (studio, error) => studio.emit('note', { text: errorText(error), kind: 'bad' });

// MARK: Background

/** @param {Studio} studio */
export function showBackground(studio) {
  const url = build('input', { type: 'text', inputMode: 'url', placeholder: words.background.urlHint, autocomplete: 'off', spellcheck: false, value: studio.store.background?.url ?? '' });
  const file = build('input', { type: 'file', accept: 'image/*', hidden: true });
  // A canvas with art keeps its size unless the user says otherwise.
  const hasArt = studio.store.count > 0;
  const keep = build('input', { type: 'checkbox', checked: hasArt });
  // What was not touched is no choice: the other size is offered then.
  const chosen = () => (keep.checked === hasArt ? undefined : keep.checked);
  const own = build('input', { type: 'checkbox' });
  const choose = build('button', { type: 'button', class: 'quiet', onclick: () => file.click() }, words.background.choose);
  file.addEventListener('change', () => {
    const picture = file.files?.[0];
    if (!picture) return;
    dialog.close();
    setPicture(studio, picture, chosen());
  });
  const removeButton = build('button', { type: 'button' }, words.background.remove);
  removeButton.hidden = !studio.store.background && !studio.store.pendingBackground;
  removeButton.addEventListener('click', () => {
    dialog.close();
    run(studio, 'background.remove');
  });
  const content = form(words.background.set, [
    field(words.background.url, url), group(words.background.file, choose, file, removeButton),
    group('', choice(keep, words.background.keep), choice(own, words.background.private)), build('p', {}, words.background.hint),
  ], () => {
    if (url.value.trim()) setAddress(studio, url.value.trim(), { keepsCanvas: chosen(), allowsPrivate: own.checked });
  });
  const dialog = show(studio, words.background.title, [content]);
  url.select();
}

/**
 * Asks for the link of another server, and goes on there with what is pending.
 * @param {Studio} studio
 */
export function askLink(studio) {
  const link = build('input', { type: 'text', required: true, autocomplete: 'off', spellcheck: false });
  link.addEventListener('input', () => link.setCustomValidity(''));
  const content = form(words.newLink.verb, [field(words.newLink.field, link), build('p', {}, words.newLink.hint)], async () => {
    const { title } = words.newLink;
    studio.endInput();
    const address = await linkWith(link.value, studio.net, studio.name);
    if (address && address !== 'too long') studio.go(address);
    else studio.emit('note', { text: address ? words.newLink.long : words.newLink.none, kind: 'bad', action: { name: title, run: () => askLink(studio) } });
  });
  show(studio, words.newLink.title, [content]);
  link.focus();
}

/**
 * Takes the server's messages about backgrounds.
 * @param {Studio} studio
 * @returns {(message: import('./net').Message) => void}
 */
export function attachDialogs(studio) {
  /** @type {{ note: HTMLElement, text: HTMLElement } | null} */
  let fetching = null;
  const begin = () => {
    if (fetching) return;
    const text = build('p', {}, words.background.fetching);
    const cancel = build('button', { type: 'button' }, words.background.cancel);
    const note = build('div', { class: 'note' }, build('span', { class: 'spinner' }), text, cancel);
    cancel.addEventListener('click', () => {
      studio.net.request({ cancel: true }).catch(() => {});
      end();
    });
    document.getElementById('notes')?.append(note);
    fetching = { note, text };
  };
  const end = () => {
    const hadFocus = fetching?.note.contains(document.activeElement);
    fetching?.note.remove();
    fetching = null;
    if (hadFocus) studio.focusCanvas();
  };
  const receive = (/** @type {import('./net').Message} */ message) => {
    if (message.warning && !message.document && wasReplaced(message.warning)) return undefined;
    if (message.fetching) begin();
    // One that was cancelled may still be on its way.
    if (message.fetched && fetching) {
      const { bytes, of } = message.fetched;
      fetching.text.textContent = words.background.received(of ? `${fileSize(bytes)} / ${fileSize(of)}` : fileSize(bytes));
    }
    if (message.document) return tellLeft(studio, message.document, message.warning);
    if (message.background || message.rejected || message.warning) end();
    if (message.warning) warn(studio, message.warning);
    return undefined;
  };
  // The picture of a document that was left is that document's.
  let { name } = studio;
  const leave = () => {
    if (fetching) studio.emit('note', { text: words.background.goesOn(title(nameOf(name))) });
    end();
  };
  studio.on('opened', () => {
    if (studio.name !== name) leave();
    ({ name } = studio);
  });
  studio.on('closed', leave);
  studio.on('status', ({ state }) => {
    if (state !== 'reconnecting' && state !== 'refused') return;
    if (fetching) studio.emit('note', { text: words.background.broken, kind: 'bad' });
    end();
  });
  return receive;
}

/**
 * Tells of a refused background of a document that the page has left.
 * @param {Studio} studio
 * @param {string} path
 * @param {{ detail: string, reason: string }} warning
 */
function tellLeft(studio, path, { detail, reason }) {
  studio.emit('note', { text: words.background.failedFor(title(nameOf(path)), words.refusal(reason, detail)), kind: 'bad' });
}

/**
 * Tells of a refused background. Editing goes on meanwhile.
 * @param {Studio} studio
 * @param {{ detail: string, question: boolean, reason: string }} warning
 */
function warn(studio, { detail, question, reason }) {
  for (const other of document.querySelectorAll('dialog.alert')) other.remove();
  const answer = (/** @type {string | null} */ value) => {
    dialog.remove();
    if (value) studio.net.request({ warnings: value }).catch((error) => tell(studio, error));
    studio.focusCanvas();
  };
  const stop = build('button', { type: 'button', class: 'quiet', onclick: () => answer('never') }, words.background.stopWarning);
  const keep = build('button', { type: 'button', class: 'main', onclick: () => answer('always') }, words.background.keepWarning);
  const close = build('button', { type: 'button', class: 'main', onclick: () => answer(null) }, words.background.ok);
  const dialog = build('dialog', { class: 'alert', role: 'alertdialog', 'aria-label': words.background.failed },
    build('h2', {}, words.background.failed), build('p', { role: 'alert' }, words.refusal(reason, detail)), reason === 'notAllowed' ? build('p', {}, words.background.ownHint) : null, build('p', {}, words.background.oldStays),
    build('div', { class: 'buttons' }, ...(question ? [stop, keep] : [close])));
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    answer(null);
  });
  // It does not take the focus: keys stay with the canvas, and Escape there closes it, too.
  studio.closeAlert = () => {
    const isOpen = dialog.isConnected;
    if (isOpen) answer(null);
    return isOpen;
  };
  dialog.setAttribute('open', '');
  document.body.append(dialog);
}

// MARK: Canvas

const presets = /** @type {[string, string][]} */ ([['', '–'], ['1024x768', '1024 × 768'], ['1080x1080', '1080 × 1080'], ['1080x1350', '1080 × 1350'], ['1920x1080', '1920 × 1080'], ['2480x3508', '']]);

/** @param {Studio} studio */
export function showCanvas(studio) {
  const { width, height, fill } = studio.store.canvas;
  const side = (/** @type {number} */ value, /** @type {string} */ name) => numberField({ required: true, 'aria-label': name }, { least: 1, most: limits.canvasSide, isWhole: true, value });
  const [across, down] = [side(width, words.canvas.width), side(height, words.canvas.height)];
  const preset = select(presets.map(([size, name]) => [size, name || words.canvas.print]), '');
  preset.addEventListener('change', () => { if (preset.value) [across.number, down.number] = preset.value.split('x').map(Number); });
  const anchor = select([['top-left', words.canvas.topLeft], ['center', words.canvas.center]], 'center');
  const scale = build('input', { type: 'checkbox' });
  const isFilled = build('input', { type: 'checkbox', checked: fill !== null });
  const color = build('input', { type: 'color', value: (fill ?? '#ffffff').slice(0, 7), 'aria-label': words.canvas.color });
  color.addEventListener('input', () => { isFilled.checked = true; });
  const margin = numberField({ 'aria-label': words.canvas.margin }, { least: 0, most: 10_000, value: 20 });
  const fit = build('button', { type: 'button', class: 'quiet' }, words.canvas.fit);
  fit.addEventListener('click', () => {
    if (!isNumber(margin)) return;
    dialog.close();
    studio.ask({ canvas: { fit: margin.number ?? 0 } }, 'canvas').catch(() => {});
  });
  const content = form(words.canvas.apply, [
    field(words.canvas.presets, preset), group(words.canvas.size, across, '×', down), field(words.canvas.anchor, anchor),
    group('', choice(scale, words.canvas.scale)), group(words.canvas.margin, margin, fit),
    group(words.canvas.color, choice(isFilled, words.canvas.filled), color),
  ], () => {
    const size = `${across.number}x${down.number}`;
    if (size !== `${width}x${height}`) {
      studio.ask({ canvas: { size, ...(anchor.value === 'center' ? { anchor: 'center' } : {}), ...(scale.checked ? { scale: true } : {}) } }, 'canvas');
    }
    const wanted = isFilled.checked ? color.value : null;
    // The field has no transparency: a colour that was not touched stays as it is.
    if ((isFilled.checked !== (fill !== null)) || (isFilled.checked && color.value !== (fill ?? '').slice(0, 7))) studio.ask({ canvas: { fill: wanted } }, 'canvas');
  });
  const dialog = show(studio, words.canvas.title, [content]);
}

// MARK: Export

/**
 * What the user has chosen at the last export. Anything may be kept.
 * @returns {Record<string, any>}
 */
function keptExport() {
  try {
    return Object(JSON.parse(settings.get('export') ?? '{}'));
  } catch {
    return {};
  }
}

/** @param {Studio} studio */
export function showExport(studio) {
  const kept = keptExport();
  const format = select([['png', 'PNG'], ['jpeg', 'JPEG'], ['webp', 'WebP'], ['svg', 'SVG'], ['pdf', 'PDF']], kept.format ?? 'png');
  const scale = select([['0.5', '½ ×'], ['1', '1 ×'], ['2', '2 ×'], ['3', '3 ×'], ['4', '4 ×']], kept.scale ?? '2');
  const part = select([['', words.export.whole], ['selection', words.export.selection], ['view', words.export.view]], '');
  if (!studio.selected.size) part.options[1].disabled = true;
  const transparent = build('input', { type: 'checkbox', checked: Boolean(kept.transparent) });
  const quality = numberField({}, { least: 1, most: 100, isWhole: true, value: Number(kept.quality) || 90 });
  const page = select(Object.entries(words.export.pages), '');
  const rows = { scale: field(words.export.scale, scale), transparent: group('', choice(transparent, words.export.transparent)), quality: field(words.export.quality, quality), page: field(words.export.page, page) };
  const update = () => {
    const { value } = format;
    rows.scale.hidden = value === 'pdf' || value === 'svg';
    rows.transparent.hidden = value === 'jpeg' || value === 'pdf';
    rows.quality.hidden = value !== 'jpeg' && value !== 'webp';
    rows.page.hidden = value !== 'pdf';
  };
  format.addEventListener('change', update);
  update();
  show(studio, words.export.title, [form(words.export.download, [field(words.export.format, format), field(words.export.part, part), ...Object.values(rows)], async () => {
    settings.set('export', JSON.stringify({ format: format.value, scale: scale.value, transparent: transparent.checked, quality: String(quality.number) }));
    const region = part.value === 'selection' ? regionOf(studio.selection) : part.value === 'view' ? visibleRegion(studio) : '';
    /** @type {Record<string, string>} */
    const query = { format: format.value };
    if (!rows.scale.hidden) query.scale = scale.value;
    if (!rows.transparent.hidden && transparent.checked) query.transparent = '1';
    if (!rows.quality.hidden) query.quality = String(quality.number ?? 90);
    if (!rows.page.hidden && page.value) query.page = page.value;
    if (region) query.region = region;
    studio.emit('note', { text: words.export.working });
    await download(studio, query).catch((error) => tell(studio, error));
  })]);
}

// MARK: Name

/** @param {Studio} studio */
export function showName(studio) {
  const name = build('input', { type: 'text', maxLength: 40, value: studio.net.name, autocomplete: 'nickname' });
  show(studio, words.name.title, [form(words.name.save, [build('p', {}, words.name.hint), field(words.documents.name, name)], () => studio.net.setName(name.value.trim()))]);
}

// MARK: Language

/**
 * Lets the user choose the page's language. The page is loaded again, with what is pending.
 * @param {Studio} studio
 */
export function showLanguage(studio) {
  const chosen = select([['', words.language.browser], ...Object.entries(languages).map(([code, { name }]) => /** @type {[string, string]} */ ([code, name]))], chosenLanguage() ?? '');
  show(studio, words.language.title, [form(words.language.save, [field(words.language.field, chosen), build('p', {}, words.language.hint)], async () => {
    chooseLanguage(chosen.value || null);
    // Firefox drops what was sent just before.
    await studio.net.told;
    studio.go();
  })]);
}

// MARK: The design of emoji

/** @typedef {{ name: string, title: string, installed: boolean, sharp: boolean, remedy: string, credit?: string }} Design */

/** What a design looks like. */
const samples = ['😀', '🐸', '🎂', '❤️', '🌍'];
/** Pixels of a sample, on a screen with a pixel for each. */
const sampleSize = 40;

/**
 * Lets the user choose what emoji look like, in all drawings and on all pages.
 * @param {Studio} studio
 */
export async function showFonts(studio) {
  try {
    const answer = await studio.net.fetch('/fonts');
    const { chosen, fixed, fonts } = /** @type {{ chosen?: string, fixed: boolean, fonts: Design[] }} */ (await answer.json());
    const rows = fonts.map((design) => {
      const input = build('input', { type: 'radio', name: 'font', value: design.name, checked: design.name === (chosen ?? 'noto'), disabled: !design.installed || fixed });
      const picture = design.installed ? build('img', { class: 'samples', alt: '', width: samples.length * sampleSize * 1.25, height: sampleSize * 1.2 }) : null;
      if (picture) showSamples(studio, design.name, picture);
      const notes = [design.installed ? (design.sharp ? words.font.sharp : words.font.soft) : words.font.missing(design.remedy), ...(design.credit ? [words.font.credit(design.credit)] : [])];
      return build('label', { class: 'design' }, input, build('span', {}, build('b', {}, design.title), ...(picture ? [picture] : []), ...notes.map((note) => build('small', {}, note))));
    });
    const list = build('div', { role: 'radiogroup', 'aria-label': words.font.title }, ...rows);
    show(studio, words.font.title, [form(words.font.save, [list, build('p', {}, fixed ? words.font.fixed : words.font.hint)], async () => {
      const name = /** @type {HTMLInputElement | null} */ (list.querySelector('input:checked'))?.value;
      if (!name || fixed || name === (chosen ?? 'noto')) return;
      try {
        await studio.net.fetch('/choose-font', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }) });
        studio.picture.forgetGlyphs();
      } catch (error) {
        tell(studio, error);
      }
    })]);
  } catch (error) {
    tell(studio, error);
  }
}

/** @param {Studio} studio @param {string} font @param {HTMLImageElement} picture */
async function showSamples(studio, font, picture) {
  const scale = Math.ceil(devicePixelRatio);
  const size = sampleSize * scale;
  const labels = samples.map((text, index) => ({ text, size, x: (index + 0.5) * size * 1.25, y: size * 0.6 }));
  const body = JSON.stringify({ font, width: samples.length * size * 1.25, height: size * 1.2, labels });
  try {
    const answer = await studio.net.fetch('/glyphs', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const address = URL.createObjectURL(await answer.blob());
    picture.addEventListener('load', () => URL.revokeObjectURL(address));
    picture.src = address;
  } catch {
    // The name says which one it is.
  }
}

// MARK: Commands

/** @param {Studio} studio */
export function showCommands(studio) {
  const input = build('input', { type: 'text', role: 'combobox', placeholder: words.palette.title, 'aria-label': words.palette.title, 'aria-expanded': 'true', 'aria-controls': 'commands', autocomplete: 'off', spellcheck: false });
  const list = build('ul', { id: 'commands', role: 'listbox', 'aria-label': words.palette.title });
  let chosen = 0;
  /** @type {import('./actions').Action[]} */
  let found = [];
  const execute = (/** @type {import('./actions').Action | undefined} */ action) => {
    if (!action || !isEnabled(studio, action)) return;
    dialog.close();
    run(studio, action.id);
  };
  const update = () => {
    found = search(studio, input.value);
    chosen = Math.max(0, Math.min(chosen, found.length - 1));
    list.replaceChildren(...found.map((action, index) => {
      const row = build('li', { role: 'option', id: `command-${index}`, 'aria-selected': index === chosen, onclick: () => execute(action) },
        build('span', {}, actionName(action.id), ' ', build('small', {}, words.groups[/** @type {keyof typeof words.groups} */ (action.group)])),
        action.keys.length ? build('kbd', {}, keyText(action.keys[0])) : null);
      if (!isEnabled(studio, action)) row.setAttribute('aria-disabled', 'true');
      return row;
    }));
    if (!found.length) list.append(build('li', { class: 'empty', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, words.palette.nothing));
    input.setAttribute('aria-activedescendant', found.length ? `command-${chosen}` : '');
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  input.addEventListener('input', () => { chosen = 0; update(); });
  input.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step && found.length) {
      chosen = (chosen + step + found.length) % found.length;
      update();
    }
    if (event.key === 'Enter') execute(found[chosen]);
    if (step || event.key === 'Enter') event.preventDefault();
  });
  const dialog = show(studio, words.palette.title, [input, list], 'commands');
  dialog.querySelector('h2')?.classList.add('hiddenText');
  update();
  input.focus();
}

/**
 * The actions whose names have all the words, those first whose names begin with one.
 * @param {Studio} studio
 * @param {string} query
 */
function search(studio, query) {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = actions.flatMap((action) => {
    if (action.id === 'palette') return [];
    const [name, ...also] = words.actions[action.id] ?? [action.id];
    const text = [name, ...also, words.groups[/** @type {keyof typeof words.groups} */ (action.group)]].join(' ').toLowerCase();
    if (!parts.every((part) => text.includes(part))) return [];
    const isStart = parts.length > 0 && name.toLowerCase().startsWith(parts[0]);
    // What cannot be done now is found, too, behind the rest.
    const late = isEnabled(studio, action) ? 0 : 10;
    return [{ action, rank: late + (isStart ? 0 : parts.every((part) => name.toLowerCase().includes(part)) ? 1 : 2) }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ action }) => action);
}

// MARK: Help

/** @param {Studio} studio */
export function showHelp(studio) {
  const section = (/** @type {string} */ title, /** @type {[string, string][]} */ rows) => build('section', {}, build('h3', {}, title),
    build('div', {}, ...rows.map(([name, keys]) => build('div', {}, build('span', {}, name), build('kbd', {}, keys)))));
  const groups = [...new Set(actions.map((action) => action.group))];
  const columns = build('div', { class: 'columns' }, section(words.help.mouse, words.help.pointer), ...groups.map((group) =>
    section(words.groups[/** @type {keyof typeof words.groups} */ (group)], actions.filter((action) => action.group === group && action.keys.length)
      .map((action) => [actionName(action.id), action.keys.map(keyText).join(', ')]))));
  const close = build('button', { type: 'button', class: 'main' }, words.close);
  const dialog = show(studio, words.help.title, [columns, build('div', { class: 'buttons' }, close)], 'help');
  close.addEventListener('click', () => dialog.close());
  dialog.scrollTop = 0;
}
