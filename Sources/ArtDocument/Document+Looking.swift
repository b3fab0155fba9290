// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Looks whether others have edited the document, and takes in what they did. With something unsaved this is a save,
  /// which looks, too. What goes wrong is told by the state.
  public func look() async {
    guard life.state != .closed, closing == 0 else { return }
    if let runningSave {
      _ = await runningSave.task.value
    } else if let runningLook {
      await runningLook.value
    } else if hasUnsavedChanges {
      // Its error is told by the state.
      do throws(ArtError) { try await save(.autosave) } catch {}
    } else {
      await startLook().value
    }
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
    removeSpent()
    if !hasUnsavedChanges, runningSave == nil, runningLook == nil { await look() }
    lookLater()
  }

  private enum Sight: Sendable {
    case same(FileStamp)
    case changed(FileStamp, DocumentContent)
  }

  private func startLook() -> Task<Void, Never> {
    let (file, old, base) = (file, stamp, base)
    let task = Task {
      do throws(ArtError) {
        let sight = try await thread.run { () throws(ArtError) -> Sight in
          let stamp = try file.stamp()
          // Most of what is new are this program's own saves.
          if stamp == old { return .same(stamp) }
          if try file.base() == base { return .same(stamp) }
          let content = try file.read()
          guard content.id == base.id else { throw .replaced(file.path) }
          return .changed(stamp, content)
        }
        saw(sight)
      } catch {
        stamp = nil
        runningLook = nil
        if !hasUnsavedChanges, life.state != .closed { tell(life.lookFailed(error)) }
      }
      step()
    }
    runningLook = task
    return task
  }

  private func saw(_ sight: Sight) {
    runningLook = nil
    // It may have been closed meanwhile.
    guard life.state != .closed else { return }
    switch sight {
    case .same(let stamp): self.stamp = stamp
    case .changed(let stamp, let found):
      self.stamp = stamp
      if let change = ExternalChange(in: found, since: base, besides: origin) {
        take(found, at: DocumentBase(found))
        if change.isNews { broadcast.send(.changed(change)) }
      }
    }
    if !hasUnsavedChanges { tell(life.lookSucceeded()) }
  }
}
