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
    guard isRoot(for: "A9 the home of another user") else { return }
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

  @Test("A16 for root a folder counts only if no other user decides what is in it")
  func foreignWays() throws {
    guard isRoot(for: "A16 folders in which another user decides") else { return }
    let scratch = try Scratch()
    let ada: uid_t = 65534
    func folder(_ name: String, _ mode: mode_t, _ owner: uid_t = 0) throws {
      try #require(mkdir(scratch[name], mode) == 0 && chmod(scratch[name], mode) == 0)
      try #require(chown(scratch[name], owner, owner) == 0)
    }
    func link(_ name: String, to target: String, _ owner: uid_t = 0) throws {
      try #require(symlink(target, scratch[name]) == 0 && lchown(scratch[name], owner, owner) == 0)
    }
    try folder("own", 0o755)
    try folder("own/deep", 0o700)
    try folder("group", 0o775)
    try folder("others", 0o775)
    try #require(chown(scratch["others"], 0, ada) == 0)
    try folder("open", 0o777)
    try folder("open/own", 0o700)
    try folder("sticky", 0o1777)
    try folder("sticky/own", 0o700)
    try folder("sticky/theirs", 0o755, ada)
    try folder("theirs", 0o755, ada)
    try folder("theirs/own", 0o700)
    try link("link", to: "own/deep")
    try link("round", to: "round")
    try link("dangling", to: "own/none")
    try link("out", to: scratch["sticky/theirs"])
    try link("back", to: "theirs/../own")
    try link("their link", to: "own", ada)
    try link("sticky/link", to: "../own", ada)
    for (name, isOwn) in [
      ("own", true), ("own/deep", true), ("own/none/at/all", true), ("group", true), ("others", false),
      ("open", false),
      ("open/own", false), ("sticky", false), ("sticky/none", false), ("sticky/own", true),
      ("sticky/own/none", true),
      ("sticky/theirs", false), ("theirs", false), ("theirs/own", false), ("theirs/none", false),
      ("link", true),
      ("link/../none", true), ("round", false), ("dangling/too", true), ("out", false), ("back", false),
      ("their link", false), ("sticky/link", false),
    ] {
      let folders = XDGFolders { ["XDG_STATE_HOME": scratch[name], "XDG_RUNTIME_DIR": scratch[name]][$0] }
      #expect(folders.state == (isOwn ? scratch[name] : "/root/.local/state"), "\(name)")
      #expect(folders.runtime == (isOwn ? scratch[name] : nil), "\(name)")
    }
    // Nothing is below a device: who has it for a cache wants none.
    #expect(XDGFolders { ["XDG_CACHE_HOME": "/dev/null"][$0] }.cache == "/dev/null")
  }

  @Test("F43 a link at the end of a path is followed if this user or root has made it, and no other one")
  func ends() throws {
    let scratch = try Scratch()
    try scratch.write("file")
    for (name, target) in [("one", "file"), ("two", scratch["one"]), ("none", "nowhere")] {
      try #require(symlink(target, scratch[name]) == 0)
    }
    for name in ["file", "one", "two"] {
      #expect(try Ownership.end(of: scratch[name]) == .path(scratch["file"]))
    }
    #expect(try Ownership.end(of: scratch["none"]) == .path(scratch["nowhere"]))
    #expect(try Ownership.end(of: scratch["new"]) == .path(scratch["new"]))
    #expect(try Ownership.end(of: "/dev/null") == .path("/dev/null"))
    // The text of such a link is no path.
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(try Ownership.end(of: "/proc/self/fd/\(ends[1])") == .path("/proc/\(getpid())/fd/\(ends[1])"))
    try #require(symlink("round", scratch["round"]) == 0)
    #expect(throws: SystemError.self) { try Ownership.end(of: scratch["round"]) }
    guard isRoot(for: "F43 links of another user") else { return }
    try #require(lchown(scratch["one"], 65534, 65534) == 0)
    for name in ["one", "two"] { #expect(try Ownership.end(of: scratch[name]) == .foreignLink(65534)) }
  }
}
