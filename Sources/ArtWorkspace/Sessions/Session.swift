// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import ArtWorker

/// What happens to the document of a session, and to the session itself, in the order in which it happened.
public enum SessionEvent: Sendable {
  /// Something happened to the document: its content, its state, a save.
  case document(DocumentEvent)
  /// What became of a background that this session asked for, or that was pending.
  case background(DocumentBackgrounds.Event)
  /// A background was refused, and the user is to be told, once; with a question where one is to be put. Only the session that asked for it
  /// gets this, or for a background that was pending the session that has been open longest.
  case warning(RefusalWarning)
  /// The system does not report all changes of the folder any more: it is scanned every so often. For people: why, and what can
  /// be done.
  case degraded(String)
  /// The system reports all changes again.
  case watching
  /// Something may have been missed, why, and the folder was scanned.
  case rescanned(String)
  /// The document's file has another path in the folder.
  case moved(to: String)
  /// The document's file is gone from the folder. The session stays open, and its edits are kept until the file is back.
  case removed
}

/// One client of one open document: it has its own author, its own undo and redo, and hears what happens from a snapshot on.
///
/// Any number of sessions share a document. No session takes back another one's edits. After a restart the same session id continues
/// where it was: undo is by session, and a request that is repeated under its tag is made once.
public final class Session: Sendable {
  /// Who edits: the user's name and the session's id.
  public let client: DocumentClient
  let shared: SharedDocument
  let events = Broadcast<SessionEvent>()

  init(_ client: DocumentClient, of shared: SharedDocument) {
    self.client = client
    self.shared = shared
  }

  /// Opens a document by itself: without its folder, which may have any number of others, and by whatever path. A path that goes
  /// through symbolic links is watched where they lead.
  ///
  /// With `isEdited` the document must be one that can be edited, and `expected` is the revision that it must have. Throws
  /// `notPermitted` and `movedOn` where that is not so, and what `Document.open` throws.
  public static func open(
    _ file: DocumentFile, as client: DocumentClient, _ settings: WorkspaceSettings = WorkspaceSettings(),
    isEdited: Bool = false, expecting expected: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> Session {
    try await open(
      file, as: client, settings, isEdited: isEdited, expecting: expected, clock: clock, watchClock: clock)
  }

  /// The same with a clock of its own for the watcher.
  static func open(
    _ file: DocumentFile, as client: DocumentClient, _ settings: WorkspaceSettings, isEdited: Bool = false,
    expecting expected: Int? = nil, clock: some Clock<Duration>, watchClock: some Clock<Duration>
  ) async throws(ArtError) -> Session {
    let document = try await Document.open(
      file, author: client.author, session: client.session, journal: settings.journal,
      autosave: settings.autosave, refreshInterval: nil, clock: clock)
    let base = await document.saved
    do throws(ArtError) {
      if isEdited, case .editingDisabled(let reason) = await document.state {
        throw .readOnlyDocument(file.path, reason)
      }
      if let expected, expected != base.revision {
        throw .movedOn(file.path, is: base.revision, not: expected)
      }
    } catch {
      // Nothing was edited: the lock of the journal goes, too.
      await document.closeDiscardingChanges()
      throw error
    }
    let place = FilePath(FilePath.withoutLinks(file.path))
    var watch = WatchSettings(ending: "", helpers: settings.helpers)
    watch.only = place.name
    watch.pollBecause = settings.pollBecause
    let registry = Registry()
    let relay = WatchRelay(FolderWatcher(place.folder, watch, clock: watchClock)) { registry.send($0) }
    let shared = SharedDocument(
      document, base.id, FilePath(place.name), FileIdentity(at: file.path), settings, relay, ownsRelay: true,
      BackgroundFetcher(helpers: settings.helpers), registry)
    registry.add(shared)
    return shared.first(client)
  }

  /// Begins to follow what others do to a document that was opened by itself, and to fetch what is pending in it. Events that come of
  /// it go to those who listen before. Without it, what others did is taken in by the next save.
  public func begin() async { await shared.begin() }

  /// The path of the document in the folder.
  public var path: String { shared.path.string }
  /// The path of the document's file.
  public var filePath: String { shared.document.path }
  /// The document as it is now.
  public var snapshot: DocumentSnapshot { get async { await shared.document.snapshot } }
  /// Where the document is in its life.
  public var state: DocumentState { get async { await shared.document.state } }
  /// How many edits of all sessions no save holds yet.
  public var unsavedChanges: Int { get async { await shared.document.unsavedChanges } }
  /// The revision of the document as it is now.
  public var revision: Int { get async { await shared.document.content.revision } }
  /// What became of orphaned journals when the document was opened.
  public var recovered: [RecoveryOutcome] { shared.document.recovered }

  /// The document, and what happens from then on. Changes up to the snapshot's version are to be passed over; the later ones applied to
  /// it in their order are the content. A listener that is too slow hears `resync` and takes a new snapshot.
  public func follow(capacity: Int = 256) async -> (
    snapshot: DocumentSnapshot, events: EventSequence<SessionEvent>
  ) {
    let sequence = listen(capacity: capacity)
    return (await snapshot, sequence)
  }

  /// What happens from now on, with or without the changes that the document's own sessions make. A listener that is too slow hears
  /// `resync` in place of the document's events, and all others.
  public func listen(capacity: Int = 256, ownEdits: Bool = true) -> EventSequence<SessionEvent> {
    let version = shared.document.lastVersion
    return events.subscribe(capacity: capacity) {
      .document(.resync(version: version()))
    } replacing: { event in
      if case .document = event { true } else { false }
    } where: { event in
      if case .document(.changed(let change)) = event { ownEdits || !change.cause.isOwn } else { true }
    }
  }

  /// Does what the session asks. The answer is given when the edit is in the journal. Throws `closed` after the session's end, and what
  /// keeps it from being done; then nothing is changed. `tag` and `since` are those of `ClientRequest`.
  @discardableResult
  public func perform(
    _ request: DocumentRequest, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    try shared.checkOpen(self)
    return try await shared.document.perform(ClientRequest(request, by: client, tag: tag, since: since))
  }

  /// Does what `client` asks, one after the other in one turn of the document, and answers each; all that was done is in the journal then.
  /// Nil while there is no capacity for more unsaved edits: see `waitForCapacity`.
  public func perform(_ requests: [ClientRequest]) async -> [Result<DocumentAnswer, ArtError>]? {
    do throws(ArtError) { try shared.checkOpen(self) } catch { return requests.map { _ in .failure(error) } }
    return await shared.document.performWithinCapacity(requests)
  }

  /// Whether there is capacity for more unsaved edits.
  public var hasCapacity: Bool { get async { await shared.document.hasCapacity } }

  /// Returns when there is capacity for more unsaved edits: see `Document.waitForCapacity`.
  public func waitForCapacity() async { await shared.document.waitForCapacity() }

  /// Does several requests as one edit of that name: a gesture, which one undo takes back.
  @discardableResult
  public func perform(
    _ requests: [DocumentRequest], as name: String, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    try await perform(.group(name: name, requests), tag: tag, since: since)
  }

  /// Takes back up to that many of the session's edits. Throws `nothingToUndo`.
  @discardableResult
  public func undo(_ count: Int = 1, tag: RequestTag? = nil) async throws(ArtError) -> DocumentAnswer {
    try await perform(.undo(count), tag: tag)
  }

  /// Makes again up to that many of them. Throws `nothingToUndo`.
  @discardableResult
  public func redo(_ count: Int = 1, tag: RequestTag? = nil) async throws(ArtError) -> DocumentAnswer {
    try await perform(.redo(count), tag: tag)
  }

  /// Saves what all sessions have edited until now. Returns when it is durable.
  public func save() async throws(ArtError) { try await shared.document.save() }

  /// Begins to fetch a background, and returns at once; `background` or `warning` tells what became of it. A newer request of any session
  /// drops it. Throws `closed` after the session's end.
  public func setBackground(
    _ request: BackgroundRequest, keepsCanvas: Bool = false, tag: String? = nil
  ) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.request(
      request, keepsCanvas: keepsCanvas, by: client, tag: shared.note(tag, of: self))
  }

