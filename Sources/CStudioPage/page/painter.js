// SPDX-License-Identifier: Apache-2.0

// Paints the labels of the document for one camera at a time, on a thread of its own. The newest request of each kind wins.
//
// Glyphs are pictures from the server, drawn by the program's own renderer, in steps of pixels per em. Until they are there, the browser's own
// emoji are drawn in their place. Larger than the last step, a glyph of outlines is drawn from the font itself, which the server sends, too.

/** @typedef {import('./canvas').PaintedLabel} PaintedLabel */
/** @typedef {import('./canvas').ToPainter} ToPainter */
/** @typedef {import('./canvas').PaintRequest} PaintRequest */
/** @typedef {{ image: ImageBitmap | OffscreenCanvas, bytes: number, turn: number, forget: (() => void)[] }} Sheet a picture of one glyph or several; `turn` is
 *   the last painting that needed it, `forget` takes its cells from their glyphs */
/** @typedef {{ sheet: Sheet, x: number, y: number, width: number, height: number }} Cell */
/** @typedef {{ key: string, text: string, color?: string, box?: readonly [number, number], width: number, height: number,
 *   cells: (Cell | undefined)[], local: (Cell | undefined)[], isFailed: boolean, users: number, outlines?: Outlines }} Glyph `users` is how many
 *   labels have it; `outlines` is known of glyphs that were drawn in the largest step */
/** @typedef {{ scale: number, x: number, y: number, tag: string }} Outlines how a glyph is drawn from a font: the font size for each pixel of its em, and where
 *   its text begins on the baseline, in ems from the label's centre */
/** @typedef {PaintedLabel & { glyph: Glyph }} Item */

/** The pixels per em of glyph pictures. */
const steps = [16, 32, 64, 128, 256, 512];
/** The room around a glyph in its picture, as a part of an em, since ink may exceed the box. */
const room = 0.1;
const sheetSide = 4096;
const sheetCells = 2000;
/** Larger glyphs have a picture each, so that one that is seen does not keep the others. */
const sharedStep = 128;
/** The most bytes of the pictures of glyphs that no painting needs now. */
const memory = 256 << 20;
/** Milliseconds between tries: longer after each failure, but never for good. */
const pause = { first: 1000, most: 30_000 };

/** @type {Map<string, Item>} */
const items = new Map();
/**
 * The labels from the farthest to the nearest one.
 * @type {Item[]}
 */
let order = [];
let isOrdered = true;
/** @type {Map<string, Glyph>} */
const glyphs = new Map();
/** What is dragged: labels on a layer of their own, and ids that the carpet leaves out. */
let lifted = { labels: /** @type {Item[]} */ ([]), without: /** @type {Set<string>} */ (new Set()) };
let sheet = { width: 0, height: 0, fill: /** @type {string | null} */ (null) };
let colors = { desk: '#e9eaee', edge: 'rgba(0,0,0,.16)', shadow: 'rgba(20,22,40,.22)' };
/** @type {{ key: string, levels: (ImageBitmap | OffscreenCanvas)[] } | null} */
let picture = null;
let pictureKey = '';
let ticket = '';
let stamp = 0;

/** @type {{ carpet: PaintRequest | null, lifted: PaintRequest | null }} */
const wanted = { carpet: null, lifted: null };
/** @type {{ carpet: PaintRequest | null, lifted: PaintRequest | null }} */
const last = { carpet: null, lifted: null };
let isBusy = false;
/** The number of paintings. */
let turns = 0;
/** @type {Set<Sheet>} */
const sheets = new Set();
/** The bytes of all sheets. */
let held = 0;
/** How often another font was chosen: what was asked for before is in the former one. */
let fontsChosen = 0;
/** @type {{ carpet: OffscreenCanvas | null, lifted: OffscreenCanvas | null }} */
const canvases = { carpet: null, lifted: null };

