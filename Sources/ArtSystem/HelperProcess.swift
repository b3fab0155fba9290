// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Dispatch
import Glibc
import Synchronization

/// A helper program that runs, connected by pipes. It ends with this object and with this process, however that
/// ends.
///
/// Two threads belong to it. One starts the program and waits for its end; it stays, because the kernel kills
/// the program when the thread that started it ends. The other reads the output. Both end after `onEnd`.
public final class HelperProcess: Sendable {
  /// The process ID.
  public let processID: Int32
  private let program: HelperProgram
  private let child: ChildProcess
  private let inputTimeout: Duration

  /// Starts a program with the named variables of this process's environment and no others. A thread of the
  /// helper's own calls `onLine` with each line of standard output, without its line break; nothing more is
  /// read during the call. The same thread calls `onEnd` once, as the last call. Throws `notStarted` and
  /// `noThread`; neither closure is called then.
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

  /// Starts a program that also writes raw bytes. `onLine` returns how many follow the line, or nil. `onBytes`
  /// receives them as one array. Bytes that are incomplete when the program ends are dropped.
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

  /// Writes to standard input. Blocks while the program does not read, at most for `inputTimeout`. Never call
  /// it on a thread that `onLine` waits for. Throws `ended` and `inputBlocked`.
  public func send(_ bytes: [UInt8]) throws(HelperFailure) {
    do throws(ChildProcess.SendFailure) {
      try child.send(bytes, timeout: inputTimeout)
    } catch {
      throw error == .blocked ? .inputBlocked(program, inputTimeout) : .ended(program)
    }
  }

  /// Closes standard input, after a `send` that is under way.
  public func endInput() { child.endInput() }

  /// Kills the program, if it still runs; `onEnd` follows.
  public func end() { child.kill(nil) }
}

// MARK: - The start

/// Passes the result of the start from the thread that does it to the one that waits for it.
private final class Start: Sendable {
  private let outcome = Mutex<Result<(ChildProcess, csystem_process), SystemError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Starts the program; nil when that fails.
  func run(
    _ program: HelperProgram, _ arguments: [String], _ variables: [String], _ limits: HelperLimits
  ) -> ChildProcess? {
    var started = csystem_process()
    var argv = ([program.path] + arguments).map { strdup($0) } + [nil]
    var environment = variables.compactMap(Environment.definition).map { strdup($0) } + [nil]
    let error = csystem_start(
      program.path, &argv, &environment,
      csystem_limits(
        memory: UInt64(max(limits.memory, 0)), processor_seconds: UInt64(max(limits.processorSeconds ?? 0, 0))
      ),
      &started)
    for pointer in argv + environment { free(pointer) }
    let child = error == 0 ? ChildProcess(started) : nil
    outcome.withLock { [started] outcome in
      outcome =
        child.map { .success(($0, started)) } ?? .failure(SystemError("execve", program.path, number: error))
    }
    isDone.signal()
    return child
  }

  /// Waits for the start.
  func result() throws(SystemError) -> (ChildProcess, csystem_process) {
    isDone.wait()
    // `run` sets it before it signals.
    guard let outcome = outcome.withLock({ $0 }) else { throw SystemError("execve", number: EINVAL) }
    return try outcome.get()
  }
}

// MARK: - The process

/// The process and the write end of its standard input, shared by several threads.
///
/// ```
///   running --kill--> killed ----.
///                         v
///      '--- process ends ---> ended(cause)
/// ```
/// The process ID is valid until `ended`; it is not used after that.
private final class ChildProcess: Sendable {
  private enum State {
    case running
    /// Killed by us; the cause, where it says more than the signal.
    case killed(HelperEnd.Cause?)
    case ended(HelperEnd.Cause)
  }

  let number: pid_t
  private let state = Mutex(State.running)
  /// Locked by the thread that writes, so that the bytes of two threads do not mix; -1 when closed.
  private let input: Mutex<Int32>
  /// The same descriptor, to wake a blocked writer without the lock. Only `waitForEnd` closes it.
  private let inputToWake: Int32

  init(_ started: csystem_process) {
    number = started.process
    input = Mutex(started.input)
    inputToWake = started.input
  }

  /// The cause of the end; `exit(-1)` before it.
  var cause: HelperEnd.Cause {
    state.withLock { state in
      if case .ended(let cause) = state { cause } else { .exit(-1) }
    }
  }

  /// Kills the process and its group, if it still runs.
  func kill(_ cause: HelperEnd.Cause?) {
    state.withLock { state in
      guard case .running = state else { return }
      state = .killed(cause)
      Glibc.kill(-number, SIGKILL)
    }
  }

