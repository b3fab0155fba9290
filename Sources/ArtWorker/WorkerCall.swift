// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess
import Dispatch
import Glibc
import Synchronization

/// One request to one helper program, from the program's start to its end.
///
/// Starting and sending wait, and are done on a queue of its own; what the program says comes on a thread of the worker's.
final class WorkerCall: Sendable {
  typealias Outcome = Result<Exchange.Answer, BackgroundFailure>

  /// Why it is to end before its answer.
  private enum Stop {
    case cancelled
    case expired(Duration)
    /// The exchange is broken, or the program takes nothing.
    case useless
  }

  private struct State {
    var exchange: Exchange
    var worker: Worker?
    var stop: Stop?
    var waiting: CheckedContinuation<Outcome, Never>?

    /// What it came to; without an end it was never started.
    func outcome(of end: WorkerEnd?) -> Outcome {
      switch (stop, end) {
      case (.cancelled, _): .failure(.cancelled)
      // One that ended by itself in time was not late.
      case (.expired(let deadline), let end) where end == nil || end?.cause == .signal(SIGKILL):
        .failure(exchange.outcome(after: deadline))
      case (_, let end?): exchange.outcome(of: end)
      case (_, nil): .failure(.cancelled)
      }
    }
  }

  private let program: WorkerProgram
  private let limits: WorkerLimits
  private let request: WorkerRequest
  private let bytes: [UInt8]
  private let tell: @Sendable (FetchProgress) -> Void
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "emojiart-worker")

  /// A call that has not begun; `bytes` are those that follow the request.
  init(
    _ program: WorkerProgram, _ limits: WorkerLimits, _ request: WorkerRequest, bytes: [UInt8],
    _ tell: @escaping @Sendable (FetchProgress) -> Void
  ) {
    self.program = program
    self.limits = limits
    self.request = request
    self.bytes = bytes
    self.tell = tell
    state = Mutex(State(exchange: Exchange(request, with: program)))
  }

  /// Asks and waits, once. When this returns the program has ended.
  func answer(within deadline: Duration, on clock: any Clock<Duration>) async -> Outcome {
    let timer = Task {
      // Cancelled when it is not needed any more.
      do { try await clock.sleep(for: deadline) } catch { return }
      stop(.expired(deadline))
    }
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

  private func start() {
    guard state.withLock({ $0.stop == nil }) else { return finish(nil) }
    do throws(ArtError) {
      let worker = try Worker(
        starting: program, limits: limits, onLine: { self.heard(line: $0) },
        onBytes: { bytes in self.act(self.state.withLock { $0.exchange.heard(bytes: bytes) }) },
        onEnd: { self.finish($0) })
      let isStopped = state.withLock { state in
        state.worker = worker
        return state.stop != nil
      }
      if isStopped { worker.end() }
    } catch {
      finish(.failure(.failed(error)))
    }
  }

  /// Hears a line; gives how many raw bytes follow it.
  private func heard(line: [UInt8]) -> Int? {
    let effect = state.withLock { $0.exchange.heard(line: line) }
    act(effect)
    return if case .take(let count) = effect { count } else { nil }
  }

  private func act(_ effect: Exchange.Effect) {
    switch effect {
    case .nothing, .take: break
    // After its start, which is on this queue, too.
    case .ask: queue.async { self.ask() }
    case .tell(let progress): tell(progress)
    case .kill: stop(.useless)
    }
  }

  /// Sends the request, the only one, and what follows it.
  private func ask() {
    guard let worker = state.withLock({ $0.worker }) else { return }
    var writer = JSONWriter()
    request.write(to: &writer)
    writer.endLine()
    do throws(ArtError) {
      try worker.send(writer.bytes)
      try worker.send(bytes)
      worker.endInput()
    } catch {
      // It has ended, which says more than this, or hears nothing.
      stop(.useless)
    }
  }

  /// Ends the program, which the end of this call follows. The first reason stands, but who cancels is told so.
  private func stop(_ reason: Stop) {
    let worker = state.withLock { state in
      if case .cancelled = reason { state.stop = reason } else { state.stop = state.stop ?? reason }
      return state.worker
    }
    worker?.end()
  }

  private func finish(_ end: WorkerEnd?) {
    finish(state.withLock { $0.outcome(of: end) })
  }

  private func finish(_ outcome: Outcome) {
    let waiting = state.withLock { state in
      state.worker = nil
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }
}
