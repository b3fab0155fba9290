// SPDX-License-Identifier: Apache-2.0

// Types that several modules of the page share. Modules name them with `import('./types').Label`.

/** A point, in canvas pixels unless noted otherwise. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rect extends Point, Size {}

/** A rectangle that is turned about its centre `x`, `y`, clockwise, in degrees. */
export interface Box extends Rect {
  readonly rotation: number;
}

/** The smallest upright rectangle around something. */
export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** An emoji label, or a caption. Values are never changed; a changed label is another value. */
export interface Label extends Point {
  readonly id: string;
  readonly text: string;
  readonly size: number;
  readonly z: number;
  /** Degrees clockwise, above -180 and up to 180; left out for 0. */
  readonly rotation?: number;
  /** Left out for false. */
  readonly mirrored?: boolean;
  /** `#rrggbb` or `#rrggbbaa`; left out for black. */
  readonly color?: string;
  readonly kind?: 'caption';
  /** The width and height of a caption in ems. */
  readonly box?: readonly [number, number];
}

/** New values of some fields. A text brings its kind and box, or neither; `color: null` is black. */
export interface Fields {
  readonly text?: string;
  readonly x?: number;
  readonly y?: number;
  readonly size?: number;
  readonly z?: number;
  readonly rotation?: number;
  readonly mirrored?: boolean;
  readonly color?: string | null;
  readonly kind?: 'caption';
  readonly box?: readonly [number, number];
}

/** A change as in FORMAT.md: `["move",id,x,y]`. */
export type Change = readonly [string, ...any[]];

export interface Background extends Size {
  readonly digest: string;
  readonly mediaType: string;
  readonly url?: string;
}

export interface PendingBackground {
  readonly anchor: string;
  readonly reason: string;
  readonly since: number;
  readonly url?: string;
}

/** What is durably in the file. `head` is its last edit; null without edits. */
export interface SavedState {
  readonly head: string | null;
  readonly revision: number;
}

export interface ErrorValue {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly subject?: string;
}

/** The state of a document, as in the event `state`. */
export interface DocumentState {
  readonly state: 'closed' | 'editingDisabled' | 'error' | 'open' | 'saving';
  readonly code?: string;
  readonly reason?: string;
}

/** The value of `ok` in the answer to `open` and to `show`. */
export interface ShowAnswer {
  readonly document: {
    readonly background?: Background | null;
    readonly canvas: Size & { readonly fill?: string | null };
    readonly emojis: readonly Label[];
    readonly pending?: PendingBackground | null;
    readonly revision: number;
  };
  readonly name?: string;
  readonly saved: SavedState;
  readonly state: DocumentState;
  readonly unsaved: number;
  readonly version: number;
}

export interface Effect {
  readonly added?: readonly Label[];
  readonly background?: Background | null;
  readonly canvas?: Size;
  readonly fill?: string | null;
  readonly pending?: PendingBackground | null;
  readonly removed?: readonly string[];
  readonly updated?: readonly (Fields & { readonly id: string })[];
}

/** An edit inside `changed`. */
export interface LoggedEdit {
  readonly by: string;
  readonly changes: readonly Change[];
  readonly id: string;
  readonly session?: string;
  readonly tags?: readonly string[];
  readonly what: string;
}

export interface ChangedEvent {
  /** Whether `edits` are not all edits. */
  readonly all?: boolean;
  readonly before: number;
  readonly cause: string;
  readonly edits: readonly LoggedEdit[];
  readonly effect: Effect;
  readonly revision: number;
  readonly saved?: SavedState;
  readonly version: number;
}

/** A request with its tag, as it is sent. */
export interface Request {
  readonly tag: string;
  readonly since?: string | null;
  readonly [verb: string]: unknown;
}

// MARK: Gestures

/** A pointer event, with its place in the view. */
export interface PointerInput extends Point {
  readonly type: 'down' | 'move' | 'up' | 'cancel';
  readonly id: number;
  /** 0 the first, 1 the middle, 2 the second. */
  readonly button: number;
  readonly shift: boolean;
  /** The Control or the Command key. */
  readonly ctrl: boolean;
  readonly alt: boolean;
  /** `mouse`, `pen` or `touch`. */
  readonly pointerType: string;
  readonly time?: number;
}

