// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A person's palettes: a small JSON file in the folder of their settings, which they may edit by hand.
///
///     $CONFIG/palettes.json    {"palettes":{"bugs":["🐝","🐛"]},"version":1}
public struct PaletteStore: Sendable {
  /// Nil where no variable names a folder: then there are the themes only.
  private let path: String?
  /// Why the folder that a variable names is not used.
  private var refusal: ArtError?
  private let recent: RecentStore

  /// In the person's folders.
  public init() {
    do throws(ArtError) {
      self.init(in: try ConfigFolder.path(), RecentStore())
    } catch {
      self.init(in: nil, RecentStore())
      // That there is none is said where something is to be kept.
      if error != .noConfigFolder { refusal = error }
    }
  }

  init(in folder: String?, _ recent: RecentStore) {
    path = folder.map { $0 + "/palettes.json" }
    self.recent = recent
  }

  /// The largest file that is read.
  private static let largest = 1 << 20

  /// All palettes. Throws `badValue` where `EMOJIART_CONFIG` is relative, `badJSON` and `newerFormat` with the place in the file, `notADocument` where something else is in
  /// its place, `tooLarge`, `inputOutput`, `notPermitted`.
  public func palettes() throws(ArtError) -> Palettes {
    if let refusal { throw refusal }
    var palettes = Palettes()
    if let path {
      palettes = try Self.palettes(in: ReplacedFile(path: path, limit: Self.largest).read(), path)
    }
    palettes.recent = recent.emojis()
    return palettes
  }

  /// Changes them, one program after the other; when this returns what it returns, the change is kept. Throws what reading
  /// and the change throw, then nothing is written; `busy`, `diskFull`.
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
      let advice = error.code == .newerFormat ? "get a newer emojiart" : "mend it, or move it away"
      throw error.withCause("\(path): \(error.cause); \(advice)")
    }
  }
}

extension ArtError {
  fileprivate static func largePaletteFile(_ path: String, _ limit: Int) -> ArtError {
    ArtError(.tooLarge, "\(path) would be larger than \(limit) bytes; remove a palette", about: path)
  }
}

/// What was added last on this machine: a small file in the state folder. Nobody's work is in it, so what goes wrong with it is
/// passed over.
///
///     $STATE/recent.json    {"recent":["🐝","🌸"]}
public struct RecentStore: Sendable {
  /// Nil where there is no state folder: then nothing is kept.
  private let file: ReplacedFile?

  /// In the state folder.
  public init() {
    // Without one there is nothing that was added last.
    self.init(in: try? StateFolder.path())
  }

  init(in folder: String?) {
    file = folder.map {
      // Nobody waits for a loss of power, or long for another program, because of this.
      ReplacedFile(
        path: $0 + "/recent.json", limit: 1 << 16, timeout: .milliseconds(100), isDurable: false)
    }
  }

  /// The newest first; none where the file is damaged or cannot be read.
  public func emojis() -> [EmojiText] {
    do throws(ArtError) { return try Self.recent(in: file?.read()).emojis } catch { return [] }
  }

  /// Puts emoji in front that were added just now; whether that is kept.
  @discardableResult
  public func add(_ texts: [EmojiText]) -> Bool {
    guard !texts.isEmpty else { return true }
    do throws(ArtError) {
      try update { $0.add(texts) }
      return file != nil
    } catch {
      // The edit itself is saved: this is nothing to be told.
      return false
    }
  }

  /// Forgets them. Throws `inputOutput`, `notPermitted`, `busy`, `diskFull`.
  public func forget() throws(ArtError) { try update { $0 = RecentEmoji() } }

  private func update(_ change: (inout RecentEmoji) -> Void) throws(ArtError) {
    try file?.update { (bytes) throws(ArtError) in
      var recent = Self.recent(in: bytes)
      change(&recent)
      return (Array(recent.fileText.utf8), ())
    }
  }

  /// Damaged content is as if there was none.
  private static func recent(in bytes: [UInt8]?) -> RecentEmoji {
    guard let bytes else { return RecentEmoji() }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try RecentEmoji(file: bytes) }
    } catch {
      return RecentEmoji()
    }
  }
}
