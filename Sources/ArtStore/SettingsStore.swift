// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The user's settings: a small JSON file in the configuration folder, which the user may edit by hand.
///
///     $CONFIG/config.json    {"author":"Ada","size":"64","version":1}
public struct SettingsStore: Sendable {
  /// Nil if no variable names a folder; then nothing is set.
  public let path: String?
  /// The error, if the folder that a variable names cannot be used.
  private var refusal: ArtError?

  /// The store in the user's configuration folder.
  public init() { self.init { Environment[$0] } }

  /// The same for other variables.
  package init(_ variable: @escaping @Sendable (String) -> String?) {
    do throws(ArtError) { path = try ConfigFolder.path(variable) + "/config.json" } catch {
      path = nil
      // A missing folder is an error only when a setting is saved.
      if error != .noConfigFolder { refusal = error }
    }
  }

  /// The most bytes of the file.
  private static let largest = 1 << 16

  /// The settings. Throws `badValue` if `EMOJIART_CONFIG` is relative, `badJSON` and `newerFormat` with the position in
  /// the file, `notADocument` if it is no regular file, `tooLarge`, `inputOutput`, `notPermitted`.
  public func settings() throws(ArtError) -> Settings {
    if let refusal { throw refusal }
    guard let path else { return Settings() }
    return try Self.settings(in: ReplacedFile(path: path, limit: Self.largest).read(), path)
  }

  /// Sets a value, or with nil removes it. It is saved when this returns. Throws what reading throws, `badValue`, `busy`,
  /// `diskFull`; then nothing is changed.
  public func set(_ setting: Setting, to value: String?) throws(ArtError) {
    guard let path else { throw refusal ?? .noConfigFolder }
    try ReplacedFile(path: path, limit: Self.largest).update { (bytes) throws(ArtError) in
      let before = try Self.settings(in: bytes, path)
      var after = before
      try after.set(setting, to: value)
      return (after == before ? bytes : Array(after.fileText.utf8), ())
    }
  }

  private static func settings(in bytes: [UInt8]?, _ path: String) throws(ArtError) -> Settings {
    guard let bytes else { return Settings() }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try Settings(file: bytes) }
    } catch {
      let advice = error.code == .newerFormat ? "get a newer emojiart" : "correct it, or move it away"
      throw error.withCause("\(path): \(error.cause); \(advice)")
    }
  }
}

// MARK: - What is in force

/// The settings in force in this process: the environment, else the user's settings, and for the author also other sources.
public struct CurrentSettings: Sendable {
  /// Where a value comes from.
  public enum Source: Hashable, Sendable {
    /// A variable of the environment, by its name.
    case variable(String)
    /// The user's settings.
    case file
    /// The user's name in git's configuration.
    case git

    /// Its name, for messages and JSON: a variable's name, `config.json` or `git`.
    public var name: String {
      switch self {
      case .variable(let name): name
      case .file: "config.json"
      case .git: "git"
      }
    }
  }

  /// A value in force, and where it comes from.
  public struct Value: Hashable, Sendable {
    /// The value, checked.
    public let text: String
    /// Where it comes from.
    public let source: Source
  }

  private let variable: @Sendable (String) -> String?
  private let stored: Settings

  /// Reads the user's settings; none where this user may not read them, such as those of another user whose `HOME` is in the environment,
  /// after `sudo -u`. Throws else what `SettingsStore.settings` throws.
  public init() throws(ArtError) { try self.init { Environment[$0] } }

  /// The same for other variables.
  package init(_ variable: @escaping @Sendable (String) -> String?) throws(ArtError) {
    self.variable = variable
    do throws(ArtError) {
      stored = try SettingsStore(variable).settings()
    } catch {
      // git does the same: access_or_die() with ACCESS_EACCES_OK in its config.c.
      guard error.code == .notPermitted else { throw error }
      stored = Settings()
    }
  }

