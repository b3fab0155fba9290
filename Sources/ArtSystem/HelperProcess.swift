// SPDX-License-Identifier: Apache-2.0

import CSystem
import Dispatch
import Glibc
import Synchronization

/// A program that does one thing for this one, on pipes. It never outlives this process, however that ends, nor this
/// object.
///
/// Two threads belong to it. One starts it and waits for its end; the kernel kills the program when that thread is
/// gone, so it stays. The other reads. Both are gone after `onEnd`.
public final class HelperProcess: Sendable {
  /// The process's number.
  public let processID: Int32
  private let program: HelperProgram
  private let child: ChildProcess
  private let inputTimeout: Duration

  /// Starts a program, with those variables of this process's environment and no others. `onLine` is called with each line that
  /// it writes, without its line break, on a thread of its own: while that call lasts nothing more is read.
  /// `onEnd` is called once, on the same thread, after the last line, and nothing after it. Throws `notStarted` and `noThread`; then
  /// neither is called.
  public convenience init(
    starting program: HelperProgram, arguments: [String] = [], variables: [String] = [], limits: HelperLimits,
    onLine: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable (HelperEnd) -> Void
  ) throws(HelperFailure) {
    let onLine = { @Sendable (line: [UInt8]) -> Int? in
      onLine(line)
      return nil
    }
    try self.init(
      starting: program, arguments: arguments, variables: variables, limits: limits, onLine: onLine,
      onBytes: { _ in }, onEnd: onEnd)
  }

  /// Starts one that writes raw bytes, too: `onLine` says how many follow the line, nil where another line does. They are
  /// handed to `onBytes` as a whole, in the same way, and are not kept. Bytes that it does not live to write are dropped.
  public init(
    starting program: HelperProgram, arguments: [String] = [], variables: [String] = [], limits: HelperLimits,
    onLine: @escaping @Sendable ([UInt8]) -> Int?, onBytes: @escaping @Sendable ([UInt8]) -> Void,
    onEnd: @escaping @Sendable (HelperEnd) -> Void
  ) throws(HelperFailure) {
    var pipe: [Int32] = [-1, -1]
    let error = csystem_pipe(&pipe)
    guard error == 0 else { throw .notStarted(program, SystemError("pipe", number: error)) }
    let (ended, alive) = (pipe[0], pipe[1])
    let start = Start()
    do throws(SystemError) {
      try Threads.begin(signals: .none) {
        guard let child = start.run(program, arguments, variables, limits) else { return }
        child.waitForEnd()
        close(alive)
      }
    } catch {
      close(ended)
      close(alive)
      throw .noThread(program, error)
    }
    let (child, started): (ChildProcess, csystem_process)
    do throws(SystemError) {
      (child, started) = try start.result()
    } catch {
      close(ended)
      close(alive)
      throw .notStarted(program, error)
    }
    let reader = OutputReader(
      child: child, output: started.output, errors: started.errors, ended: ended,
      limits: limits, onLine: onLine, onBytes: onBytes, onEnd: onEnd)
    do throws(SystemError) {
      try Threads.begin(signals: .none) { reader.run() }
    } catch {
      child.kill(nil)
      for descriptor in [started.output, started.errors, ended] { close(descriptor) }
      throw .noThread(program, error)
    }
    self.program = program
    self.child = child
    processID = child.number
    inputTimeout = limits.inputTimeout
  }

  deinit { end() }

  /// Writes to its standard input. Waits while it reads nothing, at most as long as its limits say: the thread that `onLine` waits
  /// for must not be the one that waits here. Throws `ended` and `inputBlocked`.
  public func send(_ bytes: [UInt8]) throws(HelperFailure) {
    do throws(ChildProcess.SendFailure) {
      try child.send(bytes, timeout: inputTimeout)
    } catch {
      throw error == .blocked ? .inputBlocked(program, inputTimeout) : .ended(program)
    }
  }

  /// Ends its standard input: it was sent all that there is. Waits for a `send` that is under way.
  public func endInput() { child.endInput() }

  /// Kills it, if it is still there; `onEnd` follows.
  public func end() { child.kill(nil) }
}

// MARK: - The start

