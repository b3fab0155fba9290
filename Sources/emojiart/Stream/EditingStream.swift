// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

/// A document that is edited line by line. One thread reads, asks the document, and writes:
///
///     stdin ──StreamForm──▶ lines of one read ──▶ Document, one call for a run of edits ──▶ StreamForm ──▶ stdout
///                                                 Document ──events──▶ Outbox ──behind the answers──┘
///
/// Nothing grows without bound: while stdout takes nothing, nothing is read. What happened is written only when every
/// edit that was asked for is answered, so that an edit is answered before it is told to be saved.
struct EditingStream<Form: StreamForm> {
  let document: Document
  let outbox: Outbox
  let settings: StreamSettings
  let backgrounds: StreamBackgrounds
  var form: Form
  /// Edits that were answered with ok.
  var acknowledged = 0
  var hasQuit = false
  var recent = RecentAdditions()
  /// What the first line came to that came to nothing.
  var firstError: ArtError? { backgrounds.firstError }
  /// Why stdout takes nothing any more.
  private(set) var broken: ArtError?

  init(
    _ document: Document, _ outbox: Outbox, _ settings: StreamSettings, _ backgrounds: StreamBackgrounds,
    _ form: Form
  ) {
    self.document = document
    self.outbox = outbox
    self.settings = settings
    self.backgrounds = backgrounds
    self.form = form
  }

  /// Reads and answers, to the end of the input, or until stdout takes nothing any more: `broken` tells. Throws when
  /// stdin cannot be read.
  mutating func run() throws(ArtError) {
    flush()
    while !hasQuit, broken == nil {
      let isOpen = outbox.isOpen
      if isOpen, form.hasLines {
        answer(try form.take() ?? [])
        continue
      }
      var ready = [
        pollfd(fd: outbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen && form.mayRead ? 0 : -1, events: Int16(POLLIN), revents: 0),
        // Tells of a pipe that nobody reads any more.
        pollfd(fd: 1, events: 0, revents: 0),
      ]
      let count = poll(&ready, nfds_t(ready.count), form.timeout)
      guard count >= 0 || errno == EINTR else { throw .streamInput() }
      if ready[2].revents & Int16(POLLERR) != 0 { broken = .brokenPipe }
      if count == 0 { form.wake() }
      if ready[0].revents != 0 { outbox.wakeup.clear() }
      if count == 0 || ready[0].revents != 0 { flush() }
      if ready[1].revents != 0, outbox.isOpen {
        guard let lines = try form.take() else { return }
        answer(lines)
      }
    }
  }

  /// Saves and closes the document, or closes it only, and writes the last of what happened. `listening` is over when the
  /// document's events are. Throws when something could not be saved.
  mutating func end(after listening: Outcome<Void>, saving: Bool) throws(ArtError) {
    let document = document
    let closed = wait {
      await result { () async throws(ArtError) in
        if saving { try await document.close() } else { await document.closeDiscardingChanges() }
      }
    }
    if case .success = closed, saving { recent.keep() }
    if !settings.isAtomic { recent.keep() }
    guard case .failure(let error) = closed else { return finish(listening) }
    let count = wait {
      let count = await document.unsavedChanges
      await document.abandon()
      return count
    }
    finish(listening)
    throw settings.isAtomic ? error : .notSaved(count, in: document.path, error)
  }

  private mutating func finish(_ listening: Outcome<Void>) {
    wait(for: listening)
    flush()
  }

  /// Writes the answers, and what happened meanwhile behind them.
  mutating func flush() {
    let taken = outbox.take()
    defer { for waiter in taken.waiters { waiter.signal() } }
    say { (form) throws(ArtError) in try form.write(taken.late, with: taken.lines) }
    guard form.showsState, broken == nil else { return }
    let document = document
    let (state, unsaved) = Outcome { (await document.state, await document.unsavedChanges) }.wait()
    form.update(document, state, unsaved: unsaved, isTerminalNew: taken.isTerminalNew)
  }

  /// Answers, unless nothing is taken any more.
  mutating func say(_ body: (inout Form) throws(ArtError) -> Void) {
    guard broken == nil else { return }
    do throws(ArtError) { try body(&form) } catch { broken = error }
  }

  /// Answers a line that came to nothing.
  mutating func say(_ error: ArtError, to line: StreamLine) {
    backgrounds.note(error)
    say { (form) throws(ArtError) in try form.failed(error, line) }
  }

  /// Waits for what may take long, and writes what happens meanwhile.
  mutating func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let wakeup = outbox.wakeup
    return wait(for: Outcome(work) { wakeup.wake() })
  }

  /// The same for work that wakes this thread in the end.
  @discardableResult
  private mutating func wait<Value>(for outcome: Outcome<Value>) -> Value {
    while true {
      if let value = outcome.now { return value }
      waitForNews()
    }
  }

  /// Waits to be woken, and writes what happened; or until nobody reads any more.
  mutating func waitForNews() {
    var ready = [
      pollfd(fd: outbox.wakeup.readEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: broken == nil ? 1 : -1, events: 0, revents: 0),
    ]
    poll(&ready, nfds_t(ready.count), -1)
    if ready[1].revents & Int16(POLLERR) != 0 { broken = .brokenPipe }
    outbox.wakeup.clear()
    flush()
  }
}
