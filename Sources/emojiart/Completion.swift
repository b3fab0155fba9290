// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What the shell offers when a person presses the tabulator. Errors offer nothing: there is nowhere to say them.
enum Completion {
  @Sendable static func documents(_ arguments: [String], _ index: Int, _ prefix: String) -> [String] {
    let cut = prefix.lastIndex(of: "/").map { prefix.index(after: $0) } ?? prefix.startIndex
    let folder = cut == prefix.startIndex ? self.folder(in: arguments) : String(prefix[..<cut])
    let names = (try? FolderListing.names(in: folder)) ?? []
    return names.map { String(prefix[..<cut] + $0.dropLast(".emojiart".count)) }.filter(isPlain)
  }

  @Sendable static func references(_ arguments: [String], _ index: Int, _ prefix: String) -> [String] {
    // The arguments are `emojiart COMMAND DOC …`.
    guard let document = arguments.dropFirst(2).first(where: { !$0.hasPrefix("-") }) else { return [] }
    var options = CommonOptions()
    options.folder = folder(in: arguments)
    guard let content = try? options.file(document).read(), content.emojiCount <= 1_000 else { return [] }
    let texts = Set(content.emojisInOrder().map(\.text.string)).sorted()
    return texts + content.emojisInOrder().map(\.id.description) + ["@last"]
  }

  private static func folder(in arguments: [String]) -> String {
    if let index = arguments.firstIndex(of: "--folder"), index + 1 < arguments.count {
      return arguments[index + 1]
    }
    return environment("EMOJIART_FOLDER") ?? "."
  }

  /// A name that a shell's completion can carry.
  private static func isPlain(_ name: String) -> Bool {
    !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
  }
}
