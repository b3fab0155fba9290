// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtWorkspace

/// Notices as text: `09:30:05  bees.emojiart  Ada: 🐝 moved to 120,80`. Text that may contain emoji comes last because
/// terminals disagree on their width.
struct WatchLines {
  /// Edits of one save that are described; the others are counted.
  private static let most = 3

  /// The width of the column of names.
  private var width = 0

  /// Widens the column of names for these names, up to a limit.
  mutating func widen(for names: [String]) {
    width = names.reduce(width) { max($0, min(safe($1).count, 24)) }
  }

  /// The lines for a notice about a document. `name` is the displayed name of the document, `called` gives that of
  /// others. `now` is in milliseconds since 1970.
  mutating func lines(
    _ notice: FolderNotice, _ name: String, now: Int, called: (String) -> String
  ) -> [String] {
    let document = safe(name)
    widen(for: [name])
    return Self.phrases(notice, now: now, called: called).map { time, what in
      "\(Self.time(time, now: now))  \(document.padded(to: width))  \(safe(what))"
    }
  }

  private static func phrases(
    _ notice: FolderNotice, now: Int, called: (String) -> String
  ) -> [(time: Int, what: String)] {
    switch notice {
    case .ready, .rescanned, .degraded: []
    case .added(_, let revision): [(now, "added (revision \(revision))")]
    case .conflict(_, let other, _):
      [(now, "is a conflict copy of \(called(other)); \(ArtError.Remedy.merge.text(about: called(other)))")]
    case .resync(_, let revision):
      [(now, "moved on to revision \(revision), and not all edits up to it can be reported; look at it")]
    case .behind(_, let revision, let since):
      [(now, "is at revision \(revision), before \(since); look at it")]
    case .versions(_, let names, _):
      [
        (
          now,
          names.isEmpty ? "has no named version any more" : "named versions: \(names.joined(separator: ", "))"
        )
      ]
    case .removed: [(now, "removed")]
    case .renamed(_, let from, _): [(now, "renamed from \(called(from))")]
    case .rejected(_, let refusal, _):
      [(now, "background refused: \(refusal.reason.rawValue): \(refusal.detail)\(later(refusal))")]
    case .unfetched(_, let reason, _): [(now, "background not fetched: \(reason.message); it is tried again")]
    case .damaged(_, let reason): [(now, "damaged: \(reason.message)")]
    case .changed(_, let change, let isWholeAgain): phrases(change, isWholeAgain, now)
    }
  }

  /// What happens next, or what the user can do.
  private static func later(_ refusal: Refusal) -> String {
    if refusal.reason == .notAllowed { return "; --allow-private lifts that" }
    return refusal.isTransient ? "; it is tried again" : ""
  }

  /// One line for each run of edits by one program: the author and the edits.
  private static func phrases(
    _ change: DocumentChange, _ isWholeAgain: Bool, _ now: Int
  ) -> [(time: Int, what: String)] {
    let again = isWholeAgain ? "whole again" : nil
    guard change.isComplete else {
      let what = "replaced by another state of the document, revision \(change.revision); look at it"
      return [(now, [again, what].compactMap(\.self).joined(separator: ", "))]
    }
    let runs = change.runs.map { run in
      let described = run.prefix(run.count > most ? most - 1 : most).map { $0.summary(change.texts) }
      let more = run.count - described.count
      let what = (described + (more > 0 ? ["\(more) more edits"] : [])).joined(separator: "; ")
      let by = run.first.map { $0.author ?? $0.id.origin.description } ?? "?"
      return (time: run.last?.time ?? now, what: "\(by): \(what)")
    }
    if isWholeAgain || runs.isEmpty {
      return [(now, again ?? "is at revision \(change.revision)")] + runs
    }
    return runs
  }

  /// `09:30:05`, with the date unless it is today.
  private static func time(_ time: Int, now: Int) -> String {
    let (day, today) = (Time.local(time / 1000), Time.local(now / 1000))
    return day.prefix(11) == today.prefix(11) ? String(day.dropFirst(11)) : day
  }

  /// The message about a whole folder; nil for notices about a document.
  static func folderMessage(_ notice: FolderNotice, _ title: String) -> String? {
    switch notice {
    case .ready(let count):
      "watching \(title): \(count == 0 ? "no documents" : count == 1 ? "1 document" : "\(count) documents")"
    case .rescanned(let reason): "\(title) was scanned again: \(reason)"
    case .degraded(let reason): "\(title) is scanned every 2 seconds: \(reason)"
    default: nil
    }
  }
}
