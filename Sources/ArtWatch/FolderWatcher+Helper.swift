// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess
import Glibc

extension FolderWatcher {
  /// A pause before a new start that is not worth a notice.
  private static var shortPause: Duration { .seconds(1) }
  /// How long the helper may take for an answer.
  static var patienceWithHelper: Duration { .seconds(5) }
  /// Commands that are on their way at most, in bytes: less than a pipe holds, so that sending never waits.
  private static var commandsOnTheWay: Int { 32_768 }

  /// Has a helper that answers, with guards on the folders above. Throws `unavailable`.
  func connect() async throws(ArtError) {
    if helper != nil { return }
    guard let program = settings.program else { throw .helperMissing() }
    if let pause, timeline.now() < pause.until { throw pause.why }
    let inbox = Inbox(bell, now: timeline.now, quiet: settings.quiet)
    let gone = Bell()
    do throws(ArtError) {
      let process = try start(
        program, { inbox.put($0) },
        {
          inbox.put($0); gone.ring()
        })
      helper = Helper(process: process, inbox: inbox, gone: gone)
      try await greet(inbox)
      try await guardAncestors()
      restarts.started(at: timeline.now())
    } catch {
      detach()
      pause = (error, restarts.ended(at: timeline.now()))
      throw error
    }
  }

  /// The helper is of no use any more: another one is started, soon, or the folder is looked through without it.
  func giveUpHelper(_ why: ArtError) {
    detach()
    let now = timeline.now()
    let due = restarts.ended(at: now)
    pause = (why, due)
    let isSoon = due - now <= Self.shortPause
    settling.rescan(.root, reason: .startedAgain(why), at: isSoon ? due : now)
  }

  private func greet(_ inbox: Inbox) async throws(ArtError) {
    let deadline = timeline.now() + Self.patienceWithHelper
    while true {
      let contents = inbox.peek()
      switch contents.greeting {
      case .ready(HelperLine.version): return
      case .ready(let version): throw .helperVersion(version)
      case .failed(_, let number): throw .cannotInitialize(number)
      default: break
      }
      try await waitForHelper(contents.end, until: deadline)
    }
  }

  private func waitForHelper(_ end: ArtError?, until deadline: Duration) async throws(ArtError) {
    if let end { throw end }
    if isClosed { throw ArtError(.closed, "the watcher was closed") }
    if timeline.now() >= deadline { throw .helperSilent() }
    await wait(until: deadline)
  }

  /// A folder above that moves takes the watched one with it, which no event of its own tells.
  private func guardAncestors() async throws(ArtError) {
    var ancestors: [String] = []
    var path = walk.root
    while path != "/", let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
      ancestors.append(path)
    }
    for (path, answer) in zip(ancestors, try await ask(ancestors.map { ("guard", $0) })) {
      switch answer {
      case .watching(let watch, _): guards.insert(watch)
      // A folder that may be passed through and not be read is somebody else's, and does not move as a rule.
      case .failed(_, EACCES), .failed(_, EPERM): break
      case .failed(_, let number): throw .cannotWatch(path, number)
      default: throw .helperSilent()
      }
    }
  }

  /// Sends commands, and returns their answers in that order. Throws `unavailable` when the helper does not give them.
  func ask(_ commands: [(verb: String, path: String)]) async throws(ArtError) -> [HelperLine] {
    guard let helper else { throw .helperSilent() }
    var answers: [HelperLine] = []
    var sizes: [Int] = []
    var deadline = timeline.now() + Self.patienceWithHelper
    while answers.count < commands.count {
      var line: [UInt8] = []
      while sizes.count < commands.count {
        let next = command(commands[sizes.count])
        let onTheWay = sizes[answers.count...].reduce(0, +)
        if onTheWay > 0, onTheWay + next.count > Self.commandsOnTheWay { break }
        sizes.append(next.count)
        line += next
      }
      if !line.isEmpty { try helper.process.send(line) }
      let more = helper.inbox.takeAnswers()
      answers += more
      if more.isEmpty {
        try await waitForHelper(helper.inbox.peek().end, until: deadline)
      } else {
        deadline = timeline.now() + Self.patienceWithHelper
      }
    }
    return answers
  }

  private func command(_ command: (verb: String, path: String)) -> [UInt8] {
    Array("\(command.verb) ".utf8) + EscapedBytes.write(command.path.utf8) + [UInt8(ascii: "\n")]
  }

  func unwatch(_ watches: [Int32]) {
    guard let helper, !watches.isEmpty else { return }
    do throws(ArtError) {
      try helper.process.send(Array(watches.map { "unwatch \($0)\n" }.joined().utf8))
    } catch {
      // Its end is on the way, and takes all watches with it.
    }
  }

  /// Lets go of the helper and of all that it watched.
  func detach() {
    helper?.process.end()
    helper = nil
    tree = WatchTree()
    guards = []
  }
}
