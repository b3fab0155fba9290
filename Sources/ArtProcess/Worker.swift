// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CProcess
import Dispatch
import Glibc
import Synchronization

/// A program that does one thing for this one, on pipes. It never outlives this process, however that ends, nor this
/// object.
///
/// Two threads belong to it. One starts it and waits for its end; the kernel kills the program when that thread is
/// gone, so it stays. The other reads. Both are gone after `onEnd`.
public final class Worker: Sendable {
  /// The process's number.
  public let processID: Int32
  private let program: WorkerProgram
  private let process: WorkerProcess
  private let patience: Duration

  /// Starts it, with those variables of this process's environment and no others. `onLine` is called with each line that
  /// it writes, without its line break, on a thread of the worker's own: while that call lasts nothing more is read.
  /// `onEnd` is called once, on the same thread, after the last line, and nothing after it. Throws `unavailable` when it
  /// cannot be started; then neither is called.
  public convenience init(
    starting program: WorkerProgram, arguments: [String] = [], variables: [String] = [], limits: WorkerLimits,
    onLine: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable (WorkerEnd) -> Void
  ) throws(ArtError) {
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
    starting program: WorkerProgram, arguments: [String] = [], variables: [String] = [], limits: WorkerLimits,
    onLine: @escaping @Sendable ([UInt8]) -> Int?, onBytes: @escaping @Sendable ([UInt8]) -> Void,
    onEnd: @escaping @Sendable (WorkerEnd) -> Void
  ) throws(ArtError) {
    var pipe: [Int32] = [-1, -1]
    var error = cprocess_pipe(&pipe)
    guard error == 0 else { throw .cannotStart(program, error) }
    let (ended, alive) = (pipe[0], pipe[1])
    let start = Start()
    error = WorkerThread.run {
      guard let process = start.run(program, arguments, variables, limits) else { return }
      process.waitForEnd()
      close(alive)
    }
    guard error == 0 else {
      close(ended)
      close(alive)
      throw .cannotStartThread(for: program, error)
    }
    let (process, started): (WorkerProcess, cprocess)
    do throws(ArtError) {
      (process, started) = try start.result()
    } catch {
      close(ended)
      close(alive)
      throw error
    }
    let reader = WorkerReader(
      process: process, output: started.output, complaint: started.complaint, ended: ended,
      limits: limits, onLine: onLine, onBytes: onBytes, onEnd: onEnd)
    let readerError = WorkerThread.run { reader.run() }
    guard readerError == 0 else {
      process.kill(nil)
      for descriptor in [started.output, started.complaint, ended] { close(descriptor) }
      throw .cannotStartThread(for: program, readerError)
    }
    self.program = program
    self.process = process
    processID = process.number
    patience = limits.patience
  }

  deinit { end() }

  /// Writes to its standard input. Waits while it takes nothing, at most as long as its limits say: whoever `onLine`
  /// waits for must not be the one who waits here. Throws `unavailable` when it takes nothing any more.
  public func send(_ bytes: [UInt8]) throws(ArtError) {
    do {
      try process.send(bytes, patience: patience)
    } catch {
      throw error == .deaf ? .takesNothing(program, for: patience) : .hasEnded(program)
    }
  }

  /// Ends its standard input: it was sent all that there is. Waits for whoever is sending.
  public func endInput() { process.endInput() }

  /// Kills it, if it is still there; `onEnd` follows.
  public func end() { process.kill(nil) }
}

/// The start of a worker, handed from the thread that does it to the one that waits for it.
private final class Start: Sendable {
  private let outcome = Mutex<Result<(WorkerProcess, cprocess), ArtError>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Starts the program; nil when that failed.
  func run(
    _ program: WorkerProgram, _ arguments: [String], _ variables: [String], _ limits: WorkerLimits
  ) -> WorkerProcess? {
    var started = cprocess()
    var words = ([program.path] + arguments).map { strdup($0) } + [nil]
    // Bytes as they are: a path in them need not be a text.
    var environment = variables.map { name in getenv(name).flatMap { Self.variable(name, $0) } }.filter {
      $0 != nil
    }
    environment.append(nil)
    let error = cprocess_start(
      program.path, &words, &environment,
      cprocess_limits(
        memory: UInt64(max(limits.memory, 0)), processor_seconds: UInt64(max(limits.processorSeconds ?? 0, 0))
      ),
      &started)
    for word in words + environment { free(word) }
    let process = error == 0 ? WorkerProcess(started) : nil
    outcome.withLock { [started] outcome in
      outcome = process.map { .success(($0, started)) } ?? .failure(.cannotStart(program, error))
    }
    isDone.signal()
    return process
  }

  /// `NAME=value`, which the caller frees.
  private static func variable(
    _ name: String, _ value: UnsafeMutablePointer<CChar>
  ) -> UnsafeMutablePointer<CChar>? {
    let length = name.utf8.count + strlen(value) + 2
    let text = malloc(length)?.assumingMemoryBound(to: CChar.self)
    if let text {
      strcpy(text, name)
      strcat(text, "=")
      strcat(text, value)
    }
    return text
  }

  /// Waits for it.
  func result() throws(ArtError) -> (WorkerProcess, cprocess) {
    isDone.wait()
    guard let outcome = outcome.withLock({ $0 }) else {
      throw ArtError(.unavailable, "a start without an outcome")
    }
    return try outcome.get()
  }
}
