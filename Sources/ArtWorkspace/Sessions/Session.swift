// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
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

  /// The path of the document in the folder.
  public var path: String { shared.path.string }
  /// The document as it is now.
  public var snapshot: DocumentSnapshot { get async { await shared.document.snapshot } }
  /// Where the document is in its life.
  public var state: DocumentState { get async { await shared.document.state } }
  /// How many edits of all sessions no save holds yet.
  public var unsavedChanges: Int { get async { await shared.document.unsavedChanges } }
  /// What became of orphaned journals when the document was opened.
  public var recovered: [RecoveryOutcome] { shared.document.recovered }

  /// The document, and what happens from then on. Changes up to the snapshot's version are to be passed over; the later ones applied to
  /// it in their order are the content. A listener that is too slow hears `resync` and takes a new snapshot.
  public func follow(capacity: Int = 256) async -> (
    snapshot: DocumentSnapshot, events: EventSequence<SessionEvent>
  ) {
    let version = shared.document.lastVersion
    let sequence = events.subscribe(
      capacity: capacity, overflow: { .document(.resync(version: version())) })
    return (await snapshot, sequence)
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

  /// Drops the background that is being fetched.
  public func cancelBackground() async { await shared.backgrounds.cancel() }

  /// Ends the session; its events end. With the document's last session the document is saved and closed. Throws what saving throws:
  /// then the session stays open.
  public func close() async throws(ArtError) { try await shared.close(self) }
}
