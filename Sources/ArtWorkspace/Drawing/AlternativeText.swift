// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames

extension DrawingScene {
  /// How many kinds of emoji, and how many captions, are named.
  private static let named = 20
  /// The most scalars of a caption, and of the name of an emoji.
  private static let wordLength = 200

  /// What a part of the canvas shows, in words, for those who cannot see it: the canvas, the captions, and the kinds of emoji, the most
  /// frequent first. Nil for all of the canvas.
  ///
  ///     800 x 600 pixels, filled with #ffcc00: "Happy birthday", 🕯️ candle ×12, 🎂 birthday cake ×1
  public func alternativeText(of region: CanvasRect? = nil) -> String {
    let region = region ?? CanvasRect(canvas)
    let things = words(region)
    let background = picture == nil ? "" : ", with a picture behind"
    let fill = fill.map { ", filled with \($0)" } ?? ""
    let sides = [region.width, region.height].map { numberText(max(1, $0.rounded())) }
    let size = "\(sides[0]) x \(sides[1]) pixels"
    return size + fill + background + (things.isEmpty ? "" : ": " + things.joined(separator: ", "))
  }

  /// The names of so many of its emoji, by their texts.
  func names(upTo count: Int) -> [String: String] {
    var names: [String: String] = [:]
    var known: Set<String> = []
    for label in labels where !label.text.isCaption && known.insert(label.text.string).inserted {
      guard names.count < count else { break }
      names[label.text.string] = EmojiNames.names(of: label.text.string).first?.name[...].shortened(
        to: Self.wordLength)
    }
    return names
  }

  /// The captions and the kinds of emoji of which something is seen.
  private func words(_ region: CanvasRect) -> [String] {
    var captions: [String] = []
    var kinds: [(text: String, count: Int)] = []
    var places: [String: Int] = [:]
    for label in labels {
      let box = EmojiBox(label)
      guard box.overlaps(region), box.overlaps(CanvasRect(canvas)) else { continue }
      if label.text.isCaption {
        captions.append(label.text.string)
      } else if let place = places[label.text.string] {
        kinds[place].count += 1
      } else {
        places[label.text.string] = kinds.count
        kinds.append((label.text.string, 1))
      }
    }
    // Equally frequent ones stay in their order.
    let sorted = kinds.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
    return Self.list(captions.map(Self.quoted), "caption")
      + Self.list(sorted.map(\.element), "kind of emoji", "kinds of emoji", Self.counted)
  }

  private static func list<Thing>(
    _ things: [Thing], _ one: String, _ many: String? = nil, _ words: (Thing) -> String
  ) -> [String] {
    let more = things.count - named
    let rest = more > 0 ? ["\(more) more \(more == 1 ? one : many ?? one + "s")"] : []
    return things.prefix(named).map(words) + rest
  }

  private static func list(_ things: [String], _ one: String) -> [String] { list(things, one) { $0 } }

  /// `🎂 birthday cake ×1`.
  private static func counted(_ kind: (text: String, count: Int)) -> String {
    let name = EmojiNames.names(of: kind.text).first.map { " \($0.name)" } ?? ""
    return "\(kind.text)\(name[...].shortened(to: wordLength)) ×\(kind.count)"
  }

  /// The words of a caption in one line.
  private static func quoted(_ caption: String) -> String {
    let line = caption.split(whereSeparator: \.isNewline).joined(separator: " ")
    return "\"\(line[...].shortened(to: wordLength))\""
  }
}
