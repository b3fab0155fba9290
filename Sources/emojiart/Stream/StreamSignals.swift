// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Dispatch
import Glibc
import Synchronization

/// Handles the signals of a stream on a thread, whatever the other threads wait for:
///
///     TERM, INT, HUP   terminate: save and close, 1.5 s at most; then the process dies of the signal
///     TSTP             inactive, background: save, and open no more files; then the process stops
///     CONT             foreground: refresh; active
///     WINCH            at a prompt: the terminal has another size
///
/// Signals that were ignored at the start stay ignored, for example under `nohup`.
final class StreamSignals: Sendable {
  private static let endings = [SIGTERM, SIGINT, SIGHUP]

  private let lifeCycle = LifeCycle(closing: .shared)
  private let outbox: Outbox
  private let terminal: TerminalMode?
  private let source: SignalSource
  private let isPipeIgnored: Bool
  private let lines: @Sendable (LifeCycleEvent) -> [UInt8]
  private struct Saved {
    var session: Session?
    var listening: Outcome<Void>?
  }

  /// The session to be saved and closed. Empty before the document is open, and always with `--atomic`.
  private let saved = Mutex(Saved())

  /// Blocks the signals in this thread and all later ones.
  init(_ outbox: Outbox, _ terminal: TerminalMode?, lines: @escaping @Sendable (LifeCycleEvent) -> [UInt8]) {
    self.outbox = outbox
    self.terminal = terminal
    self.lines = lines
    isPipeIgnored = SignalSource.isIgnored(SIGPIPE)
    signal(SIGPIPE, SIG_IGN)
    source = SignalSource(Self.endings + [SIGTSTP, SIGCONT] + (terminal == nil ? [] : [SIGWINCH]))
  }

  /// Starts the thread. Throws `inputOutput`.
  func follow() throws(ArtError) {
    do throws(SystemError) {
      try source.follow { self.obey($0) }
    } catch {
      throw .noThread(error)
    }
  }

  /// Registers the session to be saved when the process ends or stops. `listening` completes with its events.
  func save(_ session: Session, listening: Outcome<Void>) {
    saved.withLock { $0 = Saved(session: session, listening: listening) }
  }

  private func obey(_ number: Int32) {
    switch number {
    case SIGTSTP: stop()
    case SIGCONT: goOn()
    case SIGWINCH: outbox.noteTerminal()
    default: terminate(number)
    }
  }

  /// Reports the event, and starts the matching work on the document.
  private func send(_ event: LifeCycleEvent) -> Outcome<Result<Void, ArtError>> {
    outbox.put(lines(event))
    let (lifeCycle, session) = (lifeCycle, saved.withLock { $0.session })
    return Outcome {
      await result { () async throws(ArtError) in
        if let session {
          try await session.send(event, of: lifeCycle)
        } else {
          try await lifeCycle.send(event, to: [])
        }
      }
    }
  }
}

extension StreamSignals {
  private func terminate(_ number: Int32) -> Never {
    outbox.isOpen = false
    // A busy machine may not answer in the short time that is left when the save has failed.
    let before = unsavedChanges()
    let result = send(.terminate).wait(atMost: .milliseconds(1_500))
    switch result {
    case .success:
      _ = saved.withLock { $0.listening }?.wait(atMost: .milliseconds(100))
      outbox.waitUntilWritten(atMost: .milliseconds(200))
    case .failure(let error): printUnsaved(error, before)
    case nil: printUnsaved(nil, before)
    }
    if case .success = result {} else { printSetAside() }
    leaveTerminal()
    SignalSource.die(of: number)
  }

  /// Asks for the number of unsaved edits; nil without a document.
  private func unsavedChanges() -> Outcome<Int>? {
    saved.withLock { $0.session }.map { session in Outcome { await session.unsavedChanges } }
  }

  /// Reports the number of unsaved edits, now or `before`, and the error; without an error, that time ran out. It does not wait for
  /// stderr.
  private func printUnsaved(_ error: ArtError?, _ before: Outcome<Int>?) {
    guard let session = saved.withLock({ $0.session }) else { return }
    let now = unsavedChanges()?.wait(atMost: .milliseconds(100))
    let count = now ?? before?.wait(atMost: .milliseconds(100)) ?? 0
    var ready = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard count > 0, poll(&ready, 1, 50) == 1 else { return }
    let (path, cause) = (session.filePath, error ?? .notInTime(session.filePath))
    Output.printError(ArtError.notSaved(count, in: path, cause).message)
  }

  /// Has what the document had saved, and another state has replaced, kept apart, and tells where.
  private func printSetAside() {
    guard let session = saved.withLock({ $0.session }) else { return }
    let files = Outcome { await session.setAsideAtOnce() }.wait(atMost: .milliseconds(500)) ?? []
    var ready = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard !files.isEmpty, poll(&ready, 1, 50) == 1 else { return }
    let words = files.map { ArtError.Remedy.shellWord($0) }.joined(separator: " ")
    Output.printError(
      "\(session.filePath) was replaced by another program; what was saved before is in \(words): `emojiart merge` brings it in"
    )
  }

  /// Restores the terminal, with the cursor below the prompt.
  private func leaveTerminal() {
    guard let terminal else { return }
    terminal.restore()
    var ready = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
    if poll(&ready, 1, 0) == 1 { _ = Output.write([0x0A], to: 1) }
  }

  private func stop() {
    outbox.isOpen = false
    finish(send(.inactive))
    finish(send(.background))
    outbox.waitUntilWritten(atMost: .milliseconds(200))
    terminal?.restore()
    SignalSource.stop()
    _ = source.next(of: [SIGCONT])
    outbox.isOpen = true
    goOn()
  }

  private func goOn() {
    outbox.noteTerminal()
    finish(send(.foreground))
    finish(send(.active))
  }

  /// Waits for the work, unless the process is to end. Errors are reported by the document's state.
  private func finish(_ outcome: Outcome<Result<Void, ArtError>>) {
    while outcome.wait(atMost: .milliseconds(10)) == nil {
      if let number = source.next(of: Self.endings) { terminate(number) }
    }
  }

  /// Ends like other commands whose reader has gone: by SIGPIPE, or with an error if that is ignored.
  func endOfPipe() -> ArtError {
    if !isPipeIgnored { SignalSource.die(of: SIGPIPE) }
    return .brokenPipe
  }
}
