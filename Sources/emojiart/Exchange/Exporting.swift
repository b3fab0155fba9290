// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// The work of `export`.
struct Exporting {
  private let file: DocumentFile
  private let dialect: Dialect
  /// The state that is exported; nil for the present one.
  private let reference: RevisionReference?
  /// The output path; nil for stdout.
  private let output: String?
  private let isStrict: Bool
  private let isJSON: Bool

  /// Checks the arguments without reading any file. Throws `usage` and `badValue`.
  init(_ arguments: Export) throws(ArtError) {
    guard let dialect = Dialect(rawValue: arguments.format.lowercased()) else {
      guard !Self.drawn.contains(arguments.format.lowercased()) else {
        throw ArtError(.badValue, "\(arguments.format) is a picture; `emojiart render DOC -o FILE` draws one")
      }
      let names = Dialect.allCases.map(\.rawValue).joined(separator: ", ")
      throw ArtError(.badValue, "\(shown(arguments.format)) is no format; give one of \(names)")
    }
    self.dialect = dialect
    reference = try arguments.state.reference()
    output = arguments.output == "-" ? nil : arguments.output
    if let output, let instead = Self.command(for: output, of: arguments.doc) {
      throw ArtError(
        .usage, "export writes JSON, and \(output) is to be something else; `\(instead)` makes it",
        about: output)
    }
    isStrict = arguments.strict
    isJSON = arguments.common.json
    guard output != nil || !isJSON else {
      throw ArtError(.usage, "--json reports on the file that is written; name one with -o")
    }
    file = try arguments.common.file(arguments.doc)
  }

  /// The endings of files that `render` draws, and of other pictures.
  private static let (drawn, otherPictures) = (
    ["png", "jpg", "jpeg", "webp", "svg", "pdf"], ["gif", "avif", "bmp", "heic", "tif", "tiff"]
  )

  /// The command line that makes a file with an ending of which export makes none; nil for another ending.
  static func command(for output: String, of document: String) -> String? {
    let name = FilePath(output).name
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let (ending, document) = (name[dot...].dropFirst().lowercased(), ArtError.Remedy.shellWord(document))
    let file = ArtError.Remedy.shellWord(output)
    switch ending {
    case _ where drawn.contains(ending): return "emojiart render \(document) -o \(file)"
    case _ where otherPictures.contains(ending):
      let other = ArtError.Remedy.shellWord(String(output.dropLast(ending.count)) + "png")
      return "emojiart render \(document) -o \(other)"
    case "txt": return "emojiart show \(document) --words >\(file)"
    case "htm", "html": return "emojiart gallery -o \(file)"
    default: return nil
    }
  }

  /// Exports, and returns the exit status.
  func run() throws(ArtError) -> ExitStatus {
    let exporter = try Exporter(file, at: reference, as: dialect, recovery: .ofCommand)
    if isStrict, !exporter.report.notes.isEmpty { return try refuse(exporter.report) }
    let status = exporter.view.isPictureLost ? ExitStatus.badData : .done
    guard let output else {
      try exporter.write { (piece) throws(ArtError) in try Output.write(piece) }
      try Output.line("")
      for line in exporter.report.lines { Output.printError("\(file.path): \(line)") }
      return status
    }
    if exporter.view.isPictureLost {
      Output.printError("\(file.path): the bytes of its background are lost; it is exported without")
    }
    let size = try write(exporter, to: output)
    Output.addToErrors("the document is in \(output)")
    try report(exporter, output, size)
    return status
  }

  /// Writes a file and returns its size in bytes. A signal leaves no partial file behind.
  private func write(_ exporter: Exporter, to output: String) throws(ArtError) -> Int {
    guard !output.isEmpty else {
      throw ArtError(.badValue, "an empty name is no file; give one, or - for stdout")
    }
    let result = try OutputFile(of: exporter.location(output))
    let signals = result.blockedSignals()
    defer { signals.release() }
    try result.orEnd { () throws(ArtError) in try exporter.write(to: result) }
    return result.size
  }
}

extension Exporting {
  private func refuse(_ report: ExchangeReport) throws(ArtError) -> ExitStatus {
    let fields: [String: JSON] = ["format": .string(dialect.rawValue), "notes": report.json]
    if isJSON { try Output.json(.object(["refused": .object(fields)])) }
    for line in report.lines { Output.printError("\(file.path): \(line)") }
    Output.printError(
      "\(file.path) is not exported: not all of it fits \(dialect.rawValue); leave out --strict")
    return .badData
  }

  private func report(_ exporter: Exporter, _ output: String, _ size: Int) throws(ArtError) {
    let report = exporter.report
    guard isJSON else {
      let count = exporter.view.content.emojiCount == 0 ? "no emoji" : "\(exporter.emojiCount) emoji"
      try Output.line(safe("\(output): \(count), \(dialect.rawValue)"))
      for line in report.lines { try Output.line(safe("  \(line)")) }
      return
    }
    let fields: [String: JSON] = [
      "emojiCount": .integer(exporter.emojiCount), "format": .string(dialect.rawValue),
      "notes": report.json, "path": .string(output), "size": .integer(size),
    ]
    try Output.json(.object(["exported": .object(fields)]))
  }
}
