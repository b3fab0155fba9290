// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The terminal behind stdout, for much that is written at once: one that takes nothing keeps nobody from ending.
struct TerminalOutput: Sendable {
  private let descriptor: Int32

  /// What is opened here does not make others wait less, or more, for the same terminal. Without it writing may wait.
  init() {
    let own = isatty(1) == 1 ? open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = own >= 0 ? own : 1
  }

  /// Writes as fast as it is taken; false when `isOver` told meanwhile that the rest is not wanted. Throws `inputOutput`.
  func write(_ bytes: [UInt8], unless isOver: () -> Bool) throws(ArtError) -> Bool {
    var left = bytes[...]
    while !left.isEmpty {
      if isOver() { return false }
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&room, 1, 50) != 0 else { continue }
      let count = left.prefix(1 << 14).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // There is room for less than the system writes at once.
        poll(nil, 0, 5)
        continue
      }
      guard count > 0 else { throw .notWritten(to: "stdout", errno) }
      left = left.dropFirst(count)
    }
    return true
  }

  /// Writes what little there is to say before this process ends or stops, if it is taken soon.
  func writeLast(_ text: String) {
    let end = ContinuousClock.now + .milliseconds(500)
    // When this fails the terminal is gone.
    do throws(ArtError) { _ = try write(Array(text.utf8), unless: { ContinuousClock.now > end }) } catch {}
  }
}

extension SignalSource {
  /// Writes what was drawn to stdout. A signal that ends programs ends this one, and `last` closes what the terminal has half of.
  func put(_ bytes: [UInt8], last: String) throws(ArtError) {
    let terminal = TerminalOutput()
    var number: Int32?
    let isWhole = try terminal.write(
      bytes,
      unless: {
        number = next(of: Self.endings)
        return number != nil
      })
    guard !isWhole, let number else { return }
    terminal.writeLast(last)
    SignalSource.die(of: number)
  }
}