/** Other keys are held. */
export interface KeysInput {
  readonly type: 'keys';
  readonly shift: boolean;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

/** Escape was pressed, or the window was left. */
export interface AbortInput {
  readonly type: 'abort';
}

/** What a stamp or a brush draws. */
export type Stamp = Omit<Label, 'id' | 'x' | 'y' | 'z'>;

/** The largest deviation of a brush's labels either way: in parts of their size, and in degrees. */
export interface Jitter {
  readonly place: number;
  readonly size: number;
  readonly turn: number;
}

export type Tool =
  | { readonly kind: 'select' }
  | { readonly kind: 'stamp'; readonly stamp: Stamp }
  /** The spacing is in canvas pixels. */
  | { readonly kind: 'brush'; readonly stamp: Stamp; readonly spacing: number; readonly jitter: Jitter };

/** What a gesture is about; read at each input. */
export interface Scene {
  readonly viewport: import('./rules.js').Viewport;
  readonly canvas: Size;
  readonly selection: ReadonlySet<string>;
  readonly tool: Tool;
  /** Whether Space is held. */
  readonly isPanning: boolean;
  readonly snaps: boolean;
  readonly topZ: number;
  /** The seed of the next stroke of a brush. */
  readonly seed: number;
  /** The label without the gesture under way: `Store.shown`. */
  label(id: string): Label | undefined;
  /** The topmost label at a place of the canvas, or at most `reach` canvas pixels away: `HitIndex.topNear`. */
  topAt(x: number, y: number, reach: number): string | null;
  inRect(rect: Rect): Iterable<string>;
  /** Draws an id that is not in use. */
  newID(): string;
}

export type GestureEffect =
  /** The labels as they were, or new ones, and what the gesture makes of them. `drag` is for presence. */
  | {
    readonly kind: 'gesture';
    readonly labels: readonly Label[];
    readonly newValues: import('./arrange.js').NewValues;
    readonly isNew: boolean;
    readonly drag: readonly [number, number] | null;
    readonly guides: readonly import('./snapping.js').Guide[];
  }
  /** The newest `gesture` becomes an edit: `changesOf` in drags.js. No guides any more. */
  | { readonly kind: 'commit'; readonly name: string }
  /** The `gesture` is taken back. No guides any more. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'select'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'view'; readonly viewport: import('./rules.js').Viewport }
  | { readonly kind: 'marquee'; readonly rect: Rect | null };

export type GestureName =
  'brush' | 'duplicate' | 'marquee' | 'move' | 'pan' | 'pinch' | 'press' | 'resize' | 'stamp' | 'turn';

/** A gesture under way. */
export interface Activity {
  readonly name: GestureName;
  /** The selection to restore, if the gesture may have changed it. */
  readonly selectionBefore?: ReadonlySet<string>;
  move(input: PointerInput, scene: Scene): GestureEffect[];
  end(input: PointerInput, scene: Scene): GestureEffect[];
  cancel(): GestureEffect[];
}

// MARK: What parts of the page tell each other

/** Another page of the document. `drag` is how far it drags what it has selected. */
export interface Peer {
  readonly client: string;
  readonly name?: string;
  readonly ids: readonly string[];
  readonly drag?: readonly [number, number];
}

/** The names of the edits that undo and redo would revert. */
export interface Can {
  readonly undo: string | null;
  readonly redo: string | null;
}

export interface Status {
  /** `notKept`: the browser does not keep what the server does not have yet. */
  readonly state: 'connecting' | 'noDocument' | 'notKept' | 'refused' | import('./store.js').Status;
  readonly reason: string;
  /** The code of the error that is the reason. */
  readonly code?: string;
}

/** Edits that wait until their document can be opened. */
export interface Left {
  /** The path of the folder, if that is another one than the connected one. */
  readonly folder: string | null;
  readonly document: string;
  readonly count: number;
}

/** A line for people. */
export interface Note {
  readonly text: string;
  readonly kind?: 'bad' | 'good';
  readonly action?: { readonly name: string; run(): void };
  /** Whether it stays until it is closed. */
  readonly stays?: boolean;
}

export interface Events {
  /** The connection is there, and the document is not open yet. */
  connected: void;
  /** A document was opened, or opened again. */
  opened: void;
  /** The document was closed, and none is open. */
  closed: void;
  /** A folder that the page shows has changed. */
  folder: any;
  /** What is around the canvas has another place. */
  layout: void;
  /** Shown labels have changed; null for all. */
  changed: ReadonlySet<string> | null;
  /** The canvas or the background has changed. */
  canvas: void;
  camera: void;
  selected: void;
  status: Status;
  can: Can;
  peers: readonly Peer[];
  news: import('./store.js').News | { readonly kind: 'betweenDocuments'; readonly name: string };
  left: readonly Left[];
  /** A message of the server that is about no label. */
  message: import('./net.js').Message;
  /** What is lifted was moved, or is not lifted any more. */
  gesture: void;
  /** The tool, the emoji of the stamp or snapping has changed. */
  tool: void;
  /** A part of the page is asked for: `emoji`, `replace`, `words`, `color`. */
  ui: string;
  note: Note;
  /** Something for screen readers; null for what keys put back. */
  say: string | null;
  /** The present is shown again, after the art as it was. */
  past: void;
  /** Edits of others. */
  others: readonly LoggedEdit[];
}

// MARK: Names of the DOM that TypeScript 4.8 lacks

declare global {
  interface HTMLElement {
    popover: string | null;
    hidePopover(): void;
    showPopover(): void;
    togglePopover(force?: boolean): boolean;
  }
}
