// SPDX-License-Identifier: Apache-2.0

// Every word that people read on the page, in one table. Another language is another table of this shape.

/** @param {number} count */
const emoji = (count) => (count === 1 ? '1 emoji' : `${count.toLocaleString('en')} emoji`);

/**
 * When something was: the time of today, else the day.
 * @param {number} time
 */
function when(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' }) : date.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

export const words = {
  shell: {
    documents: 'Documents', tools: 'Tools', peers: 'Also here', export: 'Export', emoji: 'Emoji', find: 'Find an emoji', canvas: 'Canvas', selection: 'Selection',
    zoom: 'Zoom', history: 'History', close: 'Close', menu: 'Menu',
  },

  status: {
    connecting: 'Connecting', noDocument: 'No document', saved: 'Saved', saving: 'Saving…', reconnecting: 'Reconnecting…', refused: 'Not connected', notSaved: 'Not saved',
  },
  refused: {
    noSession: 'Open the studio by the link that emojiart serve prints; for another one, run: emojiart serve --link',
    usedLink: 'This link was used already, or is too old. For a new one, run: emojiart serve --link',
    notProven: 'What answers at this address is not the server that this page knows. Nothing was sent to it. What you did is kept here: run emojiart serve again, and connect by its link',
    notAdmitted: 'What answers at this address does not know this page. What you did is kept here: run emojiart serve again, and connect by its link',
    noServer: 'The server does not answer. Is emojiart serve running?',
    tooManyFailures: 'Too many tries; wait a minute, and reload the page',
  },
  away: 'The server is away. What you do is kept here, and sent when it is back.',
  newLink: {
    title: 'Connect by a new link', field: 'Link', verb: 'Connect',
    hint: 'Run emojiart serve in the document’s folder, or emojiart serve --link, and paste what it prints. What is not saved yet goes with you.',
    none: 'That is no link of emojiart serve. It looks like http://127.0.0.1:8080/#c=…',
    long: 'There is too much to bring along. Keep this page open, and start the server again at this port.',
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
    'order.front': ['Bring to front', 'top above'],
    'order.forward': ['Bring forward', 'above up'],
    'order.backward': ['Send backward', 'below down'],
    'order.back': ['Send to back', 'bottom below'],
    mirror: ['Mirror', 'flip horizontal'],
    straighten: ['Straighten', 'rotation turn reset'],
    larger: ['Larger', 'grow size'],
    smaller: ['Smaller', 'shrink size'],
    'align.left': ['Align left edges'],
    'align.center': ['Align centres, side by side', 'horizontal'],
    'align.right': ['Align right edges'],
    'align.top': ['Align top edges'],
    'align.middle': ['Align middles, one below the other', 'vertical'],
    'align.bottom': ['Align bottom edges'],
    'distribute.horizontally': ['Distribute across', 'gaps space evenly horizontal'],
    'distribute.vertically': ['Distribute down', 'gaps space evenly vertical'],
    tidy: ['Tidy into a grid', 'rows columns order'],
    'move.left': ['Move left'], 'move.right': ['Move right'], 'move.up': ['Move up'], 'move.down': ['Move down'],
    'move.farLeft': ['Move left by 10'], 'move.farRight': ['Move right by 10'], 'move.farUp': ['Move up by 10'], 'move.farDown': ['Move down by 10'],
    'zoom.in': ['Zoom in', 'larger'],
    'zoom.out': ['Zoom out', 'smaller'],
    'zoom.full': ['Zoom to 100 %', 'actual size'],
    'zoom.fit': ['Show the whole canvas', 'fit all zoom'],
    'zoom.selection': ['Show the selection', 'zoom'],
    snap: ['Snap to other emoji', 'guides magnet'],
    history: ['History', 'edits undo who'],
    background: ['Background picture…', 'image url photo'],
    'background.remove': ['Remove the background', 'picture clear'],
    canvas: ['Canvas: size and colour…', 'fill dimensions'],
    export: ['Export…', 'png jpeg svg pdf download save as'],
    save: ['Save now', 'write file'],
    name: ['Your name…', 'author presence'],
    palette: ['Find an action…', 'command palette search'],
    help: ['Keys and help', 'shortcuts keyboard'],
    menu: ['Menu'],
  },

  edits: {
    add: 'add', move: 'move', duplicate: 'duplicate', remove: 'remove', resize: 'resize', rotate: 'rotate', mirror: 'mirror', order: 'order',
    align: 'align', distribute: 'distribute', grid: 'grid', replace: 'replace', paste: 'paste', color: 'color', caption: 'caption',
  },

  guests: [['🦊', 'Fox'], ['🐼', 'Panda'], ['🦉', 'Owl'], ['🐢', 'Turtle'], ['🐙', 'Octopus'], ['🦁', 'Lion'], ['🐧', 'Penguin'], ['🐸', 'Frog'], ['🦄', 'Unicorn'], ['🐳', 'Whale'], ['🦋', 'Butterfly'], ['🐨', 'Koala']],
  hint: ['An empty canvas', 'Tap an emoji, or drag it here. Drop a picture for the background.'],

  undo: (/** @type {string} */ name) => `Undo ${name}`,
  redo: (/** @type {string} */ name) => `Redo ${name}`,
  selected: emoji,
  size: 'Size',
  noSize: (/** @type {number} */ most) => `A size is a number above 0, and at most ${most}`,
  turn: 'Turn',
  color: 'Colour',
  align: 'Align and order',
  percent: (/** @type {number} */ zoom) => `${zoom < 0.1 ? (zoom * 100).toFixed(1) : Math.round(zoom * 100)} %`,
  option: (/** @type {string} */ text, /** @type {number} */ size, /** @type {number} */ x, /** @type {number} */ y) =>
    `${text}, size ${Math.round(size)}, at ${Math.round(x)}, ${Math.round(y)}`,
  caption: 'Caption',

  emoji: {
    recent: 'Recent', nothing: 'Nothing fits', tone: 'Skin', noTone: 'No skin tone',
    tones: ['light', 'medium-light', 'medium', 'medium-dark', 'dark'], replacing: 'Choose the emoji to replace the selected ones',
    forStamp: 'Choose an emoji for the stamp',
  },

  news: {
    removed: (/** @type {string} */ what, /** @type {string} */ who) => `${who} removed ${what}`,
    somebody: 'Somebody', bringBack: 'Bring back',
    dropped: 'An edit had no effect: somebody had removed the emoji',
    refused: (/** @type {string} */ name, /** @type {string} */ reason) => `Not done: ${name}. ${reason}`,
    movedDocument: (/** @type {string} */ name) => `The document is now called ${name}`,
    removedDocument: 'The document’s file was removed, so nothing more is saved. Put it back, or export what is here',
    degraded: 'Changes by others are noticed only every two seconds',
    copied: 'Copied', copiedPicture: 'Copied as a picture', nothingToPaste: 'There is nothing to paste here',
    clipboard: 'The browser does not let this page use the clipboard. Press Ctrl+C or Ctrl+V',
    noModule: 'The server is away, and this part of the page is not here yet. Try again when it is back',
    cannotOpen: (/** @type {string} */ name, /** @type {string} */ reason) => `${name} cannot be opened: ${reason}`,
    left: (/** @type {string} */ name) => `Edits of ${name} that are not saved are kept here; open it to send them`,
  },

  background: {
    title: 'Background picture', url: 'Address', urlHint: 'https://…', file: 'File', choose: 'Choose…', keep: 'Keep the canvas’s size', set: 'Set', remove: 'Remove',
    private: 'It is on this machine or its network', fetching: 'Fetching the picture…', received: (/** @type {string} */ size) => `Fetching the picture: ${size}`, cancel: 'Cancel',
    failed: 'Image transfer failed', keepWarning: 'Keep warning', stopWarning: 'Stop warning', ok: 'OK', oldStays: 'The background stays as it was.',
    ownHint: 'If it is yours, open Background picture…, and mark “It is on this machine or its network”.',
    tooLarge: 'The file is larger than 20 MB',
    hint: 'You can also drop or paste a picture, or drag one from another window.',
  },

  canvas: {
    title: 'Canvas', size: 'Size', width: 'Width', height: 'Height', anchor: 'Keep in place', topLeft: 'Top left', center: 'Centre', scale: 'Scale the emoji, too',
    fit: 'Fit to the emoji', margin: 'Margin', color: 'Colour', apply: 'Apply', presets: 'Preset',
  },

  export: {
    title: 'Export', format: 'Format', scale: 'Scale', part: 'Part', whole: 'The whole canvas', selection: 'The selection', view: 'What is shown', transparent: 'Transparent',
    quality: 'Quality', download: 'Download', working: 'Drawing…', page: 'Page', pages: { '': 'As large as the canvas', a4: 'A4', a3: 'A3', letter: 'Letter' },
  },

  history: {
    title: 'History', back: 'Take back', me: 'You', none: 'No edits yet', more: 'Show older edits', now: 'just now',
    minutes: (/** @type {number} */ count) => `${count} min ago`, hours: (/** @type {number} */ count) => `${count} h ago`,
  },

  documents: {
    title: 'Documents', path: 'Folder', folders: 'Folders', backToDocument: 'Back to the document', search: 'Search', sort: 'Sort', more: 'More', selection: 'Selected documents',
    make: 'New', newTitle: 'New document', create: 'Create', name: 'Name', size: 'Size', untitled: 'Untitled', isTemplate: 'Template',
    sizes: { plain: 'Plain', square: 'Square', portrait: 'Portrait', story: 'Story', slide: 'Slide', a4: 'A4, upright', a4Landscape: 'A4, across', poster: 'Poster, 50 × 70 cm' },
    open: 'Open', rename: 'Rename…', duplicate: 'Duplicate', move: 'Move to…', export: 'Export…', delete: 'Delete', template: 'New from this…', import: 'Import files…', makeFolder: 'New folder…',
    folderName: 'Name', folderAbove: 'The folder above', selectAll: 'Select all', selectOne: 'Select', unselect: 'Do not select', selectNone: 'Select nothing', whatIsWrong: 'What is wrong…',
    none: 'No documents yet. Make one, or drop files here.', nothingFound: 'Nothing fits', actionsOf: (/** @type {string} */ name) => `What to do with ${name}`,
    select: (/** @type {string} */ name) => `Select ${name}`, newName: (/** @type {string} */ name) => `New name of ${name}`,
    selected: (/** @type {number} */ count) => (count === 1 ? '1 selected' : `${count.toLocaleString('en')} selected`),
    sortBy: { name: 'Name', modified: 'Last change', size: 'Size of the file' }, descending: 'Descending',
    changed: (/** @type {number} */ time) => when(time),
    states: { damaged: 'Damaged', unreadable: 'Cannot be read', notSaved: 'Not saved', unsaved: 'Unsaved edits', readOnly: 'Read-only' },
    advice: {
      damaged: 'Repairing makes a whole document of what can be read, and keeps the damaged file beside it.',
      unreadable: 'Nothing was changed. Try again when the reason is gone.',
      notSaved: 'Its edits are kept, and saving is tried again and again. Do not close the page that has it open.',
      unsaved: 'Open the document: they are restored then.',
      readOnly: 'You may look at it and copy it, but your user may not write the file.',
    },
    unsaved: (/** @type {number} */ count) => `A program ended before it saved ${count === 1 ? 'an edit' : `${count} edits`}.`,
    repair: 'Repair', repaired: (/** @type {string} */ name, /** @type {number} */ count) => `${name} is repaired${count ? `; set aside: ${count}` : ''}`,
    restored: (/** @type {string} */ name, /** @type {number} */ count) => `${count === 1 ? 'An edit' : `${count} edits`} of ${name} that a program had not saved ${count === 1 ? 'is' : 'are'} back`,
    deleted: (/** @type {string} */ name) => `${name} is in the trash`, deletedMany: (/** @type {number} */ count) => `${count} documents are in the trash`, putBack: 'Put back',
    failed: (/** @type {string} */ name, /** @type {string} */ reason) => `${name}: ${reason}`,
    notLeft: 'The open document has edits that the server does not have yet. Try again when it is connected',
    importing: (/** @type {number} */ done, /** @type {number} */ all) => `Importing ${done + 1} of ${all}`, exporting: (/** @type {number} */ done, /** @type {number} */ all) => `Drawing ${done + 1} of ${all}`,
    imported: (/** @type {number} */ count) => (count === 1 ? '1 document imported' : `${count} documents imported`), notImported: 'was not imported', report: 'Imported',
    notes: { leftOut: 'left out', changed: 'changed' }, tooLarge: 'The file is larger than 64 MB', tooMuch: 'that is more than one archive can hold',
    exportOne: (/** @type {string} */ name) => `Export ${name}`, exportMany: (/** @type {number} */ count) => `Export ${count} documents`, asDocument: 'emojiart document',
  },
  sheet: { larger: 'Show more emoji', smaller: 'Show fewer emoji' },
  keys: { delete: 'Del' },
  ok: 'OK',

  name: { title: 'Your name', hint: 'Others see it beside your selection and in the history, after the next connection.', save: 'Save' },
  palette: { title: 'Find an action', nothing: 'No action fits' },
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
};

/**
 * The name of an action.
 * @param {string} id
 */
export const actionName = (id) => words.actions[id]?.[0] ?? id;
