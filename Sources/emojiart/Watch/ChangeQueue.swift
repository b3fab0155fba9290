// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import ArtWorkspace

/// Changes that wait for COMMAND, one at most of each document: the latest.
struct ChangeQueue {
  /// What COMMAND is told.
  struct Change: Equatable {
    var document: String
    var event: String
    var revision: Int?
    var from: String?
  }

  private struct Waiting {
    var change: Change
    /// When its document came.
    var place: Int
    /// Whether COMMAND may know a document of that name: then it has to hear of its end.
    var isKnown: Bool
  }

  private var waiting: [FilePath: Waiting] = [:]
  private var places = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes a change in. A document that is new, or has a new name, stays so until that is told.
  mutating func put(_ change: Change) {
    let document = FilePath(change.document)
    places += 1
    var new = Waiting(change: change, place: places, isKnown: !["added", "renamed"].contains(change.event))
    let moved = join(&new)
    let old = waiting[document]
    if let old {
      new.isKnown = old.isKnown
      if !moved { new.place = old.place }
      if ["changed", "resync"].contains(change.event), ["added", "renamed"].contains(old.change.event) {
        (new.change.event, new.change.from) = (old.change.event, old.change.from)
      }
    }
    waiting[document] = new
    // COMMAND knows what stood here by the name before.
    if let gone = old?.change.from, !isSame(gone, new.change.from) { end(gone) }
  }

  /// Makes one of a new name and what waits for the document under the old one, of which nobody has heard. Returns
  /// whether it takes that one's place.
  private mutating func join(_ new: inout Waiting) -> Bool {
    guard let from = new.change.from, let old = waiting.removeValue(forKey: FilePath(from)) else {
      return false
    }
    let isRenamed = old.change.event == "renamed"
    if isRenamed { (new.change.from, new.place) = (old.change.from, old.place) }
    if old.change.event == "added" { (new.change.event, new.change.from) = ("added", nil) }
    if old.isKnown, !isSame(from, new.change.from) { end(from) }
    if isSame(new.change.document, new.change.from) { (new.change.event, new.change.from) = ("changed", nil) }
    return isRenamed
  }

  /// Texts that are alike may be names of two files.
  private func isSame(_ name: String, _ other: String?) -> Bool {
    FilePath(name) == other.map { FilePath($0) }
  }

  /// Tells that nothing stands there any more, unless something new does.
  private mutating func end(_ document: String) {
    guard waiting[FilePath(document)] == nil else { return }
    put(Change(document: document, event: "removed"))
  }

  /// Takes out the one whose document came first.
  mutating func next() -> Change? {
    guard let (document, first) = waiting.min(by: { $0.value.place < $1.value.place }) else { return nil }
    waiting[document] = nil
    return first.change
  }
}
