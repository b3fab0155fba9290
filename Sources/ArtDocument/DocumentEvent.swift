// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Synchronization

/// An open document at one moment.
public struct DocumentSnapshot: Sendable {
  /// The number of changes since the document was opened.
  public let version: Int
  /// The content, with unsaved edits.
  public let content: DocumentContent
  /// The state that is durably in the file. A client sends it with its next requests: see `ClientRequest.since`.
  public let saved: DocumentBase
  /// The document's state in its life cycle.
  public let state: DocumentState
  /// The number of unsaved changes.
  public let unsaved: Int
}

/// One change of an open document's content. The changes after a snapshot, applied to it in order, give the content.
public struct ContentChange: Sendable, Equatable {
  /// The cause of a change.
  public enum Cause: String, Sendable, CaseIterable {
    /// An edit by a client of this document.
    case edit
    /// An undo by a client of this document.
    case undo
    /// A redo by a client of this document.
    case redo
    /// A client of this document set or cleared its background, made one pending, or refused the pending one.
    case background
    /// Another program saved.
    case save
    /// Another program saved, and the unsaved edits were rebased on top of that.
    case rebase

    /// Whether the change was made by a client of this document.
    public var isOwn: Bool {
      switch self {
      case .edit, .undo, .redo, .background: true
      case .save, .rebase: false
      }
    }
  }

  /// The version before the change.
  public let before: Int
  /// The cause.
  public let cause: Cause
  /// The new edits, oldest first: the client's one, or those of the programs that saved. They have author and name;
  /// their joint result is the effect.
  public let edits: [LoggedEdit]
  /// Whether `edits` has all new edits. It does not if the document was replaced by another state of itself, such as
  /// a backup, or has had more edits than its log keeps.
  public let isComplete: Bool
  /// The document's revision after the change, with unsaved edits.
  public let revision: Int
  /// The state of the file, if a save is the cause.
  public let saved: DocumentBase?
  /// The effect of a save; nil for an own edit, whose effect follows from its entry.
  private let difference: ContentEffect?

  /// The version after the change. Versions increase by one.
  public var after: Int { before + 1 }

  /// The effect of the change on the content.
  public var effect: ContentEffect {
    if let difference { return difference }
    return edits.first.map { ContentEffect(of: $0.edit.changes, inverse: $0.inverse) } ?? ContentEffect()
  }

  /// Whether the change sets the pending background. Unlike `effect`, this needs no computation.
  public var setsPending: Bool {
    if let difference { return difference.pending != nil }
    return edits.contains { $0.edit.changes.contains { if case .setPending = $0 { true } else { false } } }
  }

  /// A change by an own edit.
  init(of entry: LoggedEdit, isBackground: Bool, before: Int) {
    self.before = before
    cause =
      switch entry.kind {
      case .edit, .merge, .repair, .refuse: isBackground ? .background : .edit
      case .undo: .undo
      case .redo: .redo
      }
    edits = [entry]
    isComplete = true
    revision = entry.revision
    saved = nil
    difference = nil
  }

  /// A change by other programs' saves, with its effect on the content.
  package init(
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

/// An event of a document. Events arrive in the order in which they happened.
public enum DocumentEvent: Sendable, Equatable {
  /// The document has another state.
  case state(DocumentState)
  /// The content has changed.
  case changed(ContentChange)
  /// Everything up to this revision is durably in the file.
  case saved(revision: Int)
  /// Changes of an unsaved edit were dropped: another program removed their emoji, or `RebasedEdits.dropped` has the
  /// other reasons. The next `changed` has the effect on the content.
  case dropped(EditID, [Change])
  /// Edits that this program had saved may no longer be in the document. Another program has replaced the document's state, and the two states
  /// cannot be merged, or the new one could not be read before the document was closed. `edits` is the number of missing edits; 0 if it is not
  /// known. `files` are the documents in which the saved state is kept; empty if they could not be written.
  case setAside(edits: Int, files: [String])
  /// An emoji that this program added has another id, because another program used the same one, or performed the same
  /// request. The next `changed` removes the old one and adds the new one.
  case renamed(EmojiID, to: EmojiID)
  /// An unsaved edit of this program was left out: the document has that edit of another program, which performed the same request of the
  /// same session. The next `changed` has the effect on the content.
  case repeated(EditID, as: EditID)
  /// The listener was too slow and has missed events up to that version. It should take a snapshot.
  case resync(version: Int)

  /// The document's version after the event, if the event has one.
  public var version: Int? {
    switch self {
    case .changed(let change): change.after
    case .resync(let version): version
    case .state, .saved, .dropped, .setAside, .renamed, .repeated: nil
    }
  }
}

/// The events of a document, for one listener.
public typealias DocumentEvents = EventSequence<DocumentEvent>

// MARK: - Sending events

/// Sends events to any number of listeners. A slow listener delays neither the others nor the sender.
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

  /// `overflow` gives the event that replaces the waiting events of a slow listener; with nil the oldest ones are
  /// dropped. `observer` is called with all events before they are sent.
  package init(overflow: (@Sendable () -> Event)? = nil, observer: (@Sendable ([Event]) -> Void)? = nil) {
    self.overflow = overflow
    self.observer = observer
  }

  /// A new listener for the events from now on that pass the filter. The sequence ends with the broadcast. At most
  /// `capacity` events wait for the listener. `overflow` overrides the broadcast's own, and stands behind the events that
  /// it does not replace.
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

  /// Ends the sequences of all listeners after their waiting events.
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

/// The events for one listener. The sequence ends when its source is closed, or the iterating task is cancelled.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
  private let mailbox: Mailbox<Element>
  private let subscription: Subscription

  fileprivate init(_ mailbox: Mailbox<Element>, unsubscribe: @escaping @Sendable () -> Void) {
    self.mailbox = mailbox
    subscription = Subscription(unsubscribe)
  }

  /// Use one iterator at a time; a second listener needs a sequence of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

  /// Iterates over the events.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let mailbox: Mailbox<Element>
    fileprivate let subscription: Subscription

    /// The next event; nil at the end.
    public mutating func next() async -> Element? { await mailbox.next() }
  }

  /// Unsubscribes when the last copy of the sequence and its iterators is gone.
  fileprivate final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }
}

/// The waiting events of one listener. When there are too many, the overflow event replaces all of them, so that a
/// slow listener knows that it missed some. Without an overflow event the oldest one is dropped.
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

  /// The next event; nil at the end, when the task is cancelled, and for a second concurrent caller.
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