const port = /** @type {{ postMessage(message: unknown, transfer?: Transferable[]): void, onmessage: ((event: MessageEvent) => void) | null }} */ (
  /** @type {unknown} */ (self)
);

port.onmessage = (/** @type {MessageEvent} */ event) => {
  const message = /** @type {ToPainter} */ (event.data);
  if (message.stamp !== undefined) stamp = message.stamp;
  if (message.ticket !== undefined) {
    ticket = message.ticket;
    tryAgain();
  }
  if (message.colors) colors = message.colors;
  if (message.reset) {
    items.clear();
    isOrdered = false;
    for (const glyph of glyphs.values()) glyph.users = 0;
  }
  const isFew = (message.put?.length ?? 0) < 32;
  for (const label of message.put ?? []) put(label, isFew);
  if (message.reset) forgetGlyphs();
  for (const id of message.remove ?? []) remove(id);
  if (message.font) {
    forgetFonts();
    wanted.carpet ??= last.carpet;
  }
  if (message.sheet) sheet = message.sheet;
  if (message.picture !== undefined && message.picture !== pictureKey) {
    pictureKey = message.picture;
    picture = null;
    if (pictureKey) loadPicture(pictureKey);
  }
  if (message.lift !== undefined) {
    lifted = { labels: (message.lift?.labels ?? []).map(itemOf), without: new Set(message.lift?.without ?? []) };
    wanted.lifted = last.lifted = null;
  }
  if (message.carpet) {
    // Another zoom shows what is missing: a server that was busy may be well again.
    if (failures && message.carpet.scale !== last.carpet?.scale) tryAgain();
    wanted.carpet = message.carpet;
  }
  if (message.lifted) wanted.lifted = message.lifted;
  if (!isBusy && (wanted.carpet || wanted.lifted)) next();
};

/** Forgets the pictures of glyphs that no label has any more. */
function forgetGlyphs() {
  const used = new Set([...items.values(), ...lifted.labels].map(({ glyph }) => glyph));
  for (const glyph of glyphs.values()) if (!used.has(glyph)) forget(glyph);
}

/** @param {Glyph} glyph */
function forget(glyph) {
  glyphs.delete(glyph.key);
  for (const cell of [...glyph.cells, ...glyph.local]) if (cell?.sheet.forget.length === 1) drop(cell.sheet);
  glyph.cells.length = glyph.local.length = 0;
}

/** @param {PaintedLabel} label @returns {Item} */
function itemOf(label) {
  const key = `${label.text}\0${label.color ?? ''}\0${label.box ? label.box.join() : ''}`;
  let glyph = glyphs.get(key);
  if (!glyph) {
    const { text, color, box, width, height } = label;
    glyph = { key, text, color, box, width, height, cells: [], local: [], isFailed: false, users: 0 };
    glyphs.set(key, glyph);
  }
  return Object.assign(label, { glyph });
}

/** @param {PaintedLabel} label @param {boolean} isFew whether a search for each is quicker than sorting */
function put(label, isFew) {
  const item = itemOf(label);
  const old = items.get(label.id);
  items.set(label.id, item);
  item.glyph.users += 1;
  if (old) leave(old.glyph);
  if (old && old.z === item.z && isOrdered && isFew) order[order.indexOf(old)] = item;
  else isOrdered = false;
}

/** @param {string} id */
function remove(id) {
  const old = items.get(id);
  if (!old) return;
  items.delete(id);
  isOrdered = false;
  leave(old.glyph);
}

/**
 * A label has another glyph now, or is gone. A caption's words are hardly ever those of another one.
 * @param {Glyph} glyph
 */
function leave(glyph) {
  glyph.users -= 1;
  if (glyph.users < 1 && glyph.box && !lifted.labels.some((item) => item.glyph === glyph)) forget(glyph);
}

// MARK: Painting

// Messages that wait are read between two pictures.
const turn = new MessageChannel();
turn.port1.onmessage = () => next();

