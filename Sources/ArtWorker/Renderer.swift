// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
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

/// Where the font with colour glyphs lies.
public enum EmojiFont {
  /// The name of Noto Color Emoji's file with its glyphs as pictures, everywhere.
  private static let name = "NotoColorEmoji.ttf"

  /// The one at that path, which a person gave; else what `EMOJIART_FONT` names; else Noto Color Emoji where people install it for
  /// themselves and where Debian and others keep it. Nil when there is none.
  public static func find(_ path: String?) -> String? {
    find(
      path, environment: { Environment[$0] }, isFile: { FileStatus.isRegularFile(at: $0, access: R_OK) })
  }

  /// The same with that environment and those files. What a person named is believed, there or not: whoever draws says what is
  /// wrong with it.
  static func find(
    _ path: String?, environment: @escaping (String) -> String?, isFile: (String) -> Bool
  ) -> String? {
    if let path = path ?? environment("EMOJIART_FONT") { return path }
    return folders(environment).lazy.map { "\($0)/\(name)" }.first(where: isFile)
  }

  /// Where it may lie, a person's own folders before the system's.
  private static func folders(_ environment: @escaping (String) -> String?) -> [String] {
    let xdg = XDGFolders(environment)
    let all = xdg.sharedData
    var roots = [xdg.data.map { "\($0)/fonts" }, xdg.home.map { "\($0)/.fonts" }].compactMap(\.self)
    for folder in all + ["/usr/local/share", "/usr/share", "/run/current-system/sw/share/X11"]
    where !roots.contains("\(folder)/fonts") {
      roots.append("\(folder)/fonts")
    }
    return roots.flatMap { root in subfolders.map { "\(root)\($0)" } }
  }

  /// Below a folder of fonts: Debian and Ubuntu, Arch and Alpine, Fedora old and new, Gentoo, openSUSE, one's own.
  private static let subfolders = [
    "/truetype/noto", "/noto", "/google-noto-emoji", "/google-noto-color-emoji-fonts", "/noto-emoji",
    "/truetype", "",
  ]
}

/// What this program and a helper program say to each other about one drawing.
///
/// ```
///   greeting --hello--> asked --part(n)--> receiving(n) --n bytes--> asked
///                         '-- drawn, notDrawn --> answered --it ends well--> believed
/// ```
/// Anything else leads to `broken`, from where nothing leads. The parts are passed on as they come, and count when the answer
/// that follows them is `drawn` and is believed.
struct DrawingDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case receiving(Int)
    case answered(Result<Drawn, DrawingRefusal>)
    case broken(ArtError)
  }

  static var cancelled: DrawingFailure { .cancelled }

  private let path: String
  /// Bytes of all parts, at most, and how many there may still be.
  private let limit: Int
  private var left: Int
  private var state = State.greeting

  /// Nothing has been said yet.
  init(with program: HelperProgram, limit: Int) {
    path = program.path
    self.limit = limit
    left = limit
  }

  mutating func heard(line: [UInt8]) -> DialogueEffect<[UInt8]> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return breaks(.nonsense(path, error.cause))
    }
    switch (state, reply) {
    case (.greeting, .hello(WorkerRequest.version)):
      state = .asked
      return .ask
    case (.greeting, .hello(let version)): return breaks(.otherVersion(path, version))
    case (.asked, .part(let count)):
      guard count <= left else { return breaks(.nonsense(path, "a drawing of more than \(limit) bytes")) }
      left -= count
      state = .receiving(count)
      return .take(count)
    case (.asked, .drawn(let drawn)):
      state = .answered(.success(drawn))
      return .nothing
    case (.asked, .notDrawn(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return breaks(.nonsense(path, "a \(reply.name) that was not asked for"))
    default: return breaks(.nonsense(path, "a \(reply.name) out of turn"))
    }
  }

  mutating func heard(bytes: [UInt8]) -> DialogueEffect<[UInt8]> {
    guard case .receiving(bytes.count) = state else { return breaks(.nonsense(path, "bytes out of turn")) }
    state = .asked
    return .tell(bytes)
  }

  private mutating func breaks(_ error: ArtError) -> DialogueEffect<[UInt8]> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<Drawn, DrawingFailure> {
    switch state {
    case .broken(let error): return .failure(.failed(error))
    case .answered(let answer) where end.isGood: return answer.mapError(DrawingFailure.refused)
    case .asked, .receiving:
      return .failure(DrawingRefusal(of: end).map(DrawingFailure.refused) ?? .failed(.ended(path, end)))
    default: return .failure(.failed(.ended(path, end)))
    }
  }

  func outcome(after deadline: Duration) -> DrawingFailure {
    if case .broken(let error) = state { return .failed(error) }
    return .failed(.hangs(path, deadline.components.seconds))
  }

  static func failed(_ error: ArtError) -> DrawingFailure { .failed(error) }
}

extension DrawingRefusal {
  /// What a drawing is refused for when the program that made it came to that end; nil where the drawing is not to blame.
  fileprivate init?(of end: HelperEnd) {
    if end.cause == .signal(SIGSYS) {
      self.init(
        .forbidden,
        "drawing it tried what the sandbox of emojiart-worker forbids, and was ended; draw it without its background, or with another font"
      )
    } else if end.cause == .signal(SIGXCPU) {
      self.init(
        .tooLarge, "drawing it takes more than \(Renderer.seconds) s; draw less of it, or at a smaller scale")
    } else if end.lacksMemory {
      self.init(
        .noMemory,
        "drawing it takes more than \(Renderer.memory >> 20) MB of memory; draw less of it, or at a smaller scale"
      )
    } else {
      return nil
    }
  }
}
