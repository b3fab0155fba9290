// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Events for any number of listeners, none of which holds up the others or the sender.
package final class Broadcast<Event: Sendable>: Sendable {
  private struct Listener {
    let mailbox: Mailbox<Event>
    let isWanted: @Sendable (Event) -> Bool
  }

  private struct Listeners {
    var all: [Int: Listener] = [:]
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
  /// wait for it at most. `overflow` is used in place of the broadcast's own.
  package func subscribe(
    capacity: Int, overflow: (@Sendable () -> Event)? = nil,
    where isWanted: @escaping @Sendable (Event) -> Bool = { _ in true }
  ) -> EventSequence<Event> {
    let mailbox = Mailbox(capacity: capacity, overflow: overflow ?? self.overflow)
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

  package func send(_ event: Event) { send(CollectionOfOne(event)) }

  package func send(_ events: some Collection<Event>) {
    if let observer, !events.isEmpty { observer(Array(events)) }
    for listener in listeners.withLock({ Array($0.all.values) }) {
      for event in events where listener.isWanted(event) { listener.mailbox.put(event) }
    }
  }

  /// Ends the sequences of all listeners, after what waits for them.
  package func finish() {
    let all = listeners.withLock { listeners in
      listeners.isOver = true
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

  init(capacity: Int, overflow: (@Sendable () -> Event)?) {
    self.capacity = max(1, capacity)
    self.overflow = overflow
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
        contents.events = [overflow()]
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
