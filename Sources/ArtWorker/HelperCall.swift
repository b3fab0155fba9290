// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization

/// One request to one helper process, from its start to its end.
///
/// Starting and sending block, so they run on a queue of their own. The output arrives on a thread of the
/// helper process.
final class HelperCall<Dialogue: HelperDialogue>: Sendable {
  typealias Outcome = Result<Dialogue.Answer, Dialogue.Failure>

  /// Sends the request with the closure that it receives.
  typealias SendRequest =
    @Sendable (_ send: ([UInt8]) throws(HelperFailure) -> Void) throws(HelperFailure) -> Void

  /// The deadline of a call.
  enum Timeout {
    /// From the start of the process to its end.
    case total(Duration)
    /// Since the last output, at least. The time that the listener takes does not count.
    case idle(Duration)
  }

  /// Why the process is ended before its answer.
  private enum Stop {
    case cancelled
    case expired(Duration)
    /// The protocol is broken, or the process does not read its input.
    case broken
  }

  private struct State {
    var dialogue: Dialogue
    var process: HelperProcess?
    var stop: Stop?
    /// Lines, raw bytes and events so far; an increase shows that the process is alive.
    var steps = 0
    var isReporting = false
    var continuation: CheckedContinuation<Outcome, Never>?

    /// The result; nil where the process was never started.
    func outcome(of end: HelperEnd?) -> Outcome {
      switch (stop, end) {
      case (.cancelled, _): .failure(Dialogue.cancelled)
      // A process that exited before it was killed was in time.
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
  private let sendRequest: SendRequest
  private let report: @Sendable (Dialogue.Event) -> Bool
  private let state: Mutex<State>
  private let queue = SerialQueue()

  /// Creates a call. `report` receives events on a thread of the helper process, and returns whether to
  /// continue; false cancels the call.
  init(
    _ program: HelperProgram, _ verb: WorkerVerb, _ limits: HelperLimits, _ dialogue: Dialogue,
    sendRequest: @escaping SendRequest,
    _ report: @escaping @Sendable (Dialogue.Event) -> Bool
  ) {
    self.program = program
    self.verb = verb
    self.limits = limits
    self.sendRequest = sendRequest
    self.report = report
    state = Mutex(State(dialogue: dialogue))
  }

  /// Sends the request and waits for the result; call it once. The process has ended on return.
  func answer(within timeout: Timeout, on clock: any Clock<Duration>) async -> Outcome {
    let timer = Task { await self.expire(timeout, on: clock) }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.continuation = continuation }
        queue.run { self.start() }
      }
    } onCancel: {
      stop(.cancelled)
    }
  }

  /// Ends the call at its deadline; returns early when it is cancelled because the call has ended.
  private func expire(_ timeout: Timeout, on clock: any Clock<Duration>) async {
    do {
      switch timeout {
      case .total(let duration):
        try await clock.sleep(for: duration)
        stop(.expired(duration))
      case .idle(let duration):
        try await waitForIdle(of: duration, on: clock)
        stop(.expired(duration))
      }
    } catch {
      // Cancelled: the call has ended.
    }
  }

  /// Returns after that long without output, or up to half as long again. It waits for two halves: after this
  /// process or the machine was suspended, pending output arrives during the second half.
  private func waitForIdle(of duration: Duration, on clock: any Clock<Duration>) async throws {
    var (halves, lastSteps) = (0, 0)
    while halves < 2 {
      try await clock.sleep(for: duration / 2)
      let (steps, isReporting) = state.withLock { ($0.steps, $0.isReporting) }
      halves = steps == lastSteps && !isReporting ? halves + 1 : 0
      lastSteps = steps
    }
  }

  private func start() {
    guard state.withLock({ $0.stop == nil }) else { return finish(nil) }
    do throws(HelperFailure) {
      let process = try HelperProcess(
        starting: program, arguments: verb.arguments, variables: verb.variables, limits: limits,
        onLine: { self.receive(line: $0) }, onBytes: { self.receive(bytes: $0) }, onEnd: { self.finish($0) })
      let isStopped = state.withLock { state in
        state.process = process
        return state.stop != nil
      }
      if isStopped { process.end() }
    } catch {
      finish(.failure(Dialogue.failed(ArtError(error))))
    }
  }

  /// Receives a line; returns how many raw bytes follow it.
  private func receive(line: [UInt8]) -> Int? {
    let effect = state.withLock { state in
      state.steps += 1
      return state.dialogue.receive(line: line)
    }
    perform(effect)
    return if case .receiveBytes(let count) = effect { count } else { nil }
  }

  private func receive(bytes: [UInt8]) {
    perform(
      state.withLock { state in
        state.steps += 1
        return state.dialogue.receive(bytes: bytes)
      })
  }

  private func perform(_ effect: DialogueEffect<Dialogue.Event>) {
    switch effect {
    case .nothing, .receiveBytes: break
    // This queue runs it after the start.
    case .sendRequest: queue.run { self.sendTheRequest() }
    case .report(let event): reportEvent(event)
    case .kill: stop(.broken)
    }
  }

