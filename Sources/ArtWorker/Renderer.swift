// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization

/// Draws, and measures captions (Measuring.swift), each time in a resource-limited helper process of its own. Has no state: drawings
/// are independent of each other, and its pool limits how many run at once.
public struct Renderer: Sendable {
  /// Address space of a helper process, in bytes. It seldom needs 256 MiB, but libraries, threads and the font
  /// count, and the largest allowed background must be drawn in every format.
  static let memory = 384 << 20
  /// Processor time of a drawing, in seconds.
  static let seconds = 60
  /// Size limit of a result in bytes: no valid drawing reaches it, and a runaway process must not fill the
  /// disk.
  static let resultLimit = 1 << 32
  /// How long a helper process may be silent.
  static let idleTimeout = Duration.seconds(120)

  private let helpers: HelperPrograms
  private let pool: HelperPool
  private let clock: any Clock<Duration>

  /// Creates a renderer; `emojiart-worker` is searched for at each drawing. `pool` limits how many run at once.
  /// `clock` measures deadlines, from the start of a helper process.
  public init(
    helpers: HelperPrograms = .installed, pool: HelperPool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.pool = pool
    self.clock = clock
  }

  /// Draws. `receive` gets the bytes of the result in pieces and in order, on a thread of the helper process,
  /// and is not called after this returns. It may block, which slows the drawing down; returning false ends the
  /// drawing with `cancelled`. The bytes are valid only if this does not throw. Cancelling the task cancels the
  /// drawing, and this returns after the current call of `receive`; a drawing that waits for its pool starts no
  /// process.
  public func draw(
    _ drawing: Drawing, _ receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    try await draw([drawing], drawnPage: { _ in }, receive)
  }

  /// Draws the pages of one PDF file, in one helper process. `drawnPage` is called with the report on each page but the last, whose
  /// report is returned. Where it throws, the number of these calls is that of the page that failed. All else is as for one drawing.
  /// Takes 1 to `DrawingDetails.pages` drawings, all in PDF and with the same font; each is made when the process is ready for it.
  public func draw(
    pages: DrawingSequence, drawnPage: @escaping @Sendable (Drawn) -> Void,
    _ receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    var numbered = pages
    numbered.drawing = { (index) throws(ArtError) in
      var page = try pages.drawing(index)
      page.details.pagesLeft = pages.count - 1 - index
      return page
    }
    return try await draw(numbered, drawnPage: drawnPage, receive)
  }

