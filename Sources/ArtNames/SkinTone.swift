// SPDX-License-Identifier: Apache-2.0

/// The skin tones of Unicode, U+1F3FB to U+1F3FF, in their order.
public enum SkinTone: String, CaseIterable, Sendable {
  case light
  case mediumLight = "medium-light"
  case medium
  case mediumDark = "medium-dark"
  case dark

  /// The tone that a scalar stands for.
  init?(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x1F3FB: self = .light
    case 0x1F3FC: self = .mediumLight
    case 0x1F3FD: self = .medium
    case 0x1F3FE: self = .mediumDark
    case 0x1F3FF: self = .dark
    default: return nil
    }
  }

  /// The tones in an emoji from left to right; one where two people have the same.
  static func tones(in emoji: String) -> [SkinTone] {
    let all = emoji.unicodeScalars.compactMap(SkinTone.init)
    return all.count == 2 && all[0] == all[1] ? [all[0]] : all
  }
}

/// In which skin tones emoji are found.
public enum ToneChoice: Equatable, Sendable {
  /// As they are without any.
  case none
  /// In this one, where there is such a version.
  case tone(SkinTone)
  /// Without any, then every version in Unicode's order.
  case all
}
