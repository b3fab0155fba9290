// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document that a program keeps open: it takes edits in memory, saves itself, says in which state it is, and
/// undoes and redoes.
///
/// The way of an edit: `perform` plans it on the content, applies it, numbers it, appends it to the log, puts it into
/// the journal, counts the change and tells the listeners; a save later writes the net rows and the new entries of the
/// log in one transaction. What others saved meanwhile is taken in then, or at the next look. Between calls the file is
/// not open.
///
/// What a document that is let go without `close` has not saved stays in its journal, and is restored by whoever edits
/// the document next; without a journal it is lost.
public actor Document {
  /// The file.
  public nonisolated let file: DocumentFile
  /// Where the document is in its life.
  public var state: DocumentState { life.state }
  /// Whether there are changes that no save holds yet.
  public var hasUnsavedChanges: Bool { changeCount.unsaved > 0 }
  /// How many.
  public var unsavedChanges: Int { changeCount.unsaved }
  /// Stands for the changes made until now; `isSaved` tells of it later.
  public var changeToken: SaveToken { changeCount.token }
  /// The document as it is now.
  public internal(set) var content: DocumentContent

  var life = DocumentLife()
  var changeCount = ChangeCount()
  var autosave: Autosave
  /// What the file holds, as far as this program knows.
  var base: DocumentBase
  /// Edits that no save holds, and that no running save will hold.
  var unsaved = UnsavedEdits()
  /// Edits that the running save will hold.
  var saving = UnsavedEdits()
  /// The pictures that this program has put into the file, and that were there when it did so last.
  var kept: Set<String> = []
  /// Edits of the requests that are being done: nobody has heard of them yet.
  var made: [LoggedEdit] = []
  /// Keeps the unsaved edits; nil where the document has none, or is closed.
  var journal: Journal?
  /// Whether the file may have a row about the journal.
  var isKnownToFile = false
  /// Up to which segment of the journal all is saved.
  var spent = 0
  /// The journal's removal, when the document closes.
  var ending: Task<Void, Never>?
  var runningSave: RunningSave?
  /// A look at the file that runs. Never at the same time as a save.
  var runningLook: Task<Void, Never>?
  /// How many looks and saves have begun, and the newest of them that has seen the file.
  var begun = 0
  var seen = 0
  /// The file as it was when it was looked at last.
  var stamp: FileStamp?
  /// What is in the way of saves.
  var obstacle = Obstacle()
  /// Unsaved edits that are kept at most.
  var mostUnsaved = 1_000_000
  /// Those who wait for room for more edits.
  let waiters = Waiters()
  /// How many are waiting for the document to be closed.
  var closing = 0
  var timer: (due: Duration, task: Task<Void, Never>)?
  var lookTimer: Task<Void, Never>?
  let thread = FileThread()
  let timeline: Timeline
  var lookEvery: Duration?
  nonisolated let broadcast = Broadcast<DocumentEvent>(overflow: .resync)
  /// The mark of this program's edits.
  public nonisolated let origin: Origin
  let time: @Sendable () -> Int
  var author: Author
  var generator: any RandomNumberGenerator & Sendable

  /// Opens a document for an author with that name, if any; each opening is an origin of its own. Throws what reading
  /// a file throws, `badValue` for a name that is none, and what making a journal throws. A file that cannot be written
  /// is opened to be looked at. What a program that is gone has left in the journal's folder is restored first, and the
  /// file's `notice` is told.
  ///
  /// `lookEvery` is how often the file is looked at for what others did, besides at each save. `clock` decides when to
  /// save, `time` tells in milliseconds since 1970 when an edit was made, and ids are drawn from `generator`.
  public static func open(
    _ file: DocumentFile, author name: String? = nil, journal place: JournalPlace = .standard,
    autosave policy: AutosavePolicy = AutosavePolicy(),
    lookEvery: Duration? = .seconds(2), clock: some Clock<Duration> = ContinuousClock(),
    time: @escaping @Sendable () -> Int = millisecondsSince1970,
    using generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) async throws(ArtError) -> Document {
    let thread = FileThread()
    let reason = try await thread.run { () throws(ArtError) in try file.readOnlyReason() }
    return try await open(
      file, readOnlyBecause: reason, author: name, journal: place, autosave: policy, lookEvery: lookEvery,
      clock: clock,
      time: time, using: generator)
  }

  static func open(
    _ file: DocumentFile, readOnlyBecause reason: String?, author name: String?, journal place: JournalPlace,
    autosave policy: AutosavePolicy, lookEvery: Duration?, clock: some Clock<Duration>,
    time: @escaping @Sendable () -> Int,
    using generator: any RandomNumberGenerator & Sendable
  ) async throws(ArtError) -> Document {
    var generator = generator
    let author = try Author(origin: Origin(using: &generator), name: name)
    let folder = try reason == nil ? place.folder() : nil
    if let folder {
      let restorer = try Author(origin: Origin(using: &generator), name: name)
      try await FileThread().run { () throws(ArtError) in try file.restoreLeft(in: folder, by: restorer) }
    }
    // The stamp is taken first: what comes after it is seen by the next look.
    let (stamp, content) = try await FileThread().run { () throws(ArtError) in
      (try file.stamp(), try file.read())
    }
    let document = Document(file, content, author, policy, lookEvery, Timeline(clock), time, generator)
    try await document.opened(stamp, readOnlyBecause: reason, journal: folder)
    return document
  }

  private init(
    _ file: DocumentFile, _ content: DocumentContent, _ author: Author, _ policy: AutosavePolicy,
    _ lookEvery: Duration?, _ timeline: Timeline, _ time: @escaping @Sendable () -> Int,
    _ generator: any RandomNumberGenerator & Sendable
  ) {
    self.file = file
    self.content = content
    self.author = author
    origin = author.origin
    self.lookEvery = lookEvery
    self.timeline = timeline
    self.time = time
    self.generator = generator
    autosave = Autosave(policy)
    base = DocumentBase(content)
  }

  /// What happens from now on, for one listener of any number, with or without this program's own edits. It is told to
  /// resync when more than `capacity` events wait for it.
  public nonisolated func events(capacity: Int = 256, ownEdits: Bool = true) -> DocumentEvents {
    broadcast.subscribe(capacity: capacity) { event in
      if case .edited = event { ownEdits } else { true }
    }
  }

  private func opened(
    _ stamp: FileStamp, readOnlyBecause reason: String?, journal folder: JournalFolder?
  ) throws(ArtError) {
    if let folder {
      journal = try Journal(in: folder, of: file, on: base, origin: origin, author: author.name)
    }
    self.stamp = stamp
    tell(life.opened(readOnlyBecause: reason))
    lookLater()
  }

  /// Whether a save holds the changes that the token stands for.
  public func isSaved(_ token: SaveToken) -> Bool { changeCount.isSaved(token) }

  func tell(_ state: DocumentState?) {
    if let state { broadcast.send(.state(state)) }
  }
}
