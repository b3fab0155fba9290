// SPDX-License-Identifier: Apache-2.0

/// The palettes that are there from the start.
enum Themes {
  static let names = Array(texts.keys)

  /// The emoji of a theme; nil where it is none.
  static func emojis(of name: PaletteName) -> [EmojiText]? {
    texts[name].map { text in
      // A test sees that each of them is one.
      text.unicodeScalars.split(separator: " ").compactMap { try? EmojiText(String($0)) }
    }
  }

  /// How many words a theme has.
  static func count(of name: PaletteName) -> Int {
    texts[name].map { $0.unicodeScalars.split(separator: " ").count } ?? 0
  }

  private static let texts = Dictionary(
    uniqueKeysWithValues: table.map { (PaletteName(checked: $0.0), $0.1) })

  private static let table = [
    ("animal-faces", "🐵 🐶 🐺 🦊 🦝 🐱 🦁 🐯 🐴 🦄 🦓 🐮 🐷 🐗 🐭 🐹 🐰 🐻 🐻‍❄️ 🐨 🐼 🐸 🐲 🐔 🐣 🦒"),
    (
      "animals",
      "🐒 🦍 🐕 🐩 🐈 🐅 🐆 🐎 🦌 🐂 🐄 🐖 🐏 🐑 🐐 🐪 🐘 🦏 🦛 🐁 🐇 🐿️ 🦔 🦇 🦘 🦡 🦃 🐓 🐧 🕊️ 🦅 🦆 🦢 🦉 🦩 🦜 🐊 🐢 🦎 🐍 🐳 🐋 🐬 🦭 🐟 🐠 🐡 🦈 🐙 🐌 🦋 🐛 🐜 🐝 🪲 🐞 🦗 🕷️ 🦂"
    ),
    ("drinks", "☕ 🫖 🍵 🥛 🧃 🥤 🧋 🍶 🍾 🍷 🍸 🍹 🍺 🍻 🥂 🥃 🧉 🧊"),
    (
      "faces",
      "😀 😃 😄 😁 😆 😅 🤣 😂 🙂 🙃 😉 😊 😇 🥰 😍 🤩 😘 😋 😜 🤪 🤗 🤔 🤐 😐 😏 😒 🙄 😬 😌 😴 😷 🤒 🥵 🥶 🤯 🤠 🥳 😎 🤓 😟 😮 😳 🥺 😢 😭 😱 😤 😡 😈 💀 💩 🤡 👻 👽 🤖"
    ),
    ("flags", "🏁 🚩 🎌 🏴 🏳️ 🏳️‍🌈 🏳️‍⚧️ 🏴‍☠️ 🇪🇺 🇺🇳 🇦🇹 🇧🇪 🇧🇷 🇨🇦 🇨🇭 🇨🇳 🇩🇪 🇩🇰 🇪🇸 🇫🇷 🇬🇧 🇮🇳 🇮🇹 🇯🇵 🇰🇷 🇳🇱 🇺🇦 🇺🇸"),
    (
      "food",
      "🍎 🍐 🍊 🍋 🍌 🍉 🍇 🍓 🫐 🍒 🍑 🥭 🍍 🥥 🥝 🍅 🍆 🥑 🥦 🥕 🌽 🌶️ 🥔 🍄 🍞 🥐 🥨 🧀 🥚 🍳 🥞 🧇 🥓 🍗 🍔 🍟 🍕 🌭 🥪 🌮 🌯 🥗 🍝 🍜 🍣 🍦 🍩 🍪 🎂 🍰 🧁 🍫 🍬 🍭 🍯"
    ),
    ("hands", "👋 🤚 🖐️ ✋ 🖖 👌 🤌 🤏 ✌️ 🤞 🤟 🤘 🤙 👈 👉 👆 👇 ☝️ 👍 👎 ✊ 👊 👏 🙌 👐 🤲 🤝 🙏 ✍️ 💪"),
    ("hearts", "❤️ 🧡 💛 💚 💙 💜 🤎 🖤 🤍 💔 ❣️ 💕 💞 💓 💗 💖 💘 💝 💟 ❤️‍🔥 ❤️‍🩹 💌"),
    ("music", "🎵 🎶 🎼 🎤 🎧 📻 🎷 🪗 🎸 🎹 🎺 🎻 🪕 🥁 🪘 🔔 📯 🎙️ 🎚️ 🎛️"),
    ("plants", "💐 🌸 💮 🏵️ 🌹 🥀 🌺 🌻 🌼 🌷 🌱 🪴 🌲 🌳 🌴 🌵 🌾 🌿 ☘️ 🍀 🍁 🍂 🍃 🍄 🎄 🎋"),
    ("sports", "⚽ ⚾ 🥎 🏀 🏐 🏈 🏉 🎾 🥏 🎳 🏏 🏑 🏒 🥍 🏓 🏸 🥊 🥋 🥅 ⛳ ⛸️ 🎣 🤿 🎽 🎿 🛷 🥌 🎯 🏆 🥇 🥈 🥉 🏅 🚴 🏊 🏄 🏇"),
    (
      "vehicles",
      "🚗 🚕 🚙 🚌 🚎 🏎️ 🚓 🚑 🚒 🚐 🛻 🚚 🚛 🚜 🛵 🏍️ 🚲 🛴 🛹 🚂 🚆 🚇 🚊 🚝 🚃 🚋 ✈️ 🛩️ 🚁 🚀 🛸 🚡 🎈 ⛵ 🚤 🛥️ ⛴️ 🚢 ⚓"
    ),
    (
      "weather",
      "☀️ 🌤️ ⛅ 🌥️ ☁️ 🌦️ 🌧️ ⛈️ 🌩️ 🌨️ ❄️ ☃️ ⛄ 🌬️ 💨 🌪️ 🌫️ 🌈 ☔ ☂️ 💧 🌊 ⚡ 🔥 ☄️ ⭐ 🌟 🌙 🌑 🌓 🌕 🌗 🌍 🌡️"
    ),
  ]
}
