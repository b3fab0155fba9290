// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Synchronization

/// A document and its version, as one moment has them.
public struct DocumentSnapshot: Sendable {
  /// The count of changes since the document was opened.
  public let version: Int
  /// The document then, unsaved edits included.
  public let content: DocumentContent
  /// The state that is durably in the file. A client gives it with the requests that it makes from then on.
  public let saved: DocumentBase
}

/// One change of an open document's content. The changes after a snapshot, applied to it in their order, give the content.
public struct ContentChange: Sendable, Equatable {
  /// What made the change.
  public enum Cause: String, Sendable, CaseIterable {
    /// An edit by a client of this document.
    case edit
    /// An undo by a client of this document.
    case undo
    /// A redo by a client of this document.
    case redo
    /// A client of this document set its background, cleared it, or gave a pending one up.
    case background
    /// Another program saved.
    case save
    /// Another program saved, and the edits that were not saved yet were made again on top of that.
    case rebase

    /// Whether a client of this document made the change.
    public var isOwn: Bool {
      switch self {
      case .edit, .undo, .redo, .background: true
      case .save, .rebase: false
      }
    }
  }

  /// The version before the change.
  public let before: Int
  /// What made it.
  public let cause: Cause
  /// The edits that are new, oldest first: the client's own one, or those of the programs that saved. They say who made them and
  /// what they are called; what they did together is the effect.
  public let edits: [LoggedEdit]
  /// Whether these are all. Otherwise the document was replaced by another state of itself, a backup for one, or has gone on further
  /// than its log goes back.
  public let isComplete: Bool
  /// The document's revision after it, unsaved edits included.
  public let revision: Int
  /// The state of the file, where a save is the cause.
  public let saved: DocumentBase?
  /// The effect of a save; nil for an own edit, whose effect is that of its entry.
  private let difference: ContentEffect?

  /// The version after the change: versions grow by one.
  public var after: Int { before + 1 }

  /// What the change did to the content.
  public var effect: ContentEffect {
    if let difference { return difference }
    return edits.first.map { ContentEffect(of: $0.edit.changes, inverse: $0.inverse) } ?? ContentEffect()
  }

  /// An own edit.
  init(of entry: LoggedEdit, isBackground: Bool, before: Int) {
    self.before = before
    cause =
      switch entry.kind {
      case .edit: isBackground ? .background : .edit
      case .undo: .undo
      case .redo: .redo
      }
    edits = [entry]
    isComplete = true
    revision = entry.revision
    saved = nil
    difference = nil
  }

  /// What others saved, and what that did to the content.
  init(
    of others: ExternalChange?, _ difference: ContentEffect, isRebased: Bool, before: Int, revision: Int,
    saved: DocumentBase
  ) {
    self.before = before
    cause = isRebased ? .rebase : .save
    edits = others?.edits ?? []
    isComplete = others?.isComplete ?? true
    self.revision = revision
    self.saved = saved
    self.difference = difference
  }
}

/// What a listener of a document hears, in the order in which it happened.
public enum DocumentEvent: Sendable, Equatable {
  /// The document's state is another one.
  case state(DocumentState)
  /// The content is another one.
  case changed(ContentChange)
  /// Everything up to this revision is durably in the file.
  case saved(revision: Int)
  /// Changes of an edit that no save held have come to nothing: somebody removed their emoji, or set the field since. The next
  /// `changed` has what that did to the content.
  case dropped(EditID, [Change])
  /// An emoji that this program added has another id: somebody else had drawn the same one. The next `changed` removes the one and
  /// adds the other.
  case renamed(EmojiID, to: EmojiID)
  /// The listener was too slow and has missed events up to that version: it should take a snapshot.
  case resync(version: Int)

  /// The document's version after the event, where it tells of one.
  public var version: Int? {
    switch self {
    case .changed(let change): change.after
    case .resync(let version): version
    case .state, .saved, .dropped, .renamed: nil
    }
  }
}

/// A document's events as one listener hears them.
public typealias DocumentEvents = EventSequence<DocumentEvent>