  /// Draws one picture of several drawings side by side, in one helper process, from left to right with `DrawingDetails.panelGap` pixels
  /// between them. Returns the report on each. Takes 1 to `DrawingDetails.panels` drawings, all in the same format, which is made of
  /// pixels, and with the same font. All else is as for one drawing.
  public func draw(
    panels: [Drawing], _ receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> [Drawn] {
    guard panels.count <= DrawingDetails.panels else {
      throw .refused(
        DrawingRefusal(
          .tooLarge, "\(panels.count) panels; a picture has 1 to \(DrawingDetails.panels); draw several"))
    }
    var panels = panels
    for index in panels.indices { panels[index].details.panelsLeft = panels.count - 1 - index }
    let reports = Mutex<[Drawn]>([])
    let last = try await draw(panels, drawnPage: { drawn in reports.withLock { $0.append(drawn) } }, receive)
    return reports.withLock { $0 } + [last]
  }

  private func draw(
    _ drawings: [Drawing], drawnPage: @escaping @Sendable (Drawn) -> Void,
    _ receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    do throws(DrawingRefusal) { for drawing in drawings { try drawing.check() } } catch {
      throw .refused(error)
    }
    return try await draw(DrawingSequence(drawings), drawnPage: drawnPage, receive)
  }

  private func draw(
    _ drawings: DrawingSequence, drawnPage: @escaping @Sendable (Drawn) -> Void,
    _ receive: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws(DrawingFailure) -> Drawn {
    guard (1...DrawingDetails.pages).contains(drawings.count) else {
      throw .refused(
        DrawingRefusal(
          .tooLarge, "\(drawings.count) pages; a file has 1 to \(DrawingDetails.pages); draw several files"))
    }
    let fonts = FontPaths(
      colors: drawings.fonts, letterFolders: drawings.hasLetters ? LetterFontFolders.find() : [])
    let limit = Self.resultLimit
    let unsent = Mutex<DrawingFailure?>(nil)
    do throws(DrawingFailure) {
      return try await answer(
        to: .draw(fonts, PictureKind.allCases.filter(drawings.pictures.contains)),
        { DrawingDialogue(with: $0, limit: limit, pages: drawings.count, drawnPage: drawnPage) },
        { (send) throws(HelperFailure) in
          for index in 0..<drawings.count {
            let drawing: Drawing
            do throws(DrawingFailure) { drawing = try drawings.checked(index) } catch {
              unsent.withLock { $0 = error }
              throw .noRequest
            }
            try drawing.send(send)
          }
        }, receive)
    } catch {
      throw unsent.withLock { $0 } ?? error
    }
  }

  /// Starts a helper process with that verb, sends the requests, and waits for its end.
  func answer<Dialogue: HelperDialogue>(
    to verb: WorkerVerb, _ dialogue: (HelperProgram) -> Dialogue,
    _ send: @escaping HelperCall<Dialogue>.SendRequest,
    _ receive: @escaping @Sendable (Dialogue.Event) -> Bool
  ) async throws(DrawingFailure) -> Dialogue.Answer where Dialogue.Failure == DrawingFailure {
    let program: HelperProgram
    do throws(ArtError) { program = try helpers.worker() } catch { throw .failed(error) }
    let limits = HelperLimits(
      memory: Self.memory, processorSeconds: Self.seconds, line: WorkerReply.lineLimit,
      bytes: WorkerReply.partLimit)
    let call = HelperCall(program, verb, limits, dialogue(program), sendRequest: send, receive)
    let outcome = await pool.run { [clock] in await call.answer(within: .idle(Self.idleTimeout), on: clock) }
    guard let outcome else { throw .cancelled }
    return try outcome.get()
  }

  /// The same with the whole result. Throws `failed` with `tooLarge` for a result of more than `limit` bytes.
  public func draw(_ drawing: Drawing, limit: Int) async throws(DrawingFailure) -> (Drawn, [UInt8]) {
    let collector = DrawingCollector()
    do throws(DrawingFailure) {
      let drawn = try await draw(drawing) { collector.append($0, limit: limit) }
      return (drawn, collector.bytes)
    } catch {
      guard error == .cancelled, collector.isTooLarge else { throw error }
      throw .failed(
        ArtError(.tooLarge, "what was drawn has more than \(limit) bytes; draw it at a smaller scale"))
    }
  }
}

// MARK: - Details

/// Drawings that are made one after the other, when a helper process is ready for them: the memory holds one.
public struct DrawingSequence: Sendable {
  /// The number of drawings.
  public let count: Int
  let fonts: [String]
  /// The formats of their pictures.
  let pictures: Set<PictureKind>
  let hasLetters: Bool
  var drawing: @Sendable (Int) throws(ArtError) -> Drawing

  /// A sequence of `count` drawings. `pictures` are the formats of their pictures, and `drawing` makes the one with that
  /// index, on another thread.
  public init(
    count: Int, fonts: [String], pictures: Set<PictureKind>, hasLetters: Bool,
    drawing: @escaping @Sendable (Int) throws(ArtError) -> Drawing
  ) {
    (self.count, self.fonts, self.pictures, self.hasLetters, self.drawing) = (
      count, fonts, pictures, hasLetters, drawing
    )
  }

  /// Drawings that are made.
  init(_ drawings: [Drawing]) {
    self.init(
      count: drawings.count, fonts: drawings.first?.fonts ?? [],
      pictures: Set(drawings.flatMap { $0.libraries }),
      hasLetters: drawings.contains { $0.scene.hasLetters }
    ) { drawings[$0] }
  }

  /// One drawing. Throws why there is none, or why every helper process would refuse it.
  fileprivate func checked(_ index: Int) throws(DrawingFailure) -> Drawing {
    let made: Drawing
    do throws(ArtError) { made = try drawing(index) } catch { throw .failed(error) }
    do throws(DrawingRefusal) { try made.check() } catch { throw .refused(error) }
    return made
  }
}

/// Collects the bytes of a drawing.
private final class DrawingCollector: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isTooLarge = false
  }

  private let state = Mutex(State())

  var bytes: [UInt8] { state.withLock(\.bytes) }
  var isTooLarge: Bool { state.withLock(\.isTooLarge) }

  /// Appends bytes; false when they exceed the limit.
  func append(_ part: [UInt8], limit: Int) -> Bool {
    state.withLock { state in
      state.isTooLarge = part.count > limit - state.bytes.count
      if !state.isTooLarge { state.bytes += part }
      return !state.isTooLarge
    }
  }
}

extension Drawing {
  /// The formats whose libraries a helper process opens for it: that of its background, and AVIF to write it.
  fileprivate var libraries: [PictureKind] {
    let written: [PictureKind] = if case .avif = format { [.avif] } else { [] }
    return PictureKind.ofBackground(scene.picture ?? []) + written
  }
}

