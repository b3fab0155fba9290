// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWatch

extension DocumentFolder {
  /// How long one that is being saved, is held, or was met unreadable by chance is left alone at least.
  private static let shortWhile = Duration.milliseconds(50)
  /// How long one that is gone is waited for: under another name, or written anew by a tool that removes it first.
  private static let goneWhile = Duration.milliseconds(250)
  /// How long one that cannot be read may be half-written, though nobody writes to it: what copies it may falter. From when
  /// it was found so.
  private static let doubtfulWhile = Duration.seconds(2)

  /// Takes in what the watcher says.
  func hear(_ news: WatchNews) async {
    guard !isClosed else { return }
    switch news {
    case .look(let files):
      let reasons = files.map { (FilePath($0.path), $0.isQuiet ? LookReason.quiet : .forced) }
      await look(at: Dictionary(reasons, uniquingKeysWith: max))
    case .scanned(let scan):
      let reason = scan.folder.isEmpty ? LookReason.listed : .unsettled
      let paths = scan.files.map { FilePath($0) } + known.paths(below: scan.folder)
      await look(at: Dictionary(paths.map { ($0, reason) }, uniquingKeysWith: max))
      // While the folder is looked through every so often, that says it all.
      if let reason = scan.reason, degraded == nil, !isClosed { broadcast.send(.rescanned(reason)) }
    case .degraded(let reason):
      degraded = reason
      broadcast.send(.degraded(reason))
    case .watching: degraded = nil
    }
  }

  /// How long documents that other programs hold are waited for when the folder is opened, all together.
  private static let firstPatience = Duration.seconds(1)

  /// The first look at each document: by its own row alone. Nothing is told of it. What is being saved or written just then
  /// is looked at once more, and comes again after that.
  func lookFirst(at paths: [FilePath], _ clock: some Clock<Duration>) async {
    let doubtful = paths.filter { !isClosed && !lookFirst(at: $0, patience: .zero) }
    guard !doubtful.isEmpty, !isClosed else { return }
    do {
      try await clock.sleep(for: Self.shortWhile)
    } catch {
      // Who is cancelled does not wait.
    }
    let end = ContinuousClock.now + Self.firstPatience
    for path in doubtful where !isClosed {
      guard !lookFirst(at: path, patience: end - .now) else { continue }
      await source.lookAgain(at: path.string, after: busyDelay(path))
    }
  }

