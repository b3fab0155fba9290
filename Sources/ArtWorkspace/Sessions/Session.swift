// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import ArtWorker

/// An event of a session's document or of the session itself.
public enum SessionEvent: Sendable {
  /// A change of the document's content or state, or a save.
  case document(DocumentEvent)
  /// The outcome of a background that this session requested, or that was pending.
  case background(DocumentBackgrounds.Event)
  /// A background was refused, and the user is to be warned, once; with a question if one is to be asked. Only the session that
  /// requested the background gets this; for a pending background, the session that has been open longest.
  case warning(RefusalWarning)
  /// The system does not report all changes of the folder any more, so it is scanned periodically. A text for display: why, and
  /// what the user can do.
  case degraded(String)
  /// The system reports all changes again.
  case watching
  /// Events may have been missed, for this reason, and the folder was scanned.
  case rescanned(String)
  /// The document's file was moved within the folder.
  case moved(to: String)
  /// The document's file was removed. The session stays open, and its edits are kept until the file is back.
  case removed
}

/// One client of an open document, with its own author, its own undo and redo, and the events from a snapshot on.
///
/// Any number of sessions share a document. No session undoes another one's edits. After a restart the same session id continues:
/// undo is by session, and an edit, or a version to keep, that is requested again under its tag is made once. A save, and the removal of a
/// version, have no tag.
public final class Session: Sendable {
  /// The user's name and the session's id.
  public let client: DocumentClient
  let shared: SharedDocument
  let events = Broadcast<SessionEvent>()

  init(_ client: DocumentClient, of shared: SharedDocument) {
    self.client = client
    self.shared = shared
  }

