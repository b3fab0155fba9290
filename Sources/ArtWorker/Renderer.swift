// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Synchronization

/// Has drawings made, each by a helper program of its own that is limited and that nothing is left of. It has no state: any
/// number of drawings are asked for beside each other, and as many are made at once as its pool has slots.
public struct Renderer: Sendable {
  /// Bytes of address space of a helper program. It seldom uses 256 MiB of it, but libraries, threads and the font take theirs, and
  /// the largest picture that can be a background must be drawn whatever its format is.
  static let memory = 384 << 20
  /// Seconds of processor time for a drawing.
  static let seconds = 60
  /// Bytes of a result: no drawing that is not refused has so many, and one that never ends would fill the disk.
  static let resultLimit = 1 << 32
  /// How long a helper program may say nothing.
  static let silence = Duration.seconds(120)

  private let helpers: HelperPrograms
  private let pool: HelperPool
  private let clock: any Clock<Duration>

  /// A renderer, which looks for `emojiart-worker` there at each drawing. `pool` limits how many run at once. The clock is that of
  /// its deadlines, which count from the start of a helper program.
  public init(
    helpers: HelperPrograms = .installed, pool: HelperPool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.pool = pool
    self.clock = clock
  }

  /// Draws. `take` is called with the result's bytes in pieces, in their order, on a thread of its own, and never again after this
  /// has returned; when it answers false the drawing is given up, as `cancelled`. It may take its time: no more is drawn than it
  /// takes. What was taken counts only if this does not throw. When the task is cancelled, so is the drawing, and this returns as
  /// soon as `take` has; one that still waits for its pool starts no helper program.
  public func draw(
    _ drawing: Drawing, _ take: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    let program: HelperProgram
    do throws(ArtError) { program = try helpers.worker() } catch { throw .failed(error) }
    do throws(DrawingRefusal) { try drawing.check() } catch { throw .refused(error) }
    let limits = HelperLimits(
      memory: Self.memory, processorSeconds: Self.seconds, line: WorkerReply.lineLimit,
      bytes: WorkerReply.partLimit)
    let kinds = PictureKind.ofBackground(drawing.scene.picture ?? [])
    let dialogue = DrawingDialogue(with: program, limit: Self.resultLimit)
    let call = HelperCall(program, .draw(font: drawing.font, kinds), limits, dialogue) {
      (send) throws(HelperFailure) in
      try drawing.send(send)
    } _: {
      take($0)
    }
    let outcome = await pool.run { [clock] in await call.answer(within: .silence(Self.silence), on: clock) }
    guard let outcome else { throw .cancelled }
    return try outcome.get()
  }

  /// The same, whole. Throws `failed` with `tooLarge` for a result of more bytes than that.
  public func draw(_ drawing: Drawing, limit: Int) async throws(DrawingFailure) -> (Drawn, [UInt8]) {
    let whole = Whole()
    do throws(DrawingFailure) {
      let drawn = try await draw(drawing) { whole.take($0, limit: limit) }
      return (drawn, whole.bytes)
    } catch {
      guard error == .cancelled, whole.isTooLarge else { throw error }
      throw .failed(
        ArtError(.tooLarge, "what was drawn has more than \(limit) bytes; draw it at a smaller scale"))
    }
  }
}

/// What is drawn, gathered.
private final class Whole: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isTooLarge = false
  }

  private let state = Mutex(State())

  var bytes: [UInt8] { state.withLock(\.bytes) }
  var isTooLarge: Bool { state.withLock(\.isTooLarge) }

  /// Whether there is room for more.
  func take(_ part: [UInt8], limit: Int) -> Bool {
    state.withLock { state in
      state.isTooLarge = part.count > limit - state.bytes.count
      if !state.isTooLarge { state.bytes += part }
      return !state.isTooLarge
    }
  }
}

extension PictureKind {
  /// The loaders that a helper program needs for these bytes, of which it decides itself what they are.
  static func ofBackground(_ bytes: [UInt8]) -> [PictureKind] {
    PictureKind(of: bytes).map { [$0] } ?? []
  }
}

extension Drawing {
  /// Throws for what no helper program would take.
  fileprivate func check() throws(DrawingRefusal) {
    if case .symbols(let columns, let rows, _) = format {
      guard Format.cells.contains(columns), Format.cells.contains(rows) else {
        throw DrawingRefusal(
          .tooLarge,
          "nothing of \(columns) x \(rows) cells can be drawn; each may be 1 to \(Format.cells.upperBound)")
      }
    }
    guard scene.labels.count <= Limits.emojiCount else {
      throw DrawingRefusal(
        .tooLarge, "\(scene.labels.count) emoji; at most \(Limits.emojiCount) are drawn; draw fewer")
    }
    if let picture = scene.picture, picture.count > WorkerRequest.bodyLimit {
      throw DrawingRefusal(
        .tooLarge,
        "a background of \(picture.count) bytes; at most \(WorkerRequest.bodyLimit) are drawn; set a smaller one"
      )
    }
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
