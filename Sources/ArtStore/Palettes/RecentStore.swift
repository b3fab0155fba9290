// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
