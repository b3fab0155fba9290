// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

extension ExchangeReport {
  /// A line for each note: `left out: 2 texts without an emoji: "Hello", "Bob"`.
  var lines: [String] {
    notes.map { ($0.kind == .leftOut ? "left out: " : "changed: ") + $0.text }
  }

  /// The notes as JSON.
  var json: JSON {
    .array(
      notes.map {
        .object([
          "code": .string($0.code), "emojiCount": .integer($0.emojis), "kind": .string($0.kind.rawValue),
          "words": .string($0.text),
        ])
      })
  }
}

extension Int {
  /// `1 document`, `2 documents`.
  func of(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}

extension ImportedDocument {
  /// `new/bees.emojiart: 12 of 14 emoji, picture 640 x 400, emojiart-2020, from old/bees.json`, then a line for each
  /// note.
  var lines: [String] {
    let kept = content.emojiCount
    let count = kept == found ? content.countText : "\(kept) of \(found) emoji"
    let parts = [count] + pictures + [dialect.rawValue, "from \(source)"]
    return ["\(path): \(parts.joined(separator: ", "))"] + report.lines.map { "  \($0)" }
  }

  private var pictures: [String] {
    let picture = content.background.map { "picture \($0.size.width) x \($0.size.height)" }
    let pending = content.pending.map { "background pending (\($0.reason))" }
    return [picture, pending].compactMap(\.self)
  }

  /// What lies off the canvas, and what helps; nil where nothing does.
  var offCanvasNotice: String? {
    let word = ArtError.Remedy.documentWord(path)
    return OffCanvas(content).notice.map {
      "\(path): \($0); `emojiart canvas \(word) --fit` makes a canvas of what is there"
    }
  }

  /// One line of JSON.
  var json: String {
    let state = BackgroundState(content)
    var writer = JSONWriter(urls: .redacted)
    writer.object { writer in
      writer.key("imported")
      writer.object {
        $0.key("background")
        if let background = state.background { background.write(to: &$0) } else { $0.null() }
        $0.key("emojiCount")
        $0.integer(content.emojiCount)
        $0.key("emojisFound")
        $0.integer(found)
        $0.key("format")
        $0.string(dialect.rawValue)
        $0.key("notes")
        $0.value(report.json)
        $0.offCanvas(OffCanvas(content))
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

extension OtherFiles {
  /// `2 other files (old/notes.txt, old/list.csv)`.
  var text: String {
    let names = first.map { safe($0) } + (count > first.count ? ["…"] : [])
    return "\(count.of("other file", "other files")) (\(names.joined(separator: ", ")))"
  }
}

extension ImportTally {
  /// `7 documents imported, 1 failed; skipped: 2 emojiart documents, 3 other files`. `existing` files were skipped because their documents
  /// are there.
  func text(existing: Int) -> String {
    var words = documents.of("document", "documents") + " imported"
    if failures > 0 {
      words += ", \(failures) failed"
      if taken > 0 {
        words +=
          taken == failures
          ? ", since their documents are there" : ", \(taken) of them since their documents are there"
      }
    }
    let passed = [
      existing > 0
        ? "\(existing) whose \(existing == 1 ? "document is" : "documents are") there already" : nil,
      own > 0 ? own.of("emojiart document", "emojiart documents") : nil,
      others.count > 0 ? others.text : nil,
      folders > 0 ? folders.of("folder", "folders") + " (--recursive goes on below)" : nil,
      special > 0 ? "\(special) that \(special == 1 ? "is" : "are") no file" : nil,
    ].compactMap(\.self)
    return passed.isEmpty ? words : "\(words); skipped: \(passed.joined(separator: ", "))"
  }

  /// One line of JSON.
  func json(existing: Int) -> String {
    var passed: [String: JSON] = [
      "documents": .integer(own), "files": .integer(others.count), "folders": .integer(folders),
      "special": .integer(special),
    ]
    if existing > 0 { passed["existing"] = .integer(existing) }
    return JSON.object([
      "summary": .object([
        "documents": .integer(documents), "emojiCount": .integer(emojis),
        "emojisFound": .integer(emojisFound),
        "failed": .integer(failures), "passed": .object(passed),
      ])
    ]).text
  }
}

extension ArtError {
  /// Words the failure of an import of that source for the command line; `isOne` says that it is the only one.
  init(_ failure: ImportFailure, of source: String, isStrict: Bool, isOne: Bool) {
    switch failure {
    case .failed(let error): self = error
    case .isOther(let kind, let error): self.init(kind, error, of: source)
    case .incomplete:
      self.init(
        .badValue,
        isStrict
          ? "not all of it can be imported, so nothing is; leave out --strict"
          : "none of its emoji can be imported, so no document is made", about: source)
    case .targetExists(let path):
      let advice =
        isOne ? "choose another name with --as, or a folder with --into" : "--skip-existing passes over it"
      self.init(.exists, "\(path) exists already; \(advice)")
    case .badName(let path):
      self.init(.badValue, "no document can be called \"\(path)\"; give it a name with --as")
    case .isDocument(let name):
      let word = Remedy.documentWord(name)
      self.init(.badValue, "\(name) is an emojiart document already; `emojiart copy \(word)` copies it")
    case .noFolder(let folder):
      self.init(.exists, "\(folder) is no folder; choose another one with --into")
    }
  }

  /// Words what a source is that is no document, and what to do with it.
  private init(_ kind: OtherSource, _ error: ArtError, of source: String) {
    let word = source == "stdin" ? "-" : Remedy.shellWord(source)
    switch kind {
    case .picture:
      self.init(
        .notADocument, "it is a picture; `emojiart new NAME --background \(word)` makes a document with it",
        about: source)
    case .svg:
      self.init(
        .notADocument,
        "it is a drawing in SVG, which is not read; make a PNG file of it, for instance with rsvg-convert",
        about: source)
    case .fencedJSON:
      self.init(
        .notADocument, "it is JSON between lines of Markdown; take away the lines that begin with ```",
        about: source)
    case .list where error.code == .notADocument:
      self.init(
        error.code,
        "\(error.cause), but a list; a list of emoji goes to `emojiart edit NAME --json`, a line {\"add\":{...}} each",
        about: source)
    case .list: self = error
    case .text: self = error.withCause("\(error.cause); it begins like text, not like JSON")
    }
  }
}