  /// Waits for the end, on the thread that started the process; kills a process that was stopped. The process
  /// is reaped on return.
  func waitForEnd() {
    var status: Int32 = 0
    var change = csystem_wait(number, true, &status)
    if change == csystem_stopped {
      kill(.stopped)
      change = csystem_wait(number, false, &status)
    }
    // Where this process ignores SIGCHLD, the kernel has reaped the child, and the number may be another
    // group's by now.
    let isUnreaped = !(change == csystem_exited && status == -1)
    state.withLock { state in
      // Kills the child's own children, too; the group's number stays valid until the child is reaped.
      if isUnreaped { Glibc.kill(-number, SIGKILL) }
      let found: HelperEnd.Cause = change == csystem_exited ? .exit(status) : .signal(status)
      if case .killed(let cause?) = state { state = .ended(cause) } else { state = .ended(found) }
      if isUnreaped { csystem_reap(number) }
    }
    shutdown(inputToWake, Int32(SHUT_RDWR))
    input.withLock { input in
      close(input)
      input = -1
    }
  }

  /// Writes to standard input.
  func send(_ bytes: [UInt8], timeout: Duration) throws(SendFailure) {
    let failure = input.withLock { input in bytes.withUnsafeBytes { write($0, to: input, timeout) } }
    guard let failure else { return }
    if failure == .blocked { kill(.inputBlocked) }
    throw failure
  }

  /// Shuts standard input down. The descriptor stays open, for `waitForEnd`.
  func endInput() {
    input.withLock { input in
      guard input >= 0 else { return }
      shutdown(input, Int32(SHUT_WR))
    }
  }

  /// Why `send` failed.
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

// // MARK: - Output

/// Reads the output of a helper on a thread of its own, until the helper has ended and its pipes are empty.
private struct OutputReader: Sendable {
  let child: ChildProcess
  /// The pipe of standard output.
  let output: Int32
  /// The pipe of standard error.
  let errors: Int32
  /// A pipe that is closed when the helper has ended. The end of the output does not show that: a child of the
  /// helper may keep its streams open.
  let ended: Int32
  let limits: HelperLimits
  let onLine: @Sendable ([UInt8]) -> Int?
  let onBytes: @Sendable ([UInt8]) -> Void
  let onEnd: @Sendable (HelperEnd) -> Void

  /// The bytes of standard error that are kept, the last ones: enough for the reason of a Swift trap and the
  /// trace after it.
  static let errorsLimit = 1 << 14

  /// The number of reads after the end: 1 MiB, more than a pipe holds.
  static let readsAfterEnd = 1 << 8