function next() {
  const kind = wanted.lifted ? 'lifted' : 'carpet';
  const request = wanted[kind];
  isBusy = request !== null;
  if (!request) return;
  wanted[kind] = null;
  last[kind] = request;
  turns += 1;
  try {
    paint(kind, request);
    fetchGlyphs();
  } catch (error) {
    // Its context may be lost. The page hears of it, and starts another painter; until then this one goes on.
    canvases[kind] = null;
    reportError(error);
  } finally {
    turn.port2.postMessage(0);
  }
}

/** @param {'carpet' | 'lifted'} kind @param {PaintRequest} request */
function paint(kind, request) {
  const start = performance.now();
  const { width, height } = request;
  const canvas = (canvases[kind] ??= new OffscreenCanvas(width, height));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext('2d', { alpha: kind === 'lifted' });
  if (pen) {
    if (kind === 'carpet') paintCarpet(pen, request);
    else paintLifted(pen, request);
  }
  shrink();
  const bitmap = canvas.transferToImageBitmap();
  const isSharp = !missing.size && !isFetching && !fontsComing && Boolean(!pictureKey || picture);
  port.postMessage({ kind, bitmap, request, stamp, isSharp, held, milliseconds: performance.now() - start }, [bitmap]);
}

/** Paints the last pictures again, since glyphs or the background have come. */
function again() {
  wanted.carpet ??= last.carpet;
  if (lifted.labels.length) wanted.lifted ??= last.lifted;
  if (!isBusy) next();
}

/** @param {OffscreenCanvasRenderingContext2D} pen @param {PaintRequest} request */
function paintCarpet(pen, { x, y, scale, width, height }) {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colors.desk;
  pen.fillRect(0, 0, width, height);
  const [left, top] = [Math.round(x), Math.round(y)];
  const [across, down] = [Math.round(x + sheet.width * scale) - left, Math.round(y + sheet.height * scale) - top];
  pen.save();
  pen.shadowColor = colors.shadow;
  pen.shadowBlur = 28;
  pen.shadowOffsetY = 6;
  pen.fillStyle = '#ffffff';
  pen.fillRect(left, top, across, down);
  pen.restore();
  pen.fillStyle = colors.edge;
  pen.fillRect(left - 1, top - 1, across + 2, down + 2);
  pen.fillStyle = '#ffffff';
  pen.fillRect(left, top, across, down);
  if (sheet.fill) {
    pen.fillStyle = sheet.fill;
    pen.fillRect(left, top, across, down);
  }
  if (picture) paintPicture(pen, picture.levels, left, top, across, down);
  if (!isOrdered) {
    order = [...items.values()].sort((a, b) => a.z - b.z || (a.id < b.id ? -1 : 1));
    isOrdered = true;
  }
  paintLabels(pen, order, x, y, scale, width, height, lifted.without);
}

/** @param {OffscreenCanvasRenderingContext2D} pen @param {PaintRequest} request */
function paintLifted(pen, { x, y, scale, width, height }) {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, width, height);
  paintLabels(pen, lifted.labels, x, y, scale, width, height, null);
}

/** Covers the canvas with the picture, as small as possible and centred.
 * @param {OffscreenCanvasRenderingContext2D} pen @param {(ImageBitmap | OffscreenCanvas)[]} levels
 * @param {number} left @param {number} top @param {number} across @param {number} down */
function paintPicture(pen, levels, left, top, across, down) {
  const { width, height } = levels[0];
  const scale = Math.max(across / width, down / height);
  // Each level has half the side of the one before, down to the size that is drawn.
  let level = 0;
  while (scale * 2 ** (level + 1) <= 1 && levels[level].width > 1 && levels[level].height > 1) {
    level += 1;
    levels[level] ??= half(levels[level - 1]);
  }
  const source = levels[level];
  const [cutX, cutY] = [(across / scale / width) * source.width, (down / scale / height) * source.height];
  pen.imageSmoothingQuality = 'low';
  pen.drawImage(source, (source.width - cutX) / 2, (source.height - cutY) / 2, cutX, cutY, left, top, across, down);
}

