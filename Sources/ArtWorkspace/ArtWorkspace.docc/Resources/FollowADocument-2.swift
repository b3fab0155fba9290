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
}

@main
struct FollowADocument {
  static func main() async throws {
    let workspace = try await Workspace.open(".")
    let client = try DocumentClient(author: "Ada", session: SessionID("5e55100n0001"))
    let session = try await workspace.open("bees.emojiart", as: client)

    let bees = await FollowedDocument(session)
    for emoji in bees.content.emojisInOrder() {
      print("\(emoji.text) is at \(emoji.position.x),\(emoji.position.y)")
    }

    try await session.close()
    if let error = await workspace.close() { throw error }
  }
}