  /// Opens a single document by any path, without its folder. A path through symbolic links is watched at their target.
  ///
  /// With `isEdited` the document must be editable, and no conflict copy. `expected` is the revision that it must have; nil stands for any. Otherwise
  /// throws `notPermitted` and `movedOn`, and what `Document.open` throws.
  public static func open(
    _ file: DocumentFile, as client: DocumentClient, _ settings: WorkspaceSettings = WorkspaceSettings(),
    isEdited: Bool = false, expecting expected: Int? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> Session {
    try await open(
      file, as: client, settings, isEdited: isEdited, expecting: expected, clock: clock, watchClock: clock)
  }

  /// Opens a document whose edits are made in memory, without a journal, and saved once, when the session ends: as one edit, or not at all.
  /// Throws as `open` does for a document that is edited.
  package static func openDraft(
    of file: DocumentFile, as client: DocumentClient, _ settings: WorkspaceSettings,
    expecting expected: Int? = nil
  ) async throws(ArtError) -> Session {
    let clock = ContinuousClock()
    return try await open(
      file, as: client, settings, isEdited: true, asDraft: true, expecting: expected, clock: clock,
      watchClock: clock)
  }

  /// The same with another clock for the watcher.
  static func open(
    _ file: DocumentFile, as client: DocumentClient, _ settings: WorkspaceSettings, isEdited: Bool = false,
    asDraft: Bool = false, expecting expected: Int? = nil, clock: some Clock<Duration>,
    watchClock: some Clock<Duration>
  ) async throws(ArtError) -> Session {
    if isEdited { try ConflictCopy.refuseEdits(of: file) }
    let draft = asDraft ? try Draft(of: file) : nil
    let document =
      if let draft {
        try await Document.open(
          draft.store, author: client.author, session: client.session, journal: .none,
          autosave: Draft.autosave, refreshInterval: nil, clock: clock)
      } else {
        try await Document.open(
          file, author: client.author, session: client.session, journal: settings.journal,
          autosave: settings.autosave, refreshInterval: nil, clock: clock)
      }
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
    let path = FilePath(FilePath.withoutLinks(file.path))
    var watch = WatchSettings(ending: "", helpers: settings.helpers)
    watch.only = path.name
    watch.pollBecause = settings.pollBecause
    let registry = Registry()
    let relay = WatchRelay(FolderWatcher(path.folder, watch, clock: watchClock)) { registry.send($0) }
    let shared = SharedDocument(
      document, base.id, FilePath(path.name), FileIdentity(at: file.path), settings, relay, ownsRelay: true,
      BackgroundFetcher(helpers: settings.helpers), registry, draft)
    registry.add(shared)
    return shared.first(client)
  }

  /// Begins to follow other programs' changes of a single document, and to fetch its pending background. Subscribe first to get all
  /// events. Without `begin`, the next save adopts other programs' changes.
  public func begin() async { await shared.begin() }

  /// The path of the document in the folder.
  public var path: String { shared.path.string }
  /// The path of the document's file.
  public var filePath: String { shared.document.path }
  /// The present document.
  public var snapshot: DocumentSnapshot { get async { await shared.document.snapshot } }
  /// The document's state in its life cycle.
  public var state: DocumentState { get async { await shared.document.state } }
  /// The number of unsaved edits of all sessions.
  public var unsavedChanges: Int { get async { await shared.document.unsavedChanges } }
  /// The document's present version, as in its events.
  public var version: Int { get async { await shared.document.version } }
  /// The document's present revision.
  public var revision: Int { get async { await shared.document.content.revision } }
  /// The outcomes of orphaned journals that were found when the document was opened.
  public var recovered: [RecoveryOutcome] { shared.document.recovered }

  /// The present document, and the events from then on. Skip changes up to the snapshot's version; the later ones, applied in
  /// order, give the content. A listener that is too slow gets `resync` and takes a new snapshot, which has the document's state,
  /// too.
  public func follow(capacity: Int = 256) async -> (
    snapshot: DocumentSnapshot, events: EventSequence<SessionEvent>
  ) {
    let sequence = listen(capacity: capacity)
    return (await snapshot, sequence)
  }

  /// The events from now on, with or without the edits of the document's own sessions. For a listener that is too slow, `resync`
  /// replaces the document's events; it gets all others.
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

  /// Performs an action, and returns its answer when the edit is in the journal. `tag` and `since` are those of `ClientRequest`.
  /// Throws `closed` after the session's end, and why the action failed; then nothing is changed.
  @discardableResult
  public func perform(
    _ request: DocumentRequest, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    try shared.checkOpen(self)
    return try await shared.document.perform(ClientRequest(request, by: client, tag: tag, since: since))
  }

  /// Performs requests in order, in one turn of the document, and returns an answer for each when all edits are in the journal.
  /// Nil without capacity for more unsaved edits: see `waitForCapacity`.
  public func perform(_ requests: [ClientRequest]) async -> [Result<DocumentAnswer, ArtError>]? {
    do throws(ArtError) { try shared.checkOpen(self) } catch { return requests.map { _ in .failure(error) } }
    return await shared.document.performWithinCapacity(requests)
  }

  /// Whether there is capacity for more unsaved edits.
  public var hasCapacity: Bool { get async { await shared.document.hasCapacity } }

  /// Returns when there is capacity for more unsaved edits: see `Document.waitForCapacity`.
  public func waitForCapacity() async { await shared.document.waitForCapacity() }

  /// Performs several actions as one edit of that name: a gesture, which one undo reverts.
  @discardableResult
  public func perform(
    _ requests: [DocumentRequest], as name: String, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    try await perform(.group(name: name, requests), tag: tag, since: since)
  }

  /// Undoes up to that many of the session's edits. Throws `nothingToUndo`.
  @discardableResult
  public func undo(_ count: Int = 1, tag: RequestTag? = nil) async throws(ArtError) -> DocumentAnswer {
    try await perform(.undo(count), tag: tag)
  }

  /// Redoes up to that many of the session's edits. Throws `nothingToUndo`.
  @discardableResult
  public func redo(_ count: Int = 1, tag: RequestTag? = nil) async throws(ArtError) -> DocumentAnswer {
    try await perform(.redo(count), tag: tag)
  }

  /// The content at an earlier revision. Throws `noSuchRevision`. A client that asks often, such as a slider, takes a snapshot and asks its
  /// content: see `DocumentContent.content(at:)`.
  public func content(at revision: Int) async throws(ArtError) -> DocumentContent {
    try await snapshot.content.content(at: revision)
  }

  /// Makes the art what it was at a revision, as one edit of this client; the answer has no entry if nothing differs. `head` is the edit of
  /// that revision as the client knows it. Saves of others meanwhile: see `DocumentRequest.revert`. Throws `noSuchRevision`, and `movedOn` if
  /// the revision is another edit by now.
  @discardableResult
  public func revert(
    to revision: Int, head: EditID? = nil, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    try await perform(.revert(to: revision, head: head), tag: tag, since: since)
  }

  /// The same for a revision or a version. Before a return to a version, what others have saved is adopted if nothing is unsaved.
  @discardableResult
  public func revert(
    to reference: RevisionReference, tag: RequestTag? = nil, since: KnownHead? = nil
  ) async throws(ArtError) -> DocumentAnswer {
    switch reference {
    case .number(let revision): return try await revert(to: revision, tag: tag, since: since)
    case .version(let name):
      try shared.checkOpen(self)
      // The version may be removed since.
      if let tag, let answer = try await shared.document.answer(repeating: tag, by: client, since: since) {
        return answer
      }
      let (version, art, picture) = try await storedVersion(name)
      return try await perform(
        .revertToVersion(version, art, picture: picture), tag: tag, since: since)
    }
  }

  /// Saves the edits that all sessions have made so far. Returns when they are durable.
  public func save() async throws(ArtError) { try await shared.document.save() }

  /// Begins to fetch a background, and returns at once; `background` or `warning` reports the outcome with the tag and the
  /// line, which is that of the request in the client's input. A newer request of any
  /// session cancels it. `progress` is called until the outcome. Throws `closed` after the session's end.
  public func setBackground(
    _ request: BackgroundRequest, keepsCanvas: Bool = false, tag: String? = nil, line: Int? = nil,
    progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
  ) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.request(
      request, keepsCanvas: keepsCanvas, by: client, tag: shared.note(tag, line, of: self),
      progress: progress)
  }

