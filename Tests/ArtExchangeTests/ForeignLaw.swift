// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel

/// What must hold for any bytes that a user imports. `scripts/dev fuzz` is built with this file, too.
struct ForeignLaw {
  /// The outcome of reading the bytes.
  enum Outcome {
    case refused
    case accepted(ForeignArt, DocumentContent, ExchangeReport)
  }

  /// The size of the picture, if the document has a background.
  var picture: Canvas?
  /// The dialect in which the document is written again.
  var dialect: Dialect

  /// Reads the bytes, makes a document of them, writes it, and reads that again. Throws if the law is broken.
  func check(
    _ bytes: UnsafeBufferPointer<UInt8>, using generator: inout some RandomNumberGenerator
  ) throws(Broken) -> Outcome {
    let art: ForeignArt
    do throws(ArtError) { art = try ForeignArt(reading: bytes) } catch {
      let codes: [ArtError.Code] = [.badJSON, .notADocument, .badValue, .tooLarge]
      guard codes.contains(error.code), !error.cause.isEmpty else {
        throw Broken("refused as \(error.code)")
      }
      return .refused
    }
    let (content, report) = try make(art, with: picture, using: &generator)
    try compare(art.emojisFound, content.emojiCount + report.emojisLeftOut, "emoji are lost without a note")
    try compare(art.emojiCount, content.emojiCount, "the number of emoji differs from the reported one")
    try checkBounds(content)
    let first = try write(content)
    let again = try first.withUnsafeBufferPointer { (first) throws(Broken) in try reread(first) }
    try compare(again.emojisFound, content.emojiCount, "the number of written emoji differs")
    // Of what is written, only words are left out: no other form has captions.
    let words = dialect == .json ? 0 : content.emojisInOrder().count { $0.text.isCaption }
    guard again.report.emojisLeftOut <= words else { throw Broken("emoji that were written are left out") }
    // Without emoji some dialects are the same.
    if content.emojiCount > 0 { try compare(again.dialect, dialect, "another dialect was written") }
    let (twice, changes) = try make(again, with: content.background?.size, using: &generator)
    guard !changes.notes.contains(where: { $0.code == "placeHeldBack" }) else {
      return .accepted(art, content, report)
    }
    if again.report.emojisLeftOut == 0, dialect != .json || art.background == nil {
      try compareWriting(of: twice, with: first, hasWords: words > 0, using: &generator)
    }
    return .accepted(art, content, report)
  }

  /// Throws if the content of a written document is written differently. Words such as ❤ become an emoji when they are read, and an
  /// emoji is written with its variation selector: a document with words must be the same from the second time on.
  private func compareWriting(
    of content: DocumentContent, with first: [UInt8], hasWords: Bool,
    using generator: inout some RandomNumberGenerator
  ) throws(Broken) {
    let second = try write(content)
    guard second != first else { return }
    guard hasWords else { throw Broken("the written document reads differently") }
    let again = try second.withUnsafeBufferPointer { (second) throws(Broken) in try reread(second) }
    let (third, _) = try make(again, with: content.background?.size, using: &generator)
    try compare(again.emojiCount, content.emojiCount, "the number of emoji differs the second time")
    try compare(try write(third), second, "the written document reads differently the second time")
  }

  /// A broken law.
  struct Broken: Error {
    let words: String
    init(_ words: String) { self.words = words }
  }

  /// Throws these words if the values differ.
  func compare<Value: Equatable>(_ found: Value, _ expected: Value, _ words: String) throws(Broken) {
    guard found == expected else { throw Broken(words) }
  }

  private func make(
    _ art: ForeignArt, with picture: Canvas?, using generator: inout some RandomNumberGenerator
  ) throws(Broken) -> (DocumentContent, ExchangeReport) {
    let checked =
      art.background == nil
      ? nil
      : picture.map {
        CheckedPicture(bytes: [], mediaType: "image/png", size: $0, isAnimated: false)
      }
    let url = art.background?.url.flatMap { $0.utf8.count <= Limits.urlBytes ? $0 : nil }
    let asked: (url: String, since: Int, reason: String)? =
      checked == nil && art.pending == nil ? url.map { ($0, 0, "offline") } : nil
    do throws(ArtError) {
      return try art.content(
        picture: checked, digest: checked.map { _ in String(repeating: "0", count: 32) }, url: url,
        pending: asked, using: &generator)
    } catch {
      throw Broken("read, and then: \(error.cause)")
    }
  }

  /// Checks what a document's file checks when it is read, apart from what the types guarantee.
  private func checkBounds(_ content: DocumentContent) throws(Broken) {
    let emojis = content.emojisInOrder()
    try compare(emojis.count, content.emojiCount, "the order has another number of emoji")
    try compare(Set(emojis.map(\.id)).count, emojis.count, "two emoji with one id")
    for emoji in emojis {
      guard Limits.zOrder.contains(emoji.z) else { throw Broken("an emoji out of z-order") }
      if let box = emoji.text.box {
        let words: Words
        do throws(ArtError) { words = try Words(emoji.text.string) } catch {
          throw Broken("words that are none: \(error.cause)")
        }
        try compare(EmojiText(words, box: box), emoji.text, "words that are read differently")
        continue
      }
      do throws(ArtError.TextFault) {
        try compare(try EmojiText(checking: emoji.text.string), emoji.text)
      } catch {
        throw Broken("a text that is none: \(error)")
      }
    }
  }

  private func compare(_ found: EmojiText, _ expected: EmojiText) throws(ArtError.TextFault) {
    guard found == expected else { throw .control }
  }

  private func write(_ content: DocumentContent) throws(Broken) -> [UInt8] {
    var bytes: [UInt8] = []
    let data: [UInt8]? = content.background == nil ? nil : [1, 2, 3, 4]
    do throws(ArtError) { try dialect.write(content, picture: data) { bytes += $0 } } catch {
      throw Broken("not written: \(error.cause)")
    }
    _ = dialect.report(on: content)
    return bytes
  }

  private func reread(_ bytes: UnsafeBufferPointer<UInt8>) throws(Broken) -> ForeignArt {
    do throws(ArtError) { return try ForeignArt(reading: bytes) } catch {
      throw Broken("what was written is refused: \(error.cause)")
    }
  }
}
