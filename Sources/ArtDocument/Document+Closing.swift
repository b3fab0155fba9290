// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Saves what is changed and closes; edits are refused meanwhile. When saving fails the document stays open, in the
  /// state `error`, and takes edits again.
  public func close() async throws(ArtError) {
    closing += 1
    defer { stopClosing() }
    try await save(.closing)
    await endJournal()
    end()
  }

  /// Closes without saving, and leaves what no save holds in the journal: whoever edits the document next restores it.
  public func abandon() async {
    closing += 1
    defer { stopClosing() }
    await waitUntilIdle()
    journal?.abandon()
    journal = nil
    end()
  }

  /// Closes without saving: what no save holds is lost.
  public func closeDiscardingChanges() async {
    closing += 1
    defer { stopClosing() }
    await waitUntilIdle()
    changeCount.update(.cleared)
    unsaved = UnsavedEdits()
    autosave = Autosave(autosave.policy)
    await endJournal()
    end()
  }

  /// A document that could not be closed goes on saving itself.
  private func stopClosing() {
    closing -= 1
    step()
  }

  private func waitUntilIdle() async {
    while true {
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningLook {
        await runningLook.value
      } else {
        return
      }
    }
  }

  /// Removes the journal, of which nothing is needed any more; once, whoever asks.
  private func endJournal() async {
    if ending == nil, let journal {
      self.journal = nil
      ending = Task { await end(journal) }
    }
    await ending?.value
  }

  /// The document forgets the journal only when that is gone for good; whatever fails leaves something that says of itself
  /// that it is done.
  private func end(_ journal: Journal) async {
    do throws(ArtError) {
      try journal.close()
      if isKnownToFile {
        let (file, origin) = (file, origin)
        try await thread.run { () throws(ArtError) in try file.forget(origin) }
      }
      try journal.release()
    } catch {
      journal.abandon()
    }
  }

  private func end() {
    timer?.task.cancel()
    timer = nil
    autosave = Autosave(autosave.policy)
    tell(life.closed())
    broadcast.finish()
    lookTimer?.cancel()
    waiters.release()
  }
}
