// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Signals that wait until this program takes them: they are blocked in the thread that makes this, and in those that it begins.
/// What was ignored when the program began stays ignored; `nohup` relies on that.
///
/// They are taken in one of two ways: by `next` now and then, by a thread that does something else, or by `follow`, on a thread of
/// their own.
public struct SignalSource: Sendable {
  /// Those that end programs.
  public static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Those that are taken.
  public let numbers: [Int32]
  /// What was blocked before.
  private let before: sigset_t

  /// Blocks these, without those that are ignored.
  public init(_ numbers: [Int32] = endings) {
    self.numbers = numbers.filter { !Self.isIgnored($0) }
    var set = Self.set(self.numbers)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &before)
    self.before = before
  }

  /// Takes one that has come, of all or of some; nil when none has.
  public func next(of some: [Int32]? = nil) -> Int32? {
    var set = Self.set(some.map { $0.filter(numbers.contains) } ?? numbers)
    var time = timespec()
    let number = sigtimedwait(&set, nil, &time)
    return number > 0 ? number : nil
  }

  /// Has them taken by a thread of their own, which calls `body` with each, one after the other, for as long as this process lives.
  /// Throws where no thread can be begun.
  public func follow(_ body: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    if numbers.isEmpty { return }
    let numbers = numbers
    try Threads.begin {
      var set = Self.set(numbers)
      while true {
        var number: Int32 = 0
        if sigwait(&set, &number) == 0 { body(number) }
      }
    }
  }

  /// From here on they do what they do. One that ends programs and has come does so here: Swift's runtime would take SIGQUIT for a
  /// trap of the program's own. What was blocked before stays blocked.
  public func release() {
    var set = before
    if let number = next(of: Self.endings.filter { sigismember(&set, $0) == 0 }) { Self.die(of: number) }
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }

  /// Whether this process ignores a signal.
  public static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends this process by a signal, as if it had never been blocked, ignored or handled.
  public static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = set([number])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    _exit(128 + number)
  }

  /// Stops this process by a signal that does so, which is blocked in this thread, until it is continued; or does nothing where no
  /// shell is there to continue it.
  public static func stop(by number: Int32 = SIGTSTP) {
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
