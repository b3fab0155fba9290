// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// One thing that is asked of an open document.
public indirect enum DocumentRequest: Sendable {
  /// An edit, in a user's terms.
  case action(Action)
  /// An edit, in the document's.
  case edit(Edit)
  /// What is done to its background. A picture that is set must be in the file: see `Document.setBackground`.
  case background(BackgroundEdit)
  /// Take back up to that many of the client's edits, at least 1.
  case undo(Int)
  /// Make again up to that many of them.
  case redo(Int)
  /// Several requests as one edit with that name, which one undo takes back: a gesture. Undo and redo cannot be among them.
  case group(name: String, [DocumentRequest])
}

/// The last edit that a client knew to be durably saved.
public enum KnownHead: Hashable, Sendable {
  /// None: the document had no edits.
  case beginning
  /// That one.
  case edit(EditID)

  /// The last edit of that state.
  public init(_ saved: DocumentBase) { self = saved.head.map(KnownHead.edit) ?? .beginning }
}

/// A request, and who makes it.
public struct ClientRequest: Sendable {
  /// What is asked.
  public let request: DocumentRequest
  /// The client; nil for the program itself.
  public let client: DocumentClient?
  /// The key under which the client makes the request, again if need be: it is answered twice, and made once.
  public let tag: RequestTag?
  /// What was durably in the file, as far as the client knew, when it made the request first: see `DocumentSnapshot.saved`. A
  /// request with a tag and without this is compared with the edits that the log still has, and may be made twice when its edit has
  /// left the log.
  public let since: KnownHead?

  /// A request.
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

/// What became of a request. The edit is kept from here on, whatever becomes of the program.
public struct DocumentAnswer: Sendable {
  /// What it came to in the log; nothing where it had no effect.
  public let entries: [LoggedEdit]
  /// The emoji that an action was about, as they are after it; removed ones as they were.
  public let emojis: [Emoji]
  /// How many changes no save holds yet.
  public let unsaved: Int
  /// Backgrounds that an undo or a redo would have brought back if their bytes were still kept. The URL of one that has a URL is
  /// pending now, if none was.
  public let lost: [Background]
  /// Whether the request had been made before: nothing was done now, and `entries` has the edit of then.
  public var isRepeated = false
}
