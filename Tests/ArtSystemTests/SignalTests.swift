// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ArtSystem

@Suite("Signals, threads and wakeups", .serialized, .timeLimit(.minutes(10))) struct SignalTests {
  /// Runs a body with these signals unblocked in this thread: a thread of Dispatch may block all signals.
  private func unblocked(_ numbers: [Int32], _ body: () throws -> Void) rethrows {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_UNBLOCK, &set, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  @Test(
    "A7 a blocked signal is received once, by the thread that asks for it, and an ignored signal stays ignored"
  )
  func polled() {
    unblocked([SIGUSR1]) {
      let source = SignalSource([SIGUSR1])
      #expect(source.next() == nil)
      // Sent to this thread only.
      pthread_kill(pthread_self(), SIGUSR1)
      #expect(source.next(of: [SIGUSR2]) == nil, "only the requested signals are received")
      #expect(source.next() == SIGUSR1 && source.next() == nil)
      source.release()
      var now = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &now)
      #expect(sigismember(&now, SIGUSR1) == 0)
    }

    signal(SIGUSR2, SIG_IGN)
    defer { signal(SIGUSR2, SIG_DFL) }
    let ignored = SignalSource([SIGUSR2])
    #expect(ignored.numbers.isEmpty && SignalSource.isIgnored(SIGUSR2) && !SignalSource.isIgnored(SIGUSR1))
    ignored.release()
  }

  @Test("A7 a thread begins with the requested signals blocked or inherited, and its body runs once")
  func threads() throws {
    let masks = Mutex<[UInt64]>([])
    let isOver = DispatchSemaphore(value: 0)
    try unblocked([SIGTERM, SIGINT, SIGSEGV]) {
      for signals in [Threads.Signals.none, .inherited] {
        try Threads.begin(signals: signals) {
          var set = sigset_t()
          pthread_sigmask(SIG_BLOCK, nil, &set)
          let blocked = [SIGTERM, SIGINT, SIGSEGV].filter { sigismember(&set, $0) == 1 }
          masks.withLock { $0.append(UInt64(blocked.count)) }
          isOver.signal()
        }
        try isOver.wait(for: "the body of a thread")
      }
    }
    #expect(masks.withLock { $0 } == [2, 0], "a fault is never blocked")
    try Threads.check(8)
  }

  @Test("A8 any number of wakeups wakes a waiting thread, and after clearing them it waits again")
  func wakeups() throws {
    let pipe = try WakeupPipe()
    var ready = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ready, 1, 0) == 0)
    try Threads.begin { pipe.wake() }
    try waitUntilReadable(pipe.readEnd, for: "a wakeup")
    // More wakeups than a pipe has capacity for: none of them blocks.
    for _ in 0..<100_000 { pipe.wake() }
    pipe.clear()
    #expect(poll(&ready, 1, 0) == 0)
    pipe.wake()
    #expect(poll(&ready, 1, 0) == 1)
  }

  @Test(
    "A9 an empty variable counts as not set, and relative folders in XDG's variables are ignored"
  )
  func environment() {
    #expect(Environment["PATH"] != nil && Environment["EMOJIART_NO_SUCH_VARIABLE"] == nil)
    setenv("EMOJIART_TEST_EMPTY", "", 1)
    #expect(Environment["EMOJIART_TEST_EMPTY"] == nil && Environment.raw("EMOJIART_TEST_EMPTY") == "")
    func folders(_ variables: [String: String]) -> XDGFolders { XDGFolders { variables[$0] } }
    let usual = folders(["HOME": "/home/ada"])
    #expect(usual.state == "/home/ada/.local/state" && usual.config == "/home/ada/.config")
    #expect(
      usual.data == "/home/ada/.local/share" && usual.cache == "/home/ada/.cache" && usual.sharedData.isEmpty)
    let own = folders([
      "XDG_STATE_HOME": "/s", "XDG_DATA_DIRS": "/a:b:/c", "XDG_CONFIG_HOME": "c", "HOME": "/h",
    ])
    #expect(own.state == "/s" && own.sharedData == ["/a", "/c"] && own.config == "/h/.config")
    #expect(folders(["HOME": "home"]).state == nil && folders([:]).home == nil)
  }

  @Test("A9 root writes to no folder of another user, such as a home that sudo passes on")
  func foreignHome() throws {
    guard geteuid() == 0 else { return print("A9 left out: it takes root to own no home") }
    let scratch = try Scratch()
    #expect(mkdir(scratch["ada"], 0o755) == 0 && chown(scratch["ada"], 65534, 65534) == 0)
    let variables = [
      "HOME": scratch["ada"], "XDG_CACHE_HOME": scratch["ada/cache"], "XDG_DATA_HOME": scratch["data"],
    ]
    let passedOn = XDGFolders { variables[$0] }
    #expect(passedOn.state == "/root/.local/state" && passedOn.config == "/root/.config")
    #expect(passedOn.cache == "/root/.cache" && passedOn.data == scratch["data"])
    #expect(passedOn.home == scratch["ada"], "it is still read")
  }
}
