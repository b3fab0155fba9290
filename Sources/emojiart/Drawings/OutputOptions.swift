// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorker
import ArtWorkspace
import Glibc

extension OutputPlace {
  /// What a person gives a command: a path, or `-` for stdout. Throws what a place must not be.
  init(argument: String, replacing replaceable: Replaceable) throws(ArtError) {
    guard !argument.isEmpty else {
      throw ArtError(.badValue, "an empty name is no file; give one, or - for stdout")
    }
    self =
      argument == "-"
      ? try OutputPlace(descriptor: 1, name: "stdout")
      : try OutputPlace(argument, replacing: replaceable)
  }
}

extension OutputFile {
  /// Holds back the signals that end programs where they would leave something of it. Else they end this one at once, also while it
  /// waits for who reads a pipe.
  func heldSignals() -> SignalSource {
    guard !leavesFile else { return SignalSource() }
    // Swift's runtime would tell of a crash.
    if !SignalSource.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    return SignalSource([])
  }

  /// Does what writes to it, and ends as other commands do whose reader has gone: by that signal.
  func orEnd<Value>(_ work: () throws(ArtError) -> Value) throws(ArtError) -> Value {
    do throws(ArtError) {
      return try work()
    } catch {
      if isReaderGone, !SignalSource.isIgnored(SIGPIPE) { SignalSource.die(of: SIGPIPE) }
      throw error
    }
  }

  /// Puts the file at its path, durably, or ends so. Throws what `finish` throws.
  func finishOrEnd() throws(ArtError) { try orEnd(finish) }
}

/// Waits for drawings, and ends by a signal that says so, with nothing left of what was being written.
struct SignalledWaiter: DrawingWaiter {
  let held: SignalSource
  let file: OutputFile

  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(DrawingFailure) -> Value
  ) throws(DrawingFailure) -> Value {
    try waitForDrawing(held, restore: file.discard, work)
  }
}
