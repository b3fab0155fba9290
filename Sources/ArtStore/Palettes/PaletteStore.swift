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
      throw ArtError(error.code, "\(path): \(error.message); \(advice)")
    }
  }
}

extension ArtError {
  fileprivate static func largePaletteFile(_ path: String, _ limit: Int) -> ArtError {
    ArtError(.tooLarge, "\(path) would be larger than \(limit) bytes; remove a palette")
  }
}
