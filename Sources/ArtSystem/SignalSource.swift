// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Receives signals synchronously. They are blocked in the thread that creates the source, and in threads that
/// it starts. Signals that were ignored at the start of the program stay ignored; `nohup` relies on that.
///
/// Call `next` from time to time on a thread that does other work, or `follow` for a thread of the source's
/// own.
public struct SignalSource: Sendable {
  /// The signals that end programs.
  public static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// The signals that are received.
  public let numbers: [Int32]
  /// The signal mask before this source.
  private let before: sigset_t

  /// Blocks these signals, except those that are ignored.
  public init(_ numbers: [Int32] = endings) {
    self.numbers = numbers.filter { !Self.isIgnored($0) }
    var set = Self.set(self.numbers)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &before)
    self.before = before
  }

  /// Removes one pending signal, of all or of some; nil when none is pending.
  public func next(of some: [Int32]? = nil) -> Int32? {
    var set = Self.set(some.map { $0.filter(numbers.contains) } ?? numbers)
    var time = timespec()
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }

  /// Starts a thread that calls `body` with each signal, one after the other, until this process ends. All other signals are blocked in it, so
  /// that it does not get those of a source that is made later. Throws where no thread can be started.
  public func follow(_ body: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    if numbers.isEmpty { return }
    let numbers = numbers
    try Threads.begin(signals: .none) {
      var set = Self.set(numbers)
      while true {
        var number: Int32 = 0
        if sigwait(&set, &number) == 0 { body(number) }
      }
    }
  }

  /// Unblocks the signals that this source has blocked. A pending signal that ends programs ends this one here, because Swift's
  /// runtime would report SIGQUIT as a trap of the program.
  public func release() {
    var before = before
    let blocked = numbers.filter { sigismember(&before, $0) == 0 }
    if let number = next(of: Self.endings.filter(blocked.contains)) { Self.die(of: number) }
    var set = Self.set(blocked)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Whether a signal is blocked in this thread.
  public static func isBlocked(_ number: Int32) -> Bool {
    var now = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &now)
    return sigismember(&now, number) == 1
  }

  /// Whether this process ignores a signal.
  public static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends this process by a signal with its default action.
  public static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = set([number])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    _exit(128 + number)
  }

  /// Stops this process by a signal such as SIGTSTP, which is blocked in this thread, until it is continued.
  /// Does nothing where no shell could continue it, nor if SIGCONT is blocked and has come already: whoever sent it does not send it again.
  /// Only one that comes between that look and the stop is lost, because the system drops it then.
  public static func stop(by number: Int32 = SIGTSTP) {
    var continuing = set([SIGCONT])
    var time = timespec()
    guard sigtimedwait(&continuing, nil, &time) != SIGCONT else { return }
    var set = set([number])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