  /// The same for the bytes of a picture.
  public func setBackground(
    _ bytes: [UInt8], keepsCanvas: Bool = false, tag: String? = nil, line: Int? = nil
  ) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.request(
      bytes, keepsCanvas: keepsCanvas, by: client, tag: shared.note(tag, line, of: self))
  }

  /// The warning for a background that the caller refused before it was fetched; nil for other events, and where the user is not to be
  /// warned. The question in it may be asked once.
  public func warning(of event: DocumentBackgrounds.Event) -> RefusalWarning? { shared.warning(of: event) }

  /// Makes a change of the background that needs no picture, and cancels a request that is being fetched. Throws `closed`,
  /// `noBackground`, and what planning throws; then nothing is changed.
  public func changeBackground(_ change: BackgroundChange) async throws(ArtError) {
    try shared.checkOpen(self)
    await shared.backgrounds.cancel()
    try await shared.document.make(change, by: client) { _ in }
  }

  /// Whether a requested background is being fetched.
  public var isFetchingBackground: Bool { get async { await shared.backgrounds.isFetching } }

  /// Waits until the requested background is set, refused or cancelled.
  public func waitForBackground() async { await shared.backgrounds.idle() }

  /// Cancels the request that is being fetched.
  public func cancelBackground() async { await shared.backgrounds.cancel() }

  /// Ends the session and its events. With the document's last session the document is saved and closed. Throws what saving
  /// throws; then the session stays open.
  public func close() async throws(ArtError) { try await shared.close(self) }

  /// Why a document could not be saved at its end.
  public struct SavingFailure: Sendable {
    /// What went wrong.
    public let error: ArtError
    /// The number of unsaved edits, which are in the journal.
    public let unsaved: Int
  }

  /// Keeps apart what the document had saved, and another program's state has replaced, because the process is about to end. Returns the
  /// documents that have it.
  package func setAsideAtOnce() async -> [String] { await shared.document.setAsideAtOnce() }

  /// Ends all sessions of the document, for a program that ends. If the document cannot be saved, its journal is kept and the
  /// failure returned. With `discardingChanges` it is not saved, and unsaved edits are lost.
  public func end(discardingChanges: Bool = false) async -> SavingFailure? {
    await shared.end(discardingChanges: discardingChanges)
  }

  /// Applies a life cycle event to the document. After `terminate` its sessions have ended. Throws what saving throws.
  public func send(_ event: LifeCycleEvent, of life: LifeCycle) async throws(ArtError) {
    try await life.send(event, to: [shared.document])
    await shared.finishIfClosed()
  }
}

extension Document {
  /// Performs requests in one turn of the document, so that nothing comes between the check of capacity and the edits.
  fileprivate func performWithinCapacity(
    _ requests: [ClientRequest]
  ) -> [Result<DocumentAnswer, ArtError>]? {
    hasCapacity ? perform(requests) : nil
  }
}

extension FilePath {
  /// The path without symbolic links. For a missing file its folder is resolved; if that is missing, too, the path stays as
  /// given, and the watcher reports what is missing.
  fileprivate static func withoutLinks(_ path: String) -> String {
    if let real = resolvedIfThere(path) { return real }
    let parts = FilePath(path)
    return "\(resolvedIfThere(parts.folder) ?? parts.folder)/\(parts.name)"
  }
}
