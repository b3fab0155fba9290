// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A service that takes pictures, and its rules for them. This table is the only place that has them.
public struct Destination: Sendable {
  /// The name that a user gives.
  public let name: String
  /// What it takes, in words.
  public let what: String
  /// The formats that it takes; the first one is written unless another is named.
  public let formats: [PictureFormat]
  /// The size of a picture, or the one that it is fitted into.
  public let size: (width: Int, height: Int)
  /// The empty edge within that size; nil where a side may be shorter, and nothing is empty.
  public let margin: Int?
  /// The most bytes of a file. Where a page says "KB", these are thousands, which satisfy both readings.
  public let bytes: Int

  /// The services, in the order of the alphabet.
  public static let all: [Destination] = [
    // https://docs.discord.com/developers/resources/sticker#create-guild-sticker: PNG, APNG, GIF or Lottie, 320 x 320 pixels, max 512 KB.
    Destination(
      name: "discord", what: "a sticker for Discord", formats: [.png], size: (320, 320), margin: 0,
      bytes: 512_000),
    // https://docs.discord.com/developers/resources/emoji: JPEG, PNG, GIF, WebP and AVIF, max 256 KiB, best at 128 x 128 pixels.
    Destination(
      name: "discord-emoji", what: "an emoji for Discord", formats: [.png, .webp, .avif], size: (128, 128),
      margin: 0, bytes: 256_000),
    // Signal Desktop's sticker creator: "PNG, APNG, or WebP format with a transparent background and 512x512 pixels. Recommended margin is
    // 16px"; https://github.com/signalapp/Signal-Desktop, sticker-creator: maxByteSize = 300 * 1024.
    Destination(
      name: "signal", what: "a sticker for Signal", formats: [.webp, .png], size: (512, 512), margin: 16,
      bytes: 300 * 1024),
    // https://docs.slack.dev/reference/methods/admin.emoji.add: "Square images under 128KB and with transparent backgrounds work
    // best"; shown at 128 pixels at most.
    Destination(
      name: "slack", what: "an emoji for Slack", formats: [.png], size: (128, 128), margin: 0, bytes: 127_999),
    // https://core.telegram.org/stickers#static-sticker-requirements: one side exactly 512 pixels, the other one 512 or less, PNG or WebP;
    // https://core.telegram.org/bots/api#uploadstickerfile: up to 512 kilobytes.
    Destination(
      name: "telegram", what: "a sticker for Telegram", formats: [.webp, .png], size: (512, 512), margin: nil,
      bytes: 512_000),
    // https://github.com/WhatsApp/stickers, Android/README.md: exactly 512 x 512 pixels, WebP, less than 100KB, a transparent background;
    // https://faq.whatsapp.com/general/26000226: a margin of 16 pixels.
    Destination(
      name: "whatsapp", what: "a sticker for WhatsApp", formats: [.webp], size: (512, 512), margin: 16,
      bytes: 99_999),
    // The same README: the tray icon of a pack has 96 x 96 pixels, and 50KB at most.
    Destination(
      name: "whatsapp-tray", what: "the icon of a pack for WhatsApp", formats: [.png], size: (96, 96),
      margin: 0,
      bytes: 50_000),
  ]

  /// Their names.
  public static var names: [String] { all.map(\.name) }

  /// The service of that name, in any case. Throws `badValue`.
  public init(named name: String) throws(ArtError) {
    guard let found = Self.all.first(where: { $0.name == name.lowercased() }) else {
      throw ArtError(
        .badValue,
        "\(name.isEmpty ? "\"\"" : name) is no service that is known; give \(Self.names.joined(separator: ", "))"
      )
    }
    self = found
  }

  private init(
    name: String, what: String, formats: [PictureFormat], size: (Int, Int), margin: Int?, bytes: Int
  ) {
    (self.name, self.what, self.formats, self.size, self.margin, self.bytes) = (
      name, what, formats, size, margin, bytes
    )
  }

  /// Its rules in a line: `webp, 512 x 512 pixels with an edge of 16, up to 99999 bytes`.
  public var rules: String {
    let formats = formats.map(\.rawValue).joined(separator: "/")
    let size = margin == nil ? "a side of \(size.width) pixels" : "\(size.width) x \(size.height) pixels"
    let edge = margin.map { $0 > 0 ? " with an edge of \($0)" : "" } ?? ""
    return "\(formats), \(size)\(edge), up to \(bytes) bytes"
  }
}