extension PictureKind {
  /// The loaders that a helper process needs for these bytes. The process determines the format itself.
  static func ofBackground(_ bytes: [UInt8]) -> [PictureKind] {
    PictureKind(of: bytes).map { [$0] } ?? []
  }
}

extension Drawing {
  /// Throws for a drawing that every helper process would refuse.
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
    guard details.highlights.count <= DrawingDetails.highlights else {
      throw DrawingRefusal(
        .tooLarge,
        "\(details.highlights.count) highlights; at most \(DrawingDetails.highlights) are drawn; draw fewer")
    }
    if let picture = scene.picture, picture.count > WorkerRequest.bodyLimit {
      throw DrawingRefusal(
        .tooLarge,
        "a background of \(picture.count) bytes; at most \(WorkerRequest.bodyLimit) are drawn; set a smaller one"
      )
    }
  }
}

// MARK: - Failures

/// Why there is no drawing.
public enum DrawingFailure: Error, Hashable, Sendable {
  /// The drawing cannot be made, or not on this machine.
  case refused(DrawingRefusal)
  /// The helper program is missing, of another version, or ended before its answer.
  case failed(ArtError)
  /// The drawing was cancelled.
  case cancelled
}

// MARK: - The dialogue

/// The protocol of one drawing.
///
/// ```
///   greeting --hello--> asked --part(n)--> receiving(n) --n bytes--> asked
///                         |-- drawn, while pages are left --> asked
///                         '-- drawn, notDrawn --> answered --clean exit--> accepted
/// ```
/// Anything else leads to `broken`, a final state. Parts are reported as they arrive; they are valid only when
/// `drawn` follows and is accepted.
struct DrawingDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case receiving(Int)
    case answered(Result<Drawn, DrawingRefusal>)
    case broken(ArtError)
  }

  static var cancelled: DrawingFailure { .cancelled }

  let path: String
  /// The most bytes of all parts, and the rest of them.
  private let limit: Int
  private var left: Int
  /// The pages that are still to come, after the present one.
  private var pagesLeft: Int
  private let drawnPage: @Sendable (Drawn) -> Void
  private var state = State.greeting

  /// Creates the protocol in its first state.
  init(
    with program: HelperProgram, limit: Int, pages: Int = 1,
    drawnPage: @escaping @Sendable (Drawn) -> Void = { _ in }
  ) {
    path = program.path
    pagesLeft = pages - 1
    self.drawnPage = drawnPage
    self.limit = limit
    left = limit
  }

  var isBeforeGreeting: Bool { if case .greeting = state { true } else { false } }

  mutating func greeted() { state = .asked }

  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<[UInt8]> {
    switch (state, reply) {
    case (.asked, .part(let count)):
      guard count <= left else { return fail(.nonsense(path, "a drawing of more than \(limit) bytes")) }
      left -= count
      state = .receiving(count)
      return .receiveBytes(count)
    case (.asked, .drawn(let drawn)) where pagesLeft > 0:
      pagesLeft -= 1
      drawnPage(drawn)
      return .nothing
    case (.asked, .drawn(let drawn)):
      state = .answered(.success(drawn))
      return .nothing
    case (.asked, .notDrawn(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return fail(.nonsense(path, "a \(reply.name) that was not asked for"))
    default: return fail(.outOfTurn(path, reply))
    }
  }

  mutating func receive(bytes: [UInt8]) -> DialogueEffect<[UInt8]> {
    guard case .receiving(bytes.count) = state else { return fail(.nonsense(path, "bytes out of turn")) }
    state = .asked
    return .report(bytes)
  }

  mutating func fail(_ error: ArtError) -> DialogueEffect<[UInt8]> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<Drawn, DrawingFailure> {
    switch state {
    case .broken(let error): return .failure(.failed(error))
    case .answered(let answer) where end.exitedCleanly: return answer.mapError(DrawingFailure.refused)
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
  /// The refusal that a crash of the helper process stands for; nil where the drawing is not the cause.
  fileprivate init?(of end: HelperEnd) {
    if end.cause == .signal(SIGSYS) {
      self.init(
        .forbidden,
        "drawing it tried what the sandbox of emojiart-worker forbids, and was ended; draw it without its background, or with another font"
      )
    } else if end.cause == .signal(SIGXCPU) {
      self.init(
        .tooLarge, "drawing it takes more than \(Renderer.seconds) s; draw less of it, or at a smaller scale")
    } else if end.ranOutOfMemory {
      self.init(
        .noMemory,
        "drawing it takes more than \(Renderer.memory >> 20) MB of memory; draw less of it, or at a smaller scale"
      )
    } else {
      return nil
    }
  }
}
