// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Looks whether others have edited the document, and takes in what they did; edits that no save holds come on top of
  /// that by a save. What goes wrong is told by the state, unless the file may be being written just now: `isQuiet` says
  /// that it is not.
  ///
  /// Returns when a look, or a save, which looks, too, has begun after the call and is over. False when the file could
  /// not be looked at: nobody will tell when it can be, so it should be tried again.
  @discardableResult
  public func look(isQuiet: Bool = true) async -> Bool {
    removeSpent()
    let before = begun
    while seen <= before {
      guard life.state != .closed, closing == 0 else { return true }
      if let runningSave {
        _ = await runningSave.task.value
      } else if let runningLook {
        await runningLook.value
      } else {
        await startLook(isQuiet).value
        // One that failed and was not to be told has seen nothing.
        if !isQuiet { return seen > before }
      }
    }
    return obstacle.blindness == nil
  }

  /// Has the clock look every so often, too, or, with nil, not any more.
  public func look(every interval: Duration?) {
    guard interval != lookEvery else { return }
    lookEvery = interval
    lookTimer?.cancel()
    lookLater()
  }

  /// The next look by the clock.
  func lookLater() {
    guard let lookEvery, life.state != .closed else { return }
    lookTimer = Task { [weak self, timeline] in
      do { try await timeline.sleep(timeline.now() + lookEvery) } catch { return }
      await self?.lookAgain()
    }
  }

  private func lookAgain() async {
    // A save that runs looks.
    if runningSave == nil { await look() }
    // Another clock may have been set meanwhile.
    if !Task.isCancelled { lookLater() }
  }

  /// The file as a look finds it.
  private enum Sight: Sendable {
    /// In the state that is known.
    case same(FileStamp)
    /// In another one, with nothing to put on top of it.
    case changed(FileStamp, DocumentContent)
    /// In another one, which a save is to take in.
    case movedOn(DocumentBase)
    /// It cannot be looked at.
    case failed(ArtError)
  }

  private func startLook(_ isQuiet: Bool) -> Task<Void, Never> {
    begun += 1
    let (number, old, base, isDirty) = (begun, stamp, base, hasUnsavedChanges)
    var file = file
    file.patience = min(file.patience, SaveReason.autosave.patience)
    let task = Task { [file] in
      do throws(ArtError) {
        let sight = try await thread.run { () throws(ArtError) -> Sight in
          let stamp = try file.stamp()
          if let old, stamp.showsNothing(since: old) { return .same(stamp) }
          // Most of what is new are this program's own saves.
          let found = try file.base()
          if found == base { return .same(stamp) }
          // A save is not to meet what is half-written.
          if isDirty, isQuiet { return .movedOn(found) }
          let content = try file.read()
          guard content.id == base.id else { throw .replaced(file.path) }
          return isDirty ? .movedOn(found) : .changed(stamp, content)
        }
        await saw(sight, number)
      } catch {
        runningLook = nil
        if isQuiet { await saw(.failed(error), number) } else { step() }
      }
    }
    runningLook = task
    return task
  }

  private func saw(_ sight: Sight, _ number: Int) async {
    runningLook = nil
    seen = max(seen, number)
    // It may have been closed meanwhile.
    guard life.state != .closed else { return }
    let isHeldUp = if case .error = life.state { true } else { false }
    let isDue: Bool
    switch sight {
    case .same(let stamp):
      self.stamp = stamp
      isDue = obstacle.foundNothing(isHeldUp: isHeldUp)
    case .changed(let stamp, let found):
      self.stamp = stamp
      isDue = obstacle.foundNothing(isHeldUp: isHeldUp)
      if let change = ExternalChange(in: found, since: base, besides: origin) {
        take(found, at: DocumentBase(found))
        if change.isNews { broadcast.send(.changed(change)) }
      }
    case .movedOn(let found):
      // A save that fails touches the file, too: only what others do is a reason to try again before its time.
      isDue = obstacle.found(found, isHeldUp: isHeldUp)
    case .failed(let error):
      isDue = obstacle.failed(error.code)
      if error.code != .busy {
        stamp = nil
        if !hasUnsavedChanges { tell(life.lookFailed(error)) }
      }
    }
    if obstacle.blindness == nil, !hasUnsavedChanges { tell(life.lookSucceeded()) }
    if isDue, hasUnsavedChanges, closing == 0 {
      // Its error is told by the state.
      do throws(ArtError) { try await save(.autosave) } catch {}
    }
    step()
  }
}