/// The start of a helper, handed from the thread that does it to the one that waits for it.
private final class Start: Sendable {
  private let outcome = Mutex<Result<(ChildProcess, csystem_process), SystemError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Starts the program; nil when that failed.
  func run(
    _ program: HelperProgram, _ arguments: [String], _ variables: [String], _ limits: HelperLimits
  ) -> ChildProcess? {
    var started = csystem_process()
    var words = ([program.path] + arguments).map { strdup($0) } + [nil]
    var environment = variables.compactMap(Environment.definition).map { strdup($0) } + [nil]
    let error = csystem_start(
      program.path, &words, &environment,
      csystem_limits(
        memory: UInt64(max(limits.memory, 0)), processor_seconds: UInt64(max(limits.processorSeconds ?? 0, 0))
      ),
      &started)
    for word in words + environment { free(word) }
    let child = error == 0 ? ChildProcess(started) : nil
    outcome.withLock { [started] outcome in
      outcome =
        child.map { .success(($0, started)) } ?? .failure(SystemError("execve", program.path, number: error))
    }
    isDone.signal()
    return child
  }

  /// Waits for it.
  func result() throws(SystemError) -> (ChildProcess, csystem_process) {
    isDone.wait()
    // It is set before it is signalled.
    guard let outcome = outcome.withLock({ $0 }) else { throw SystemError("execve", number: EINVAL) }
    return try outcome.get()
  }
}

// MARK: - The process

/// A helper's process, and the end of its standard input: what several threads look at.
///
/// ```
///   running --kill--> killed ----.
///      |                         v
///      '------- it ends ----> ended(cause)
/// ```
/// Its number is its own until `ended`; from then on it is not used any more.
private final class ChildProcess: Sendable {
  private enum State {
    case running
    /// We killed it; why, where that says more than the signal.
    case killed(HelperEnd.Cause?)
    case ended(HelperEnd.Cause)
  }

  let number: pid_t
  private let state = Mutex(State.running)
  /// Held by the thread that writes, so that what two threads send does not mix; -1 when it is closed.
  private let input: Mutex<Int32>
  /// The same, for waking a writer without waiting for it. Only `waitForEnd` closes it.
  private let inputToWake: Int32

  init(_ started: csystem_process) {
    number = started.process
    input = Mutex(started.input)
    inputToWake = started.input
  }

  /// How it ended, once it has.
  var cause: HelperEnd.Cause {
    state.withLock { state in
      if case .ended(let cause) = state { cause } else { .exit(-1) }
    }
  }

  /// Kills it, with all of its group, if it is still there.
  func kill(_ cause: HelperEnd.Cause?) {
    state.withLock { state in
      guard case .running = state else { return }
      state = .killed(cause)
      Glibc.kill(-number, SIGKILL)
    }
  }

  /// Waits for its end, on the thread that started it; kills it when it has been stopped. Then nothing of it is left.
  func waitForEnd() {
    var status: Int32 = 0
    var change = csystem_wait(number, true, &status)
    if change == csystem_stopped {
      kill(.stopped)
      change = csystem_wait(number, false, &status)
    }
    // Where this process ignores SIGCHLD the kernel has reaped it, and the number may be another group's by now.
    let isOurs = !(change == csystem_exited && status == -1)
    state.withLock { state in
      // What it started itself goes with it; the group has its number until it is reaped.
      if isOurs { Glibc.kill(-number, SIGKILL) }
      let found: HelperEnd.Cause = change == csystem_exited ? .exit(status) : .signal(status)
      if case .killed(let cause?) = state { state = .ended(cause) } else { state = .ended(found) }
      if isOurs { csystem_reap(number) }
    }
    shutdown(inputToWake, Int32(SHUT_RDWR))
    input.withLock { input in
      close(input)
      input = -1
    }
  }

  /// Writes to its standard input. Throws why it could not be.
  func send(_ bytes: [UInt8], timeout: Duration) throws(SendFailure) {
    let failure = input.withLock { input in bytes.withUnsafeBytes { write($0, to: input, timeout) } }
    guard let failure else { return }
    if failure == .blocked { kill(.inputBlocked) }
    throw failure
  }

  /// Ends its standard input. The descriptor stays, for waking and closing.
  func endInput() {
    input.withLock { input in
      guard input >= 0 else { return }
      shutdown(input, Int32(SHUT_WR))
    }
  }