/** @param {ImageBitmap | OffscreenCanvas} image */
function half(image) {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(image.width / 2)), Math.max(1, Math.round(image.height / 2)));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * @param {OffscreenCanvasRenderingContext2D} pen
 * @param {Item[]} list
 * @param {number} x where the document's origin is, in pixels of the picture
 * @param {number} y
 * @param {number} scale pixels of the picture for a pixel of the document
 * @param {number} width
 * @param {number} height
 * @param {Set<string> | null} without
 */
function paintLabels(pen, list, x, y, scale, width, height, without) {
  const leavesOut = without !== null && without.size > 0;
  let isTurned = false;
  for (const item of list) {
    const { glyph } = item;
    const em = item.size * scale;
    const [centerX, centerY] = [x + item.x * scale, y + item.y * scale];
    const across = (glyph.width + 2 * room) * em;
    const down = (glyph.height + 2 * room) * em;
    // A turned box is within its diagonal.
    const reach = item.rotation ? (across + down) / 2 : Math.max(across, down) / 2;
    if (centerX + reach < 0 || centerY + reach < 0 || centerX - reach > width || centerY - reach > height) continue;
    if (leavesOut && /** @type {Set<string>} */ (without).has(item.id)) continue;
    if (em > steps[steps.length - 1] && paintOutlines(pen, item, em, centerX, centerY)) {
      isTurned = true;
      continue;
    }
    const cell = cellOf(glyph, em);
    cell.sheet.turn = turns;
    if (item.rotation || item.mirrored) {
      const radians = ((item.rotation ?? 0) * Math.PI) / 180;
      const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
      const flip = item.mirrored ? -1 : 1;
      pen.setTransform(cosine * flip, sine * flip, -sine, cosine, centerX, centerY);
      pen.drawImage(cell.sheet.image, cell.x, cell.y, cell.width, cell.height, -across / 2, -down / 2, across, down);
      isTurned = true;
      continue;
    }
    if (isTurned) {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      isTurned = false;
    }
    pen.drawImage(cell.sheet.image, cell.x, cell.y, cell.width, cell.height, centerX - across / 2, centerY - down / 2, across, down);
  }
}

// MARK: Outlines

/**
 * The fonts that were asked for, by their tags; null for one that is on its way, or that the browser does not take.
 * @type {Map<string, FontFace | null>}
 */
const fonts = new Map();
/** How many are on their way. */
let fontsComing = 0;
/** Glyphs of the largest step that were no outlines, as long as none was: a font of bitmaps is asked for no more. */
let withoutOutlines = 0;
const faces = /** @type {{ fonts: FontFaceSet }} */ (/** @type {unknown} */ (self)).fonts;

/** The size at which text is set, and then enlarged: browsers have a largest one. */
const fontSize = 1000;

/** The tag of the font that the pictures are in. */
let fontTag = '';

/** Another font was chosen, here or elsewhere: all pictures are fetched again. */
function forgetFonts() {
  fontsChosen += 1;
  for (const font of fonts.values()) if (font) faces.delete(font);
  fonts.clear();
  [withoutOutlines, fontTag] = [0, ''];
  for (const each of [...sheets]) drop(each);
  for (const glyph of glyphs.values()) [glyph.outlines, glyph.isFailed] = [undefined, false];
  missing.clear();
}

/**
 * Draws a glyph from its font. False while that is not known or not there.
 * @param {OffscreenCanvasRenderingContext2D} pen @param {Item} item @param {number} em @param {number} centerX @param {number} centerY
 */
