// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The user's palettes: a small JSON file in the configuration folder, which the user may edit by hand.
///
///     $CONFIG/palettes.json    {"palettes":{"bugs":["🐝","🐛"]},"version":1}
public struct PaletteStore: Sendable {
  /// Nil if no variable names a folder; then there are only the themes.
  private let path: String?
  /// The error, if the folder that a variable names cannot be used.
  private var refusal: ArtError?
  private let recent: RecentStore

  /// The store in the user's folders.
  public init() {
    do throws(ArtError) {
      self.init(in: try ConfigFolder.path(), RecentStore())
    } catch {
      self.init(in: nil, RecentStore())
      // A missing folder is an error only when a palette is saved.
      if error != .noConfigFolder { refusal = error }
    }
  }

  init(in folder: String?, _ recent: RecentStore) {
    path = folder.map { $0 + "/palettes.json" }
    self.recent = recent
  }

  /// The most bytes of the file.
  private static let largest = 1 << 20

  /// All palettes. Throws `badValue` if `EMOJIART_CONFIG` is relative, `badJSON` and `newerFormat` with the
  /// position in the file, `notADocument` if it is no regular file, `tooLarge`, `inputOutput`,
  /// `notPermitted`.
  public func palettes() throws(ArtError) -> Palettes {
    if let refusal { throw refusal }
    var palettes = Palettes()
    if let path {
      palettes = try Self.palettes(in: ReplacedFile(path: path, limit: Self.largest).read(), path)
    }
    palettes.recent = recent.emojis()
    return palettes
  }

  /// Changes the palettes under a lock, and returns the result of `change`. The change is saved when this
  /// returns. Throws what reading and the change throw, and writes nothing then; `busy`, `diskFull`.
  @discardableResult
  public func update<Value>(
    _ change: (inout Palettes) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    guard let path else { throw refusal ?? .noConfigFolder }
    return try ReplacedFile(path: path, limit: Self.largest).update { (bytes) throws(ArtError) in
      let before = try Self.palettes(in: bytes, path)
      var after = before
      let value = try change(&after)
      guard after.own != before.own else { return (bytes, value) }
      let text = Array(after.fileText.utf8)
      guard text.count <= Self.largest else { throw .largePaletteFile(path, Self.largest) }
      return (text, value)
    }
  }

  private static func palettes(in bytes: [UInt8]?, _ path: String) throws(ArtError) -> Palettes {
    guard let bytes else { return Palettes() }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try Palettes(file: bytes) }
    } catch {
      let advice = error.code == .newerFormat ? "get a newer emojiart" : "correct it, or move it away"
      throw error.withCause("\(path): \(error.cause); \(advice)")
    }
  }
}

extension ArtError {
  fileprivate static func largePaletteFile(_ path: String, _ limit: Int) -> ArtError {
    ArtError(.tooLarge, "\(path) would be larger than \(limit) bytes; remove a palette", about: path)
  }
}

// MARK: - Recent emoji

/// The emoji that were added last on this machine: a small file in the state folder. It is a convenience, so errors are ignored.
///
///     $STATE/recent.json    {"recent":["🐝","🌸"]}
public struct RecentStore: Sendable {
  /// Nil if there is no state folder; then nothing is stored.
  private let file: ReplacedFile?

  /// The store in the state folder.
  public init() {
    // Without a state folder there are no recent emoji.
    self.init(in: try? StateFolder.path())
  }

  init(in folder: String?) {
    file = folder.map {
      // Not worth a durable write, or a long wait for another program.
      ReplacedFile(
        path: $0 + "/recent.json", limit: 1 << 16, timeout: .milliseconds(100), isDurable: false)
    }
  }

  /// The recent emoji, newest first; empty if the file is damaged or cannot be read.
  public func emojis() -> [EmojiText] {
    do throws(ArtError) { return try Self.recent(in: file?.read()).emojis } catch { return [] }
  }

  /// Adds emoji at the front. Returns whether that was saved.
  @discardableResult
  public func add(_ texts: [EmojiText]) -> Bool {
    guard !texts.isEmpty else { return true }
    do throws(ArtError) {
      try update { $0.add(texts) }
      return file != nil
    } catch {
      // The edit itself is saved, so this is not worth an error.
      return false
    }
  }

  /// Removes all recent emoji. Throws `inputOutput`, `notPermitted`, `busy`, `diskFull`.
  public func forget() throws(ArtError) { try update { $0 = RecentEmoji() } }

  private func update(_ change: (inout RecentEmoji) -> Void) throws(ArtError) {
    try file?.update { (bytes) throws(ArtError) in
      var recent = Self.recent(in: bytes)
      change(&recent)
      return (Array(recent.fileText.utf8), ())
    }
  }

  /// The emoji in a file; damaged content counts as empty.
  private static func recent(in bytes: [UInt8]?) -> RecentEmoji {
    guard let bytes else { return RecentEmoji() }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try RecentEmoji(file: bytes) }
    } catch {
      return RecentEmoji()
    }
  }
}
