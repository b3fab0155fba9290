// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtTerminal
import ArtWorkspace
import Dispatch
import Glibc
import Synchronization

/// What a stream does when its process is told to end, to stop or to go on. One thread takes the signals, whatever the
/// others wait for.
///
///     TERM, INT, HUP   terminate: save and close, 1.5 s at most; then the process dies of the signal
///     TSTP             inactive, background: save, and open no file any more; then the process stops
///     CONT             foreground: look at the file; active
///     WINCH            at a prompt: the terminal has another size
///
/// Signals that were ignored when the program began stay so: `nohup` is one who does that.
final class StreamSignals: Sendable {
  private static let endings = [SIGTERM, SIGINT, SIGHUP]

  private let lifeCycle = LifeCycle(closing: .shared)
  private let outbox: Outbox
  private let terminal: TerminalMode?
  private let followed: [Int32]
  private let isPipeIgnored: Bool
  private let news: @Sendable (LifeCycleEvent) -> [UInt8]
  private struct Saved {
    var documents: [Document] = []
    var listening: Outcome<Void>?
  }

  /// What is saved and closed. Nothing before it is open; with `--atomic` nothing at all.
  private let saved = Mutex(Saved())

  /// Blocks the signals, in the threads that this one begins, too.
  init(_ outbox: Outbox, _ terminal: TerminalMode?, news: @escaping @Sendable (LifeCycleEvent) -> [UInt8]) {
    self.outbox = outbox
    self.terminal = terminal
    self.news = news
    followed = (Self.endings + [SIGTSTP, SIGCONT] + (terminal == nil ? [] : [SIGWINCH])).filter {
      !Self.isIgnored($0)
    }
    isPipeIgnored = Self.isIgnored(SIGPIPE)
    signal(SIGPIPE, SIG_IGN)
    mask(SIG_BLOCK, followed)
  }

  /// Begins the thread. Throws `inputOutput`.
  func follow() throws(ArtError) {
    try beginThread { self.loop() }
  }

  /// From here on the document is saved when the process ends or stops. `listening` is over when its events are.
  func save(_ document: Document, listening: Outcome<Void>) {
    saved.withLock { $0 = Saved(documents: [document], listening: listening) }
  }

  private func loop() {
    while true {
      switch next(within: nil) {
      case SIGTSTP: stop()
      case SIGCONT: goOn()
      case SIGWINCH: outbox.noteTerminal()
      case let number? where Self.endings.contains(number): terminate(number)
      default: break
      }
    }
  }

  private func tell(_ event: LifeCycleEvent) { outbox.put(news(event)) }

  /// Begins what the event means for the documents.
  private func send(_ event: LifeCycleEvent) -> Outcome<Result<Void, ArtError>> {
    tell(event)
    let (lifeCycle, documents) = (lifeCycle, saved.withLock { $0.documents })
    return Outcome {
      await result { () async throws(ArtError) in try await lifeCycle.send(event, to: documents) }
    }
  }
}

extension StreamSignals {
  private func terminate(_ number: Int32) -> Never {
    outbox.isOpen = false
    let result = send(.terminate).wait(atMost: .milliseconds(1_500))
    switch result {
    case .success:
      _ = saved.withLock { $0.listening }?.wait(atMost: .milliseconds(100))
      outbox.waitUntilWritten(atMost: .milliseconds(200))
    case .failure(let error): complain(error)
    case nil: complain(nil)
    }
    leaveTerminal()
    Self.die(of: number)
  }

  /// Tells how many edits no save holds, and why; not enough time where there is no error. A stderr that takes nothing is
  /// not waited for.
  private func complain(_ error: ArtError?) {
    for document in saved.withLock({ $0.documents }) {
      let count = Outcome { await document.unsavedChanges }.wait(atMost: .milliseconds(100)) ?? 0
      var ready = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
      guard count > 0, poll(&ready, 1, 50) == 1 else { continue }
      let (path, cause) = (document.file.path, error ?? .notInTime(document.file.path))
      Output.complain(ArtError.notSaved(count, in: path, cause).message)
    }
  }

  /// The terminal as it was, the cursor below the prompt.
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
    mask(SIG_UNBLOCK, [SIGTSTP])
    // Here the process stops; or it does not, when no shell is there to let it go on.
    raise(SIGTSTP)
    mask(SIG_BLOCK, [SIGTSTP])
    _ = next(within: 0, of: [SIGCONT])
    outbox.isOpen = true
    goOn()
  }

  private func goOn() {
    outbox.noteTerminal()
    finish(send(.foreground))
    finish(send(.active))
  }

  /// Waits, but not when the process is to end. What goes wrong is told by the document's state.
  private func finish(_ outcome: Outcome<Result<Void, ArtError>>) {
    while outcome.wait(atMost: .milliseconds(10)) == nil {
      if let number = next(within: 0, of: Self.endings) { terminate(number) }
    }
  }

  /// Takes a signal; nil when there is none within so many milliseconds.
  private func next(within milliseconds: Int?, of numbers: [Int32]? = nil) -> Int32? {
    var set = Self.set((numbers ?? followed).filter(followed.contains))
    guard let milliseconds else {
      var number: Int32 = 0
      return sigwait(&set, &number) == 0 ? number : nil
    }
    var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }
}

extension StreamSignals {
  /// Ends as other commands do whose reader has gone: killed by the signal, or with an error where it is ignored.
  func endOfPipe() -> ArtError {
    if !isPipeIgnored { Self.die(of: SIGPIPE) }
    return .brokenPipe
  }

  static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = set([number])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    _exit(128 + number)
  }

  /// Stops this process as the terminal's own key does, until it is continued: when no file is open. SIGTSTP is blocked in this
  /// thread, which has no file open itself.
  static func stopHere() {
    let gate = FileGate.shared
    gate.close()
    Outcome { await gate.waitUntilIdle() }.wait()
    var set = set([SIGTSTP])
    signal(SIGTSTP, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGTSTP)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    gate.open()
  }

  static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  private func mask(_ how: Int32, _ numbers: [Int32]) {
    var set = Self.set(numbers)
    pthread_sigmask(how, &set, nil)
  }

  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