  /// Why something could not be sent.
  enum SendFailure: Error {
    case ended, blocked
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to input: Int32, _ timeout: Duration) -> SendFailure? {
    guard input >= 0 else { return .ended }
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    var rest = bytes[...]
    var deadline = ContinuousClock.now + timeout
    while !rest.isEmpty {
      let count = Glibc.send(input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
      if count > 0 {
        rest = rest.dropFirst(count)
        deadline = ContinuousClock.now + timeout
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return .ended }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return .blocked }
      var end = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
      poll(&end, 1, Int32(min(left / .milliseconds(1) + 1, 1e9)))
    }
    return nil
  }
}

// MARK: - Its output

/// Reads what a helper writes, on a thread of its own, until the helper has ended and nothing is left to read.
private struct OutputReader: Sendable {
  let child: ChildProcess
  /// Its standard output.
  let output: Int32
  /// Its standard error.
  let errors: Int32
  /// A pipe that hangs up when it has ended. Its own streams say nothing of that: what it had started itself may hold
  /// them open.
  let ended: Int32
  let limits: HelperLimits
  let onLine: @Sendable ([UInt8]) -> Int?
  let onBytes: @Sendable ([UInt8]) -> Void
  let onEnd: @Sendable (HelperEnd) -> Void

  /// The most bytes that are kept of its standard error: the trace that Swift's runtime writes after its reason fits.
  static let errorsLimit = 1 << 14

  /// No pipe holds more than so many reads give: 1 MiB.
  static let readsAfterEnd = 1 << 8

  /// Reads all of it, then says how it ended.
  func run() {
    var splitter = FrameSplitter(lineLimit: limits.line, bytesLimit: limits.bytes)
    var errorBytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var ends = [pollfd(fd: output), pollfd(fd: errors), pollfd(fd: ended)]
    var isOver = false
    var isExcess = false
    var left = Self.readsAfterEnd
    repeat {
      // Once it has ended, only what is there already is read.
      let count = poll(&ends, 3, isOver ? 0 : -1)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        // The system does not say when there is something to read: trying again would keep a processor busy.
        child.kill(nil)
        break
      }
      if isOver { left -= 1 }
      if count == 0 || left == 0 { break }
      if ends[1].revents != 0 {
        let piece = piece(of: &ends[1], &buffer)
        errorBytes = Array((errorBytes + piece).suffix(Self.errorsLimit))
      }
      if ends[0].revents != 0, !splitter.take(piece(of: &ends[0], &buffer), line: onLine, bytes: onBytes) {
        child.kill(.excessOutput)
        isExcess = true
        // Whatever else it says is not to be believed.
        ends[0].fd = -1
      }
      if ends[2].revents != 0 {
        isOver = true
        ends[2].fd = -1
      }
    } while true
    close(output)
    close(errors)
    close(ended)
    onEnd(
      HelperEnd(
        child.cause, errors: String(decoding: errorBytes, as: UTF8.self),
        isCutOff: !isExcess && !splitter.isAtBeginning))
  }

  /// What is there to read; at the end of it nothing, and the stream is not looked at again.
  private func piece(of end: inout pollfd, _ buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    let count = read(end.fd, &buffer, buffer.count)
    if count > 0 { return buffer[..<count] }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { end.fd = -1 }
    return []
  }
}

extension pollfd {
  /// One to read from.
  fileprivate init(fd: Int32) { self.init(fd: fd, events: Int16(POLLIN), revents: 0) }
}

/// How a helper process ended.
public struct HelperEnd: Sendable, Hashable {
  /// What ended it.
  public enum Cause: Sendable, Hashable {
    /// It ended by itself, with that status; -1 when this process ignores SIGCHLD, so that the status is lost.
    case exit(Int32)
    /// A signal of that number; SIGKILL after `end`.
    case signal(Int32)
    /// It had been stopped; it was killed.
    case stopped
    /// It wrote a line longer than its limit, or announced more raw bytes; it was killed.
    case excessOutput
    /// It read nothing of what was sent to it for too long; it was killed.
    case inputBlocked
  }

  /// What ended it.
  public let cause: Cause
  /// The last of what it wrote to its standard error, at most 16 KiB.
  public let errors: String
  /// Whether it ended in the middle of a line, or of the raw bytes after one.
  public let isCutOff: Bool

  /// An end.
  public init(_ cause: Cause, errors: String, isCutOff: Bool = false) {
    self.cause = cause
    self.errors = errors
    self.isCutOff = isCutOff
  }
}