function paintOutlines(pen, item, em, centerX, centerY) {
  const { outlines } = item.glyph;
  if (!outlines || !fonts.get(outlines.tag)) {
    if (outlines) loadFont(outlines.tag);
    return false;
  }
  const radians = ((item.rotation ?? 0) * Math.PI) / 180;
  const scale = (em * outlines.scale) / fontSize;
  const [sine, cosine] = [Math.sin(radians) * scale, Math.cos(radians) * scale];
  const flip = item.mirrored ? -1 : 1;
  pen.setTransform(cosine * flip, sine * flip, -sine, cosine, centerX, centerY);
  pen.font = `${fontSize}px "${familyOf(outlines.tag)}"`;
  [pen.textAlign, pen.textBaseline, pen.fillStyle] = ['left', 'alphabetic', '#000000'];
  pen.fillText(item.glyph.text, (outlines.x / outlines.scale) * fontSize, (outlines.y / outlines.scale) * fontSize);
  return true;
}

/** @param {string} tag */
const familyOf = (tag) => `emojiart ${tag}`;

/** @param {string} tag */
async function loadFont(tag) {
  if (fonts.has(tag) || !ticket) return;
  fonts.set(tag, null);
  fontsComing += 1;
  try {
    const response = await fetch(`/font?tag=${tag}`, { headers: { Authorization: `Bearer ${ticket}` } });
    if (!response.ok) throw Object.assign(new Error('refused'), { status: response.status });
    const bytes = await response.arrayBuffer();
    // One that the browser does not take is not tried again: the largest picture stands for it.
    const font = await new FontFace(familyOf(tag), bytes).load().catch(() => null);
    if (font && fonts.has(tag)) {
      faces.add(font);
      fonts.set(tag, font);
    }
  } catch (error) {
    fonts.delete(tag);
    if (/** @type {{ status?: number }} */ (error).status === 401) ticket = '';
    tryLater();
  } finally {
    fontsComing -= 1;
    again();
  }
}

// MARK: Glyphs

/**
 * The glyphs that a painting lacked, by step.
 * @type {Map<string, { glyph: Glyph, step: number }>}
 */
const missing = new Map();
let isFetching = false;
/** The timer of the next try, after a failure. */
let waiting = 0;
let failures = 0;

/** Tries at once what has failed. */
function tryAgain() {
  clearTimeout(waiting);
  [failures, waiting] = [0, 0];
  fetchGlyphs();
  if (pictureKey && !picture) loadPicture(pictureKey);
}

/** Tries later what has failed now. */
function tryLater() {
  failures += 1;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waiting = 0;
    again();
    if (pictureKey && !picture) loadPicture(pictureKey);
  }, Math.min(pause.most, pause.first * failures));
}

/** @param {number} em in pixels */
function stepOf(em) {
  let step = 0;
  while (step < steps.length - 1 && steps[step] < em * 0.97) step += 1;
  return step;
}

/**
 * The best picture of a glyph that is there.
 * @param {Glyph} glyph
 * @param {number} em
 * @returns {Cell}
 */
function cellOf(glyph, em) {
  let step = stepOf(em);
  // Long captions need smaller pictures.
  while (step > 0 && Math.max(glyph.width, glyph.height) * steps[step] > sheetSide - 64) step -= 1;
  const exact = glyph.cells[step];
  if (exact) return exact;
  if (!glyph.isFailed) missing.set(`${step}\0${glyph.key}`, { glyph, step });
  for (let nearer = step + 1; nearer < steps.length; nearer += 1) if (glyph.cells[nearer]) return /** @type {Cell} */ (glyph.cells[nearer]);
  for (let nearer = step - 1; nearer >= 0; nearer -= 1) if (glyph.cells[nearer]) return /** @type {Cell} */ (glyph.cells[nearer]);
  return glyph.local[step] ?? localCell(glyph, steps[step]);
}

