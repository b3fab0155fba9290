// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
@preconcurrency import Glibc
import Synchronization

/// Runs COMMAND, one process at a time. COMMAND is found on PATH, has an empty stdin, inherits stdout and stderr, and
/// gets its own process group. A thread waits for its end.
final class CommandRunner: Sendable {
  /// How COMMAND ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)

    /// The exit status that a shell would report.
    var status: Int32 {
      switch self {
      case .status(let status): status
      case .signal(let number): 128 + number
      }
    }
  }

  private struct Contents {
    var process: pid_t?
    var end: End?
    /// Whether the process is ended together with this program; then its end is not reported.
    var isEnding = false
  }

  /// COMMAND and its arguments.
  let command: [String]
  private let wakeup: WakeupPipe
  private let contents = Mutex(Contents())

  /// `wakeup` is triggered when COMMAND has ended. Throws `usage` when COMMAND does not exist.
  init(_ command: [String], wakeup: WakeupPipe) throws(ArtError) {
    guard let name = command.first, !name.isEmpty else {
      throw ArtError(.usage, "--exec without a command; give one in quotes, such as 'notify-send changed'")
    }
    guard Programs.isThere(name) else {
      throw ArtError(
        .usage, "--exec: no command \(name) that can be run; give a program of PATH, or use --shell")
    }
    self.command = command
    self.wakeup = wakeup
    // With SIGCHLD ignored, `waitid` would not report the end of a child.
    signal(SIGCHLD, SIG_DFL)
  }

  /// Starts COMMAND with these variables added to the environment. Throws `unavailable`, and `inputOutput`
  /// without a thread.
  func start(_ variables: [String: String]) throws(ArtError) {
    try contents.withLock { contents throws(ArtError) in
      // COMMAND may run for long, so its end has a thread of its own, which waits for this lock first.
      do throws(SystemError) { try Threads.begin(signals: .none, wait) } catch { throw .noThread(error) }
      var process = pid_t()
      let number = spawn(variables, &process)
      guard number == 0 else {
        throw ArtError(.unavailable, "cannot run \(command[0]): \(SystemError.text(of: number))")
      }
      contents.process = process
    }
  }

  /// Whether COMMAND was started, and its end was not read yet.
  var isRunning: Bool { contents.withLock { $0.process != nil || $0.end != nil } }

  /// Returns how COMMAND ended, and forgets it.
  func consumeEnd() -> End? {
    contents.withLock { contents in
      defer { contents.end = nil }
      return contents.end
    }
  }

  /// Sends a signal to the process group, because this program ends.
  func kill(_ number: Int32) {
    contents.withLock { contents in
      contents.isEnding = true
      guard let process = contents.process else { return }
      _ = Glibc.kill(-process, number)
      // A stopped process receives the signal only after SIGCONT.
      _ = Glibc.kill(-process, SIGCONT)
    }
  }

  /// Waits for the process to end. Its id may be reused as soon as it is reaped, so it is reaped under the lock,
  /// which excludes `kill`.
  private func wait() {
    guard let process = contents.withLock({ $0.process }) else { return }
    var status = siginfo_t()
    while waitid(P_PID, id_t(process), &status, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    contents.withLock { contents in
      // The thread of a start that failed may meet the next COMMAND, which has a thread of its own.
      guard contents.process == process else { return }
      var word: Int32 = 0
      let isKnown = waitpid(process, &word, 0) == process
      contents.process = nil
      guard !contents.isEnding else { return }
      contents.end =
        !isKnown ? .status(0) : word & 0x7F == 0 ? .status(word >> 8 & 0xFF) : .signal(word & 0x7F)
    }
    wakeup.wake()
  }

  /// Returns 0, or the system's error number. The child has no blocked signals and default handlers, but SIGHUP,
  /// SIGINT and SIGQUIT stay ignored if they were.
  private func spawn(_ variables: [String: String], _ process: inout pid_t) -> Int32 {
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigfillset(&usual)
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGSTOP] { sigdelset(&usual, number) }
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let words = OpenFileLimit.wordsBeneath(command)
    var arguments = words.map { strdup($0) } + [nil]
    var environmentBlock = Self.environmentBlock(with: variables)
    defer { for text in arguments + environmentBlock { free(text) } }
    return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environmentBlock)
  }

  /// The environment with these variables, terminated by nil; the caller frees it. Entries that are not UTF-8 are
  /// kept unchanged.
  private static func environmentBlock(with variables: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var list = variables.map { strdup("\($0)=\($1)") }
    var next = environ
    while let entry = next.pointee {
      let isOurs = variables.keys.contains { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }
      if !isOurs { list.append(strdup(entry)) }
      next += 1
    }
    return list + [nil]
  }
}

// MARK: - Queue

/// Changes waiting for COMMAND: the latest one of each document.
struct ChangeQueue {
  /// The change that COMMAND receives in its environment.
  struct Change: Equatable {
    var document: FilePath
    var event: String
    var revision: Int?
    var from: FilePath?
  }

  private struct Waiting {
    var change: Change
    /// The position in the queue.
    var position: Int
    /// Whether COMMAND may know a document of that name. If so, it must receive its removal.
    var isKnown: Bool
  }

  private var waiting: [FilePath: Waiting] = [:]
  private var lastPosition = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a change. A document that was added or renamed keeps that event until COMMAND has received it.
  mutating func put(_ change: Change) {
    let document = change.document
    lastPosition += 1
    var new = Waiting(
      change: change, position: lastPosition, isKnown: !["added", "renamed"].contains(change.event))
    let moved = join(&new)
    let old = waiting[document]
    if let old {
      new.isKnown = old.isKnown
      if !moved { new.position = old.position }
      if ["changed", "resync"].contains(change.event), ["added", "renamed"].contains(old.change.event) {
        (new.change.event, new.change.from) = (old.change.event, old.change.from)
      }
    }
    waiting[document] = new
    // COMMAND knows the document by its former name, and must receive its removal.
    if let gone = old?.change.from, gone != new.change.from { end(gone) }
  }

  /// Merges a rename with the change that waits under the old name. Returns whether the new change inherits that
  /// one's position.
  private mutating func join(_ new: inout Waiting) -> Bool {
    guard let from = new.change.from, let old = waiting.removeValue(forKey: from) else {
      return false
    }
    let isRenamed = old.change.event == "renamed"
    if isRenamed { (new.change.from, new.position) = (old.change.from, old.position) }
    if old.change.event == "added" { (new.change.event, new.change.from) = ("added", nil) }
    if old.isKnown, from != new.change.from { end(from) }
    if new.change.document == new.change.from { (new.change.event, new.change.from) = ("changed", nil) }
    return isRenamed
  }

  /// Adds the removal of a document, unless a newer change of that name waits.
  private mutating func end(_ document: FilePath) {
    guard waiting[document] == nil else { return }
    put(Change(document: document, event: "removed"))
  }

  /// Removes and returns the first change.
  mutating func next() -> Change? {
    guard let (document, first) = waiting.min(by: { $0.value.position < $1.value.position }) else {
      return nil
    }
    waiting[document] = nil
    return first.change
  }
}
