// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Why a save is made; it sets how long a document that another program holds is waited for.
enum SaveReason {
  case asked
  case autosave
  case closing

  var patience: Duration {
    switch self {
    case .asked, .closing: .seconds(5)
    // Nobody waits for it, and it is tried again.
    case .autosave: .seconds(1)
    }
  }
}

/// A save that runs.
struct RunningSave {
  var task: Task<ArtError?, Never>
  /// What it will hold.
  var token: SaveToken
  var reason: SaveReason
}

extension Document {
  /// Saves what is changed until now, on top of what others saved meanwhile. Returns when it is durable. Throws what
  /// writing a file throws, and `replaced` when another document stands at the path; the edits are kept then.
  public func save() async throws(ArtError) { try await save(.asked) }

  func save(_ reason: SaveReason) async throws(ArtError) {
    let goal = changeCount.token
    while !changeCount.isSaved(goal) {
      guard life.state != .closed else { throw .closedDocument(file.path) }
      if let running = runningSave {
        let error = await running.task.value
        // An autosave is impatient: its error does not speak for those who asked.
        if let error, running.reason != .autosave, goal.isCovered(by: running.token) { throw error }
      } else if let runningLook {
        await runningLook.value
      } else if let error = await startSave(reason).task.value {
        throw error
      }
    }
  }

  /// Does what the autosave machine says is next.
  func step() {
    guard life.state != .closed, closing == 0, runningLook == nil else { return }
    switch autosave.next(at: timeline.now()) {
    case .idle: break
    case .save: _ = startSave(.autosave)
    case .wait(let until): setTimer(until)
    }
  }

  /// Asks the machine again then, or earlier if that was wanted before.
  private func setTimer(_ due: Duration) {
    if let timer {
      guard due < timer.due else { return }
      timer.task.cancel()
    }
    let task = Task { [weak self, timeline] in
      do { try await timeline.sleep(due) } catch { return }
      await self?.timerFired(due)
    }
    timer = (due, task)
  }

  /// One that was cancelled too late to stay asleep finds another one in its place, or none.
  private func timerFired(_ due: Duration) {
    guard timer?.due == due else { return }
    timer = nil
    step()
  }

  /// Begins a save of what is changed until now. No other one is running.
  private func startSave(_ reason: SaveReason) -> RunningSave {
    begun += 1
    let (number, token) = (begun, changeCount.token)
    let edits = NetEdits(unsaved, of: content, since: base)
    saving = unsaved
    unsaved = UnsavedEdits()
    let (mark, isJournalled, kept) = (journal?.cut(), journal != nil, kept)
    isKnownToFile = isKnownToFile || isJournalled
    autosave.saveBegan()
    tell(life.saveBegan())
    let task = Task { () -> ArtError? in
      var file = file
      file.patience = reason.patience
      do throws(ArtError) {
        let target = file
        let outcome = try await thread.run { () throws(ArtError) in
          try target.save(edits, isJournalled: isJournalled)
        }
        saved(token, outcome, mark, kept)
        seen = max(seen, number)
        return nil
      } catch {
        failed(error)
        return error
      }
    }
    let running = RunningSave(task: task, token: token, reason: reason)
    runningSave = running
    return running
  }

  private func saved(_ token: SaveToken, _ outcome: SaveOutcome, _ mark: Int?, _ known: Set<String>) {
    runningSave = nil
    kept.subtract(known.subtracting(outcome.pictures))
    if let mark {
      spent = mark
      removeSpent()
    }
    changeCount.clear(upTo: token)
    saving = UnsavedEdits()
    obstacle = Obstacle()
    if let joined = outcome.joined {
      take(joined.content, at: outcome.base, renamed: joined.own.renamed)
      tell(of: joined.own)
    } else {
      content.markSaved(after: base.revision, upTo: outcome.base.revision, save: base.revision + 1)
      base = outcome.base
    }
    holds(outcome.pictures)
    trimLog()
    autosave.saveSucceeded()
    if let others = outcome.joined?.others, others.isNews { broadcast.send(.changed(others)) }
    broadcast.send(.saved(revision: base.revision))
    tell(life.saveSucceeded())
    waiters.release()
    step()
  }

  /// Removes what is saved from the journal. What cannot be removed is in the file, which says so; the next save or look
  /// tries again.
  func removeSpent() {
    do throws(ArtError) { try journal?.remove(upTo: spent) } catch { return }
    waiters.release()
  }

  /// Goes on from content that is in the file, with what is unsaved on top of it.
  func take(_ saved: DocumentContent, at base: DocumentBase, renamed: [EmojiID: EmojiID] = [:]) {
    self.base = base
    content = saved
    holds(saved.pictures)
    guard !unsaved.isEmpty else { return }
    var chance = generator
    let own = content.rejoin(unsaved, save: base.revision + 1, renamed: renamed, using: &chance)
    generator = chance
    unsaved = own.edits
    tell(of: own)
  }

  private func tell(of own: RejoinedEdits) {
    for (id, new) in own.renamed { broadcast.send(.renamed(id, to: new)) }
    for dropped in own.dropped { broadcast.send(.dropped(dropped.id, dropped.changes)) }
  }

  private func failed(_ error: ArtError) {
    runningSave = nil
    // Others say that nothing was saved; after this one nobody knows.
    if error.code == .inputOutput { saving.seal() }
    saving.append(unsaved)
    unsaved = saving
    saving = UnsavedEdits()
    autosave.saveFailed(at: timeline.now())
    tell(life.saveFailed(error))
    step()
  }

  /// Returns when there is room for more unsaved edits, at once as a rule: while a disk is slow or a document cannot be
  /// saved, edits are kept, but not without bound. Returns also when the task is cancelled.
  public func waitForRoom() async {
    while !hasRoom, life.state != .closed, !Task.isCancelled { await waiters.wait(waiters.ticket) }
  }

  /// Whether there is room for more unsaved edits.
  public var hasRoom: Bool { unsavedChanges < mostUnsaved && !(journal?.isFull ?? false) }

  /// Cuts the log to about the room of a file's.
  func trimLog() { content.trimLog(entries: UnsavedEdits.logged, changes: Self.logChanges) }

  /// Their changes and inverses: about what a file's 8 MiB hold.
  private static var logChanges: Int { 200_000 }
}