  /// Reads until the end, then calls `onEnd`.
  func run() {
    var splitter = FrameSplitter(lineLimit: limits.line, bytesLimit: limits.bytes)
    var errorBytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var ends = [pollfd(fd: output), pollfd(fd: errors), pollfd(fd: ended)]
    var isOver = false
    var isExcess = false
    var left = Self.readsAfterEnd
    repeat {
      // After the end, only bytes that are already in the pipes are read.
      let count = poll(&ends, 3, isOver ? 0 : -1)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        // poll(2) fails for want of memory: retrying would keep a processor busy.
        child.kill(nil)
        break
      }
      if isOver { left -= 1 }
      if count == 0 || left == 0 { break }
      if ends[1].revents != 0 {
        let piece = piece(of: &ends[1], &buffer)
        errorBytes = Array((errorBytes + piece).suffix(Self.errorsLimit))
      }
      if ends[0].revents != 0, !splitter.append(piece(of: &ends[0], &buffer), line: onLine, bytes: onBytes) {
        child.kill(.excessOutput)
        isExcess = true
        // The rest of its output is ignored.
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

  /// The bytes that are available; empty at the end of the stream, which is not polled again.
  private func piece(of end: inout pollfd, _ buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    let count = read(end.fd, &buffer, buffer.count)
    if count > 0 { return buffer[..<count] }
    if count == 0 || (errno != EINTR && errno != EAGAIN) { end.fd = -1 }
    return []
  }
}

extension pollfd {
  /// An entry to read from.
  fileprivate init(fd: Int32) { self.init(fd: fd, events: Int16(POLLIN), revents: 0) }
}

// MARK: - End and limits

/// How a helper process ended.
public struct HelperEnd: Sendable, Hashable {
  /// The cause of the end.
  public enum Cause: Sendable, Hashable {
    /// It exited with that status; -1 when this process ignores SIGCHLD, so that the status is lost.
    case exit(Int32)
    /// A signal ended it; SIGKILL after `end`.
    case signal(Int32)
    /// It was stopped, by SIGSTOP for example, and we killed it.
    case stopped
    /// It exceeded the limit of a line or of announced raw bytes, and we killed it.
    case excessOutput
    /// It did not read its input within `inputTimeout`, and we killed it.
    case inputBlocked
  }

  /// The cause of the end.
  public let cause: Cause
  /// The last bytes of standard error, at most 16 KiB.
  public let errors: String
  /// Whether the output ended in the middle of a line or of raw bytes.
  public let isCutOff: Bool

  /// Creates an end.
  public init(_ cause: Cause, errors: String, isCutOff: Bool = false) {
    self.cause = cause
    self.errors = errors
    self.isCutOff = isCutOff
  }
}

/// Resource limits of a helper process.
public struct HelperLimits: Sendable, Hashable {
  /// Address space in bytes.
  public var memory: Int
  /// Processor time in seconds; nil for a helper that lives long.
  public var processorSeconds: Int?
  /// The longest line in bytes; a helper that exceeds it is killed.
  public var line: Int
  /// The most raw bytes that a line may announce; a helper that exceeds it is killed.
  public var bytes: Int
  /// How long the helper may leave its input unread; it is killed after that.
  public var inputTimeout = Duration.seconds(10)

  /// Creates limits, with the default input timeout.
  public init(memory: Int, processorSeconds: Int?, line: Int, bytes: Int = 0) {
    self.memory = memory
    self.processorSeconds = processorSeconds
    self.line = line
    self.bytes = bytes
  }
}

// MARK: - Restarting

/// Computes when a helper that ended is started again, with exponential backoff. Times are those of any
/// monotonic clock.
///
/// ```
///              started                     ended, had run for 10 s: due at once
///   waiting -----------> running(since) --------------------------------------.
///   (due) ^                   |                                               |
///      |  |                   | ended before: due after the delay, which      |
///      '--'                   v doubles, 100 ms up to 30 s                    |
///     ended: the       waiting(due) <-----------------------------------------'
///     start failed
/// ```
/// Invariant: the delay after the next short run is within its bounds. A long run resets it.
public struct RestartBackoff: Sendable {
  private enum State: Equatable {
    case waiting
    case running(since: Duration)
  }

  /// A run this long resets the delay.
  static let stableRun = Duration.seconds(10)
  static let minDelay = Duration.milliseconds(100)
  static let maxDelay = Duration.seconds(30)

  private var state = State.waiting
  private var delay = minDelay

  /// A backoff before the first start.
  public init() {}

  /// The helper was started.
  public mutating func started(at now: Duration) {
    state = .running(since: now)
    checkInvariants()
  }

  /// The helper ended, or could not be started. Returns when to start it again: `now` or later.
  public mutating func ended(at now: Duration) -> Duration {
    defer { checkInvariants() }
    let wasStable = if case .running(let since) = state { now - since >= Self.stableRun } else { false }
    state = .waiting
    guard !wasStable else {
      delay = Self.minDelay
      return now
    }
    defer { delay = min(delay * 2, Self.maxDelay) }
    return now + delay
  }

  private func checkInvariants() {
    assert(delay >= Self.minDelay && delay <= Self.maxDelay)
  }
}

// MARK: - Lines and raw bytes

/// Splits a byte stream into lines, and into the raw bytes that a line announces.
package struct FrameSplitter {
  /// The most bytes of a line.
  private let lineLimit: Int
  /// The most raw bytes after a line.
  private let bytesLimit: Int
  /// The beginning of a line that is incomplete.
  private var rest: [UInt8] = []
  /// The beginning of raw bytes that are incomplete. Capacity for all of them is reserved once.
  private var body: [UInt8] = []
  /// How many raw bytes are still missing; nil while a line is being read.
  private var missing: Int?

  /// A splitter at the start of a line.
  package init(lineLimit: Int, bytesLimit: Int) {
    self.lineLimit = lineLimit
    self.bytesLimit = bytesLimit
  }

  /// Whether no line and no raw bytes are incomplete.
  package var isAtBeginning: Bool { rest.isEmpty && missing == nil }

  /// Appends a piece and passes on everything that it completes: each line, without its line break, to `line`,
  /// which returns how many raw bytes follow it, or nil; raw bytes to `bytes`. Returns false when a limit is
  /// exceeded: the stream cannot be split further.
  package mutating func append(
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
        bytes(removeBody())
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

  /// Returns the raw bytes without a copy.
  private mutating func removeBody() -> [UInt8] {
    var bytes: [UInt8] = []
    swap(&bytes, &body)
    return bytes
  }
}