  /// Whether the document is whole, or gone.
  private func lookFirst(at path: FilePath, patience: Duration) -> Bool {
    var file = file(path)
    file.patience = patience
    var stamp: FileStamp?
    known[path] = nil
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return true }
      let (base, pending) = try file.quickState()
      known[path] = KnownDocument(base: base, identity: stamp.identity, stamp: stamp, pending: pending)
      return true
    } catch {
      if error.code == .noSuchDocument { return true }
      guard let stamp else { return false }
      known[path] = KnownDocument(trouble: error.code == .busy ? nil : error, identity: stamp.identity)
      return false
    }
  }

  private func look(at reasons: [FilePath: LookReason]) async {
    var now: [FilePath: FileIdentity] = [:]
    for path in reasons.keys where !isClosed {
      // What cannot be asked for is met again, and told, when its turn comes.
      if let stamp = try? file(path).stampIfThere() { now[path] = stamp.identity }
      if now.count.isMultiple(of: 1_024) { await Task.yield() }
    }
    var batch = LookBatch(reasons, now: now) { known[$0]?.identity }
    while !isClosed, let (path, reason) = batch.next() {
      if let delay = look(at: path, reason, &batch) { await source.lookAgain(at: path.string, after: delay) }
      // Who asks for the documents, or closes the folder, does not wait for the whole batch.
      await Task.yield()
    }
  }

  /// Looks at one document and tells what is new. Returns after how long it must be looked at again; nil when it need not.
  private func look(at path: FilePath, _ reason: LookReason, _ batch: inout LookBatch) -> Duration? {
    let file = file(path)
    let before = known[path]
    var stamp: FileStamp?
    defer {
      lookAtOtherNames(of: path, before, stamp, &batch)
      tellOfPending()
    }
    do throws(ArtError) {
      stamp = try file.stampIfThere()
      guard let stamp else { return lose(path, reason) }
      known[path]?.missingUntil = nil
      if let old = before?.stamp, stamp.showsNothing(since: old) {
        doubts[path] = nil
        return nil
      }
      let content = try file.read()
      busyLooks[path] = nil
      doubts[path] = nil
      take(content, at: path, stamp, &batch)
      return nil
    } catch {
      switch error.code {
      case .noSuchDocument: return lose(path, reason)
      case .busy: return busyDelay(path)
      default: return take(trouble: error, at: path, stamp, reason)
      }
    }
  }

  /// A document is whole.
  private func take(
    _ content: DocumentContent, at path: FilePath, _ stamp: FileStamp, _ batch: inout LookBatch
  ) {
    var events: [FolderEvent] = []
    if let old = oldPath(of: content.id, stamp.identity, now: path) {
      events.append(.renamed(path.string, from: old.string))
      known[path] = known[old]
      known[old] = nil
      // Something else may stand there.
      batch.add(old, .unsettled)
    }
    events += Comparison(path: path.string, known: known[path]).events(finding: content)
    var found = KnownDocument(base: DocumentBase(content), identity: stamp.identity, stamp: stamp)
    found.takePending(content, after: known[path])
    known[path] = found
    broadcast.send(events)
  }

  /// Who fetches what is pending looks what there is, and is told no more than that it should.
  private func tellOfPending() {
    guard known.pendingChanges != toldPendingChanges else { return }
    toldPendingChanges = known.pendingChanges
    pendingBroadcast.send(())
  }

  /// Where the document that has turned up here stood before: it is no longer there, and it is the same file.
  private func oldPath(of id: DocumentID, _ identity: FileIdentity, now path: FilePath) -> FilePath? {
    guard known[path]?.identity != identity else { return nil }
    return known.paths(of: identity).first { other in
      guard other != path, known[other]?.base?.id == id else { return false }
      // Where nobody can look it is taken to be there still: the worst is `added` in the place of `renamed`.
      do throws(ArtError) { return try file(other).stampIfThere()?.identity != identity } catch {
        return false
      }
    }
  }

  /// Who writes through one name of a file is not told of under the others; the name may be gone since.
  private func lookAtOtherNames(
    of path: FilePath, _ before: KnownDocument?, _ stamp: FileStamp?, _ batch: inout LookBatch
  ) {
    if let stamp, stamp.hardLinks > 1 {
      for other in known.paths(of: stamp.identity)
      where known[other]?.stamp != stamp && doubts[other]?.stamp != stamp {
        batch.add(other, .unsettled)
      }
    }
    if let before, before.identity != stamp?.identity {
      for other in known.paths(of: before.identity) where other != path { batch.add(other, .unsettled) }
    }
  }

  /// A document is unreadable. While it may be being written nothing is said.
  private func take(
    trouble error: ArtError, at path: FilePath, _ stamp: FileStamp?, _ reason: LookReason
  ) -> Duration? {
    guard reason == .quiet else { return reason == .forced ? nil : Self.shortWhile }
    let events = Comparison(path: path.string, known: known[path]).events(findingTrouble: error)
    let isOfDisk = error.code == .inputOutput || error.code == .diskFull
    if !events.isEmpty, !isOfDisk, let stamp {
      let now = timeline.now()
      if doubts[path]?.stamp != stamp { doubts[path] = (stamp, until: now + Self.doubtfulWhile) }
      if let until = doubts[path]?.until, until > now { return until - now }
    }
    doubts[path] = nil
    let before = known[path]
    // One that cannot be asked for keeps what it was; of one that was never met there is nothing to keep.
    if let identity = stamp?.identity ?? before?.identity {
      known[path] = KnownDocument(
        base: before?.base, trouble: error, identity: identity, stamp: stamp, pending: before?.pending,
        isPendingNews: before?.isPendingNews ?? false)
      broadcast.send(events)
    }
    // The file itself tells nothing of the end of these.
    guard isOfDisk else {
      busyLooks[path] = nil
      return nil
    }
    known[path]?.stamp = nil
    return busyDelay(path, atMost: .seconds(10))
  }

  /// Nothing stands at a path. It may have another name now, which comes to be looked at meanwhile.
  private func lose(_ path: FilePath, _ reason: LookReason) -> Duration? {
    busyLooks[path] = nil
    doubts[path] = nil
    guard let lost = known[path] else { return nil }
    if reason != .listed {
      let now = timeline.now()
      let until = lost.missingUntil ?? now + Self.goneWhile
      known[path]?.missingUntil = until
      if until > now { return until - now }
    }
    known[path] = nil
    broadcast.send(.removed(path.string))
    return nil
  }

  /// How long a document is left alone that another program holds: 50 ms, and longer each time.
  private func busyDelay(_ path: FilePath, atMost: Duration = .seconds(1)) -> Duration {
    let looks = min(busyLooks[path] ?? 0, 10)
    busyLooks[path] = looks + 1
    return min(Self.shortWhile * (1 << looks), atMost)
  }
}
