// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore

/// The work of `export`.
struct Exporting {
  private let file: DocumentFile
  private let dialect: Dialect
  /// Nil for stdout.
  private let output: String?
  private let isStrict: Bool
  private let isJSON: Bool

  /// Reads what can be wrong without looking anywhere. Throws `usage` and `badValue`.
  init(_ words: Export) throws(ArtError) {
    guard let dialect = Dialect(rawValue: words.format.lowercased()) else {
      let names = Dialect.allCases.map(\.rawValue).joined(separator: ", ")
      throw ArtError(.badValue, "\(shown(words.format)) is no format; give one of \(names)")
    }
    self.dialect = dialect
    output = words.output == "-" ? nil : words.output
    isStrict = words.strict
    isJSON = words.common.json
    guard output != nil || !isJSON else {
      throw ArtError(.usage, "--json tells of the file that is written; name one with -o")
    }
    file = try words.common.file(words.doc)
  }

  /// Returns how the command ends.
  func run() throws(ArtError) -> ExitStatus {
    let seen = try SeenDocument(file)
    let report = dialect.report(on: seen.content, isPictureLost: seen.isPictureLost)
    if isStrict, !report.notes.isEmpty { return try refuse(report) }
    let status = seen.isPictureLost ? ExitStatus.badData : .done
    guard let output else {
      try dialect.write(seen.content, picture: seen.scene.picture) { (piece) throws(ArtError) in
        try Output.write(piece)
      }
      try Output.line("")
      for line in report.lines { Output.complain("\(file.path): \(line)") }
      return status
    }
    if seen.isPictureLost {
      Output.complain("\(file.path): the bytes of its background are lost; it is exported without")
    }
    let size = try write(seen, to: output)
    Output.tell(of: "the document is in \(output)")
    try tell(seen.content, report, output, size)
    return status
  }

  /// Writes a file, of which signals leave nothing. Returns how many bytes it has.
  private func write(_ seen: SeenDocument, to output: String) throws(ArtError) -> Int {
    // The apps open files of that ending only.
    let place = try FilePlace(output, replacing: .exchanges(mayHaveOurEnding: dialect != .json))
    let result = try NewFile(place)
    let held = result.heldSignals()
    defer { held.release() }
    let take = { (piece: [UInt8]) throws(ArtError) in if !result.take(piece) { try result.check() } }
    try dialect.write(seen.content, picture: seen.scene.picture, to: take)
    try take([UInt8(ascii: "\n")])
    try result.finish()
    return result.size
  }
}

extension Exporting {
  private func refuse(_ report: ExchangeReport) throws(ArtError) -> ExitStatus {
    let fields: [String: JSON] = ["format": .string(dialect.rawValue), "notes": report.json]
    if isJSON { try Output.json(.object(["refused": .object(fields)])) }
    for line in report.lines { Output.complain("\(file.path): \(line)") }
    Output.complain(
      "\(file.path) is not exported: not all of it can be carried to \(dialect.rawValue); leave out --strict")
    return .badData
  }

  private func tell(
    _ content: DocumentContent, _ report: ExchangeReport, _ output: String, _ size: Int
  ) throws(ArtError) {
    guard isJSON else {
      let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount - report.emojisLeftOut) emoji"
      try Output.line(safe("\(output): \(count), \(dialect.rawValue)"))
      for line in report.lines { try Output.line(safe("  \(line)")) }
      return
    }
    let fields: [String: JSON] = [
      "emojis": .integer(content.emojiCount - report.emojisLeftOut), "format": .string(dialect.rawValue),
      "notes": report.json, "path": .string(output), "size": .integer(size),
    ]
    try Output.json(.object(["exported": .object(fields)]))
  }
}

extension SeenDocument {
  /// Whether the background's bytes are not in the document any more.
  fileprivate var isPictureLost: Bool { content.background != nil && scene.picture == nil }
}
