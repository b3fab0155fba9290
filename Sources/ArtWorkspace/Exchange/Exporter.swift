// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore

/// Writes a document in a format of other programs.
public struct Exporter: Sendable {
  /// The format.
  public let dialect: Dialect
  /// The document with its orphaned edits.
  public let view: DocumentView
  /// What the format cannot express.
  public let report: ExchangeReport

  /// Reads the document, or an earlier state of it. Throws what reading throws, and `noSuchRevision`.
  public init(
    _ file: DocumentFile, at reference: RevisionReference? = nil, as dialect: Dialect, recovery: Recovery
  ) throws(ArtError) {
    self.dialect = dialect
    view = try DocumentView(file, at: reference, recovery: recovery)
    report = dialect.report(on: view.content, isPictureLost: view.isPictureLost)
  }

  /// The number of emoji that are exported.
  public var emojiCount: Int { view.content.emojiCount - report.emojisLeftOut }

  /// The location of an exported file. An existing file is replaced if it is a document in one of these formats. Throws what
  /// `OutputLocation` throws.
  public func location(_ path: String) throws(ArtError) -> OutputLocation {
    // The apps open only files with our extension.
    try OutputLocation(path, replacing: .exchanges(mayHaveOurEnding: dialect != .json))
  }

  /// Writes the document in pieces. Throws what `body` throws.
  public func write(_ body: ([UInt8]) throws(ArtError) -> Void) throws(ArtError) {
    try dialect.write(view.content, picture: view.scene.picture, to: body)
  }

  /// Writes the document and a line break into a file, and puts the file at its path. Throws the error; then the path is
  /// unchanged.
  public func write(to file: OutputFile) throws(ArtError) {
    let write = { (piece: [UInt8]) throws(ArtError) in if !file.write(piece) { try file.check() } }
    try self.write(write)
    try write([UInt8(ascii: "\n")])
    try file.finish()
  }
}
