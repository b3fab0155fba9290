// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
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
    if helper != nil, !mustGuardAgain { return }
    let program: HelperProgram
    do throws(HelperFailure) { program = try settings.helpers.program("emojiart-inotify") } catch {
      throw .helperMissing()
    }
    let isNew = helper == nil
    if isNew, let pause, timeline.now() < pause.until { throw pause.why }
    do throws(ArtError) {
      if isNew { try await begin(program) }
      try await guardAncestors()
      if isNew { restarts.started(at: timeline.now()) }
    } catch {
      detach()
      pause = (error, restarts.ended(at: timeline.now()))
      throw error
    }
  }

  private func begin(_ program: HelperProgram) async throws(ArtError) {
    let inbox = Inbox(wakeup, now: timeline.now, quiet: settings.quiet)
    let gone = Wakeup()
    let process = try start(
      program, { inbox.put($0) },
      {
        inbox.put($0); gone.wake()
      })
    helper = Helper(process: process, inbox: inbox, gone: gone)
    try await greet(inbox)
  }

  /// The helper is of no use any more: another one is started, soon, or the folder is looked through without it.
  func giveUpHelper(_ why: ArtError) {
    detach()
    let now = timeline.now()
    let due = restarts.ended(at: now)
    pause = (why, due)
    let isSoon = due - now <= Self.shortPause
    // A scan gives its reason only when another one has been started by then.
    debouncer.rescan(.root, reason: .startedAgain(why), at: isSoon ? due : now)
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

  /// A folder above that moves takes the watched one with it, which no event of its own tells. From the top down: what
  /// moves above a folder that is not guarded yet is told by then.
  private func guardAncestors() async throws(ArtError) {
    var ancestors: [String] = []
    var path = walk.root
    while path != "/", let slash = path.lastIndex(of: "/") {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
      ancestors.append(path)
    }
    let former = guards
    guards = []
    rootDue = nil
    mustGuardAgain = false
    ancestors.reverse()
    for answer in try await ask(ancestors.map { ("guard", $0) }) {
      switch answer {
      case .watching(let watch, _): guards.insert(watch)
      // It may be passed through and not be read, as other people's folders often are.
      case .failed(_, EACCES), .failed(_, EPERM): rootDue = timeline.now() + settings.pollEvery
      case .failed(_, let number): throw .cannotWatch(walk.root, number)
      default: throw .helperSilent()
      }
    }
    unwatch(former.subtracting(guards).filter { tree.path(of: $0) == nil })
  }

  /// Sends commands, and returns their answers in that order. Throws `unavailable` when the helper does not give them.
  func ask(_ commands: [(verb: String, path: String)]) async throws(ArtError) -> [HelperLine] {
    guard let helper else { throw .helperSilent() }
    var answers: [HelperLine] = []
    var sizes: [Int] = []
    var asked = 0
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
      helper.inbox.expectAnswers(sizes.count - asked)
      asked = sizes.count
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
      for start in stride(from: 0, to: watches.count, by: 1_024) {
        let lines = watches[start..<min(start + 1_024, watches.count)].map { "unwatch \($0)\n" }
        try helper.process.send(Array(lines.joined().utf8))
      }
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
    mustGuardAgain = false
    rootDue = nil
  }
}