/// Events for any number of listeners, none of which holds up the others or the sender.
package final class Broadcast<Event: Sendable>: Sendable {
  private struct Listener {
    let mailbox: Mailbox<Event>
    let isWanted: @Sendable (Event) -> Bool
  }

  private struct Listeners {
    var all: [Int: Listener] = [:]
    var receivers: [@Sendable ([Event]) -> Void] = []
    var next = 0
    var isOver = false
  }

  private let listeners = Mutex(Listeners())
  private let overflow: (@Sendable () -> Event)?
  private let observer: (@Sendable ([Event]) -> Void)?

  /// What `overflow` gives takes the place of the events that a listener was too slow for; nil drops the oldest ones. `observer` is
  /// called with all events before they are sent.
  package init(overflow: (@Sendable () -> Event)? = nil, observer: (@Sendable ([Event]) -> Void)? = nil) {
    self.overflow = overflow
    self.observer = observer
  }

  /// A new listener: it hears what it wants of what is sent from now on, and ends with the broadcast. `capacity` events
  /// wait for it at most. `overflow` is used in place of the broadcast's own, and stands behind the events that it does not
  /// replace.
  package func subscribe(
    capacity: Int, overflow: (@Sendable () -> Event)? = nil,
    replacing isReplaced: @escaping @Sendable (Event) -> Bool = { _ in true },
    where isWanted: @escaping @Sendable (Event) -> Bool = { _ in true }
  ) -> EventSequence<Event> {
    let mailbox = Mailbox(capacity: capacity, overflow: overflow ?? self.overflow, replacing: isReplaced)
    let number = listeners.withLock { listeners -> Int? in
      guard !listeners.isOver else { return nil }
      listeners.next += 1
      listeners.all[listeners.next] = Listener(mailbox: mailbox, isWanted: isWanted)
      return listeners.next
    }
    guard let number else {
      mailbox.finish()
      return EventSequence(mailbox, unsubscribe: {})
    }
    return EventSequence(mailbox) { [weak self] in
      self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) }
    }
  }

  /// Has a function called with what is sent from now on, by the sender itself: what it passes on keeps its order, and costs no
  /// task. It must not wait.
  package func forward(to receive: @escaping @Sendable ([Event]) -> Void) {
    listeners.withLock { $0.receivers.append(receive) }
  }

  package func send(_ event: Event) { send(CollectionOfOne(event)) }

  package func send(_ events: some Collection<Event>) {
    if let observer, !events.isEmpty { observer(Array(events)) }
    let (all, receivers) = listeners.withLock { (Array($0.all.values), $0.receivers) }
    for receive in receivers where !events.isEmpty { receive(Array(events)) }
    for listener in all {
      for event in events where listener.isWanted(event) { listener.mailbox.put(event) }
    }
  }

  /// Ends the sequences of all listeners, after what waits for them.
  package func finish() {
    let all = listeners.withLock { listeners in
      listeners.isOver = true
      listeners.receivers = []
      defer { listeners.all = [:] }
      return Array(listeners.all.values)
    }
    for listener in all { listener.mailbox.finish() }
  }
}

/// Events as one listener hears them. Ends when their source is closed, or the task that iterates is cancelled.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
  private let mailbox: Mailbox<Element>
  private let subscription: Subscription

  fileprivate init(_ mailbox: Mailbox<Element>, unsubscribe: @escaping @Sendable () -> Void) {
    self.mailbox = mailbox
    subscription = Subscription(unsubscribe)
  }

  /// One iterator at a time; a second listener asks for events of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

  /// Iterates over the events.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let mailbox: Mailbox<Element>
    fileprivate let subscription: Subscription

    /// The next event; nil at the end.
    public mutating func next() async -> Element? { await mailbox.next() }
  }

  /// Ends with the last copy of the sequence and its iterators.
  fileprivate final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }
}

/// Events that wait for one listener. When more come than it holds, the overflow takes the place of them all, if there
/// is one: a listener is behind, or up to date, but never wrong. Otherwise the oldest goes.
private final class Mailbox<Event: Sendable>: Sendable {
  private struct Contents {
    var events: [Event] = []
    var waiter: CheckedContinuation<Event?, Never>?
    var isOver = false
  }

  private let contents = Mutex(Contents())
  private let capacity: Int
  private let overflow: (@Sendable () -> Event)?
  private let isReplaced: @Sendable (Event) -> Bool

  init(
    capacity: Int, overflow: (@Sendable () -> Event)?,
    replacing isReplaced: @escaping @Sendable (Event) -> Bool
  ) {
    self.capacity = max(1, capacity)
    self.overflow = overflow
    self.isReplaced = isReplaced
  }

  func put(_ event: Event) {
    let waiter = contents.withLock { contents -> CheckedContinuation<Event?, Never>? in
      guard !contents.isOver else { return nil }
      if let waiter = contents.waiter {
        contents.waiter = nil
        return waiter
      }
      if contents.events.count < capacity {
        contents.events.append(event)
      } else if let overflow {
        contents.events.removeAll(where: isReplaced)
        if !isReplaced(event) { contents.events.append(event) }
        // What is not replaced is bounded, too.
        contents.events.removeFirst(max(0, contents.events.count - capacity + 1))
        contents.events.append(overflow())
      } else {
        contents.events.removeFirst()
        contents.events.append(event)
      }
      return nil
    }
    waiter?.resume(returning: event)
  }

  func finish() {
    let waiter = contents.withLock { contents in
      contents.isOver = true
      defer { contents.waiter = nil }
      return contents.waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Waits for the next event; nil at the end, when the task is cancelled, and for a second one that waits.
  func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = contents.withLock { contents -> Event?? in
          if !contents.events.isEmpty { return .some(contents.events.removeFirst()) }
          if contents.isOver || contents.waiter != nil || Task.isCancelled { return .some(nil) }
          contents.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }
}
