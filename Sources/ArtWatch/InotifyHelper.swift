// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Synchronization

/// The helper program emojiart-inotify. A value of closures, so that tests can replace the program.
struct InotifyHelper: Sendable {
  let processID: Int32
  /// Writes to standard input. Throws `unavailable` when the helper does not read it.
  let send: @Sendable ([UInt8]) throws(ArtError) -> Void
  /// Kills it, if it still runs.
  let end: @Sendable () -> Void

  /// Starts a helper; the closures receive its lines and its end.
  typealias Start =
    @Sendable (
      HelperProgram, @escaping @Sendable ([UInt8]) -> Void, @escaping @Sendable (HelperEnd) -> Void
    ) throws(ArtError) -> InotifyHelper

  /// The helper lives as long as the watcher. Half a gigabyte is enough for a million watches.
  private static let limits = HelperLimits(
    memory: 512 << 20, processorSeconds: nil, line: HelperLine.longest)

  /// Starts the real program.
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

// MARK: - Lines of its protocol

/// A line of the helper's output.
enum HelperLine: Equatable {
  /// The greeting, with the protocol's version.
  case ready(version: Int)
  /// A failure: of the start (`initialize`), or of the oldest command without an answer (`watch`).
  case failed(String, error: Int32)
  /// The answer to the oldest command without one: the watch and the folder's identity.
  case watching(Int32, FileIdentity)
  /// A file system event.
  case event(HelperEvent)

  /// The protocol version of this program.
  static let version = 1
  /// The longest line: an event with a name of 255 bytes, each escaped.
  static let longest = 2_048

  /// Parses a line. Throws `unavailable` for any other.
  init(_ line: [UInt8]) throws(ArtError) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let known = Self.read(words) else { throw .unreadableLine(line) }
    self = known
  }

