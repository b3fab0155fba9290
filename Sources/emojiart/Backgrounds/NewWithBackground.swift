// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import Glibc

/// `new --background`: the document with its picture, or nothing at all.
struct NewWithBackground {
  let file: DocumentFile
  /// Nil where the canvas is to take the picture's size.
  let canvas: Canvas?
  let isJSON: Bool

  func run(_ typed: String) throws {
    var author = try thisAuthor()
    // Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
    var status = stat()
    guard lstat(file.path, &status) != 0 else {
      throw ArtError(.exists, "\(file.path) exists already; choose another name")
    }
    let taken: TakenPicture
    do {
      taken = try take(typed)
    } catch let refused as RefusedBackground {
      try tell(refused)
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
    let stamp = author.stamp(at: millisecondsSince1970())
    let state = try create(taken, stamp)
    Output.tell(of: "the document itself is there")
    if isJSON {
      try Output.line(state.json(taken.picture, path: file.path))
    } else {
      try Output.line(safe(file.path))
      try Output.line(safe(taken.words))
    }
  }

  private func take(_ typed: String) throws -> TakenPicture {
    let source: PictureSource
    do { source = try PictureSource(typed) } catch { throw RefusedBackground(refusal: error, asked: typed) }
    return try Transfer(documentAt: file.path).take(source)
  }

  private func tell(_ refused: RefusedBackground) throws(ArtError) {
    if isJSON { try Output.line(refused.json) }
    try Output.flush()
    Output.complain("\(file.path): \(RefusalWarning.message(refused.refusal)); no document was made")
  }

  private func create(_ taken: TakenPicture, _ stamp: EditStamp) throws(ArtError) -> BackgroundState {
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas ?? taken.picture.size, using: &random)
    do throws(ArtError) {
      return try file.edit { (transaction) throws(ArtError) in
        try transaction.keep(taken.picture)
        let background = try Background(taken.picture, from: taken.url?.kept)
        let edit = try BackgroundEdit.set(background, keepsCanvas: true).plan(on: transaction)
        if let edit { _ = try transaction.perform(edit, stamp: stamp) }
        return BackgroundState(transaction)
      }
    } catch {
      unlink(file.path)
      throw error
    }
  }
}
