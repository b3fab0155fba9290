// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Synchronization

/// What a listener of a document hears, in the order in which it happened.
public enum DocumentEvent: Sendable, Equatable {
  /// The document's state is another one.
  case state(DocumentState)
  /// An edit, an undo or a redo took effect.
  case edited(LoggedEdit)
  /// Everything up to this revision is durably in the file.
  case saved(revision: Int)
  /// The listener was too slow and has missed events: it should look at the document anew.
  case resync
}

/// Events for any number of listeners, none of which holds up the others or the sender.
final class Broadcast: Sendable {
  private struct Listeners {
    var mailboxes: [Int: Mailbox] = [:]
    var next = 0
    var isOver = false
  }

  private let listeners = Mutex(Listeners())

  /// A new listener: it hears what is sent from now on, and ends with the broadcast. `capacity` events wait for
  /// it at most.
  func subscribe(capacity: Int) -> DocumentEvents {
    let mailbox = Mailbox(capacity: capacity)
    let number = listeners.withLock { listeners -> Int? in
      guard !listeners.isOver else { return nil }
      listeners.next += 1
      listeners.mailboxes[listeners.next] = mailbox
      return listeners.next
    }
    guard let number else {
      mailbox.finish()
      return DocumentEvents(mailbox, unsubscribe: {})
    }
    return DocumentEvents(mailbox) { [weak self] in
      self?.listeners.withLock { _ = $0.mailboxes.removeValue(forKey: number) }
    }
  }

  func send(_ event: DocumentEvent) {
    for mailbox in listeners.withLock({ Array($0.mailboxes.values) }) { mailbox.put(event) }
  }

  /// Ends the sequences of all listeners, after what waits for them.
  func finish() {
    let mailboxes = listeners.withLock { listeners in
      listeners.isOver = true
      defer { listeners.mailboxes = [:] }
      return Array(listeners.mailboxes.values)
    }
    for mailbox in mailboxes { mailbox.finish() }
  }
}

/// A document's events as one listener hears them. Ends when the document is closed, or the task that iterates is
/// cancelled.
public struct DocumentEvents: AsyncSequence, Sendable {
  /// What a listener hears.
  public typealias Element = DocumentEvent

  private let mailbox: Mailbox
  private let subscription: Subscription

  fileprivate init(_ mailbox: Mailbox, unsubscribe: @escaping @Sendable () -> Void) {
    self.mailbox = mailbox
    subscription = Subscription(unsubscribe)
  }

  /// One iterator at a time; a second listener asks the document for events of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

  /// Iterates over the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let mailbox: Mailbox
    fileprivate let subscription: Subscription

    /// The next event; nil at the end.
    public mutating func next() async -> DocumentEvent? { await mailbox.take() }
  }

  /// Ends with the last copy of the sequence and its iterators.
  fileprivate final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }
}
