// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

extension FolderWatcher {
  func perform(_ scan: Debouncer.Scan) async {
    guard !isClosed else { return }
    if scan.folder.isRoot || tree.folders[.root] == nil { return await survey(scan.reason) }
    do throws(ArtError) {
      let found = try await lookThrough(scan.folder, isWatched: true, again: false)
      tell(found.files, in: scan.folder, scan.reason)
      if let why = found.trouble { degrade(why) }
    } catch {
      degrade(error)
    }
  }

  /// Looks through everything, and has the system tell of it as far as it does.
  func survey(_ reason: String?) async {
    var why: ArtError?
    var files: [FilePath]? = []
    var cost = Duration.zero
    do throws(ArtError) {
      if let root = try walk.rootIdentity() {
        why = try await attach(root)
        let found = try await lookThrough(.root, isWatched: why == nil, again: reason != nil)
        files = found.files
        cost = found.cost
        why = why ?? found.trouble
      } else {
        detach()
        why = .folderGone(walk.root)
      }
    } catch {
      // What cannot be looked into is not empty.
      files = hasScanned ? nil : []
      why = error
    }
    if isClosed { return }
    var reason = reason
    if let why {
      degrade(why, cost: cost)
      // Nothing has come right again by this: `watching` will say so, and its scan why.
      reason = nil
    } else {
      pollDue = nil
      if trouble != nil {
        trouble = nil
        ready.append(.watching)
        reason = reason ?? .toldAgain
      }
    }
    if let files { tell(files, in: .root, reason) }
  }

  /// Has a helper, where one is of use; otherwise returns why not.
  private func attach(_ root: FileIdentity) async throws(ArtError) -> ArtError? {
    if let because = settings.pollBecause { return ArtError(.unavailable, because) }
    if let kind = remoteKind(root.device) { return .remoteFileSystem(walk.root, kind) }
    if let known = tree.folders[.root], known.identity != root { detach() }
    do throws(ArtError) { try await connect() } catch { return error }
    return nil
  }

  private func tell(_ files: [FilePath], in folder: FilePath, _ reason: String?) {
    guard !isClosed else { return }
    hasScanned = true
    ready.append(.scanned(FolderScan(folder.string, files: files.sorted().map(\.string), reason: reason)))
  }

  /// From now on the folder is looked through every so often: a tenth of the time at most.
  func degrade(_ why: ArtError, cost: Duration = .zero) {
    guard !isClosed else { return }
    pollDue = timeline.now() + max(settings.pollEvery, cost * 10)
    if trouble == why.message { return }
    trouble = why.message
    ready.append(.degraded(why.message))
  }

  /// Looks through a folder and what lies below it: each folder is watched first, so that nothing that comes later is
  /// missed, then listed. Throws when what lies there cannot be told.
  private func lookThrough(
    _ top: FilePath, isWatched: Bool, again: Bool
  ) async throws(ArtError) -> (files: [FilePath], trouble: ArtError?, cost: Duration) {
    var cost = Duration.zero
    var files: [FilePath] = []
    var seen: Set<FilePath> = []
    var trouble: ArtError?
    var devices: Set<UInt> = []
    var level = [top]
    while !level.isEmpty {
      var next: [FilePath] = []
      for start in stride(from: 0, to: level.count, by: 256) {
        let batch = level[start..<min(start + 256, level.count)]
        if isWatched, trouble == nil { trouble = await watch(batch, again: again) }
        let began = timeline.now()
        for folder in batch {
          guard let contents = try walk.contents(of: folder) else { continue }
          seen.insert(folder)
          files += contents.files
          next += contents.folders
          if devices.insert(contents.identity.device).inserted,
            let kind = remoteKind(contents.identity.device)
          {
            trouble = trouble ?? .remoteFileSystem(walk.absolute(folder), kind)
          }
          verify(folder, contents.identity)
        }
        cost += timeline.now() - began
      }
      if let deep = next.first, deep.depth > FolderWalk.deepest {
        trouble = trouble ?? .tooDeep(walk.root)
        next = []
      }
      if seen.count + next.count > FolderWalk.mostFolders {
        trouble = trouble ?? .tooManyFolders(walk.root)
        next = Array(next.prefix(FolderWalk.mostFolders - seen.count))
      }
      level = next
    }
    unwatch(tree.remove(within: top, except: seen))
    return (files, trouble, cost)
  }

  /// Returns what kept one of them from being watched.
  private func watch(_ folders: ArraySlice<FilePath>, again: Bool) async -> ArtError? {
    let wanted = folders.filter { again || tree.folders[$0] == nil }
    if wanted.isEmpty { return nil }
    do throws(ArtError) {
      let answers = try await ask(wanted.map { ("watch", walk.absolute($0)) })
      var trouble: ArtError?
      for (folder, answer) in zip(wanted, answers) {
        switch answer {
        case .watching(let watch, let identity):
          let entry = WatchTree.Entry(watch: watch, identity: identity)
          if let former = tree.put(folder, entry) { unwatch([former]) }
        // Gone meanwhile, no folder any more, or nobody's business: listing it will tell.
        case .failed(_, ENOENT), .failed(_, ENOTDIR), .failed(_, ELOOP), .failed(_, EACCES),
          .failed(_, EPERM):
          break
        case .failed(_, let number): trouble = trouble ?? .cannotWatch(walk.root, number)
        default: trouble = trouble ?? .helperSilent()
        }
      }
      return trouble
    } catch {
      giveUpHelper(error)
      return error
    }
  }

  /// Whether the folder that was watched is the one that was listed. Otherwise its place was taken in between.
  private func verify(_ folder: FilePath, _ identity: FileIdentity) {
    guard let entry = tree.folders[folder], entry.identity != identity else { return }
    unwatch(tree.remove(within: folder))
    debouncer.changed(folder, at: timeline.now())
  }
}
