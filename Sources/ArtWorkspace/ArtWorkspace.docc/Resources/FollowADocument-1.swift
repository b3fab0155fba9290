// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

@main
struct FollowADocument {
  static func main() async throws {
    let workspace = try await Workspace.open(".")
    let client = try DocumentClient(author: "Ada", session: SessionID("5e55100n0001"))
    let session = try await workspace.open("bees.emojiart", as: client)

    try await session.close()
    if let error = await workspace.close() { throw error }
  }
}