/** @param {Glyph} glyph @param {number} pixels per em */
function sizeOf(glyph, pixels) {
  return { width: Math.ceil((glyph.width + 2 * room) * pixels), height: Math.ceil((glyph.height + 2 * room) * pixels) };
}

/**
 * A glyph drawn by the browser.
 * @param {Glyph} glyph
 * @param {number} pixels
 * @returns {Cell}
 */
function localCell(glyph, pixels) {
  const { width, height } = sizeOf(glyph, pixels);
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext('2d');
  if (pen) {
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = glyph.color ?? '#000000';
    if (glyph.box) {
      const lines = glyph.text.split('\n');
      const line = (glyph.height * pixels) / lines.length;
      pen.font = `${pixels}px sans-serif, "Noto Color Emoji"`;
      lines.forEach((text, index) => pen.fillText(text, width / 2, height / 2 + line * (index - (lines.length - 1) / 2), glyph.width * pixels));
    } else {
      pen.font = `${pixels}px "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif`;
      pen.fillText(glyph.text, width / 2, height / 2 + pixels * 0.06, glyph.width * pixels);
    }
  }
  return cellIn(hold(canvas), glyph, 'local', steps.indexOf(pixels), { x: 0, y: 0, width, height });
}

/** @param {ImageBitmap | OffscreenCanvas} image @returns {Sheet} */
function hold(image) {
  const sheet = { image, bytes: 4 * image.width * image.height, turn: turns, forget: [] };
  sheets.add(sheet);
  held += sheet.bytes;
  return sheet;
}

/**
 * Gives a glyph its picture of a step.
 * @param {Sheet} sheet @param {Glyph} glyph @param {'cells' | 'local'} list @param {number} step
 * @param {{ x: number, y: number, width: number, height: number }} place
 */
function cellIn(sheet, glyph, list, step, place) {
  const cell = { sheet, ...place };
  glyph[list][step] = cell;
  sheet.forget.push(() => { if (glyph[list][step] === cell) delete glyph[list][step]; });
  return cell;
}

/** @param {Sheet} sheet */
function drop(sheet) {
  if (!sheets.delete(sheet)) return;
  held -= sheet.bytes;
  for (const forget of sheet.forget) forget();
  if (sheet.image instanceof ImageBitmap) sheet.image.close();
}

/** Drops the pictures that were not needed for the longest time, as long as there are too many. */
function shrink() {
  if (held <= memory) return;
  for (const sheet of [...sheets].filter((each) => each.turn < turns - 1).sort((a, b) => a.turn - b.turn)) {
    drop(sheet);
    if (held <= memory) return;
  }
}

/** Asks for the missing glyphs, one sheet at a time. */
async function fetchGlyphs() {
  if (isFetching || waiting || !missing.size || !ticket) return;
  isFetching = true;
  const all = [...missing.values()];
  // Those with a picture each are asked for when all others are there.
  const shared = all.filter(({ step }) => steps[step] <= sharedStep);
  const rest = all.filter(({ step }) => step < steps.length - 1);
  // Those of the largest step come alone if they may be outlines: the answer says how that glyph is drawn from its font.
  const batch = shared.length ? shared.slice(0, sheetCells) : rest.length ? rest : withoutOutlines < 3 ? all.slice(0, 1) : all;
  // The glyphs that the view needs no more are not asked for; a painting asks for them again.
  missing.clear();
  batch.sort((a, b) => a.step - b.step);
  try {
    await fetchSheet(batch);
  } finally {
    isFetching = false;
  }
  again();
}

