// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

// Another program may put a state in the place of the document's that lacks edits which this program had saved: an engine that carries files
// between machines keeps one of two states only, and a person puts a backup back. What was saved is merged into that state: before the next
// save, after a refresh, and at the latest before the document is closed.

extension Document {
  /// Saves edits. What this program had saved, and the store lacks, is merged into it first: an edit must not come before one that its author
  /// had seen. Where merging is impossible, the edits are saved on what there is.
  func save(
    _ edits: NetEdits, isJournalled: Bool, to store: some DocumentStore
  ) async throws(ArtError) -> SaveOutcome {
    func save(_ edits: NetEdits, holding former: HeldFile?) async throws(ArtError) -> SaveOutcome {
      let (outcome, file) = try await wait { () throws(ArtError) in
        (try store.save(edits, isJournalled: isJournalled), store.hold(former))
      }
      held = file
      return outcome
    }
    // A state may be put back again; and a merged log may be too long to keep the edit.
    for _ in 0..<3 {
      do throws(ArtError) {
        return try await save(edits, holding: held)
      } catch {
        guard error.code == .movedOn else { throw error }
      }
      guard let saved = copy.savedContent else { break }
      do throws(ArtError) {
        try await wait { [held] () throws(ArtError) in try store.merge(saved, of: held) }
      } catch {
        guard error.code == .parted else { throw error }
        break
      }
    }
    return try await save(edits.onAnyState, holding: held)
  }

  /// Merges what this program had saved into the state that replaced it. Saves and refreshes wait for it; the next refresh finds the merged
  /// document.
  func mergeReplaced() {
    guard runningRefresh == nil, life.state != .closed, let replaced = copy.takeReplaced() else { return }
    let store = store.waiting(atMost: SaveReason.autosave.timeout)
    runningRefresh = Task {
      var isMerged = false
      do throws(ArtError) { isMerged = try await merge(replaced, into: store) } catch {
        copy.keepReplaced(replaced)
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
    if hasSaved, life.state != .closed, let error = await startRefresh(false, waitingAtMost: nil).value,
      error.code == .busy
    {
      emit(life.saveFailed(error))
      throw error
    }
    while let runningRefresh { _ = await runningRefresh.value }
    while let replaced = copy.takeReplaced() {
      do throws(ArtError) { _ = try await merge(replaced, into: store) } catch {
        copy.keepReplaced(replaced)
        emit(life.saveFailed(error))
        throw error
      }
    }
  }

  /// Merges what this program had saved into the store. Returns false if that is impossible for good; then it is kept apart. Throws what merging
  /// throws.
  private func merge(
    _ replaced: DocumentContent, into store: some DocumentStore
  ) async throws(ArtError) -> Bool {
    do throws(ArtError) {
      try await wait { [held] () throws(ArtError) in try store.merge(replaced, of: held) }
      stamp = nil
      return true
    } catch {
      guard error.code == .parted else { throw error }
      await keepApart(replaced)
      return false
    }
  }

  /// Keeps apart what could not be merged before the document is closed.
  func keepReplaced() async {
    while let replaced = copy.takeReplaced() { await keepApart(replaced) }
  }

  /// Keeps what this program had saved in a file of its own, and reports its edits as dropped.
  private func keepApart(_ replaced: DocumentContent) async {
    let (store, held) = (store, held)
    await wait { store.setAside(replaced, of: held) }
    emit(copy.lostEvents(replaced))
  }
}
