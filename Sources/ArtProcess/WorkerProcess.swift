// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CProcess
import Glibc
import Synchronization

/// A worker's process, and the end of its standard input: what several threads look at.
///
/// ```
///   running --kill--> killed ----.
///      |                         v
///      '------- it ends ----> ended(cause)
/// ```
/// Its number is its own until `ended`; from then on it is not used any more.
final class WorkerProcess: Sendable {
  private enum State {
    case running
    /// We killed it; why, where that says more than the signal.
    case killed(WorkerEnd.Cause?)
    case ended(WorkerEnd.Cause)
  }

  let number: pid_t
  private let state = Mutex(State.running)
  /// Held by whoever writes, so that what two threads send does not mix; -1 when it is closed.
  private let input: Mutex<Int32>
  /// The same, for waking a writer without waiting for it. Only `waitForEnd` closes it.
  private let inputToWake: Int32

  init(_ started: cprocess) {
    number = started.process
    input = Mutex(started.input)
    inputToWake = started.input
  }

  /// How it ended, once it has.
  var cause: WorkerEnd.Cause {
    state.withLock { state in
      if case .ended(let cause) = state { cause } else { .exit(-1) }
    }
  }

  /// Kills it, with all of its group, if it is still there.
  func kill(_ cause: WorkerEnd.Cause?) {
    state.withLock { state in
      guard case .running = state else { return }
      state = .killed(cause)
      Glibc.kill(-number, SIGKILL)
    }
  }

  /// Waits for its end, on the thread that started it; kills it when it has been stopped. Then nothing of it is left.
  func waitForEnd() {
    var status: Int32 = 0
    var change = cprocess_wait(number, true, &status)
    if change == cprocess_stopped {
      kill(.stopped)
      change = cprocess_wait(number, false, &status)
    }
    // Where this process ignores SIGCHLD the kernel has reaped it, and the number may be another group's by now.
    let isOurs = !(change == cprocess_exited && status == -1)
    state.withLock { state in
      // What it started itself goes with it; the group has its number until it is reaped.
      if isOurs { Glibc.kill(-number, SIGKILL) }
      let seen: WorkerEnd.Cause = change == cprocess_exited ? .exit(status) : .signal(status)
      if case .killed(let cause?) = state { state = .ended(cause) } else { state = .ended(seen) }
      if isOurs { cprocess_reap(number) }
    }
    shutdown(inputToWake, Int32(SHUT_RDWR))
    input.withLock { input in
      close(input)
      input = -1
    }
  }

  /// Writes to its standard input. Throws why it could not be.
  func send(_ bytes: [UInt8], patience: Duration) throws(SendFailure) {
    let failure = input.withLock { input in bytes.withUnsafeBytes { write($0, to: input, patience) } }
    guard let failure else { return }
    if failure == .deaf { kill(.deaf) }
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
    case ended, deaf
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to input: Int32, _ patience: Duration) -> SendFailure? {
    guard input >= 0 else { return .ended }
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    var rest = bytes[...]
    var deadline = ContinuousClock.now + patience
    while !rest.isEmpty {
      let count = Glibc.send(input, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
      if count > 0 {
        rest = rest.dropFirst(count)
        deadline = ContinuousClock.now + patience
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return .ended }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return .deaf }
      var end = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
      poll(&end, 1, Int32(min(left / .milliseconds(1) + 1, 1e9)))
    }
    return nil
  }
}
