// SPDX-License-Identifier: Apache-2.0

// Every word that people read on the page, in one table: here in English. Another language is a table of this shape in a file of its own,
// such as words.de.js, and the page loads it only if it speaks that language.

import { texts as start } from './guard.js';
import { language, languages, number, place, plural, speakEnglish } from './language.js';

const english = {
  shell: {
    documents: 'Documents', bars: 'Canvas tools', tools: 'Tools', peers: 'Also here', export: 'Export', emoji: 'Emoji', find: 'Find an emoji', canvas: 'Canvas', selection: 'Selection',
    zoom: 'Zoom', history: 'History',
  },

  start,

  status: {
    connecting: 'Connecting', noDocument: 'No document', saved: 'Saved', saving: 'Saving…', reconnecting: 'Reconnecting…', refused: 'Not connected', notSaved: 'Not saved', notKept: 'Not kept: leave the page open',
  },
  refused: {
    taken: start.taken,
    noSession: 'Open the studio by the link that emojiart serve prints; for another one, run: emojiart serve --link',
    usedLink: 'This link was used already, or is too old. For a new one, run: emojiart serve --link',
    notProven: 'What answers at this address is not the server that this page knows. Nothing was sent to it. What you did is kept here, and sent when that server is back. If it is at another address then, connect by its link',
    notAdmitted: 'What answers at this address does not know this page. What you did is kept here, and sent when its own server is back. If that is at another address then, connect by its link',
    sessionEnded: 'The server has ended the session of this page. What you did is kept here, and sent when you connect by a new link. For one, run: emojiart serve --link',
    noServer: 'The server does not answer. If emojiart serve is not running, start it, and open the link that it prints',
    tooManyFailures: 'Too many tries; the page tries again in a minute',
  },
  away: 'The server is away. What you do is kept here, and sent when it is back. If emojiart serve was started again, connect by its new link.',
  notKept: 'This browser has no room to keep what the server does not have yet, or is not allowed to. Leave this page open until the server is back: a reload would lose it.',
  newLink: {
    title: 'Connect by a new link', field: 'Link', verb: 'Connect',
    hint: 'Run emojiart serve in the document’s folder, or emojiart serve --link, and paste what it prints. What is not saved yet goes with you.',
    none: 'That is no link of emojiart serve. It looks like http://….emojiart.localhost:8080/#c=…',
    long: 'There is too much to bring along. Leave this page open, open the link in another tab, and copy there what you need from here',
  },

  groups: {
    tool: 'Tools', edit: 'Edit', select: 'Select', arrange: 'Arrange', move: 'Move', view: 'View', document: 'Document', help: 'Help',
  },

  /**
   * The names of the actions, and other words by which they are found.
   * @type {Record<string, [name: string, ...also: string[]]>}
   */
  actions: {
    'tool.select': ['Select', 'pointer arrow move'],
    'tool.hand': ['Move the view', 'hand pan scroll'],
    'tool.stamp': ['Stamp: a click places an emoji', 'paint'],
    'tool.brush': ['Brush: a stroke scatters emoji', 'paint draw spray'],
    'tool.caption': ['Caption', 'text words type'],
    connect: ['Connect by a new link', 'server port reconnect'],
    documents: ['Documents', 'open file folder browser gallery other'],
    new: ['New document…', 'create template poster slide story'],
    rename: ['Rename the document…', 'name title'],
    emoji: ['Add emoji', 'insert palette find'],
    undo: ['Undo', 'back'],
    redo: ['Redo', 'again'],
    cut: ['Cut', 'move'],
    copy: ['Copy', 'emoji text'],
    paste: ['Paste', 'insert'],
    'copy.png': ['Copy as PNG', 'picture image'],
    duplicate: ['Duplicate', 'copy clone'],
    delete: ['Delete', 'remove erase'],
    replace: ['Replace by another emoji', 'swap exchange'],
    'edit.words': ['Edit the words', 'caption text'],
    'color.words': ['Colour of the words', 'caption color'],
    'select.all': ['Select all', 'everything'],
    'select.same': ['Select all of the same emoji', 'equal similar'],
    'select.invert': ['Invert the selection', 'others'],
    'select.none': ['Select nothing', 'deselect'],
    'select.next': ['Next emoji', 'tab'],
    'select.previous': ['Previous emoji', 'tab'],
    'select.left': ['Nearest emoji to the left', 'focus arrow'],
    'select.right': ['Nearest emoji to the right', 'focus arrow'],
    'select.up': ['Nearest emoji above', 'focus arrow'],
    'select.down': ['Nearest emoji below', 'focus arrow'],
    fields: ['Size, turn and place…', 'fields number exact coordinates'],
    grab: ['Take up, and put down', 'grab move arrows keys'],
    'order.front': ['Bring to front', 'top above'],
    'order.forward': ['Bring forward', 'above up'],
    'order.backward': ['Send backward', 'below down'],
    'order.back': ['Send to back', 'bottom below'],
    mirror: ['Mirror', 'flip horizontal'],
    straighten: ['Straighten', 'rotation turn reset'],
    larger: ['Larger', 'grow size'],
    smaller: ['Smaller', 'shrink size'],
    'align.left': ['Align left edges'],
    'align.center': ['Align centres, one below the other', 'horizontal'],
    'align.right': ['Align right edges'],
    'align.top': ['Align top edges'],
    'align.middle': ['Align middles, side by side', 'vertical'],
    'align.bottom': ['Align bottom edges'],
    'distribute.horizontally': ['Distribute across', 'gaps space evenly horizontal'],
    'distribute.vertically': ['Distribute down', 'gaps space evenly vertical'],
    tidy: ['Tidy into a grid', 'rows columns order'],
    'move.left': ['Move left'], 'move.right': ['Move right'], 'move.up': ['Move up'], 'move.down': ['Move down'],
    'move.farLeft': ['Move left by 10'], 'move.farRight': ['Move right by 10'], 'move.farUp': ['Move up by 10'], 'move.farDown': ['Move down by 10'],
    'zoom.in': ['Zoom in', 'larger'],
    'zoom.out': ['Zoom out', 'smaller'],
    'zoom.full': ['Zoom to 100%', 'actual size'],
    'zoom.fit': ['Show the whole canvas', 'fit all zoom'],
    'zoom.selection': ['Show the selection', 'zoom'],
    snap: ['Snap to other emoji', 'guides magnet'],
    history: ['History', 'edits undo who'],
    background: ['Background picture…', 'image url photo'],
    'background.remove': ['Remove the background', 'picture clear'],
    canvas: ['Canvas: size and colour…', 'fill dimensions'],
    print: ['Print…', 'paper printer'],
    export: ['Export…', 'png jpeg svg pdf download save as'],
    save: ['Save now', 'write file'],
    name: ['Your name…', 'author presence'],
    font: ['Emoji style…', 'font design noto twemoji openmoji sharp'],
    language: ['Language…', 'english deutsch sprache translation'],
    palette: ['Find an action…', 'command palette search'],
    help: ['Keys and help', 'shortcuts keyboard'],
    menu: ['Menu'],
  },

  /** The names of edits as they are shown; documents have the English ones. A verb is about emoji, or about a number of them. */
  edit: (/** @type {string} */ verb, /** @type {string} */ what) => `${verb} ${what}`,
  verbs: {
    add: 'add', align: 'align', arrange: 'arrange', change: 'change', color: 'color', distribute: 'distribute', duplicate: 'duplicate', grid: 'grid', mirror: 'mirror',
    move: 'move', order: 'order', paste: 'paste', remove: 'remove', reorder: 'reorder', replace: 'replace', resize: 'resize', rotate: 'rotate',
  },
  edits: {
    background: 'background', canvas: 'canvas', caption: 'caption', 'bring back': 'bring back',
    'resize the canvas': 'resize the canvas', 'fit the canvas': 'fit the canvas', 'fill the canvas': 'fill the canvas', 'clear the canvas\'s colour': 'clear the canvas’s colour',
    'set the background': 'set the background', 'clear the background': 'clear the background', 'fetch the background later': 'fetch the background later',
    'refuse the background': 'refuse the background', 'forget the background\'s URL': 'forget the background’s URL', repair: 'repair', merge: 'merge',
  },
  backTo: (/** @type {number} */ revision) => `back to revision ${number(revision)}`,
  restored: (/** @type {number} */ count) => plural(count, { one: 'restore 1 edit', other: `restore ${number(count)} edits` }),
  takeBack: (/** @type {string} */ name) => `Take back: ${name}`,
  quoted: (/** @type {string} */ text) => `“${text}”`,

  /** Names of people without one. */
  guests: { '🦊': 'Fox', '🐼': 'Panda', '🦉': 'Owl', '🐢': 'Turtle', '🐙': 'Octopus', '🦁': 'Lion', '🐧': 'Penguin', '🐸': 'Frog', '🦄': 'Unicorn', '🐳': 'Whale', '🦋': 'Butterfly', '🐨': 'Koala' },
  hint: ['An empty canvas', 'Tap an emoji, or drag it here. Drop a picture for the background.'],

  undo: (/** @type {string} */ name) => `Undo ${name}`,
  redo: (/** @type {string} */ name) => `Redo ${name}`,
  selected: (/** @type {number} */ count) => plural(count, { one: '1 emoji', other: `${number(count)} emoji` }),
  size: 'Size',
  noSize: (/** @type {number} */ most) => `A size is a number above 0, and at most ${number(most)}`,
  noNumber: (/** @type {string} */ typed) => `${typed} is not a number that fits here`,
  numberWithin: (/** @type {string} */ least, /** @type {string} */ most) => `Give a number from ${least} to ${most}`,
  turn: 'Turn', across: 'Place across', down: 'Place down', acrossShort: 'X', downShort: 'Y',
  color: 'Colour',
  align: 'Align and order',
  option: (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size, /** @type {number} */ turn) =>
    `${name}, ${place(x)} across, ${place(y)} down, size ${place(size)}${turn ? `, turned ${place(turn)}°` : ''}`,
  caption: 'Caption',

  emoji: {
    recent: 'Recent', nothing: 'Nothing fits', tone: 'Skin', noTone: 'No skin tone',
    tones: ['light', 'medium-light', 'medium', 'medium-dark', 'dark'], replacing: 'Choose the emoji to replace the selected ones',
    forStamp: 'Choose an emoji for the stamp',
  },
  /** The palettes that are there from the beginning. */
  palettes: {
    'animal-faces': 'Animal faces', animals: 'Animals', drinks: 'Drinks', faces: 'Faces', flags: 'Flags', food: 'Food', hands: 'Hands', hearts: 'Hearts', music: 'Music',
    plants: 'Plants', sports: 'Sports', vehicles: 'Vehicles', weather: 'Weather',
  },

  news: {
    removed: (/** @type {string} */ what, /** @type {string} */ who) => `${who} removed ${what}`,
    somebody: 'Somebody', bringBack: 'Bring back',
    dropped: 'An edit had no effect: somebody had removed the emoji',
    refused: (/** @type {string} */ name, /** @type {string} */ reason) => `Not done: ${name}. ${reason}`,
    setAside: (/** @type {number} */ edits, /** @type {string} */ file) => `Another program has replaced the document${edits ? plural(edits, { one: ', and it lacks an edit', other: `, and it lacks ${number(edits)} edits` }) : ''}. ${file ? `What was saved before is kept in ${file}` : 'What was saved before could not be kept'}`,
    copies: (/** @type {number} */ count) => plural(count, { one: 'A copy of this document with other edits lies beside it', other: `${number(count)} copies of this document with other edits lie beside it` }),
    merged: (/** @type {number} */ edits, /** @type {number} */ conflicts) => plural(edits, { one: 'An edit of another copy was merged in', other: `${number(edits)} edits of another copy were merged in` }) + (conflicts ? plural(conflicts, { one: '. In one place both had changed the same; the history shows it', other: `. In ${number(conflicts)} places both had changed the same; the history shows them` }) : ''),
    movedDocument: (/** @type {string} */ name) => `The document is now called ${name}`,
    removedDocument: 'The document’s file was removed, so nothing more is saved. Put it back, or export what is here',
    degraded: 'Changes by others are noticed only every two seconds',
    copied: 'Copied', copiedPicture: 'Copied as a picture', nothingToPaste: 'There is nothing to paste here',
    cut: (/** @type {number} */ kept, /** @type {number} */ all) => `The text is too long for a caption: the first ${number(kept)} of ${number(all)} characters are here`,
    leftOut: (/** @type {number} */ count) => plural(count, { one: '1 pasted emoji was left out: this page does not know its values', other: `${number(count)} pasted emoji were left out: this page does not know their values` }),
    filesLeft: (/** @type {string} */ names) => `Not taken: ${names}. Drop one picture, documents, or texts`,
    clipboard: 'The browser does not let this page use the clipboard. Press Ctrl+C or Ctrl+V',
    noModule: 'The server is away, and this part of the page is not here yet. Try again when it is back',
    otherModule: 'This part of the page did not arrive. Load the page again',
    cannotOpen: (/** @type {string} */ name, /** @type {string} */ reason) => `${name} cannot be opened: ${reason}`,
    left: (/** @type {string} */ name, /** @type {number} */ count) => plural(count, { one: `An edit of ${name} that is not saved is kept here; open the document to send it`, other: `${number(count)} edits of ${name} that are not saved are kept here; open the document to send them` }),
    leftElsewhere: (/** @type {string} */ name, /** @type {string} */ folder, /** @type {number} */ count) => plural(count, { one: `An edit of ${name} in ${folder} is kept here. It is not for the folder that is open now. To send it, run emojiart serve in its folder, and open the link in this tab`, other: `${number(count)} edits of ${name} in ${folder} are kept here. They are not for the folder that is open now. To send them, run emojiart serve in their folder, and open the link in this tab` }),
    closed: (/** @type {number} */ count) => plural(count, { one: 'An edit that is not saved is kept here. It is sent when you connect by a new link', other: `${number(count)} edits that are not saved are kept here. They are sent when you connect by a new link` }),
    unreadable: (/** @type {number} */ count) => plural(count, { one: 'An edit that is kept here was not made by this user, and is not sent', other: `${number(count)} edits that are kept here were not made by this user, and are not sent` }),
    strange: (/** @type {number} */ count) => plural(count, { one: 'An edit that the link has brought was not made by this user, and is not sent', other: `${number(count)} edits that the link has brought were not made by this user, and are not sent` }),
    typed: (/** @type {string} */ text) => `What you typed is in no document. Copy it from here: ${text}`,
    between: (/** @type {string} */ name) => `Not done: ${name}. Another document is being opened; do it again`,
  },

  background: {
    title: 'Background picture', url: 'Address', urlHint: 'https://…', file: 'File', choose: 'Choose…', keep: 'Keep the canvas’s size', set: 'Set', remove: 'Remove',
    private: 'It is on this machine or its network', fetching: 'Fetching the picture…', received: (/** @type {string} */ size) => `Fetching the picture: ${size}`, cancel: 'Cancel',
    goesOn: (/** @type {string} */ name) => `The picture of ${name} is still being fetched. It is set when it has come.`,
    broken: 'The connection was lost while the picture was being fetched. If the background stays as it was, set it again.',
    failedFor: (/** @type {string} */ name, /** @type {string} */ reason) => `The background of ${name} stays as it was. ${reason}`,
    failed: 'Image transfer failed', keepWarning: 'Keep warning', stopWarning: 'Stop warning', ok: 'OK', oldStays: 'The background stays as it was.',
    ownHint: 'If it is yours, open Background picture…, and mark “It is on this machine or its network”.',
    tooLarge: (/** @type {string} */ size) => `The file is larger than ${size}`,
    unreadable: 'The file is no picture that this browser can read',
    svg: 'SVG pictures are not taken. Save it as PNG, JPEG or WebP',
    ownFile: 'That is the address of a file on your machine, which a page cannot read. Choose the file in Background picture…, or drop it from your files',
    link: 'A link was placed as words', takeLink: 'Use its picture as the background',
    first: (/** @type {number} */ count) => `The first of ${number(count)} pictures is taken`,
    kept: (/** @type {number} */ width, /** @type {number} */ height) => `The canvas keeps its size. The picture has ${number(width)} × ${number(height)} pixels`,
    resize: 'Make the canvas as large',
    hint: 'You can also drop or paste a picture, or drag one from another window.',
  },

  canvas: {
    title: 'Canvas', size: 'Size', width: 'Width', height: 'Height', anchor: 'Keep in place', topLeft: 'Top left', center: 'Centre', scale: 'Scale the emoji, too',
    fit: 'Fit to the emoji', margin: 'Margin', color: 'Colour', filled: 'Filled', apply: 'Apply', presets: 'Preset', print: 'A4, 300 dpi',
  },

  export: {
    title: 'Export', format: 'Format', scale: 'Scale', part: 'Part', whole: 'The whole canvas', selection: 'The selection', view: 'What is shown', transparent: 'Transparent',
    quality: 'Quality', download: 'Download', working: 'Drawing…', page: 'Page', pages: { '': 'As large as the canvas', a4: 'A4', a3: 'A3', letter: 'Letter' },
  },

  history: {
    title: 'History', back: 'Take back', me: 'You', none: 'No edits yet', more: 'Show older edits', now: 'just now',
  },

  documents: {
    title: 'Documents', path: 'Folder', folders: 'Folders', backToDocument: 'Back to the document', search: 'Search', sort: 'Sort', more: 'More', selection: 'Selected documents',
    make: 'New', newTitle: 'New document', create: 'Create', name: 'Name', size: 'Size', untitled: 'Untitled', isTemplate: 'Template',
    sizes: { plain: 'Plain', square: 'Square', portrait: 'Portrait', story: 'Story', slide: 'Slide', a4: 'A4, upright', a4Landscape: 'A4, across', poster: 'Poster, 50 × 70 cm' },
    open: 'Open', rename: 'Rename…', duplicate: 'Duplicate', move: 'Move to…', export: 'Export…', delete: 'Delete', template: 'New from this…', import: 'Import files…', makeFolder: 'New folder…',
    folderName: 'Name', folderAbove: 'The folder above', selectAll: 'Select all', selectOne: 'Select', unselect: 'Do not select', selectNone: 'Select nothing', whatIsWrong: 'What is wrong…',
    none: 'No documents yet. Make one, or drop files here.', nothingFound: 'Nothing fits', actionsOf: (/** @type {string} */ name) => `What to do with ${name}`,
    select: (/** @type {string} */ name) => `Select ${name}`, newName: (/** @type {string} */ name) => `New name of ${name}`,
    selected: (/** @type {number} */ count) => `${number(count)} selected`,
    sortBy: { name: 'Name', modified: 'Last change', size: 'Size of the file' }, descending: 'Descending',
    states: { damaged: 'Damaged', unreadable: 'Cannot be read', notSaved: 'Not saved', unsaved: 'Unsaved edits', readOnly: 'Read-only', conflict: 'Conflict copy' },
    advice: {
      damaged: 'Repairing makes a whole document of what can be read, and keeps the damaged file beside it.',
      unreadable: 'Nothing was changed. Try again when the reason is gone.',
      notSaved: 'Its edits are kept, and saving is tried again and again. Do not close the page that has it open.',
      unsaved: 'Open the document: they are restored then.',
      readOnly: 'You may look at it and copy it, but your user may not write the file.',
      conflict: 'This file has the name of a copy that another machine has edited at the same time. Merging brings its edits into the document, and takes the copy away. Where a program is known to carry the folder between machines, that happens by itself.',
    },
    unsaved: (/** @type {number} */ count) => `A program ended before it saved ${plural(count, { one: 'an edit', other: `${number(count)} edits` })}.`,
    merge: 'Merge', mergedCopy: (/** @type {string} */ name) => `${name} is merged into its document`,
    repair: 'Repair', repaired: (/** @type {string} */ name, /** @type {number} */ count) => `${name} is repaired${count ? `; set aside: ${number(count)}` : ''}`,
    restored: (/** @type {string} */ name, /** @type {number} */ count) => plural(count, { one: `An edit of ${name} that a program had not saved is back`, other: `${number(count)} edits of ${name} that a program had not saved are back` }),
    deleted: (/** @type {string} */ name) => `${name} is in the trash`, deletedMany: (/** @type {number} */ count) => `${number(count)} documents are in the trash`, putBack: 'Put back',
    failed: (/** @type {string} */ name, /** @type {string} */ reason) => `${name}: ${reason}`,
    notLeft: 'The open document has edits that the server does not have yet. Try again when it is connected',
    importing: (/** @type {number} */ done, /** @type {number} */ all) => `Importing ${number(done + 1)} of ${number(all)}`, exporting: (/** @type {number} */ done, /** @type {number} */ all) => `Drawing ${number(done + 1)} of ${number(all)}`,
    imported: (/** @type {number} */ count) => plural(count, { one: '1 document imported', other: `${number(count)} documents imported` }), notImported: 'was not imported', report: 'Imported',
    notes: { leftOut: 'left out', changed: 'changed' }, tooLarge: 'The file is larger than 64 MB', tooMuch: 'that is more than one archive can hold',
    exportOne: (/** @type {string} */ name) => `Export ${name}`, exportMany: (/** @type {number} */ count) => `Export ${number(count)} documents`, asDocument: 'emojiart document',
  },
  past: {
    slider: 'Through time', backHere: 'Back to here', present: 'Present', now: 'Now', before: 'Before the oldest edit that is known',
    shown: (/** @type {string} */ what) => `As it was after: ${what}`,
  },
  speech: {
    opened: (/** @type {string} */ name, /** @type {string} */ what) => `${name}, ${what}`,
    place: (/** @type {number} */ x, /** @type {number} */ y) => `${place(x)} across, ${place(y)} down`,
    grabbed: (/** @type {string} */ what) => `Taken up: ${what}. Arrows move it, Enter puts it down, Escape puts it back`,
    putDown: (/** @type {string} */ where) => `Put down at ${where}`, putBack: 'Put back', noneThere: 'Nothing is there',
    others: (/** @type {string} */ who, /** @type {string} */ what, /** @type {number} */ more) => `${who}: ${what}${more ? `, and ${plural(more, { one: 'one more edit', other: `${number(more)} more edits` })}` : ''}`,
  },
  sheet: { larger: 'Show more emoji', smaller: 'Show fewer emoji' },
  ok: 'OK',

  name: { title: 'Your name', hint: 'Others see it beside your selection and in the history, after the next connection.', save: 'Save' },
  font: {
    title: 'Emoji style', save: 'Apply',
    sharp: 'Sharp at any size.', soft: 'Soft where it is drawn large.',
    missing: (/** @type {string} */ remedy) => `Not on this machine: ${remedy}.`,
    credit: (/** @type {string} */ credit) => `Whoever publishes a picture has to say: ${credit}`,
    hint: 'It holds for all your drawings and pages. Places and sizes stay.',
    fixed: 'The server was started with EMOJIART_FONT, which decides.',
  },
  language: { title: 'Language', field: 'Language', browser: 'As the browser', hint: 'The page is loaded again. Captions in the document stay as they are.', save: 'Apply' },
  palette: { title: 'Find an action', nothing: 'No action fits' },
  /** Keys; those of a Mac are signs. */
  keys: {
    Mod: 'Ctrl', Alt: 'Alt', Shift: 'Shift', Escape: 'Esc', Delete: 'Del', Backspace: 'Backspace', Enter: 'Enter', Tab: 'Tab',
  },
  help: {
    title: 'Keys and help', mouse: 'Pointer',
    pointer: /** @type {[string, string][]} */ ([
      ['Tap', 'select'], ['Shift or Ctrl + tap', 'add to the selection'], ['Drag', 'move; from free room: select'], ['Alt + drag', 'duplicate'],
      ['Ctrl while dragging', 'no snapping'], ['Corners', 'size; Alt: about the centre'], ['Round handle', 'turn; Shift: by 15°'], ['Double-click', 'edit a caption'],
      ['Wheel', 'scroll'], ['Ctrl + wheel, pinch', 'zoom'], ['Space + drag', 'move the view'],
    ]),
  },
  cancel: 'Cancel',
  close: 'Close',

  /** Errors of the page itself, by their codes. */
  errors: { disconnected: 'There is no connection to the server' },
  /** What to show of an error of the server. It is English, and names a code. */
  serverError: (/** @type {string} */ _code, /** @type {string} */ message, /** @type {string | undefined} */ _subject) => message,
  /** What to show of a refused picture; the same holds for its reason. */
  refusal: (/** @type {string} */ _reason, /** @type {string} */ detail) => detail,
};

