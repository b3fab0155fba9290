// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtExchange
import ArtModel
import ArtProtocol
import ArtStore
import ArtWorker
import ArtWorkspace

/// Makes, edits and reads a document in the working directory, with each library of the package.
@main struct Dependent {
  static func main() async throws {
    let file = DocumentFile("bees.emojiart")
    var generator = SystemRandomNumberGenerator()
    _ = try file.create(using: &generator)

    let document = try await Document.open(file, author: "Ada")
    try await document.perform(.add([EmojiText("🐝")], at: .center, size: .standard))
    try await document.close()

    let workspace = try await Workspace.open(".")
    let session = try await workspace.open(
      "bees.emojiart", as: DocumentClient(author: "Bob", session: SessionID("5e55100n0001")))
    try await session.perform(.action(.add([EmojiText("🌸")], at: .center, size: .standard)))
    try await session.undo()
    try await session.perform(.action(.move(.all, .by(Coordinates("60,-20")))))
    try await session.close()
    if let error = await workspace.close() { throw error }

    let content = try file.read()
    for emoji in content.emojisInOrder() {
      print("\(emoji.text) is at \(emoji.position.x),\(emoji.position.y)")
    }

    var written: [UInt8] = []
    try Dialect.emojiart2021b.write(content, picture: nil) { piece in written += piece }
    let foreign = try written.withUnsafeBufferPointer { try ForeignArt(reading: $0) }
    print("\(foreign.dialect.rawValue): \(foreign.emojiCount) emoji")

    let line = Array(#"{"undo":1,"tag":"7"}"#.utf8)
    let request = try line.withUnsafeBufferPointer { try ProtocolRequest($0) }
    print(request.map { String(decoding: $0.line, as: UTF8.self) } ?? "no request", terminator: "")

    do throws(ArtError) {
      _ = try await SandboxProbe().ask()
    } catch {
      print(error.code)
    }
  }
}
