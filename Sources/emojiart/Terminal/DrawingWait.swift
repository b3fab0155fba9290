// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorker
import ArtWorkspace
import Glibc

/// Has something drawn while a command waits, and ends by a signal that says so; `restore` is called before that, and `pause` before
/// it stops by the one that stops programs.
func waitForDrawing<Value: Sendable>(
  _ held: SignalSource, restore: () -> Void = {}, pause: () -> Void = {},
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
      SignalSource.stopWithoutOpenFiles()
      continue
    }
    outcome.cancel()
    // Its helper ends with this process in any case.
    _ = outcome.wait(atMost: .seconds(1))
    restore()
    SignalSource.die(of: number)
  }
}
