// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// `new --background`: the document with its picture, or nothing at all.
struct NewWithBackground {
  let file: DocumentFile
  /// Nil where the canvas is to take the picture's size.
  let canvas: Canvas?
  let isJSON: Bool

  func run(_ typed: String) throws {
    // Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
    var status = stat()
    guard lstat(file.path, &status) != 0 else {
      throw ArtError(.exists, "\(file.path) exists already; choose another name")
    }
    let folder = FilePath(file.path).folder
    guard stat(folder, &status) == 0 else {
      throw ArtError(.noSuchDocument, "no folder \(folder) to create \(file.path) in; make it first")
    }
    let taken: TakenPicture
    do {
      taken = try take(typed)
    } catch let refused as RefusedBackground {
      try tell(refused)
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
    var random = SystemRandomNumberGenerator()
    let url = taken.url
    _ = try file.create(canvas: canvas, background: (taken.picture, url), using: &random)
    Output.tell(of: "the document itself is there")
    if isJSON {
      let state = BackgroundState(
        background: try Background(taken.picture, from: url), pending: nil, revision: 0)
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
    Output.complain("\(file.path) is not made: \(refused.words)")
  }
}