  /// The value of a setting; nil if it has none. Throws `badValue` for a value in the environment that is none.
  public subscript(setting: Setting) -> Value? {
    get throws(ArtError) {
      if let typed = variable(setting.variable), let text = try Self.checked(setting, typed) {
        return Value(text: text, source: .variable(setting.variable))
      }
      if let text = stored[setting] { return Value(text: text, source: .file) }
      return setting == .author ? Self.author(variable) : nil
    }
  }

  /// A variable's value, checked; nil if it is blank. A font may be a relative path there, since it is for one call.
  private static func checked(_ setting: Setting, _ typed: String) throws(ArtError) -> String? {
    guard !typed.allSatisfy(\.isWhitespace) else { return nil }
    guard setting != .font else { return typed }
    do throws(ArtError) { return try setting.checked(typed) } catch {
      throw error.withCause("\(setting.variable): \(error.cause)")
    }
  }

  /// The author's name of other programs: git's, else the login name. A name that no edit may have is passed over.
  private static func author(_ variable: @escaping (String) -> String?) -> Value? {
    func value(_ name: String?, _ source: Source) -> Value? {
      // It was not given to this program, so it is no error here.
      name.flatMap { try? Setting.author.checked($0) }.map { Value(text: $0, source: source) }
    }
    return value(GitIdentity.name(XDGFolders(variable)), .git) ?? value(variable("USER"), .variable("USER"))
  }
}

// MARK: - git

/// The name under which the user makes commits.
enum GitIdentity {
  /// The most bytes of a configuration file that are read.
  private static let largest = 1 << 20

  /// The value of `user.name` in `~/.gitconfig`, else in `$XDG_CONFIG_HOME/git/config`; nil without one, and if a file
  /// cannot be read. Included files and a repository's own configuration are not read.
  static func name(_ folders: XDGFolders) -> String? {
    let files = [folders.home.map { "\($0)/.gitconfig" }, folders.config.map { "\($0)/git/config" }]
    for case let path? in files {
      // The name is a convenience: a file of another program is no reason to refuse an edit.
      guard let bytes = try? ReplacedFile(path: path, limit: largest).read(),
        let name = name(in: String(decoding: bytes, as: UTF8.self))
      else { continue }
      return name
    }
    return nil
  }

  /// The last value of `user.name` in a configuration file; nil without one. Source: git-config(1), "Syntax".
  static func name(in text: String) -> String? {
    var isUser = false
    var name: String?
    // "\r\n" is one Character. A lone "\r" ends no line.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.makeIterator()
    while let raw = lines.next() {
      var line = trimmed(raw)
      if line.first == "[" {
        guard let end = line.firstIndex(of: "]") else { continue }
        isUser = line[..<end].dropFirst().lowercased() == "user"
        line = trimmed(line[end...].dropFirst())
      }
      guard isUser, let equals = line.firstIndex(of: "="), trimmed(line[..<equals]).lowercased() == "name"
      else { continue }
      var value = Value()
      var rest: Substring? = line[equals...].dropFirst()
      // A backslash at the end of a line continues it.
      while let part = rest { rest = value.add(part) ? lines.next() : nil }
      name = value.text
    }
    return name
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0.isWhitespace }
    return start.prefix(
      upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)
  }

  /// A value as it is read: quotes, escapes, and comments at its end.
  private struct Value {
    private(set) var text = ""
    private var isQuoted = false
    /// Blanks that belong to the value only if something follows.
    private var blanks = ""

    /// Adds a line's text. Returns whether the next line continues it.
    mutating func add(_ line: Substring) -> Bool {
      var characters = line.makeIterator()
      while let character = characters.next() {
        switch character {
        case "\\":
          guard let next = characters.next() else { return true }
          put(["n": "\n", "t": "\t", "b": "\u{8}"][next] ?? next)
        case "\"": isQuoted.toggle()
        case "#", ";":
          guard isQuoted else { return false }
          put(character)
        case _ where character.isWhitespace && !isQuoted: blanks += text.isEmpty ? "" : String(character)
        default: put(character)
        }
      }
      return false
    }

    private mutating func put(_ character: Character) {
      text += blanks + String(character)
      blanks = ""
    }
  }
}