/** @typedef {typeof english} Words */
/** @typedef {keyof Words['verbs']} Verb how the name of an edit begins; documents have it, so it is English */

/** Whether the keyboard has a Command key. */
export const isMac = /Mac|iP(hone|ad)/.test(globalThis.navigator?.platform ?? '');

/**
 * The words of the page's language.
 * @type {Words}
 */
export const words = await load();

/** English takes the place of a table that cannot be loaded. */
async function load() {
  try {
    return withKeys((await languages[language].load?.())?.words ?? english);
  } catch {
    speakEnglish();
    return withKeys(english);
  }
}

/**
 * A table whose texts name the keys of this machine.
 * @template Table
 * @param {Table} table
 * @returns {Table}
 */
export function withKeys(table, hasCommand = isMac) {
  if (!hasCommand) return table;
  if (typeof table === 'string') return /** @type {any} */ (table.replace(/\b(Ctrl|Strg)\b/g, '⌘'));
  if (Array.isArray(table)) return /** @type {any} */ (table.map((each) => withKeys(each, hasCommand)));
  if (typeof table !== 'object' || table === null) return table;
  return /** @type {any} */ (Object.fromEntries(Object.entries(table).map(([key, each]) => [key, withKeys(each, hasCommand)])));
}

/** Shows the words that index.html has in English. */
export function showWords() {
  Object.assign(document.documentElement, { lang: language, dir: languages[language].direction });
  for (const element of document.querySelectorAll('[data-words]')) {
    const key = element.getAttribute('data-words') ?? '';
    const word = /** @type {Record<string, string>} */ (words.shell)[key] ?? /** @type {Record<string, string>} */ (words.status)[key];
    if (element instanceof HTMLInputElement) element.placeholder = word;
    if (element.tagName === 'SPAN') element.textContent = word;
    else element.setAttribute('aria-label', word);
  }
}

