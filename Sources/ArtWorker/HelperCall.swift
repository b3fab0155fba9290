// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

extension HelperPrograms {
  /// The name of the program that fetches, decodes and draws.
  static let workerName = "emojiart-worker"

  /// That program. Throws `unavailable`.
  func worker() throws(ArtError) -> HelperProgram {
    do throws(HelperFailure) { return try program(Self.workerName) } catch { throw ArtError(error) }
  }
}

extension WorkerVerb {
  /// The variables of the environment that a helper program gets: where certificates lie, and what the system's resolver reads. Its
  /// proxies come with the request, its font as an argument.
  fileprivate var variables: [String] {
    switch self {
    case .fetch: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "LOCALDOMAIN", "RES_OPTIONS"]
    case .decode, .draw, .sandbox: []
    }
  }
}

/// One request to one helper program, from the program's start to its end.
///
/// Starting and sending wait, and are done on a queue of its own; what the program says comes on a thread of the worker's.
final class HelperCall<Dialogue: HelperDialogue>: Sendable {
  typealias Outcome = Result<Dialogue.Answer, Dialogue.Failure>

  /// What it is asked; sent with the closure that it is given.
  typealias Question =
    @Sendable (_ send: ([UInt8]) throws(HelperFailure) -> Void) throws(HelperFailure) -> Void

  /// How long it may take.
  enum Patience {
    /// From its start to its end.
    case total(Duration)
    /// Without saying anything, at least; what whoever listens takes does not count.
    case silence(Duration)
  }

  /// Why it is to end before its answer.
  private enum Stop {
    case cancelled
    case expired(Duration)
    /// The dialogue is broken, or the program takes nothing.
    case useless
  }

  private struct State {
    var dialogue: Dialogue
    var process: HelperProcess?
    var stop: Stop?
    /// What was heard so far, and told: as long as this moves on nobody is silent.
    var steps = 0
    var isTelling = false
    var waiting: CheckedContinuation<Outcome, Never>?

    /// What it came to; without an end it was never started.
    func outcome(of end: HelperEnd?) -> Outcome {
      switch (stop, end) {
      case (.cancelled, _): .failure(Dialogue.cancelled)
      // One that ended by itself in time was not late.
      case (.expired(let deadline), let end) where end == nil || end?.cause == .signal(SIGKILL):
        .failure(dialogue.outcome(after: deadline))
      case (_, let end?): dialogue.outcome(of: end)
      case (_, nil): .failure(Dialogue.cancelled)
      }
    }
  }

  private let program: HelperProgram
  private let verb: WorkerVerb
  private let limits: HelperLimits
  private let question: Question
  private let tell: @Sendable (Dialogue.News) -> Bool
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "emojiart-worker")

  /// A call that has not begun. `tell` is told the news on a thread of the worker's, and answers whether to go on; what it does
  /// not want to hear is `cancelled`.
  init(
    _ program: HelperProgram, _ verb: WorkerVerb, _ limits: HelperLimits, _ dialogue: Dialogue,
    question: @escaping Question,
    _ tell: @escaping @Sendable (Dialogue.News) -> Bool
  ) {
    self.program = program
    self.verb = verb
    self.limits = limits
    self.question = question
    self.tell = tell
    state = Mutex(State(dialogue: dialogue))
  }

  /// Asks and waits, once. When this returns the program has ended.
  func answer(within timeout: Patience, on clock: any Clock<Duration>) async -> Outcome {
    let timer = Task { await self.expire(timeout, on: clock) }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        state.withLock { $0.waiting = waiting }
        queue.async { self.start() }
      }
    } onCancel: {
      stop(.cancelled)
    }
  }

  /// Ends it when its time is up; comes back when that is so, or when it is cancelled because it is not needed any more.
  private func expire(_ timeout: Patience, on clock: any Clock<Duration>) async {
    do {
      switch timeout {
      case .total(let duration):
        try await clock.sleep(for: duration)
        stop(.expired(duration))
      case .silence(let duration):
        try await waitForSilence(of: duration, on: clock)
        stop(.expired(duration))
      }
    } catch {
      // Cancelled.
    }
  }

  /// Comes back when nothing was heard for that long, or up to half as long again. It takes two halves: when this process, or the
  /// machine, was stopped for long, what was said meanwhile is heard during the second.
  private func waitForSilence(of duration: Duration, on clock: any Clock<Duration>) async throws {
    var (halves, heard) = (0, 0)
    while halves < 2 {
      try await clock.sleep(for: duration / 2)
      let (steps, isTelling) = state.withLock { ($0.steps, $0.isTelling) }
      halves = steps == heard && !isTelling ? halves + 1 : 0
      heard = steps
    }
  }

  private func start() {
    guard state.withLock({ $0.stop == nil }) else { return finish(nil) }
    do throws(HelperFailure) {
      let process = try HelperProcess(
        starting: program, arguments: verb.arguments, variables: verb.variables, limits: limits,
        onLine: { self.heard(line: $0) }, onBytes: { self.heard(bytes: $0) }, onEnd: { self.finish($0) })
      let isStopped = state.withLock { state in
        state.process = process
        return state.stop != nil
      }
      if isStopped { process.end() }
    } catch {
      finish(.failure(Dialogue.failed(ArtError(error))))
    }
  }

  /// Hears a line; gives how many raw bytes follow it.
  private func heard(line: [UInt8]) -> Int? {
    let effect = state.withLock { state in
      state.steps += 1
      return state.dialogue.heard(line: line)
    }
    act(effect)
    return if case .take(let count) = effect { count } else { nil }
  }

  private func heard(bytes: [UInt8]) {
    act(
      state.withLock { state in
        state.steps += 1
        return state.dialogue.heard(bytes: bytes)
      })
  }

  private func act(_ effect: DialogueEffect<Dialogue.News>) {
    switch effect {
    case .nothing, .take: break
    // After its start, which is on this queue, too.
    case .ask: queue.async { self.ask() }
    case .tell(let news): pass(news)
    case .kill: stop(.useless)
    }
  }

  /// Passes news on, unless nobody wants any more.
  private func pass(_ news: Dialogue.News) {
    let isWanted = state.withLock { state in
      state.isTelling = state.stop == nil
      return state.isTelling
    }
    guard isWanted else { return }
    let goesOn = tell(news)
    state.withLock { state in
      state.isTelling = false
      state.steps += 1
    }
    if !goesOn { stop(.cancelled) }
  }

  /// Sends the request, the only one, with what belongs to it.
  private func ask() {
    guard let process = state.withLock({ $0.process }) else { return }
    do throws(HelperFailure) {
      try question { (bytes) throws(HelperFailure) in try process.send(bytes) }
      process.endInput()
    } catch {
      // It has ended, which says more than this, or hears nothing.
      stop(.useless)
    }
  }

  /// Ends the program, which the end of this call follows. The first reason stands, but who cancels is told so.
  private func stop(_ reason: Stop) {
    let process = state.withLock { state in
      if case .cancelled = reason { state.stop = reason } else { state.stop = state.stop ?? reason }
      return state.process
    }
    process?.end()
  }

  private func finish(_ end: HelperEnd?) {
    finish(state.withLock { $0.outcome(of: end) })
  }

  private func finish(_ outcome: Outcome) {
    let waiting = state.withLock { state in
      state.process = nil
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }
}

