// SPDX-License-Identifier: Apache-2.0

/// What a user sets once for all documents.
///
/// An argument of a command wins over the environment, and the environment over these.
public enum Setting: String, CaseIterable, Sendable {
  /// The name under which edits are made.
  case author
  /// The font with emoji in colours: the name of an `EmojiFontName`, or the absolute path of a file.
  case font
  /// How a terminal shows art: a value of `GraphicsChoice`.
  case graphics
  /// The language of emoji names, as in `de`, besides English.
  case language
  /// The size of a new emoji or caption.
  case size

  /// The variable of the environment that wins over the setting.
  public var variable: String { "EMOJIART_\(rawValue.uppercased())" }

  /// Checks a value, and returns it as it is stored. Throws `badValue` with what is permitted.
  public func checked(_ value: String) throws(ArtError) -> String {
    switch self {
    case .author:
      guard let name = value.trimmed else { throw .badAuthor(value) }
      return try DocumentClient(author: name).author ?? name
    case .font:
      if let name = EmojiFontName(typed: value) { return name.rawValue }
      guard value.hasPrefix("/"), value.utf8.count <= Limits.pathBytes, !value.utf8.contains(0) else {
        throw .badSetting(self, value, "\(EmojiFontName.list), or the absolute path of a font's file")
      }
      return value
    case .graphics:
      guard GraphicsChoice(rawValue: value) != nil else {
        throw .badSetting(self, value, GraphicsChoice.list)
      }
      return value
    case .language:
      let code = value.lowercased()
      guard (2...3).contains(code.utf8.count),
        code.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
      else { throw .badSetting(self, value, "a language's code of two or three letters, such as de") }
      return code
    case .size: return try Length(size: value).description
    }
  }
}

/// How a terminal shows art, as a user chooses it.
public enum GraphicsChoice: String, CaseIterable, Sendable {
  /// The best that the terminal can show.
  case auto
  /// A picture by kitty's protocol.
  case kitty
  /// A picture as sixels.
  case sixel
  /// Characters in colours.
  case symbols
  /// The emoji as text, each in a cell.
  case text
  /// No art, but sentences, for screen readers.
  case words
  /// No art.
  case none

  /// The values for messages: `auto, kitty, ... or none`.
  package static var list: String {
    let names = allCases.map(\.rawValue)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }
}

/// The values of the settings that are set.
public struct Settings: Equatable, Sendable {
  /// The values, each as `Setting.checked` returns it.
  private var values: [Setting: String] = [:]

  /// No values.
  public init() {}

  /// The value of a setting; nil if it is not set.
  public subscript(setting: Setting) -> String? { values[setting] }

  /// Sets a value, or with nil removes it. Throws `badValue`.
  public mutating func set(_ setting: Setting, to value: String?) throws(ArtError) {
    values[setting] = try value.map { (value) throws(ArtError) in try setting.checked(value) }
  }
}

// MARK: - The file

/// The file, which users may edit: `{"author":"Ada","size":"64","version":1}`.
extension Settings {
  private static let version = 1

  /// The text of the file: sorted keys, one setting a line.
  public var fileText: String {
    var members = Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, JSON.string($0.value)) })
    members["version"] = .integer(Self.version)
    let lines = members.sorted { $0.key < $1.key }.map { "  \(JSON.string($0.key).text): \($0.value.text)" }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }

  /// Parses the file strictly. Throws `badJSON` with the line, and `newerFormat`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    try ConfigFile.checkVersion(bytes, knows: Self.version, of: "settings")
    self = try JSONReader.read(bytes) { (reader) throws(ArtError) in
      var settings = Settings()
      try reader.object { (key, reader) throws(ArtError) in
        guard key != "version" else {
          guard try reader.integer() == Self.version else { throw reader.error("a version that is none") }
          return
        }
        guard let setting = Setting(rawValue: key) else { throw reader.error(Self.unknown(key)) }
        guard settings[setting] == nil else { throw reader.error("\(key) twice") }
        let value = try reader.string()
        do throws(ArtError) { try settings.set(setting, to: value) } catch {
          throw reader.error("a bad value: \(error.cause)")
        }
      }
      return settings
    }
  }

  private static func unknown(_ key: String) -> String {
    let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
    return "the key \"\(key[...].shortened(to: 60))\"; there are \(known) and version"
  }
}

/// What the small JSON files have in common that users may edit by hand.
enum ConfigFile {
  /// Checks the version first: a newer file may have its values in another form, and they come before the version. Throws
  /// `newerFormat`.
  static func checkVersion(
    _ bytes: UnsafeBufferPointer<UInt8>, knows version: Int, of what: String
  ) throws(ArtError) {
    var found: Int?
    do throws(ArtError) {
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "version" { found = try reader.integer() } else { try reader.skip() }
        }
      }
    } catch {
      // Malformed JSON is reported, with its line, when the values are read.
      return
    }
    guard let found, found > version else { return }
    throw ArtError(.newerFormat, "\(what) in format \(found), this program knows \(version)")
  }
}