  /// The same for the bytes of a picture.
  public func setBackground(
    _ bytes: [UInt8], keepsCanvas: Bool = false, tag: String? = nil
  ) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.request(
      bytes, keepsCanvas: keepsCanvas, by: client, tag: shared.note(tag, of: self))
  }

  /// The warning for a background that the caller refused before it was fetched; nil for other events, and where the user is not to be
  /// warned. The question in it may be asked once.
  public func warning(of event: DocumentBackgrounds.Event) -> RefusalWarning? { shared.warning(of: event) }

  /// Makes a change of the background that needs no picture, and drops one that is being fetched. Throws `closed`, `noBackground`,
  /// and what planning throws; then nothing is changed.
  public func changeBackground(_ change: BackgroundChange) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.cancel()
    try await shared.document.make(change, by: client) { _ in }
  }

  /// Whether a background that was asked for is not there yet.
  public var isFetchingBackground: Bool { get async { await shared.backgrounds.isFetching } }

  /// Waits until the background that was asked for is there, refused or dropped.
  public func waitForBackground() async { await shared.backgrounds.idle() }

  /// Drops the background that is being fetched.
  public func cancelBackground() async { await shared.backgrounds.cancel() }

  /// Ends the session; its events end. With the document's last session the document is saved and closed. Throws what saving throws:
  /// then the session stays open.
  public func close() async throws(ArtError) { try await shared.close(self) }

  /// Why a document could not be saved in the end.
  public struct SavingFailure: Sendable {
    /// What went wrong.
    public let error: ArtError
    /// How many edits no save holds. They are in the journal.
    public let unsaved: Int
  }

  /// Ends all sessions of the document, for a program that ends. A document that cannot be saved is left with its journal; why. With
  /// `discardingChanges` it is not saved, and what no save holds is lost.
  public func end(discardingChanges: Bool = false) async -> SavingFailure? {
    await shared.end(discardingChanges: discardingChanges)
  }

  /// Has the document do what a turn in the program's life means. After `terminate` its sessions have ended. Throws what saving throws.
  public func send(_ event: LifeCycleEvent, of life: LifeCycle) async throws(ArtError) {
    try await life.send(event, to: [shared.document])
    await shared.finishIfClosed()
  }
}

extension Document {
  /// In one turn, so that nothing comes between the two.
  fileprivate func performWithinCapacity(
    _ requests: [ClientRequest]
  ) -> [Result<DocumentAnswer, ArtError>]? {
    hasCapacity ? perform(requests) : nil
  }
}

extension FilePath {
  /// The path without symbolic links. Where the file is gone, that of its folder; where that is gone, too, the path as it is: whoever
  /// watches it says what is missing.
  fileprivate static func withoutLinks(_ path: String) -> String {
    if let real = resolvedIfThere(path) { return real }
    let parts = FilePath(path)
    return "\(resolvedIfThere(parts.folder) ?? parts.folder)/\(parts.name)"
  }
}
