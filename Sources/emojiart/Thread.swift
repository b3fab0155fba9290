// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Begins a thread, whose signals are those of this one. Throws `inputOutput`.
func beginThread(_ body: @escaping @Sendable () -> Void) throws(ArtError) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let held = Unmanaged.passRetained(Body(body))
  let number = pthread_create(
    &thread, nil,
    { held in
      if let held { Unmanaged<Body>.fromOpaque(held).takeRetainedValue().run() }
      return nil
    }, held.toOpaque())
  guard number != 0 else { return }
  held.release()
  throw ArtError(.inputOutput, "cannot begin a thread: \(String(cString: strerror(number)))")
}
