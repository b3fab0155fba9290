// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWorkspace

/// A folder that is being watched, as far as `emojiart watch` needs it. A test hands in its own events.
struct WatchedFolder: Sendable {
  /// What happens in it. Subscribed to before anything else is asked.
  let events: EventSequence<FolderEvent>
  /// Its documents as they are now, and why the system does not tell of changes.
  let look: @Sendable () async -> (documents: [FolderDocument], degraded: String?)
  /// Ends the watching.
  let close: @Sendable () async -> Void
  /// Has what is pending in it fetched.
  var fetch: @Sendable (PendingBackgrounds) async -> Void = { _ in }

  /// Opens the folder of a place. Throws what opening it throws.
  static func open(
    _ place: FollowedPlace, isRecursive: Bool, pollBecause: String?
  ) async throws(ArtError) -> WatchedFolder {
    let only = place.names.flatMap { $0.count == 1 ? $0.keys.first?.string : nil }
    let folder = try await DocumentFolder.open(
      place.folder, isRecursive: isRecursive && place.names == nil, only: only, pollBecause: pollBecause)
    return WatchedFolder(
      events: folder.events(),
      look: { (await folder.documents, await folder.degraded) },
      close: { await folder.close() },
      fetch: { await $0.follow(folder, only: place.names.map { Set($0.keys.map(\.string)) }) })
  }
}

extension FollowedPlace {
  /// The places that a person names, as other commands name documents. Throws `noSuchDocument`, `badValue`.
  static func places(
    _ typed: [String], _ options: CommonOptions, isRecursive: Bool
  ) throws(ArtError) -> [FollowedPlace] {
    let here = typed.isEmpty ? try options.currentFolder() : ""
    return try places(typed, in: here, isRecursive: isRecursive) { (name) throws(ArtError) in
      try options.file(name)
    }
  }

  /// A path that every command takes for a document of this place: a name alone may be read as an option, or be looked for in
  /// another folder.
  func argument(for document: String) -> String {
    if let called = names?[FilePath(document)] { return called }
    let path = name(of: document)
    let isTaken = path.hasPrefix("-") || environment("EMOJIART_FOLDER") != nil
    return isTaken && !FilePath(path).hasSlash ? "./\(path)" : path
  }
}
