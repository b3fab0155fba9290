// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore

/// A document that is to be written in a form that others read.
public struct Exporter: Sendable {
  /// The form.
  public let dialect: Dialect
  /// The document, with what programs that are gone have left for it.
  public let view: DocumentView
  /// What cannot be carried.
  public let report: ExchangeReport

  /// Reads the document. Throws what reading throws.
  public init(_ file: DocumentFile, as dialect: Dialect, recovery: Recovery) throws(ArtError) {
    self.dialect = dialect
    view = try DocumentView(file, recovery: recovery)
    report = dialect.report(on: view.content, isPictureLost: view.isPictureLost)
  }

  /// How many emoji are carried.
  public var emojiCount: Int { view.content.emojiCount - report.emojisLeftOut }

  /// Where a file in that form goes; what is there is replaced if it is a document in one of the forms. Throws what
  /// `OutputPlace` throws.
  public func place(_ path: String) throws(ArtError) -> OutputPlace {
    // The apps open files of our ending only.
    try OutputPlace(path, replacing: .exchanges(mayHaveOurEnding: dialect != .json))
  }

  /// Writes it in pieces. Throws what `body` throws.
  public func write(_ body: ([UInt8]) throws(ArtError) -> Void) throws(ArtError) {
    try dialect.write(view.content, picture: view.scene.picture, to: body)
  }

  /// Writes it into a file, with a line break behind it, and puts the file at its path. Throws why not; then nothing is at the path
  /// that was not there before.
  public func write(to file: OutputFile) throws(ArtError) {
    let write = { (piece: [UInt8]) throws(ArtError) in if !file.write(piece) { try file.check() } }
    try self.write(write)
    try write([UInt8(ascii: "\n")])
    try file.finish()
  }
}
