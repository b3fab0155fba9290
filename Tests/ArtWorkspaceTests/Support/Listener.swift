// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

@testable import ArtWorkspace

/// A listener that knows a folder only by its events, and complains where they contradict each other.
struct Listener {
  struct Known: Equatable {
    var revision: Int?
    var trouble: ArtError?
  }

  private(set) var documents: [FilePath: Known] = [:]
  private(set) var complaints: [String] = []
  /// The number of events of each kind.
  private(set) var counts: [String: Int] = [:]
  /// A kind of event that it ignores.
  var ignoredKind: String?

  init(_ documents: [FolderDocument]) {
    for document in documents {
      self.documents[FilePath(document.path)] = Known(
        revision: document.base?.revision, trouble: document.trouble)
    }
  }

  static func kind(_ event: FolderEvent) -> String { String("\(event)".prefix { $0 != "(" }) }

  mutating func receive(_ event: FolderEvent) {
    counts[Self.kind(event), default: 0] += 1
    guard Self.kind(event) != ignoredKind else { return }
    switch event {
    case .added(let name, let revision), .conflict(let name, _, let revision):
      let path = FilePath(name)
      expect(documents[path]?.revision == nil, "\(event), which is there")
      documents[path] = Known(revision: revision)
    case .changed(let name, let change):
      let path = FilePath(name)
      let old = documents[path]
      expect(old?.revision != nil, "\(name) changed, which is not there")
      if change.isComplete, change.edits.isEmpty {
        expect(old?.trouble != nil && old?.revision == change.revision, "\(name) reported twice")
      } else if change.isComplete {
        let revisions = change.edits.map(\.revision)
        let from = (old?.revision ?? 0) + 1
        expect(revisions == Array(from..<from + revisions.count), "\(name): \(revisions) after \(from - 1)")
        expect(revisions.last == change.revision, "\(name): \(revisions) to \(change.revision)")
      }
      documents[path] = Known(revision: change.revision)
    case .movedOn(let name, let revision):
      let path = FilePath(name)
      expect((documents[path]?.revision).map { $0 < revision } ?? false, "\(event)")
      documents[path] = Known(revision: revision)
    case .removed(let name):
      expect(documents.removeValue(forKey: FilePath(name)) != nil, "\(event), which is not there")
    case .renamed(let name, let from):
      let old = documents.removeValue(forKey: FilePath(from))
      expect(old?.revision != nil && name != from, "\(event), which is not there")
      documents[FilePath(name)] = old
    case .damaged(let name, let reason):
      let path = FilePath(name)
      expect(documents[path]?.trouble != reason, "\(event), reported twice")
      documents[path, default: Known()].trouble = reason
    case .versions(let name, _, let revision):
      expect(documents[FilePath(name)]?.revision == revision, "\(event), which is at another revision")
    case .rescanned, .degraded: break
    case .resync: complaints.append("too slow")
    }
  }

  private mutating func expect(_ holds: Bool, _ complaint: String) {
    if !holds { complaints.append(complaint) }
  }
}
