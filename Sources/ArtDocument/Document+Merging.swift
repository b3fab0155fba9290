// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

// Another program may put a state in the place of the document's that lacks edits which this program had saved: an engine that carries files
// between machines keeps one of two states only, and a person puts a backup back. What was saved is merged into that state: before the next
// save, after a refresh, and at the latest before the document is closed.

extension Document {
  /// Notes what the state has replaced that the working copy has just adopted, and holds that state's file from now on. Without a file, the
  /// former one stays held: merging it again changes nothing.
  func hold(_ found: HeldFile?) {
    // Another user's file is none of this document's, and the next save says so.
    let file = found.flatMap { $0.isTakenOver ? nil : $0 }
    let lost = copy.takeReplaced()
    for content in lost {
      if let state = ReplacedState(content, in: held) { replaced.append(state) }
    }
    // Nothing in the content says whether the other file has the versions.
    if lost.isEmpty, hasChangedVersions, let held, let file, held.identity != file.identity,
      let state = ReplacedState(nil, in: held)
    {
      replaced.append(state)
    }
    if let file { held = file }
  }

  /// Notes that this program has named or removed a version in that file, which is held open: what replaces the file gets the version.
  package func versionChanged(in file: HeldFile?) {
    hold(file)
    hasChangedVersions = true
  }

  /// The file that is held open; nil if there is none.
  package var heldFile: HeldFile? { held }

  /// Saves edits. What this program had saved, and the store lacks, is merged into it first: an edit must not come before one that its author
  /// had seen. Where merging is impossible, the edits are saved on what there is.
  func save(
    _ edits: NetEdits, isJournalled: Bool, to store: some DocumentStore
  ) async throws(ArtError) -> SaveOutcome {
    _ = try await mergeReplaced(into: store)
    // A state may be put back again; and a merged log may be too long to keep the edit.
    for _ in 0..<2 {
      do throws(ArtError) {
        return try await wait { [held] () throws(ArtError) in
          try store.save(edits, isJournalled: isJournalled, holding: held)
        }
      } catch {
        guard error.code == .movedOn else { throw error }
      }
      guard let state = ReplacedState(copy.savedContent, in: held) else { break }
      // What cannot be merged is noted, and reported, when the state has been adopted that lacks it.
      do throws(ArtError) { try await merge(state, into: store) } catch {
        guard error.forbidsMerging else { throw error }
        break
      }
    }
    return try await wait { [held] () throws(ArtError) in
      try store.save(edits.onAnyState, isJournalled: isJournalled, holding: held)
    }
  }

  /// Merges what was replaced after a refresh or a save. Saves and refreshes wait for it; the next refresh finds the merged document. What fails
  /// is tried again by the next save or refresh.
  func mergeReplaced() {
    guard runningRefresh == nil, life.state != .closed, !replaced.isEmpty else { return }
    let store = store.waiting(atMost: SaveReason.autosave.timeout)
    runningRefresh = Task {
      var isMerged = false
      do throws(ArtError) { isMerged = try await mergeReplaced(into: store) } catch {
        // A save reports the error, if it meets it, too.
      }
      runningRefresh = nil
      guard life.state != .closed, closing == 0 else { return nil }
      if isMerged { _ = await startRefresh(true).value } else { step() }
      return nil
    }
  }

  /// The last look at the store of a program that has saved edits: they are merged into a state that lacks them. Throws `busy` if the store is
  /// locked, and what merging throws. If the store cannot be read for another reason, what was saved is kept apart.
  func mergeBeforeClosing() async throws(ArtError) {
    while let runningRefresh { _ = await runningRefresh.value }
    guard copy.lastSaved != nil || hasChangedVersions, life.state != .closed else { return }
    let unread = await startRefresh(false, waitingAtMost: nil).value
    while let runningRefresh { _ = await runningRefresh.value }
    do throws(ArtError) {
      if let unread {
        guard unread.code != .busy else { throw unread }
        await setReplacedAside()
      } else {
        _ = try await mergeReplaced(into: store)
      }
    } catch {
      if life.state != .closed { emit(life.saveFailed(error)) }
      throw error
    }
  }

  /// Merges all that was replaced into the store. What can never be merged is kept apart. Returns whether something was merged. Throws what else
  /// merging throws; then that state and the later ones stay.
  private func mergeReplaced(into store: some DocumentStore) async throws(ArtError) -> Bool {
    var isMerged = false
    while let state = replaced.first {
      do throws(ArtError) {
        try await merge(state, into: store)
        isMerged = true
      } catch {
        guard error.forbidsMerging else { throw error }
        await setAside(state)
      }
      // Only now: until then a signal or a second close still finds it.
      replaced.removeAll { $0 === state }
    }
    return isMerged
  }

  private func merge(_ state: ReplacedState, into store: some DocumentStore) async throws(ArtError) {
    let file = try await wait { () throws(ArtError) in try store.merge(state) }
    if let file { held = file }
    stamp = nil
  }

  /// Keeps apart what is not merged before the document is left, when no save and no refresh runs any more.
  func setReplacedAside() async {
    await waitUntilIdle()
    while let state = replaced.first ?? unseen {
      // Another call may empty the list meanwhile.
      let isUnseen = replaced.isEmpty
      await setAside(state)
      if isUnseen { held = nil } else { replaced.removeAll { $0 === state } }
      await waitUntilIdle()
    }
  }

  /// The same at once, because the process is about to end; nothing is reported. Returns the files.
  package func setAsideAtOnce() -> [String] {
    (replaced + [unseen].compactMap(\.self)).flatMap { store.setAside($0) }
  }

  /// The saved state, if the file at the path is one that this program has not read yet.
  private var unseen: ReplacedState? {
    guard copy.lastSaved != nil || hasChangedVersions, let held, let file = store.hold(held), file !== held
    else { return nil }
    return ReplacedState(copy.savedContent, in: held)
  }

  /// Keeps a state in files of its own, and reports it.
  private func setAside(_ state: ReplacedState) async {
    let store = store
    let files = await wait { store.setAside(state) }
    let edits = state.content.map { copy.loseEdits(of: $0) } ?? 0
    emit([.setAside(edits: edits, files: files)])
  }
}

extension ArtError {
  /// Whether a state can never be merged for this reason. Others pass, or a save fails for them, too.
  fileprivate var forbidsMerging: Bool { [.parted, .tooLarge, .notPermitted, .badValue].contains(code) }
}
