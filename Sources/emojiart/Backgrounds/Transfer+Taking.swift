// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

/// A picture that was fetched, or read, and checked.
struct TakenPicture {
  var picture: CheckedPicture
  /// Whether it came from a URL; not from a file of a person's own.
  var isFromURL = true
  /// The URL, where it is one that a document keeps: long ones are let go, for they may be as large as the picture.
  var url: String?
}

extension Transfer {
  init(documentAt path: String) {
    let name = FilePath(path).name
    let ending = DocumentFile.ending
    self.init(name: name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name)
  }

  /// Takes what a person typed, by that person's proxies. Throws `RefusedBackground`, or an `ArtError`.
  func take(_ source: PictureSource, allowsPrivate: Bool = false) throws -> TakenPicture {
    var url: BackgroundURL?
    do {
      switch try source.read() {
      case .bytes(let bytes): return TakenPicture(picture: try picture(bytes), isFromURL: false)
      case .url(let found):
        url = found
        let request = BackgroundRequest(
          found, isTyped: true, allowsPrivate: allowsPrivate, proxies: .ofEnvironment)
        return TakenPicture(picture: try picture(request), url: found.kept)
      }
    } catch let refusal as Refusal {
      throw RefusedBackground(
        refusal: refusal, asked: url?.string, file: source.fileName, shown: url?.shown)
    }
  }

  /// Takes what stands in a document: whoever put it there, nobody typed it just now. Throws as `take` does.
  func take(fromElsewhere text: String, allowsPrivate: Bool) throws -> TakenPicture {
    var url: BackgroundURL?
    do {
      let found = try BackgroundURL(text)
      url = found
      let request = BackgroundRequest(found, isTyped: false, allowsPrivate: allowsPrivate)
      return TakenPicture(picture: try picture(request), url: found.kept)
    } catch let refusal as Refusal {
      throw RefusedBackground(refusal: refusal, asked: text, shown: url?.shown)
    }
  }
}
