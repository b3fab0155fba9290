// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Dispatch
@preconcurrency import Glibc
import Synchronization

/// Runs COMMAND, once at a time: found on PATH, its input empty, its output ours, with what it starts in a process group
/// of its own. A thread waits for its end.
final class CommandRunner: Sendable {
  /// How COMMAND ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)

    /// What a shell would say.
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
    /// Whether it is being ended with this program: nobody is told of that.
    var isEnding = false
  }

  /// The command's words.
  let words: [String]
  private let wakeup: WakeupPipe
  private let contents = Mutex(Contents())
  private let waiting = DispatchQueue(label: "emojiart.command")

  /// `wakeup` wakes when COMMAND has ended. Throws `usage` for one that is not there.
  init(_ words: [String], wakeup: WakeupPipe) throws(ArtError) {
    guard let name = words.first, !name.isEmpty else {
      throw ArtError(.usage, "--exec without a command; give one in quotes, such as 'notify-send changed'")
    }
    guard Self.isThere(name) else {
      throw ArtError(
        .usage, "--exec: no command \(name) that can be run; give a program of PATH, or use --shell")
    }
    self.words = words
    self.wakeup = wakeup
    // Where the end of children is ignored nobody is told of it.
    signal(SIGCHLD, SIG_DFL)
  }

  private static func isThere(_ name: String) -> Bool {
    let folders =
      name.utf8.contains(UInt8(ascii: "/"))
      ? [""]
      : (environment("PATH") ?? "/bin:/usr/bin")
        .split(separator: ":", omittingEmptySubsequences: false).map { $0.isEmpty ? "./" : "\($0)/" }
    return folders.contains { FileStatus.isRegularFile(at: $0 + name, access: X_OK) }
  }

  /// Starts it with these variables besides ours. Throws `unavailable`.
  func start(_ variables: [String: String]) throws(ArtError) {
    let number = contents.withLock { contents -> Int32 in
      var process = pid_t()
      let number = spawn(variables, &process)
      if number == 0 { contents.process = process }
      return number
    }
    guard number == 0 else {
      throw ArtError(.unavailable, "cannot run \(words[0]): \(SystemError.text(of: number))")
    }
    waiting.async { self.wait() }
  }

  /// Whether it was started, and its end was not asked for yet.
  var isRunning: Bool { contents.withLock { $0.process != nil || $0.end != nil } }

  /// How it ended, once.
  func takeEnd() -> End? {
    contents.withLock { contents in
      defer { contents.end = nil }
      return contents.end
    }
  }

  /// Sends a signal to the one that is running, and to what it started, because this program ends.
  func kill(_ number: Int32) {
    contents.withLock { contents in
      contents.isEnding = true
      guard let process = contents.process else { return }
      _ = Glibc.kill(-process, number)
      // What is stopped ends no sooner than it goes on.
      _ = Glibc.kill(-process, SIGCONT)
    }
  }

  /// Its number is another's when it has been waited for: so that is done where nobody can send it a signal.
  private func wait() {
    guard let process = contents.withLock({ $0.process }) else { return }
    var status = siginfo_t()
    while waitid(P_PID, id_t(process), &status, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    contents.withLock { contents in
      var word: Int32 = 0
      let isKnown = waitpid(process, &word, 0) == process
      contents.process = nil
      guard !contents.isEnding else { return }
      contents.end =
        !isKnown ? .status(0) : word & 0x7F == 0 ? .status(word >> 8 & 0xFF) : .signal(word & 0x7F)
    }
    wakeup.wake()
  }

  /// Returns 0, or the system's error number. Signals are not blocked in the child; who was told to ignore hanging up or
  /// being interrupted still is.
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
    var arguments = words.map { strdup($0) } + [nil]
    var surroundings = Self.surroundings(with: variables)
    defer { for text in arguments + surroundings { free(text) } }
    return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &surroundings)
  }

  /// Our environment with these variables in it, ended by nil; the caller frees it. What is no text stays as it is.
  private static func surroundings(with variables: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var list = variables.map { strdup("\($0)=\($1)") }
    var place = environ
    while let entry = place.pointee {
      let isOurs = variables.keys.contains { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }
      if !isOurs { list.append(strdup(entry)) }
      place += 1
    }
    return list + [nil]
  }
}

/// Changes that wait for COMMAND, one at most of each document: the latest.
struct ChangeQueue {
  /// What COMMAND is told.
  struct Change: Equatable {
    var document: String
    var event: String
    var revision: Int?
    var from: String?
  }

  private struct Waiting {
    var change: Change
    /// When its document came.
    var place: Int
    /// Whether COMMAND may know a document of that name: then it has to hear of its end.
    var isKnown: Bool
  }

  private var waiting: [FilePath: Waiting] = [:]
  private var places = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes a change in. A document that is new, or has a new name, stays so until that is told.
  mutating func put(_ change: Change) {
    let document = FilePath(change.document)
    places += 1
    var new = Waiting(change: change, place: places, isKnown: !["added", "renamed"].contains(change.event))
    let moved = join(&new)
    let old = waiting[document]
    if let old {
      new.isKnown = old.isKnown
      if !moved { new.place = old.place }
      if ["changed", "resync"].contains(change.event), ["added", "renamed"].contains(old.change.event) {
        (new.change.event, new.change.from) = (old.change.event, old.change.from)
      }
    }
    waiting[document] = new
    // COMMAND knows what stood here by the name before.
    if let gone = old?.change.from, !isSame(gone, new.change.from) { end(gone) }
  }

  /// Makes one of a new name and what waits for the document under the old one, of which nobody has heard. Returns
  /// whether it takes that one's place.
  private mutating func join(_ new: inout Waiting) -> Bool {
    guard let from = new.change.from, let old = waiting.removeValue(forKey: FilePath(from)) else {
      return false
    }
    let isRenamed = old.change.event == "renamed"
    if isRenamed { (new.change.from, new.place) = (old.change.from, old.place) }
    if old.change.event == "added" { (new.change.event, new.change.from) = ("added", nil) }
    if old.isKnown, !isSame(from, new.change.from) { end(from) }
    if isSame(new.change.document, new.change.from) { (new.change.event, new.change.from) = ("changed", nil) }
    return isRenamed
  }

  /// Texts that are alike may be names of two files.
  private func isSame(_ name: String, _ other: String?) -> Bool {
    FilePath(name) == other.map { FilePath($0) }
  }

  /// Tells that nothing stands there any more, unless something new does.
  private mutating func end(_ document: String) {
    guard waiting[FilePath(document)] == nil else { return }
    put(Change(document: document, event: "removed"))
  }

  /// Takes out the one whose document came first.
  mutating func next() -> Change? {
    guard let (document, first) = waiting.min(by: { $0.value.place < $1.value.place }) else { return nil }
    waiting[document] = nil
    return first.change
  }
}