/** @param {{ glyph: Glyph, step: number }[]} batch */
async function fetchSheet(batch) {
  // The connection may have been lost between two halves.
  if (!ticket) return;
  const before = fontsChosen;
  const { places, width, height, count } = pack(batch);
  const part = batch.slice(0, count);
  const labels = part.map(({ glyph, step }, index) => ({
    text: glyph.text, size: steps[step],
    x: places[index].x + places[index].width / 2, y: places[index].y + places[index].height / 2,
    ...(glyph.box ? { kind: 'caption', box: glyph.box } : {}), ...(glyph.color ? { color: glyph.color } : {}),
  }));
  try {
    const response = await fetch('/glyphs', {
      method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ticket}` },
      body: JSON.stringify({ width, height, labels }),
    });
    if (!response.ok) throw Object.assign(new Error('refused'), { status: response.status });
    const field = response.headers.get('Emojiart-Outlines');
    const tag = response.headers.get('Emojiart-Font') ?? '';
    if (before === fontsChosen) {
      // Another page or program has chosen another one. This answer is of it, and is asked for again with all others.
      if (fontTag && tag !== fontTag) forgetFonts();
      fontTag = tag;
    }
    if (part.length === 1 && steps[part[0].step] === steps[steps.length - 1]) withoutOutlines = field ? -Infinity : withoutOutlines + 1;
    if (field && part.length === 1 && before === fontsChosen) {
      const [scale, x, y] = field.split(' ');
      part[0].glyph.outlines = { scale: Number(scale), x: Number(x), y: Number(y), tag };
    }
    const image = await createImageBitmap(await response.blob());
    if (before !== fontsChosen) return image.close();
    const isShared = steps[part[0].step] <= sharedStep;
    const images = isShared ? [] : await Promise.all(places.map(({ x, y, width: across, height: down }) => createImageBitmap(image, x, y, across, down)));
    if (!isShared) image.close();
    const sheet = isShared ? hold(image) : null;
    part.forEach(({ glyph, step }, index) => {
      for (const cell of glyph.local) if (cell) drop(cell.sheet);
      glyph.local.length = 0;
      if (sheet) cellIn(sheet, glyph, 'cells', step, places[index]);
      else cellIn(hold(images[index]), glyph, 'cells', step, { ...places[index], x: 0, y: 0 });
    });
    failures = 0;
  } catch (error) {
    if (before !== fontsChosen) return;
    const status = /** @type {{ status?: number }} */ (error).status;
    if (status === 400 || status === 413) {
      // One of them cannot be drawn: each half is tried by itself.
      if (part.length === 1) part[0].glyph.isFailed = true;
      else for (const piece of [part.slice(0, part.length >> 1), part.slice(part.length >> 1)]) await fetchSheet(piece);
      return;
    }
    if (status === 401) ticket = '';
    tryLater();
  }
}

/**
 * Puts the cells into rows of a sheet; as many as fit.
 * @param {{ glyph: Glyph, step: number }[]} batch
 */
function pack(batch) {
  const places = [];
  let [x, y, row, width] = [0, 0, 0, 1];
  for (const { glyph, step } of batch) {
    const size = sizeOf(glyph, steps[step]);
    if (x + size.width > sheetSide) [x, y, row] = [0, y + row, 0];
    if (places.length && y + size.height > sheetSide) break;
    places.push({ x, y, ...size });
    x += size.width;
    row = Math.max(row, size.height);
    width = Math.max(width, x);
  }
  return { places, width, height: Math.max(1, y + row), count: places.length };
}

// MARK: The background

/** The picture that is on its way. */
let loading = '';

/** @param {string} key the document's name and the picture's digest */
async function loadPicture(key) {
  if (!ticket || loading === key) return;
  loading = key;
  try {
    const name = key.slice(key.indexOf('\0') + 1);
    const response = await fetch(`/picture?document=${encodeURIComponent(name)}`, { headers: { Authorization: `Bearer ${ticket}` } });
    if (!response.ok) throw new Error(String(response.status));
    const image = await createImageBitmap(await response.blob());
    if (key === pictureKey) picture = { key, levels: [image] };
  } catch {
    // The canvas stays without its picture, as in the document's other programs.
    if (key === pictureKey) tryLater();
    return;
  } finally {
    loading = '';
  }
  again();
}