/// What is to be done about what a helper program said.
enum DialogueEffect<News: Sendable> {
  case nothing
  /// Send the request.
  case ask
  /// Tell whoever waits.
  case tell(News)
  /// So many raw bytes come next.
  case take(Int)
  /// Kill it.
  case kill
}

extension DialogueEffect: Equatable where News: Equatable {}

/// What this program and a helper program say to each other about one request, as a machine without time and processes.
protocol HelperDialogue: Sendable {
  /// What is told while it goes on.
  associatedtype News: Sendable
  /// What the request comes to.
  associatedtype Answer: Sendable
  /// Why it comes to nothing.
  associatedtype Failure: Error

  /// Hears a line.
  mutating func heard(line: [UInt8]) -> DialogueEffect<News>
  /// Hears raw bytes, as many as it had taken.
  mutating func heard(bytes: [UInt8]) -> DialogueEffect<News>
  /// What it came to, by how the program ended.
  func outcome(of end: HelperEnd) -> Result<Answer, Failure>
  /// What it came to when the program was killed because its time was up.
  func outcome(after deadline: Duration) -> Failure

  /// Somebody gave it up.
  static var cancelled: Failure { get }
  /// The program is not there, or cannot be started.
  static func failed(_ error: ArtError) -> Failure
}

extension HelperEnd {
  /// Whether what was said before it counts. Where this process ignores SIGCHLD nobody knows how it ended.
  var isGood: Bool { !isCutOff && [.exit(0), .exit(-1)].contains(cause) }

  /// Whether the program ended because it could get no more memory, by the words of those that end it then: GLib and Swift's
  /// runtime, and that of C++.
  var lacksMemory: Bool {
    guard case .signal = cause else { return false }
    return errors.contains("failed to allocate") || errors.contains("std::bad_alloc")
  }
}

extension WorkerReply {
  /// Reads a line.
  init(line: [UInt8]) throws(ArtError) {
    self = try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
    }
  }

  /// What it is called in an error.
  var name: String {
    switch self {
    case .hello: "hello"
    case .progress: "progress"
    case .body: "body"
    case .picture: "picture"
    case .refused: "refusal"
    case .part: "part"
    case .drawn: "drawn"
    case .notDrawn: "refusal to draw"
    case .sandbox: "sandbox"
    }
  }
}

// The wording of what can go wrong with the program that fetches.

extension ArtError {
  static func otherVersion(_ path: String, _ version: Int) -> ArtError {
    ArtError(
      .unavailable,
      "\(path) belongs to another emojiart (it speaks version \(version), this one \(WorkerRequest.version)); "
        + "install emojiart again", about: path)
  }

  static func nonsense(_ path: String, _ what: String) -> ArtError {
    ArtError(
      .unavailable, "\(path) wrote what was not agreed on: \(what); install emojiart again", about: path)
  }

  static func ended(_ path: String, _ end: HelperEnd) -> ArtError {
    ArtError(.unavailable, "\(path) gave no answer that counts; it \(end.text); try again", about: path)
  }

  static func hangs(_ path: String, _ seconds: Int64) -> ArtError {
    ArtError(
      .unavailable, "\(path) gave no answer within \(seconds) s, and was killed; try again", about: path)
  }
}
