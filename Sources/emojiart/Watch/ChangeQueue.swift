// SPDX-License-Identifier: Apache-2.0

import ArtFolder

/// Changes that wait for COMMAND, one at most of each document: the latest.
struct ChangeQueue {
  /// What COMMAND is told.
  struct Change: Equatable {
    var document: String
    var event: String
    var revision: Int?
    var from: String?
  }

  private var changes: [DocumentPath: Change] = [:]
  /// Documents in the order in which they came; those that went meanwhile, too.
  private var order: [DocumentPath] = []
  private var first = 0

  var isEmpty: Bool { changes.isEmpty }

  /// Takes a change in. A document that is new, or has a new name, stays so until that is told.
  mutating func put(_ change: Change) {
    var change = change
    let document = DocumentPath(change.document)
    if let from = change.from, let old = changes.removeValue(forKey: DocumentPath(from)) {
      // Nobody has heard of the name between.
      if let earlier = old.from { change.from = earlier }
    }
    if let old = changes[document] {
      if ["changed", "resync"].contains(change.event), ["added", "renamed"].contains(old.event) {
        (change.event, change.from) = (old.event, old.from)
      }
    } else {
      order.append(document)
    }
    changes[document] = change
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
