// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A request to an open document.
public indirect enum DocumentRequest: Sendable {
  /// An action in the user's terms.
  case action(Action)
  /// An edit in the document's terms.
  case edit(Edit)
  /// A change of the background. The bytes of a picture must be in the file: see `Document.setBackground`.
  case background(BackgroundEdit)
  /// Undo up to that many of the client's edits, at least 1.
  case undo(Int)
  /// Redo up to that many of the client's edits, at least 1.
  case redo(Int)
  /// Undo a certain edit, whoever made it.
  case takeBack(EditID)
  /// Make the art what it was at a revision, as one edit. `head` is the edit of that revision as the client knows it; nil stands for any.
  ///
  /// It is planned once, on the content as it is. If others turn out to have saved meanwhile, it is rebased like every edit: it gives its
  /// values to the fields that it sets, and keeps what others did to all other fields. Planned anew it would take back edits that the user
  /// had not seen.
  case revert(to: Int, head: EditID? = nil)
  /// Make the art that of a named version, as one edit; for the rest as `revert`. `picture` is the digest of its background's picture if the
  /// file has it, which the document may not know yet.
  case revertToVersion(NamedVersion, VersionContent, picture: String?)
  /// Several requests as one edit with that name and one undo, such as a drag. They must not include undo, redo, `takeBack`, `revert`
  /// and `revertToVersion`.
  case group(name: String, [DocumentRequest])
}

/// The last durably saved edit that a client knows.
public enum KnownHead: Hashable, Sendable {
  /// None: the document had no edits.
  case beginning
  /// That edit.
  case edit(EditID)

  /// The last edit of a saved state.
  public init(_ saved: DocumentBase) { self = saved.head.map(KnownHead.edit) ?? .beginning }
}

/// A request with its client, key and base.
public struct ClientRequest: Sendable {
  /// The request.
  public let request: DocumentRequest
  /// The client; nil for the program itself.
  public let client: DocumentClient?
  /// The idempotency key: a repeated request with the same key is answered again but performed once.
  public let tag: RequestTag?
  /// The last saved state that the client knew when it first made the request: see `DocumentSnapshot.saved`. Without
  /// it, a tagged request is compared with the edits in the log only, and may be performed twice when its edit has
  /// left the log.
  public let since: KnownHead?

  /// A request with these values.
  public init(
    _ request: DocumentRequest, by client: DocumentClient? = nil, tag: RequestTag? = nil,
    since: KnownHead? = nil
  ) {
    self.request = request
    self.client = client
    self.tag = tag
    self.since = since
  }
}

/// The result of a request. If the document has a journal, the edits are in it and survive the end of the program.
public struct DocumentAnswer: Sendable {
  /// The new log entries; empty if the request had no effect.
  public let entries: [LoggedEdit]
  /// The emoji that the action named, as they are afterwards; removed ones as they were.
  public let emojis: [Emoji]
  /// How many emoji lie off the canvas: of those that the action named, or of all where it gave the canvas another size. None for other
  /// requests and for repeated ones.
  public var offCanvas = OffCanvas()
  /// The number of unsaved changes.
  public let unsaved: Int
  /// Backgrounds that an undo, a redo or a return to a revision could not restore because their bytes are not stored any more. The URL of
  /// such a background is pending now, if it has one and no other was pending.
  public let lost: [Background]
  /// Whether this repeats an earlier request. Then nothing was done, and `entries` has the earlier result.
  public var isRepeated = false
}

// MARK: - Single requests

extension Document {
  /// Performs an action. Returns nil if it has no effect. Throws `closed`, and what planning the action throws; then
  /// nothing is changed.
  @discardableResult
  public func perform(_ action: Action) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.action(action))).entries.first
  }

  /// Performs an edit. Returns nil if it has no effect. Throws `closed` and `tooLarge`; then nothing is changed.
  @discardableResult
  public func perform(_ edit: Edit) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.edit(edit))).entries.first
  }

  /// Clears the background, makes one pending, or refuses the pending one. Returns nil if it has no effect. Throws
  /// `closed`, and what planning throws; then nothing is changed.
  @discardableResult
  public func perform(_ edit: BackgroundEdit) throws(ArtError) -> LoggedEdit? {
    try perform(ClientRequest(.background(edit))).entries.first
  }

  /// Undoes the client's newest standing edit. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func undo(by client: DocumentClient? = nil) throws(ArtError) -> LoggedEdit {
    guard let entry = try perform(ClientRequest(.undo(1), by: client)).entries.first else {
      throw .nothingOwnTo("undo")
    }
    return entry
  }

  /// Redoes the client's last undone edit. Throws `nothingToUndo` and `closed`.
  @discardableResult
  public func redo(by client: DocumentClient? = nil) throws(ArtError) -> LoggedEdit {
    guard let entry = try perform(ClientRequest(.redo(1), by: client)).entries.first else {
      throw .nothingOwnTo("redo")
    }
    return entry
  }

  /// Performs a client's request. Throws why it failed; then nothing is changed.
  @discardableResult
  public func perform(_ request: ClientRequest) throws(ArtError) -> DocumentAnswer {
    guard let result = perform([request]).first else { throw .closedDocument(path) }
    return try result.get()
  }

  /// Performs requests of the program itself, and answers each.
  public func perform(_ requests: [DocumentRequest]) -> [Result<DocumentAnswer, ArtError>] {
    perform(requests.map { ClientRequest($0) })
  }
}
