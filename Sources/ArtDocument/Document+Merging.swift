// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

// Another program may put a state in the place of the document's that lacks edits which this program had saved: an engine that carries files
// between machines keeps one of two states only, and a person puts a backup back. What was saved is merged into that state: before the next
// save, after a refresh, and at the latest before the document is closed.

extension Document {
  /// Notes what the state has replaced that the working copy has just adopted, and holds that state's file from now on. Without a file, the
  /// former one stays held: merging it again changes nothing.
  func hold(_ file: HeldFile?) {
    replaced += copy.takeReplaced().compactMap { ReplacedState($0, in: held) }
    if let file { held = file }
  }

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
      guard let state = ReplacedState(copy.savedContent, in: held), try await merge(state, into: store) else {
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
  /// locked, and what merging throws.
  func mergeBeforeClosing() async throws(ArtError) {
    while let runningRefresh { _ = await runningRefresh.value }
    guard copy.lastSaved != nil, life.state != .closed else { return }
    let unread = await startRefresh(false, waitingAtMost: nil).value
    while let runningRefresh { _ = await runningRefresh.value }
    do throws(ArtError) {
      if let unread, unread.code == .busy { throw unread }
      _ = try await mergeReplaced(into: store)
    } catch {
      emit(life.saveFailed(error))
      throw error
    }
    // A file that cannot be read, but for another reason, takes no edits.
    if unread != nil { await setUnseenAside() }
  }

  /// Merges all that was replaced into the store. What can never be merged is kept apart. Returns whether something was merged. Throws what else
  /// merging throws; then that state and the later ones stay.
  private func mergeReplaced(into store: some DocumentStore) async throws(ArtError) -> Bool {
    var isMerged = false
    while !replaced.isEmpty {
      let next = replaced.removeFirst()
      do throws(ArtError) {
        if try await merge(next, into: store) { isMerged = true }
      } catch {
        replaced.insert(next, at: 0)
        throw error
      }
    }
    return isMerged
  }

  /// Returns false if it can never be merged; then it is kept apart. Throws what else merging throws.
  private func merge(
    _ state: ReplacedState, into store: some DocumentStore
  ) async throws(ArtError) -> Bool {
    do throws(ArtError) {
      let file = try await wait { () throws(ArtError) in try store.merge(state) }
      if let file { held = file }
      stamp = nil
      return true
    } catch {
      guard error.code == .parted || error.code == .tooLarge else { throw error }
      await setAside(state)
      return false
    }
  }

  /// Waits until no save and no refresh runs, and keeps apart what is not merged, before the document is left.
  func setReplacedAside() async {
    await waitUntilIdle()
    while !replaced.isEmpty || isUnseen {
      if replaced.isEmpty { await setUnseenAside() } else { await setAside(replaced.removeFirst()) }
      await waitUntilIdle()
    }
  }

  /// Whether this program has saved edits, and another file than the one that it has read or written last is at the path.
  private var isUnseen: Bool {
    guard copy.lastSaved != nil, let held, let file = store.hold(held) else { return false }
    return file !== held
  }

  /// Keeps apart what this program had saved if nobody has looked at the file that took the place.
  private func setUnseenAside() async {
    guard isUnseen, let state = ReplacedState(copy.savedContent, in: held) else { return }
    held = nil
    await setAside(state)
  }

  /// Keeps a state in files of its own, and reports it.
  private func setAside(_ state: ReplacedState) async {
    let store = store
    let files = await wait { store.setAside(state) }
    let edits = state.content.map { copy.loseEdits(of: $0) } ?? 0
    emit([.setAside(edits: edits, files: files)])
  }
}
