// SPDX-License-Identifier: Apache-2.0

/// A form in which documents are written outside our own file: our JSON, and those of the EmojiArt apps of Stanford's
/// course CS193p.
public enum Dialect: String, Sendable, CaseIterable {
  /// What `show --json` prints, with the picture's bytes beside it where it is exported.
  case json
  /// Places from the picture's top left; a URL or a picture at the top.
  case emojiart2017 = "emojiart-2017"
  /// Places from the centre; `backgroundURL`.
  case emojiart2020 = "emojiart-2020"
  /// Places from the centre; `background` with `url` or `imageData`.
  case emojiart2021a = "emojiart-2021a"
  /// The same, as Swift's own coding of enumerations writes it: `{"url":{"_0":…}}`.
  case emojiart2021b = "emojiart-2021b"
  /// Places from the centre, y upwards; `background` is a URL.
  case emojiart2023 = "emojiart-2023"
}
