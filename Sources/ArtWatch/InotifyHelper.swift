// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Synchronization

/// The helper, as the watcher sees it.
struct InotifyHelper: Sendable {
  let processID: Int32
  /// Writes to it. Throws `unavailable` when it takes nothing any more.
  let send: @Sendable ([UInt8]) throws(ArtError) -> Void
  /// Kills it, if it is still there.
  let end: @Sendable () -> Void

  /// How one is started: with what takes its lines, and what is told of its end.
  typealias Start =
    @Sendable (
      HelperProgram, @escaping @Sendable ([UInt8]) -> Void, @escaping @Sendable (HelperEnd) -> Void
    ) throws(ArtError) -> InotifyHelper

  /// It lives as long as the watcher; half a gigabyte is room for a million watches.
  private static let limits = HelperLimits(
    memory: 512 << 20, processorSeconds: nil, line: HelperLine.longest)

  /// The program itself.
  static let start: Start = { (program, onLine, onEnd) throws(ArtError) in
    do throws(HelperFailure) {
      let process = try HelperProcess(starting: program, limits: limits, onLine: onLine, onEnd: onEnd)
      return InotifyHelper(
        processID: process.processID,
        send: { (bytes) throws(ArtError) in
          do throws(HelperFailure) { try process.send(bytes) } catch { throw ArtError(error) }
        }, end: { process.end() })
    } catch {
      throw ArtError(error)
    }
  }
}

/// A line that the helper writes.
enum HelperLine: Equatable {
  /// It is there, and speaks that version.
  case ready(version: Int)
  /// It could not do something: begin (`initialize`), or the oldest command not answered yet (`watch`).
  case failed(String, error: Int32)
  /// The oldest command not answered yet: what watches which folder.
  case watching(Int32, FileIdentity)
  /// Something happened.
  case event(HelperEvent)

  /// The version that this program speaks.
  static let version = 1
  /// The longest line: an event with a name of 255 bytes, each escaped.
  static let longest = 2_048

  /// Reads a line. Throws `unavailable` for what is none.
  init(_ line: [UInt8]) throws(ArtError) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let known = Self.read(words) else { throw .unreadableLine(line) }
    self = known
  }

  private static func read(_ words: [ArraySlice<UInt8>]) -> HelperLine? {
    func text(_ place: Int) -> String { String(decoding: words[place], as: UTF8.self) }
    switch text(0) {
    case "emojiart-inotify" where words.count == 2:
      return Int(text(1)).map { .ready(version: $0) }
    case "failed" where words.count == 3 && ["initialize", "watch"].contains(text(1)):
      return Int32(text(2)).map { .failed(text(1), error: $0) }
    case "watching" where words.count == 4:
      guard let watch = Int32(text(1)), let device = UInt(text(2)), let inode = UInt(text(3)) else {
        return nil
      }
      return .watching(watch, FileIdentity(device: device, inode: inode))
    case "event" where words.count == 5:
      guard let watch = Int32(text(1)), let mask = UInt32(text(2), radix: 16), UInt32(text(3)) != nil,
        let name = EscapedBytes.read(words[4])
      else { return nil }
      // No entry of a folder has such a name.
      if name.contains(0) || name.contains(UInt8(ascii: "/")) { return nil }
      return .event(HelperEvent(watch: watch, mask: EventMask(rawValue: mask), name: name))
    default: return nil
    }
  }
}

/// Something that happened in a watched folder, or to it.
struct HelperEvent: Equatable, Hashable {
  let watch: Int32
  let mask: EventMask
  /// The name in the folder; empty for the folder itself.
  let name: [UInt8]
}

/// What happened: the bits of inotify(7).
struct EventMask: OptionSet, Hashable, Sendable {
  let rawValue: UInt32
  static let attributes = EventMask(rawValue: 0x4)
  static let movedFrom = EventMask(rawValue: 0x40)
  static let movedTo = EventMask(rawValue: 0x80)
  static let deleted = EventMask(rawValue: 0x200)
  static let selfDeleted = EventMask(rawValue: 0x400)
  static let selfMoved = EventMask(rawValue: 0x800)
  static let unmounted = EventMask(rawValue: 0x2000)
  static let overflow = EventMask(rawValue: 0x4000)
  static let ignored = EventMask(rawValue: 0x8000)
  static let folder = EventMask(rawValue: 0x4000_0000)
}

/// Names and paths in lines: what could end a word or a line, and the backslash, are written `\xHH`.
enum EscapedBytes {
  private static let backslash = UInt8(ascii: "\\")
  private static let digits = Array("0123456789abcdef".utf8)

