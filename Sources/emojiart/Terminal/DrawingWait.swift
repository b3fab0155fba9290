// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import ArtWorkspace
import Glibc

/// Signals that wait in this thread, and in those that it begins, until somebody asks for them. Those that were ignored stay so.
struct HeldSignals {
  private let numbers: [Int32]
  private var before = sigset_t()

  /// Those that end programs.
  static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Holds them back.
  init(_ numbers: [Int32] = endings) {
    self.numbers = numbers.filter { !StreamSignals.isIgnored($0) }
    var set = StreamSignals.set(self.numbers)
    pthread_sigmask(SIG_BLOCK, &set, &before)
  }

  /// One that has come.
  func next(of some: [Int32]? = nil) -> Int32? {
    var set = StreamSignals.set(some.map { $0.filter(numbers.contains) } ?? numbers)
    var time = timespec()
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }

  /// From here on they do what they do. One that ends programs and has come does so here: Swift's runtime would take SIGQUIT for a
  /// trap of the program's own. Whoever held them back before this one did has them back.
  func release() {
    var set = before
    if let number = next(of: Self.endings.filter { sigismember(&set, $0) == 0 }) {
      StreamSignals.die(of: number)
    }
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}

/// Has something drawn while a command waits, and ends by a signal that says so; `restore` is called before that, and `pause` before
/// it stops by the one that stops programs.
func waitForDrawing<Value: Sendable>(
  _ held: HeldSignals, restore: () -> Void = {}, pause: () -> Void = {},
  _ work: @escaping @Sendable () async throws(DrawingFailure) -> Value
) throws(DrawingFailure) -> Value {
  let outcome: Outcome<Result<Value, DrawingFailure>>
  do throws(ArtError) {
    outcome = try Outcome.onThread {
      do throws(DrawingFailure) { return .success(try await work()) } catch { return .failure(error) }
    }
  } catch {
    throw .failed(error)
  }
  while true {
    if let result = outcome.wait(atMost: .milliseconds(50)) { return try result.get() }
    guard let number = held.next() else { continue }
    if number == SIGTSTP {
      pause()
      StreamSignals.stopHere()
      continue
    }
    outcome.cancel()
    // Its helper ends with this process in any case.
    _ = outcome.wait(atMost: .seconds(1))
    restore()
    StreamSignals.die(of: number)
  }
}
