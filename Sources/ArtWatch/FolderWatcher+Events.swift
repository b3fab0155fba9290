// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

extension FolderWatcher {
  /// Takes what the helper has told.
  func takeEvents() {
    guard let helper else { return }
    let contents = helper.inbox.take()
    for (source, happening) in contents.events { take(source, happening) }
    let now = timeline.now()
    if let reason = contents.lost {
      mustGuardAgain = true
      debouncer.changed(.root, reason: reason, at: now)
    }
    if let end = contents.end { giveUpHelper(end) }
  }

  private func take(_ source: Inbox.Source, _ happening: Inbox.Happening) {
    let mask = happening.mask
    if guards.contains(source.watch) { return lost(at: happening.last) }
    guard let folder = tree.path(of: source.watch) else { return }
    if source.name.isEmpty { return takeOwn(source.watch, of: folder, happening) }
    if let file = walk.wanted(source.name, in: folder) {
      debouncer.happened(to: file, at: happening.first)
      debouncer.happened(to: file, at: happening.last)
    }
    if mask.contains(.folder), walk.isRecursive, folder.depth < FolderWalk.deepest,
      let name = String(validating: source.name, as: UTF8.self), walk.hasPath(folder.appending(name))
    {
      debouncer.changed(folder.appending(name), at: happening.first)
      debouncer.changed(folder.appending(name), at: happening.last)
    }
  }

  /// Something happened to a watched folder itself.
  private func takeOwn(_ watch: Int32, of folder: FilePath, _ happening: Inbox.Happening) {
    let moved: EventMask = [.selfMoved, .selfDeleted, .unmounted, .ignored]
    let isMoved = !happening.mask.isDisjoint(with: moved)
    if isMoved, folder.isRoot { return lost(at: happening.last) }
    if happening.mask.contains(.ignored) { tree.drop(watch) }
    if isMoved || happening.mask.contains(.attributes) { debouncer.changed(folder, at: happening.last) }
  }

  /// Where no event tells that a folder above has moved, whether the watched one stands at its path still.
  func checkRoot() {
    let now = timeline.now()
    guard let due = rootDue, due <= now else { return }
    rootDue = now + settings.pollEvery
    guard let known = tree.folders[.root]?.identity else { return }
    do throws(ArtError) {
      if try walk.rootIdentity() == known { return }
    } catch {
      // The survey that follows says why it cannot be looked into.
    }
    lost(at: now)
  }

  /// The watched folder, or one above it, was moved or removed: what stands at its path now is to be watched.
  private func lost(at time: Duration) {
    detach()
    debouncer.changed(.root, reason: ArtError.folderReplaced(walk.root).message, at: time)
  }
}