  static func write(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var written: [UInt8] = []
    for byte in bytes {
      if byte < 0x21 || byte == 0x7F || byte == backslash {
        written += [backslash, UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        written.append(byte)
      }
    }
    return written
  }

  /// Reads them; nil for what `write` does not write.
  static func read(_ written: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = written.makeIterator()
    while let byte = rest.next() {
      guard byte == backslash else {
        if byte < 0x21 || byte == 0x7F { return nil }
        bytes.append(byte)
        continue
      }
      guard rest.next() == UInt8(ascii: "x"), let high = rest.next().flatMap(digits.firstIndex),
        let low = rest.next().flatMap(digits.firstIndex)
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

/// What one helper has written and nobody has taken yet. Its size is bounded by the files that there are, and by `most`:
/// the helper never waits for the watcher, so the kernel's queue is always being emptied.
final class Inbox: Sendable {
  /// What happened under one name, however often.
  struct Happening {
    var mask: EventMask
    let first: Duration
    var last: Duration
  }

  struct Source: Hashable {
    let watch: Int32
    let name: [UInt8]
  }

  struct Contents {
    /// What it said first.
    var greeting: HelperLine?
    /// Answers to commands, in their order.
    var answers: [HelperLine] = []
    var events: [Source: Happening] = [:]
    /// Why events were lost, in the kernel's queue or here.
    var lost: String?
    /// Why it is of no use any more.
    var end: ArtError?
  }

  private struct State {
    var contents = Contents()
    /// When somebody comes for the events by himself; nil when he must be woken.
    var alarm: Duration?
    /// Commands whose answers have not come yet.
    var asked = 0
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  private let now: @Sendable () -> Duration
  private let quiet: Duration
  private let most: Int

  init(_ wakeup: Wakeup, now: @escaping @Sendable () -> Duration, quiet: Duration, most: Int = 65_536) {
    self.wakeup = wakeup
    self.now = now
    self.quiet = quiet
    self.most = most
  }

  func put(_ bytes: [UInt8]) {
    let time = now()
    let wakes = state.withLock { state -> Bool in
      guard state.contents.end == nil else { return false }
      do throws(ArtError) {
        let line = try HelperLine(bytes)
        if line.isAnswer {
          guard state.asked > 0 else { throw .unaskedAnswer() }
          state.asked -= 1
        }
        return state.contents.take(line, at: time, most: most)
          || (state.alarm ?? .seconds(Int.max)) > time + quiet
      } catch {
        state.contents.end = error
        return true
      }
    }
    if wakes { wakeup.wake() }
  }

  func put(_ end: HelperEnd) {
    state.withLock { state in state.contents.end = state.contents.end ?? .helperEnded(end) }
    wakeup.wake()
  }

  /// Takes the events and what else is to be known about the helper; answers stay.
  func take() -> Contents {
    state.withLock { state in
      let taken = state.contents
      state.contents.events = [:]
      state.contents.lost = nil
      return taken
    }
  }

  /// What it has written, which stays.
  func peek() -> Contents { state.withLock(\.contents) }

  /// So many commands more are sent.
  func expectAnswers(_ count: Int) { state.withLock { $0.asked += count } }

  /// Takes the answers.
  func takeAnswers() -> [HelperLine] {
    state.withLock { state in
      defer { state.contents.answers = [] }
      return state.contents.answers
    }
  }

  /// Somebody comes by himself at that time; until then events that have time enough wake nobody. Returns whether
  /// something is there already.
  func expect(at time: Duration?) -> Bool {
    state.withLock { state in
      state.alarm = time
      return !state.contents.events.isEmpty || state.contents.lost != nil || state.contents.end != nil
    }
  }
}

extension HelperLine {
  /// Whether it answers a command.
  fileprivate var isAnswer: Bool {
    switch self {
    case .watching, .failed("watch", _): true
    default: false
    }
  }
}

extension Inbox.Contents {
  /// Returns whether it is urgent.
  fileprivate mutating func take(_ line: HelperLine, at time: Duration, most: Int) -> Bool {
    switch line {
    case .failed, .watching:
      if line.isAnswer { answers.append(line) } else { greeting = line }
    case .ready:
      greeting = line
    case .event(let event):
      if event.mask.contains(.overflow) {
        lost = .overflown
        return false
      }
      let source = Inbox.Source(watch: event.watch, name: event.name)
      guard events[source] != nil || events.count < most else {
        events = [:]
        lost = lost ?? .tooManyAtOnce
        return false
      }
      events[source, default: Inbox.Happening(mask: [], first: time, last: time)].add(event.mask, at: time)
      return false
    }
    return true
  }
}

extension Inbox.Happening {
  fileprivate mutating func add(_ mask: EventMask, at time: Duration) {
    self.mask.formUnion(mask)
    last = time
  }
}

/// Wakes a task that waits. A wakeup while no task waits lets the next one go on at once.
final class Wakeup: Sendable {
  private struct State {
    var isPending = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Whether a task waits.
  var isAwaited: Bool { state.withLock { $0.waiter != nil } }

  func wake() {
    let waiter = state.withLock { state in
      state.isPending = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Waits for the next wakeup. A task that waited before goes on.
  func wait() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let free = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.isPending {
          state.isPending = false
          return continuation
        }
        defer { state.waiter = continuation }
        return state.waiter
      }
      free?.resume()
    }
  }
}
