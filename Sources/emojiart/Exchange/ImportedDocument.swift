// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore

/// A document that has come in.
struct ImportedDocument {
  /// What the file that it came from is called.
  let source: String
  let path: String
  let dialect: Dialect
  /// How many emoji there were.
  let found: Int
  let content: DocumentContent
  let report: ExchangeReport

  /// `new/bees.emojiart: 12 of 14 emoji, picture 640 x 400, emojiart-2020, from old/bees.json`, and a line for each note.
  var lines: [String] {
    let kept = content.emojiCount
    let count = kept == found ? (kept == 0 ? "no emoji" : "\(kept) emoji") : "\(kept) of \(found) emoji"
    let parts = [count] + pictures + [dialect.rawValue, "from \(source)"]
    return ["\(path): \(parts.joined(separator: ", "))"] + report.lines.map { "  \($0)" }
  }

  private var pictures: [String] {
    let picture = content.background.map { "picture \($0.size.width) x \($0.size.height)" }
    let pending = content.pending.map { "background pending (\($0.reason))" }
    return [picture, pending].compactMap(\.self)
  }

  /// One line of JSON.
  var json: String {
    let state = BackgroundState(content)
    var writer = JSONWriter(urls: .shown)
    writer.object { writer in
      writer.key("imported")
      writer.object {
        $0.key("background")
        if let background = state.background { background.write(to: &$0) } else { $0.null() }
        $0.key("emojis")
        $0.integer(content.emojiCount)
        $0.key("emojisFound")
        $0.integer(found)
        $0.key("format")
        $0.string(dialect.rawValue)
        $0.key("notes")
        $0.value(report.json)
        $0.key("path")
        $0.string(path)
        if let pending = state.pending {
          $0.key("pending")
          pending.write(to: &$0)
        }
        $0.key("source")
        $0.string(source)
      }
    }
    return writer.text
  }
}

/// What an import came to.
struct ImportTally {
  /// The first failure's.
  private(set) var status = ExitStatus.done
  private(set) var documents = 0
  private(set) var failures = 0
  private(set) var emojis = 0
  private(set) var emojisFound = 0
  /// Documents of this program that were met in folders.
  var own = 0
  /// Other files that were met there.
  var others = 0
  /// Folders that were met there and not looked into.
  var folders = 0
  /// What was met there and is no file.
  var special = 0

  mutating func add(_ document: ImportedDocument) {
    documents += 1
    emojis += document.content.emojiCount
    emojisFound += document.found
  }

  mutating func add(_ error: ArtError) {
    failures += 1
    if status == .done { status = ExitStatus(error.code) }
  }

  /// `7 documents came in, 1 file did not; passed over: 2 emojiart documents, 3 other files`.
  var words: String {
    var words = documents.of("document", "documents") + " came in"
    if failures > 0 { words += ", \(failures) did not" }
    let passed = [
      own > 0 ? own.of("emojiart document", "emojiart documents") : nil,
      others > 0 ? others.of("other file", "other files") : nil,
      folders > 0 ? folders.of("folder", "folders") + " (--recursive goes on below)" : nil,
      special > 0 ? "\(special) that \(special == 1 ? "is" : "are") no file" : nil,
    ].compactMap(\.self)
    return passed.isEmpty ? words : "\(words); passed over: \(passed.joined(separator: ", "))"
  }

  /// One line of JSON.
  var json: String {
    JSON.object([
      "summary": .object([
        "documents": .integer(documents), "emojis": .integer(emojis), "emojisFound": .integer(emojisFound),
        "failed": .integer(failures),
        "passed": .object([
          "documents": .integer(own), "files": .integer(others), "folders": .integer(folders),
          "special": .integer(special),
        ]),
      ])
    ]).text
  }
}