/**
 * The name of an action.
 * @param {string} id
 */
export const actionName = (id) => words.actions[id]?.[0] ?? id;

/**
 * An error as people read it.
 * @param {unknown} error
 * @param {Words} [table]
 */
export function errorText(error, table = words) {
  const { code, message, subject, refusal } = /** @type {any} */ (error);
  if (typeof code !== 'string') return message;
  return /** @type {Record<string, string>} */ (table.errors)[code] ?? table.serverError(code, message, subject ?? refusal?.subject);
}

/**
 * A text with the quotes of the language.
 * @param {string} text
 * @param {Words} [table]
 */
export const quotesText = (text, table = words) => text.replace(/"([^"]*)"/g, (_, inner) => table.quoted(inner));

/**
 * The name of an edit as people read it. Documents have the English one, which others read, too; a name that no program of ours gives is
 * shown as it is.
 * @param {string} name
 * @param {Words} [table]
 * @returns {string}
 */
export function editText(name, table = words) {
  const [, step, inner] = /^(Undo|Redo|Take back) (.*)$/s.exec(name) ?? [];
  if (step) return table[step === 'Undo' ? 'undo' : step === 'Redo' ? 'redo' : 'takeBack'](editText(inner, table));
  const restored = /^restore (\d+) edits?$/.exec(name);
  if (restored) return table.restored(Number(restored[1]));
  const back = /^back to revision (\d+)$/.exec(name);
  if (back) return table.backTo(Number(back[1]));
  const edits = /** @type {Record<string, string>} */ (table.edits);
  const refusal = 'refuse the background';
  if (name.startsWith(`${refusal}: `)) return `${edits[refusal]}${name.slice(refusal.length)}`;
  if (Object.hasOwn(edits, name)) return edits[name];
  const [, verb, what] = /^(\w+) (.+)$/s.exec(name) ?? [name, name, ''];
  const verbs = /** @type {Record<string, string>} */ (table.verbs);
  if (!Object.hasOwn(verbs, verb)) return name;
  if (!what) return verbs[verb];
  const count = /^(\d+) emoji$/.exec(what);
  // Words beside emoji and quoted captions are those of a person or a script.
  if (!count && /(?!\p{Emoji})\p{Letter}/u.test(what.replace(/"[^"]*"/g, ''))) return name;
  return table.edit(verbs[verb], count ? table.selected(Number(count[1])) : quotesText(what, table));
}
