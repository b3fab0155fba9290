// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtWorkspace

/// A copy of a document that the document's events keep up to date.
struct FollowedDocument {
  private(set) var content: DocumentContent
  private var version: Int
  private var events: EventSequence<SessionEvent>.Iterator

  init(_ session: Session) async {
    let (snapshot, events) = await session.follow()
    content = snapshot.content
    version = snapshot.version
    self.events = events.makeAsyncIterator()
  }

  /// Applies and prints the changes until the copy has everything that the session's document has now.
  mutating func update(from session: Session) async {
    let newest = await session.snapshot.version
    while version < newest, let event = await events.next() {
      switch event {
      case .document(.changed(let change)) where change.after > version:
        content.apply(change.effect)
        version = change.after
        for edit in change.edits { print("\(edit.author ?? "unknown"): \(edit.title)") }
        for update in change.effect.updated {
          if let place = update.position { print("  now at \(place.x),\(place.y)") }
        }
      case .document(.resync):
        // This listener was too slow and has missed events: it begins again from a snapshot.
        let snapshot = await session.snapshot
        (content, version) = (snapshot.content, snapshot.version)
      default: break
      }
    }
  }
}

@main
struct FollowADocument {
  static func main() async throws {
    let workspace = try await Workspace.open(".")
    let client = try DocumentClient(author: "Ada", session: SessionID("5e55100n0001"))
    let session = try await workspace.open("bees.emojiart", as: client)

    var bees = await FollowedDocument(session)
    for emoji in bees.content.emojisInOrder() {
      print("\(emoji.text) is at \(emoji.position.x),\(emoji.position.y)")
    }

    let bee = EmojiSelection.references([try Reference("🐝")])
    try await session.perform(.action(.move(bee, .by(Coordinates("60,-20")))))
    await bees.update(from: session)
    try await session.undo()
    await bees.update(from: session)

    try await session.close()
    if let error = await workspace.close() { throw error }
  }
}