/// What a helper process may use.
public struct HelperLimits: Sendable, Hashable {
  /// Bytes of address space.
  public var memory: Int
  /// Seconds of processor time; nil for one that lives long.
  public var processorSeconds: Int?
  /// Bytes of a line; one with longer ones is killed.
  public var line: Int
  /// Raw bytes after a line that announces them; one that announces more is killed.
  public var bytes: Int
  /// How long it may read nothing of what is sent to it; one that takes longer is killed.
  public var inputTimeout = Duration.seconds(10)

  /// Limits of these sizes.
  public init(memory: Int, processorSeconds: Int?, line: Int, bytes: Int = 0) {
    self.memory = memory
    self.processorSeconds = processorSeconds
    self.line = line
    self.bytes = bytes
  }
}

/// When a helper that ended is started again. Times are those of any clock that only goes forward.
///
/// ```
///              started                     ended, had run for 10 s: due at once
///   waiting -----------> running(since) --------------------------------------.
///   (due) ^                   |                                               |
///      |  |                   | ended before: due after the pause, which      |
///      '--'                   v doubles, 100 ms up to 30 s                    |
///     ended: the       waiting(due) <-----------------------------------------'
///     start failed
/// ```
/// In every state the pause, the one after the next short run, is within its bounds; it begins anew after a long run.
public struct Restarts: Sendable {
  private enum State: Equatable {
    case waiting
    case running(since: Duration)
  }

  /// A helper that ran for that long is well.
  static let longRun = Duration.seconds(10)
  static let shortestPause = Duration.milliseconds(100)
  static let longestPause = Duration.seconds(30)

  private var state = State.waiting
  private var pause = shortestPause

  /// Nothing has been started yet.
  public init() {}

  /// It was started.
  public mutating func started(at now: Duration) {
    state = .running(since: now)
    checkInvariants()
  }

  /// It ended, or could not be started. Gives the time to start it again, `now` or later.
  public mutating func ended(at now: Duration) -> Duration {
    defer { checkInvariants() }
    let wasWell = if case .running(let since) = state { now - since >= Self.longRun } else { false }
    state = .waiting
    guard !wasWell else {
      pause = Self.shortestPause
      return now
    }
    defer { pause = min(pause * 2, Self.longestPause) }
    return now + pause
  }

  private func checkInvariants() {
    assert(pause >= Self.shortestPause && pause <= Self.longestPause)
  }
}

/// Makes lines of bytes that come in pieces, and the raw bytes that a line announces.
package struct FrameSplitter {
  /// The most bytes in a line.
  private let lineLimit: Int
  /// The most raw bytes after a line.
  private let bytesLimit: Int
  /// What has come of the line that is not at its end.
  private var rest: [UInt8] = []
  /// What has come of raw bytes. They are held here and nowhere else, in room for all of them.
  private var body: [UInt8] = []
  /// How many raw bytes are still to come; nil when a line is.
  private var missing: Int?

  /// A splitter for what is at a line's beginning.
  package init(lineLimit: Int, bytesLimit: Int) {
    self.lineLimit = lineLimit
    self.bytesLimit = bytesLimit
  }

  /// Whether nothing that has come waits for more.
  package var isAtBeginning: Bool { rest.isEmpty && missing == nil }

  /// Takes a piece and hands out what ends in it: each line, without its line break, to `line`, which says how many raw
  /// bytes follow it, if any do; these to `bytes`. False when more comes than the limits let: nothing of that is handed out,
  /// and there is no way on.
  package mutating func take(
    _ piece: ArraySlice<UInt8>, line: ([UInt8]) -> Int?, bytes: ([UInt8]) -> Void
  ) -> Bool {
    var piece = piece
    repeat {
      if let count = missing {
        let part = piece.prefix(count)
        body += part
        piece = piece.dropFirst(part.count)
        missing = count - part.count
        guard part.count == count else { return true }
        missing = nil
        bytes(handOver())
      }
      guard let end = piece.firstIndex(of: 10) else { break }
      guard rest.count + (end - piece.startIndex) <= lineLimit else { return false }
      rest += piece[..<end]
      let announced = line(rest)
      rest.removeAll(keepingCapacity: rest.capacity <= 1 << 16)
      piece = piece[(end + 1)...]
      if let announced {
        guard (0...bytesLimit).contains(announced) else { return false }
        body.reserveCapacity(announced)
        missing = announced
      }
    } while missing != nil || !piece.isEmpty
    rest += piece
    return rest.count <= lineLimit
  }

  /// The raw bytes, which are not held here any more.
  private mutating func handOver() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &body)
    return bytes
  }
}
