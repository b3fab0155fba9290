// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A reason to refresh: another program may have written to the store.
public struct RefreshHint: Sendable {
  /// Whether no program is writing to the store. If so, a store that cannot be read is an error.
  public let isQuiet: Bool
  /// Called after the refresh with true if the store could be read. Otherwise the source has to give the hint again.
  public let done: @Sendable (Bool) async -> Void

  /// A hint with these values.
  public init(isQuiet: Bool = true, done: @escaping @Sendable (Bool) async -> Void = { _ in }) {
    self.isQuiet = isQuiet
    self.done = done
  }
}

extension Document {
  /// Adopts what other programs have saved. Unsaved edits are rebased on top of it by a save. An error is reported as
  /// the document's state, except with `isQuiet` false, when the store may be half-written.
  ///
  /// Returns when a refresh, or a save (which refreshes too), has started after the call and ended. False if the
  /// store could not be read; the caller should then try again, because no event announces that it is readable.
  @discardableResult
  public func refresh(isQuiet: Bool = true) async -> Bool {
    trimJournal()
    let before = generation.begun
    while generation.completed <= before {
      guard life.state != .closed, closing == 0 else { return true }
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningRefresh {
        _ = await runningRefresh.value
      } else {
        _ = await startRefresh(isQuiet).value
        // A failed refresh without error report has not read the store.
        if !isQuiet { return generation.completed > before }
      }
    }
    return blocker.readError == nil
  }

  /// Refreshes at each hint, until the sequence ends or the document is closed. A new sequence replaces the previous
  /// one.
  public func refresh(at hints: some AsyncSequence<RefreshHint, Never> & Sendable) {
    hintTask?.cancel()
    guard life.state != .closed else { return }
    hintTask = Task { [weak self] in
      for await hint in hints {
        guard let self, !Task.isCancelled else { return }
        await hint.done(self.refresh(isQuiet: hint.isQuiet))
      }
    }
  }

  /// Sets the interval of periodic refreshes; nil for none.
  public func refresh(every interval: Duration?) {
    guard interval != refreshInterval else { return }
    refreshInterval = interval
    refreshTimer?.cancel()
    scheduleRefresh()
  }

  func scheduleRefresh() {
    guard let refreshInterval, life.state != .closed else { return }
    refreshTimer = Task { [weak self, timeline] in
      do { try await timeline.sleep(timeline.now() + refreshInterval) } catch { return }
      await self?.refreshTimerFired()
    }
  }

  private func refreshTimerFired() async {
    // A running save refreshes too.
    if runningSave == nil { await refresh() }
    // Another timer may have been set meanwhile.
    if !Task.isCancelled { scheduleRefresh() }
  }

  /// What a refresh has found.
  private struct Refreshed: Sendable {
    let result: RefreshResult
    /// Why the store cannot be saved; nil if it seems that it can.
    var readOnlyReason: String?
    /// The folder for the journal of a document that could not be edited before, and what became of its orphaned journals.
    var folder: JournalFolder?
    var recovered: [RecoveryOutcome] = []
  }

  /// The state of the store at a refresh.
  private enum RefreshResult: Sendable {
    /// It is in the known state, in this file.
    case unchanged(FileStamp, HeldFile?)
    /// It is in another state, and there are no unsaved edits.
    case changed(FileStamp, FoundState)
    /// It is in another state, and a save has to rebase the unsaved edits.
    case conflict(DocumentBase)
    /// It cannot be read.
    case failed(ArtError)
  }

  @discardableResult
  func startRefresh(
    _ isQuiet: Bool, waitingAtMost timeout: Duration? = SaveReason.autosave.timeout
  ) -> Task<ArtError?, Never> {
    generation.begun += 1
    let (number, old, base, isDirty, held) = (generation.begun, stamp, copy.base, hasUnsavedChanges, held)
    let preparation = preparation
    let wasDisabled = if case .editingDisabled = life.state { true } else { false }
    let store: any DocumentStore = if let timeout { self.store.waiting(atMost: timeout) } else { self.store }
    let task = Task { () -> ArtError? in
      do throws(ArtError) {
        let found = try await wait { () throws(ArtError) -> Refreshed in
          let isTakenOver = wasDisabled && store.hold(held)?.isTakenOver == true
          let reason =
            try preparation.readOnlyReason(of: store)
            ?? (isTakenOver ? "another user has put another file in its place" : nil)
          let (folder, recovered) = try wasDisabled && reason == nil ? preparation.prepare(store) : (nil, [])
          func found(_ result: RefreshResult) -> Refreshed {
            Refreshed(result: result, readOnlyReason: reason, folder: folder, recovered: recovered)
          }
          let stamp = try store.stamp()
          if let old, stamp.provesUnchanged(since: old) { return found(.unchanged(stamp, held)) }
          // Most new states are this program's own saves.
          let file = store.hold(held)
          let now = try store.base()
          if now == base { return found(.unchanged(stamp, file)) }
          // A save must not start while the file may be half-written.
          if isDirty, isQuiet { return found(.conflict(now)) }
          let state = try store.find(by: self.origin, holding: held)
          guard state.content.id == base.id else { throw .replaced(store.path) }
          return found(isDirty ? .conflict(now) : .changed(stamp, state))
        }
        await refreshed(found, number)
        return nil
      } catch {
        runningRefresh = nil
        if isQuiet { await refreshed(Refreshed(result: .failed(error)), number) } else { step() }
        return error
      }
    }
    runningRefresh = task
    return task
  }

  private func refreshed(_ found: Refreshed, _ number: Int) async {
    runningRefresh = nil
    generation.completed = max(generation.completed, number)
    // The document may have been closed meanwhile.
    guard life.state != .closed else { return }
    let isSaveFailing = if case .error = life.state { true } else { false }
    let isDue: Bool
    switch found.result {
    case .unchanged(let stamp, let file):
      self.stamp = stamp
      hold(file)
      isDue = blocker.refreshed(isSaveFailing: isSaveFailing)
    case .changed(let stamp, let found):
      self.stamp = stamp
      isDue = blocker.refreshed(isSaveFailing: isSaveFailing)
      let events = copy.adopt(found.content, recorded: found.savedSequence)
      hold(found.file)
      emit(events)
    case .conflict(let found):
      // A failing save touches the file too: only another program's write is a reason to retry early.
      isDue = blocker.conflicted(with: found, isSaveFailing: isSaveFailing)
    case .failed(let error):
      isDue = blocker.readFailed(error.code)
      if error.code != .busy {
        stamp = nil
        if !hasUnsavedChanges { emit(life.refreshFailed(error)) }
      }
    }
    if blocker.readError == nil {
      if !hasUnsavedChanges { emit(life.refreshSucceeded()) }
      noteAccess(found.readOnlyReason, journal: found.folder, found.recovered)
    }
    // What failed before is tried again.
    mergeReplaced()
    if isDue, hasUnsavedChanges, closing == 0 {
      // The error becomes the document's state.
      do throws(ArtError) { try await save(.autosave) } catch {}
    }
    step()
  }
}
