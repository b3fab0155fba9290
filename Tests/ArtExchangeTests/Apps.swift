// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

// The documents of the apps as each year's app declares them, for Foundation's encoder and decoder, which the apps use: a file
// that is refused here is refused by the app.

/// The document of 2017.
struct App2017: Codable, Equatable {
  struct EmojiInfo: Codable, Equatable {
    let x: Int
    let y: Int
    let text: String
    let size: Int
  }
  var url: URL?
  var imageData: Data?
  var emojis: [EmojiInfo]
}

/// An emoji of 2020 and 2021.
struct LabelOf2020: Codable, Equatable {
  let text: String
  var x: Int
  var y: Int
  var size: Int
  let id: Int
}

/// The document of 2020.
struct App2020: Codable, Equatable {
  var backgroundURL: URL?
  var backgroundImageData: Data?
  var emojis: [LabelOf2020]
  var uniqueEmojiId: Int
}

/// The document of 2021, with its own coding of the background.
struct App2021a: Codable, Equatable {
  enum Background: Equatable, Codable {
    case blank
    case url(URL)
    case imageData(Data)

    enum CodingKeys: String, CodingKey {
      case url
      case imageData
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let url = try? container.decode(URL.self, forKey: .url) {
        self = .url(url)
      } else if let data = try? container.decode(Data.self, forKey: .imageData) {
        self = .imageData(data)
      } else {
        self = .blank
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .url(let url): try container.encode(url, forKey: .url)
      case .imageData(let data): try container.encode(data, forKey: .imageData)
      case .blank: break
      }
    }
  }
  var background: Background
  var emojis: [LabelOf2020]
  var uniqueEmojiId: Int
}

/// The document of 2021, with Swift's coding of the background.
struct App2021b: Codable, Equatable {
  enum Background: Equatable, Codable {
    case blank
    case url(URL)
    case imageData(Data)
  }
  var background: Background
  var emojis: [LabelOf2020]
  var uniqueEmojiId: Int
}

/// The document of 2023.
struct App2023: Codable, Equatable {
  struct Emoji: Codable, Equatable {
    struct Position: Codable, Equatable {
      var x: Int
      var y: Int
    }
    let string: String
    var position: Position
    var size: Int
    var id: Int
  }
  var background: URL?
  var emojis: [Emoji]
  var uniqueEmojiId: Int
}

/// A document that an app could have written.
protocol AppDocument: Codable, Equatable {
  static func random(using random: inout SplitMix64) throws -> Self
}

/// A URL with an escaped query.
private func anyURL(_ random: inout SplitMix64) throws -> URL? {
  URL(string: "https://example.org/a/\(random.below(1000)).png?q=1&r=%20")
}

/// Bytes of a picture.
private func anyData(_ random: inout SplitMix64) -> Data {
  Data((0..<(1 + random.below(200))).map { _ in UInt8.random(in: 0...255, using: &random) })
}

private func anyText(_ random: inout SplitMix64) -> String {
  RandomArt.texts[random.below(RandomArt.texts.count)]
}

private func anyPlace(_ random: inout SplitMix64) -> Int { random.below(2001) - 1000 }

private func anySize(_ random: inout SplitMix64) -> Int { 1 + random.below(300) }

private func anyLabels(_ random: inout SplitMix64) -> [LabelOf2020] {
  (0..<random.below(9)).map {
    LabelOf2020(
      text: anyText(&random), x: anyPlace(&random), y: anyPlace(&random), size: anySize(&random), id: $0 + 1)
  }
}

extension App2017: AppDocument {
  static func random(using random: inout SplitMix64) throws -> App2017 {
    App2017(
      url: random.oneIn(2) ? try anyURL(&random) : nil, imageData: random.oneIn(2) ? anyData(&random) : nil,
      emojis: (0..<random.below(9)).map { _ in
        EmojiInfo(x: anyPlace(&random), y: anyPlace(&random), text: anyText(&random), size: anySize(&random))
      })
  }
}

extension App2020: AppDocument {
  static func random(using random: inout SplitMix64) throws -> App2020 {
    let labels = anyLabels(&random)
    return App2020(
      backgroundURL: random.oneIn(2) ? try anyURL(&random) : nil,
      backgroundImageData: random.oneIn(2) ? anyData(&random) : nil, emojis: labels,
      uniqueEmojiId: labels.count)
  }
}

extension App2021a: AppDocument {
  static func random(using random: inout SplitMix64) throws -> App2021a {
    let labels = anyLabels(&random)
    let background = try anyURL(&random).map { Background.url($0) } ?? .blank
    return App2021a(
      background: [background, .blank, .imageData(anyData(&random))][random.below(3)], emojis: labels,
      uniqueEmojiId: labels.count)
  }
}

extension App2021b: AppDocument {
  static func random(using random: inout SplitMix64) throws -> App2021b {
    let labels = anyLabels(&random)
    let background = try anyURL(&random).map { Background.url($0) } ?? .blank
    return App2021b(
      background: [background, .blank, .imageData(anyData(&random))][random.below(3)], emojis: labels,
      uniqueEmojiId: labels.count)
  }
}

extension App2023: AppDocument {
  static func random(using random: inout SplitMix64) throws -> App2023 {
    let emojis = (0..<random.below(9)).map {
      Emoji(
        string: anyText(&random), position: .init(x: anyPlace(&random), y: anyPlace(&random)),
        size: anySize(&random),
        id: $0 + 1)
    }
    return App2023(
      background: random.oneIn(2) ? try anyURL(&random) : nil, emojis: emojis, uniqueEmojiId: emojis.count)
  }
}