  /// Reports an event, unless the caller has cancelled the call. What a process wrote before its end counts, even if it did not read the whole
  /// request, or exited at its deadline before it was killed.
  private func reportEvent(_ event: Dialogue.Event) {
    let isWanted = state.withLock { state in
      state.isReporting = if case .cancelled = state.stop { false } else { true }
      return state.isReporting
    }
    guard isWanted else { return }
    let continues = report(event)
    state.withLock { state in
      state.isReporting = false
      state.steps += 1
    }
    if !continues { stop(.cancelled) }
  }

  /// Sends the only request and closes standard input.
  private func sendTheRequest() {
    guard let process = state.withLock({ $0.process }) else { return }
    do throws(HelperFailure) {
      try sendRequest { (bytes) throws(HelperFailure) in try process.send(bytes) }
      process.endInput()
    } catch {
      // The process has ended, which its end explains better, or it does not read.
      stop(.broken)
    }
  }

  /// Ends the process; the end of this call follows. The first reason counts, but cancelling always wins.
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
    let continuation = state.withLock { state in
      state.process = nil
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: outcome)
  }
}

// MARK: - The dialogue

/// The action that follows from the output of a helper process.
enum DialogueEffect<Event: Sendable> {
  case nothing
  /// Send the request.
  case sendRequest
  /// Report an event to the caller.
  case report(Event)
  /// Expect that many raw bytes.
  case receiveBytes(Int)
  /// Kill the process.
  case kill
}

extension DialogueEffect: Equatable where Event: Equatable {}

/// The protocol of one request to a helper process: a machine without time and processes.
protocol HelperDialogue: Sendable {
  /// What is reported while the request runs.
  associatedtype Event: Sendable
  /// The result of the request.
  associatedtype Answer: Sendable
  /// Why there is no result.
  associatedtype Failure: Error

  /// The path of the program, for messages.
  var path: String { get }
  /// Whether the helper process has not sent its greeting yet.
  var isBeforeGreeting: Bool { get }
  /// The helper process has sent its greeting: the request is sent now.
  mutating func greeted()
  /// Receives a reply after the greeting.
  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<Event>
  /// Ends the dialogue with an error; the first one counts.
  mutating func fail(_ error: ArtError) -> DialogueEffect<Event>
  /// Receives raw bytes, as many as `receiveBytes` announced.
  mutating func receive(bytes: [UInt8]) -> DialogueEffect<Event>
  /// The result, after the process ended.
  func outcome(of end: HelperEnd) -> Result<Answer, Failure>
  /// The failure, after the process was killed at its deadline.
  func outcome(after deadline: Duration) -> Failure

  /// The call was cancelled.
  static var cancelled: Failure { get }
  /// The program is missing, or cannot be started.
  static func failed(_ error: ArtError) -> Failure
}

extension HelperDialogue {
  /// Receives a line: first the greeting with the version of this program, then replies.
  mutating func receive(line: [UInt8]) -> DialogueEffect<Event> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return fail(.nonsense(path, error.cause))
    }
    guard isBeforeGreeting else { return receive(reply) }
    guard case .hello(let version) = reply else { return fail(.outOfTurn(path, reply)) }
    guard version == WorkerRequest.version else { return fail(.otherVersion(path, version)) }
    greeted()
    return .sendRequest
  }
}

extension ArtError {
  /// A helper process sent a reply that does not follow from what it was sent.
  static func outOfTurn(_ path: String, _ reply: WorkerReply) -> ArtError {
    .nonsense(path, "a \(reply.name) out of turn")
  }
}

// MARK: - The program

extension HelperPrograms {
  /// The name of the program that fetches, decodes and draws.
  static let workerName = "emojiart-worker"

  /// Finds that program. Throws `unavailable`.
  func worker() throws(ArtError) -> HelperProgram {
    do throws(HelperFailure) { return try program(Self.workerName) } catch { throw ArtError(error) }
  }
}

extension WorkerVerb {
  /// The environment variables that a helper process receives: for certificates and for the resolver. Proxies
  /// are part of the request, and the font is an argument.
  fileprivate var variables: [String] {
    switch self {
    case .fetch, .store: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "LOCALDOMAIN", "RES_OPTIONS"]
    case .decode, .draw, .measure, .sandbox: []
    }
  }
}

// MARK: - Results

extension HelperEnd {
  /// Whether the process ended so that its answer counts. Where this process ignores SIGCHLD, the status is not
  /// known.
  var exitedCleanly: Bool { !isCutOff && [.exit(0), .exit(-1)].contains(cause) }

  /// Whether the process ended for lack of memory, judged by the messages of GLib, of Swift's runtime and of
  /// C++'s.
  var ranOutOfMemory: Bool {
    guard case .signal = cause else { return false }
    return errors.contains(part: "failed to allocate") || errors.contains(part: "std::bad_alloc")
  }
}

extension WorkerReply {
  /// Parses a line.
  init(line: [UInt8]) throws(ArtError) {
    self = try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
    }
  }

  /// The name of the reply in error messages.
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
    case .measured: "box"
    case .exchanged: "response"
    case .sandbox: "sandbox"
    }
  }
}

// // MARK: - Errors of a helper program

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
