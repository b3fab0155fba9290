// SPDX-License-Identifier: Apache-2.0

/// Changes that wait for COMMAND, one at most of each document: the latest.
struct ChangeQueue {
  /// What COMMAND is told.
  struct Change: Equatable {
    var document: String
    var event: String
    var revision: Int?
    var from: String?
  }

  private var changes: [String: Change] = [:]
  /// Documents in the order in which they came; those that went meanwhile, too.
  private var order: [String] = []
  private var first = 0

  var isEmpty: Bool { changes.isEmpty }

  /// Takes a change in. A document that is new, or has a new name, stays so until that is told.
  mutating func put(_ change: Change) {
    var change = change
    if let from = change.from, let old = changes.removeValue(forKey: from) {
      // Nobody has heard of the name between.
      if let earlier = old.from { change.from = earlier }
    }
    if let old = changes[change.document] {
      if ["changed", "resync"].contains(change.event), ["added", "renamed"].contains(old.event) {
        (change.event, change.from) = (old.event, old.from)
      }
    } else {
      order.append(change.document)
    }
    changes[change.document] = change
  }

  /// Takes out the one whose document came first.
  mutating func next() -> Change? {
    while first < order.count {
      defer {
        first += 1
        if first > 1_000 { forget() }
      }
      if let change = changes.removeValue(forKey: order[first]) { return change }
    }
    forget()
    return nil
  }

  private mutating func forget() {
    order.removeFirst(first)
    first = 0
  }
}
