// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess

/// Has drawings made, each by a helper program of its own. It has no state. STUB
public struct Renderer: Sendable {
  private let program: WorkerProgram?
  private let clock: any Clock<Duration>

  /// A renderer; `program` is the helper, and nil when it was not found. The clock is that of its deadlines.
  public init(
    program: WorkerProgram? = WorkerProgram.find("emojiart-worker"),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.program = program
    self.clock = clock
  }

  /// Draws. `take` is called with the result's bytes in pieces, in their order, on a thread of its own, and never again after this
  /// has returned; when it answers false the drawing is given up, as `cancelled`. What was taken counts only if this does not throw.
  /// When the task is cancelled, so is the drawing.
  public func draw(
    _ drawing: Drawing, _ take: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    throw .failed(.noWorker())
  }

  /// The same, whole. Throws `failed` with `tooLarge` for a result of more bytes than that.
  public func draw(_ drawing: Drawing, limit: Int) async throws(DrawingFailure) -> (Drawn, [UInt8]) {
    throw .failed(.noWorker())
  }
}

/// Why there is no drawing.
public enum DrawingFailure: Error, Hashable, Sendable {
  /// It cannot be drawn so, or not here.
  case refused(DrawingRefusal)
  /// The helper program is missing, is another version's, or ended before its answer.
  case failed(ArtError)
  /// Somebody gave it up.
  case cancelled
}

/// Where the font with colour glyphs lies.
public enum EmojiFont {
  /// The one at that path, which a person gave; else what `EMOJIART_FONT` names; else Noto Color Emoji where Debian and others keep
  /// it and people install it. Nil when there is none. STUB
  public static func find(_ path: String?) -> String? {
    path ?? "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
  }
}