  private static func read(_ words: [ArraySlice<UInt8>]) -> HelperLine? {
    func text(_ index: Int) -> String { String(decoding: words[index], as: UTF8.self) }
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

/// An event of a watched folder, or of an entry of it.
struct HelperEvent: Equatable, Hashable {
  let watch: Int32
  let mask: EventMask
  /// The name of the entry; empty for the folder itself.
  let name: [UInt8]
}

/// The event bits of inotify(7).
struct EventMask: OptionSet, Hashable, Sendable {
  let rawValue: UInt32
  static let attributes = EventMask(rawValue: 0x4)
  static let movedFrom = EventMask(rawValue: 0x40)
  static let movedTo = EventMask(rawValue: 0x80)
  static let created = EventMask(rawValue: 0x100)
  static let deleted = EventMask(rawValue: 0x200)
  static let selfDeleted = EventMask(rawValue: 0x400)
  static let selfMoved = EventMask(rawValue: 0x800)
  static let unmounted = EventMask(rawValue: 0x2000)
  static let overflow = EventMask(rawValue: 0x4000)
  static let ignored = EventMask(rawValue: 0x8000)
  static let folder = EventMask(rawValue: 0x4000_0000)
}

/// Escapes names and paths in lines: bytes that could end a word or a line, and the backslash, become `\xHH`.
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

  /// Decodes bytes; nil for anything that `write` does not write.
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

// MARK: - Inbox

/// Collects the output of one helper until the watcher reads it. Its size is bounded by `capacity`. The helper
/// never waits for the watcher, so it can always empty the kernel's queue.
final class Inbox: Sendable {
  /// All events under one name.
  struct MergedEvent {
    var mask: EventMask
    let first: Duration
    var last: Duration
  }

  struct Source: Hashable {
    let watch: Int32
    let name: [UInt8]
  }

  struct Contents {
    /// The first line.
    var greeting: HelperLine?
    /// Answers to commands, in their order.
    var answers: [HelperLine] = []
    var events: [Source: MergedEvent] = [:]
    /// Why events were lost, in the kernel's queue or here.
    var lossReason: String?
    /// Why the helper is of no use any more.
    var end: ArtError?
  }

  private struct State {
    var contents = Contents()
    /// When the watcher next reads the events without a wakeup; nil when it waits for one.
    var alarm: Duration?
    /// Commands without an answer.
    var unanswered = 0
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  private let now: @Sendable () -> Duration
  private let quiet: Duration
  private let capacity: Int
  private let arrivals: Arrivals?

  /// `arrivals` are told of each event when it comes.
  init(
    _ wakeup: Wakeup, now: @escaping @Sendable () -> Duration, quiet: Duration, capacity: Int = 65_536,
    arrivals: Arrivals? = nil
  ) {
    self.wakeup = wakeup
    self.arrivals = arrivals
    self.now = now
    self.quiet = quiet
    self.capacity = capacity
  }

  func receive(_ bytes: [UInt8]) {
    let time = now()
    let line = Result { () throws(ArtError) in try HelperLine(bytes) }
    if let arrivals, case .success(.event(let event)) = line { arrivals.tell(event) }
    let wakes = state.withLock { state -> Bool in
      guard state.contents.end == nil else { return false }
      do throws(ArtError) {
        let line = try line.get()
        if line.isAnswer {
          guard state.unanswered > 0 else { throw .unaskedAnswer() }
          state.unanswered -= 1
        }
        return state.contents.add(line, at: time, capacity: capacity)
          || (state.alarm ?? .seconds(Int.max)) > time + quiet
      } catch {
        state.contents.end = error
        return true
      }
    }
    if wakes { wakeup.wake() }
  }

  func receive(_ end: HelperEnd) {
    state.withLock { state in state.contents.end = state.contents.end ?? .helperEnded(end) }
    wakeup.wake()
  }

  /// Removes and returns the events; answers, the greeting and the end stay.
  func drain() -> Contents {
    state.withLock { state in
      let drained = state.contents
      state.contents.events = [:]
      state.contents.lossReason = nil
      return drained
    }
  }

  /// Returns the contents without removing them.
  func peek() -> Contents { state.withLock(\.contents) }

  /// Adds to the number of commands without an answer.
  func expectAnswers(_ count: Int) { state.withLock { $0.unanswered += count } }

  /// Removes and returns the answers.
  func drainAnswers() -> [HelperLine] {
    state.withLock { state in
      defer { state.contents.answers = [] }
      return state.contents.answers
    }
  }

  /// Sets the time of the next `drain`; until then, events that can wait cause no wakeup. Returns whether there
  /// is something to drain already.
  func setAlarm(_ time: Duration?) -> Bool {
    state.withLock { state in
      state.alarm = time
      return !state.contents.events.isEmpty || state.contents.lossReason != nil || state.contents.end != nil
    }
  }
}

extension HelperLine {
  /// Whether the line answers a command.
  fileprivate var isAnswer: Bool {
    switch self {
    case .watching, .failed("watch", _): true
    default: false
    }
  }
}

extension Inbox.Contents {
  /// Adds a line; returns whether the watcher must be woken at once.
  fileprivate mutating func add(_ line: HelperLine, at time: Duration, capacity: Int) -> Bool {
    switch line {
    case .failed, .watching:
      if line.isAnswer { answers.append(line) } else { greeting = line }
    case .ready:
      greeting = line
    case .event(let event):
      if event.mask.contains(.overflow) {
        lossReason = .overflown
        return false
      }
      let source = Inbox.Source(watch: event.watch, name: event.name)
      guard events[source] != nil || events.count < capacity else {
        events = [:]
        lossReason = lossReason ?? .tooManyAtOnce
        return false
      }
      events[source, default: Inbox.MergedEvent(mask: [], first: time, last: time)].add(event.mask, at: time)
      return false
    }
    return true
  }
}

extension Inbox.MergedEvent {
  fileprivate mutating func add(_ mask: EventMask, at time: Duration) {
    self.mask.formUnion(mask)
    last = time
  }
}

// MARK: - Wakeup

/// Wakes a task that waits. A wakeup while no task waits lets the next `wait` return at once.
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

  /// Waits for the next wakeup. A second waiter releases the first.
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
