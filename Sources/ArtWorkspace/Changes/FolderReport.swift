// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What a follower of a folder is told, event by event, so that nothing is told twice and nothing is left out; of one document on
/// demand from a revision on that the follower has seen.
///
///     documents ──begin──▶ notices
///     event ──receive──▶ notices; the folder's documents are asked for where the event does not say what happened
///     catchUp ──▶ notices: the edits since that revision, as soon as the document can be read
public struct FolderReport {
  /// A folder's documents, and why the system does not tell of their changes.
  public typealias State = (documents: [FolderDocument], degraded: String?)

  private let folder: String
  private let document: String?
  private var reported: ReportedDocuments
  private var since: Int?

  /// Of the folder at that path. `wanted` are the only documents of interest, and nil stands for all; where there is one, the edits
  /// after the revision `since` are told of it.
  package init(of folder: String, only wanted: Set<FilePath>? = nil, since: Int? = nil) {
    self.folder = folder
    document = wanted?.first?.string
    reported = ReportedDocuments(only: wanted)
    self.since = document == nil ? nil : since
  }

  /// Whether the edits since a revision are still to be told.
  public var isBehind: Bool { since != nil }

  /// The document that was told of and in whose place another one comes by this event, of whose own end nothing is told.
  public func replaced(by event: FolderEvent) -> String? {
    guard case .renamed(let document, _) = event, !reported.mustRefresh(after: event),
      reported.knows(document)
    else { return nil }
    return document
  }

  /// What is told in the beginning.
  public mutating func begin(_ state: State) -> [FolderNotice] {
    reported.begin(state.documents, degraded: state.degraded)
  }

  /// What is told of an event. `state` is asked for where the event does not say by itself what happened.
  public mutating func receive(_ event: FolderEvent, state: () -> State) -> [FolderNotice] {
    let notices: [FolderNotice]
    if reported.mustRefresh(after: event) {
      let state = state()
      notices = reported.receive(event, finding: state.documents, degraded: state.degraded)
    } else {
      notices = reported.receive(event).map { [$0] } ?? []
    }
    return notices.flatMap { notice in
      guard since != nil, notice.isOfWhole else { return [notice] }
      // What the document has come to is told edit by edit as soon as it can be read.
      let caughtUp = catchUp()
      let isTold = caughtUp.isComplete || since != nil || notice.withoutEdits != nil
      return [notice.withoutEdits].compactMap(\.self) + caughtUp.notices + (isTold ? [] : [notice])
    }
  }

  /// Reads the document and tells what came after the revision that the follower has seen. `isComplete` says whether that was told, or
  /// is to come yet. `isBeginning` has one that cannot be read told of at once: later it may be half-written.
  public mutating func catchUp(
    isBeginning: Bool = false
  ) -> (notices: [FolderNotice], isComplete: Bool) {
    guard let since, let document else { return ([], false) }
    let file = DocumentFile(FilePath.path(of: document, in: folder), timeout: .milliseconds(100))
    let content: DocumentContent
    do throws(ArtError) {
      content = try file.read()
    } catch {
      // That it is gone the folder tells; one that is in use is tried again.
      guard error.code != .busy, error.code != .noSuchDocument else { return ([], false) }
      // What is being written now may be whole at the next try.
      guard isBeginning || (try? file.stamp())?.canBeTrusted ?? true else { return ([], false) }
      return ([reported.receive(.damaged(document, reason: error.message))].compactMap(\.self), false)
    }
    self.since = nil
    // The folder may not have told yet that it is there, or whole.
    let here = DocumentChange(edits: [], texts: [:], revision: content.revision, isComplete: true)
    let first = reported.receive(.changed(document, here)).map { [$0] } ?? []
    reported.read(document, DocumentBase(content))
    let notices = first + ChangesSince.notices(since: since, in: content, of: document)
    return (notices, !notices.isEmpty)
  }
}
