// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// Merges the copies of a folder's documents by itself, as long as it lives.
///
///     a conflict copy comes beside a document ──▶ it is merged into the document, and set aside
///     another file takes a document's path ──▶ what the former one held is merged into it
///
/// The second rule is the guard. A program that carries files between machines keeps one of two states, and deletes copies: three machines
/// and one cut lost 34 of 180 edits for good. So each document's file is held open, and what it held when another one takes its place is
/// merged into that. A file that is overwritten in place is not guarded.
///
/// Two seconds after a merge it looks at the file once more: the carrying program may have set back the file's time, see `HeldFile.renewTime`.
///
/// It edits the documents' files, and the folder reports these changes like any other.
public actor MergingFolder {
  /// What it has done.
  public enum Event: Sendable {
    /// Copies were merged into the document at this path. The copies have their paths in the folder; what a former file of the document held
    /// has the document's.
    case merged(String, Merging.Result)
    /// Copies of the document at this path could not be merged. It is tried again when one of them changes.
    case failed(String, ArtError)
  }

  private let folder: DocumentFolder
  private let merging: Merging
  private let only: Set<FilePath>?
  private var held: [FilePath: HeldFile] = [:]
  /// The last error of each document. The same error is reported once.
  private var failures: [FilePath: ArtError] = [:]
  /// Documents whose former file could not be read: a program may be writing it.
  private var doubtful: Set<FilePath> = []
  /// The number of files that may be held open.
  private var capacity = 512
  /// Whether an event has reported that there are more documents than that.
  private var isFull = false
  private var isClosed = false
  private static let ownFiles = 256
  private var following: [Task<Void, Never>] = []
  /// Documents that were away when a conflict copy came.
  private var awaited: Set<FilePath> = []
  /// What looks at documents once more.
  private(set) var looks: [FilePath: Task<Void, Never>] = [:]
  private let timeline: Timeline
  private static let delayOfLooks = Duration.seconds(2)
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor("emojiart.merging")

  /// A thread of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Merges in a folder that the caller closes. `only` are the paths of the documents of interest; nil stands for all. The author and the
  /// notices are those of `recovery`.
  public init(
    _ folder: DocumentFolder, only: Set<String>? = nil, by recovery: Recovery,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.folder = folder
    timeline = Timeline(clock)
    self.only = only.map { Set($0.map { FilePath($0) }) }
    merging = Merging(by: recovery)
  }

  /// The events from now on, for one of any number of listeners. A very slow listener misses the oldest.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 1_024) }

  /// Begins. Returns when all documents are held, and the conflict copies that were there are merged.
  public func begin() async {
    raiseLimit()
    let (events, replacements) = (folder.events(), folder.replacements.subscribe(capacity: 1_024))
    await checkAll()
    following = [
      Task { [weak self] in
        for await event in events {
          guard let self, !Task.isCancelled else { return }
          await self.receive(event)
        }
      },
      // The replaced file may contain edits that the folder has not reported.
      Task { [weak self] in
        for await path in replacements {
          guard let self, !Task.isCancelled else { return }
          if let path { await self.check(path) } else { await self.checkAll() }
        }
      },
    ]
  }

  /// Ends, after the merge that is running. What a former file held, and could not be merged yet, is tried once more, and else kept in the state
  /// folder.
  public func close() async {
    isClosed = true
    for task in following { task.cancel() }
    for look in looks.values { look.cancel() }
    for (path, former) in held {
      let file = await folder.file(path)
      guard let identity = FileIdentity(at: file.path), identity != former.identity else { continue }
      do throws(ArtError) { _ = try file.merge(former) } catch { setAside(former, at: path, error) }
    }
    held = [:]
    broadcast.finish()
  }

  /// As many files may be held open as the system permits, but for those that this program needs besides.
  private func raiseLimit() {
    guard let limit = OpenFileLimit.raise() else { return }
    capacity = max(16, limit - Self.ownFiles)
  }

  /// Why copies are not merged, by the paths of their documents.
  var failuresByPath: [String: ArtError] {
    Dictionary(failures.map { ($0.key.string, $0.value) }) { first, _ in first }
  }

  private func receive(_ event: FolderEvent) async {
    switch event {
    case .added(let path, _), .conflict(let path, _, _): await check(FilePath(path), isNew: true)
    case .changed(let path, _), .movedOn(let path, _): await check(FilePath(path))
    case .renamed(let path, let old):
      // A former file at the new path is merged into the one that has come there.
      let moved = held.removeValue(forKey: FilePath(old))
      if held[FilePath(path)] == nil { held[FilePath(path)] = moved }
      await check(FilePath(path), isNew: true)
    // The former file is held until another one comes, or for good: it may be all that is left of edits.
    case .removed, .damaged, .degraded: break
    case .rescanned, .resync: await checkAll()
    }
  }

  /// Each conflict copy is a file of the folder itself, so none has to be looked for. What a killed merge has left is looked for once in each
  /// folder.
  private func checkAll() async {
    var leftovers: [String: Bool] = [:]
    for document in await folder.documents {
      let path = FilePath(document.path)
      let parent = await FilePath(folder.file(path).path).folder
      if leftovers[parent] == nil {
        do throws(ArtError) { leftovers[parent] = try DocumentFile.areLeftovers(in: parent) } catch {
          fail(path, error)
        }
      }
      await check(path, isNew: leftovers[parent] ?? false)
    }
  }

  /// Looks at a file of the folder. Beside a document that is new at its path, conflict copies may have waited for it. A file with the name of a
  /// conflict copy that is none is a document like any other.
  private func check(_ path: FilePath, isNew: Bool = false) async {
    if let document = ConflictCopy.document(of: path.string) {
      await merge(FilePath(document), withCopies: true)
      guard await ConflictCopy(folder.file(path).path) == nil else { return }
    }
    await merge(path, withCopies: isNew || awaited.contains(path) || failures[path] != nil)
  }

  /// Whether conflict copies lie beside a document, or what a killed merge has left.
  private static func hasCopies(_ file: DocumentFile) throws(ArtError) -> Bool {
    if try !ConflictCopy.all(of: file).isEmpty { return true }
    return try file.hasLeftovers()
  }

  /// Merges into a document what its former file held, and then its conflict copies. The former file comes first: it may be a conflict copy by
  /// now, and another one may be at that copy's path already.
  private func merge(_ path: FilePath, withCopies hasCopies: Bool) async {
    guard only?.contains(path) ?? true else { return }
    let file = await folder.file(path)
    guard !isClosed else { return }
    do throws(ArtError) {
      guard FileIdentity(at: file.path) != nil else {
        // A program that carries files may put the next one there in a moment.
        if hasCopies, awaited.insert(path).inserted { lookAgain(at: path) }
        return
      }
      if hasCopies { awaited.remove(path) }
      try mergeFormer(file, at: path)
      guard hasCopies, try Self.hasCopies(file) else { return failures[path] = nil }
      let former = held[path]
      let result = try merging.merge(file)
      hold(result.outcome, at: path)
      // The document may have been replaced once more in between.
      if let former, former.identity != result.outcome.former { try mergeFormer(file, former, at: path) }
      failures[path] = nil
      broadcast.send(.merged(path.string, result))
      if let error = result.kept.first { fail(path, error) }
    } catch {
      fail(path, error)
    }
  }

  /// Merges what the held file holds, if another one is at its path, and holds that one.
  private func mergeFormer(_ file: DocumentFile, at path: FilePath) throws(ArtError) {
    guard let former = held[path] else { return try hold(file, at: path) }
    guard FileIdentity(at: file.path) != former.identity else { return }
    try mergeFormer(file, former, at: path)
  }

  private func mergeFormer(
    _ file: DocumentFile, _ former: HeldFile, at path: FilePath
  ) throws(ArtError) {
    let outcome: MergeOutcome?
    do throws(ArtError) { outcome = try file.merge(former) } catch {
      let isHopeless =
        switch error.code {
        case .parted, .tooLarge: true
        // A program may be writing it.
        case .damaged, .notADocument, .newerFormat: !doubtful.insert(path).inserted
        default: false
        }
      guard isHopeless else { throw error }
      setAside(former, at: path, error)
      doubtful.remove(path)
      return try hold(file, at: path)
    }
    doubtful.remove(path)
    guard let outcome else { return try hold(file, at: path) }
    hold(outcome, at: path)
    if outcome.hasChanged { broadcast.send(.merged(path.string, Merging.Result(outcome: outcome))) }
  }

  /// Keeps what a former file held in the state folder, and reports it.
  private func setAside(_ former: HeldFile, at path: FilePath, _ error: ArtError) {
    let text: String
    do throws(ArtError) { text = "it is kept in \(try former.setAside())" } catch let second {
      text = "it cannot be kept: \(second.cause)"
    }
    broadcast.send(
      .failed(
        path.string,
        ArtError(
          error.code,
          "what another file has replaced at \(path.string) is not merged (\(error.cause)); \(text)",
          about: path.string, remedy: error.remedy)))
  }

  /// Holds the file that is at a path.
  private func hold(_ file: DocumentFile, at path: FilePath) throws(ArtError) {
    if try hasCapacity(for: path) { held[path] = try HeldFile(file.path) }
  }

  /// Whether the document's file may be held open. Throws `unavailable` for the first one that may not.
  private func hasCapacity(for path: FilePath) throws(ArtError) -> Bool {
    guard held[path] == nil, held.count >= capacity else { return true }
    guard !isFull else { return false }
    isFull = true
    throw ArtError(
      .unavailable,
      "more than \(capacity) documents: \(path.string) and others are not guarded; raise `ulimit -Hn`",
      about: path.string)
  }

  /// Holds the file that a merge has put in place.
  private func hold(_ outcome: MergeOutcome, at path: FilePath) {
    // The same file stays held as it is: it knows the time that it had when it was put there.
    guard outcome.held?.identity != held[path]?.identity else { return }
    do throws(ArtError) { if try hasCapacity(for: path) { held[path] = outcome.held } } catch {
      fail(path, error)
    }
    if outcome.hasChanged, outcome.held != nil { lookAgain(at: path) }
  }

  private func lookAgain(at path: FilePath) {
    guard !isClosed else { return }
    looks[path]?.cancel()
    let due = timeline.now() + Self.delayOfLooks
    looks[path] = Task { [weak self, timeline] in
      do { try await timeline.sleep(due) } catch { return }
      await self?.look(at: path)
    }
  }

  private func look(at path: FilePath) async {
    looks[path] = nil
    await merge(path, withCopies: awaited.contains(path) || failures[path] != nil)
    do throws(ArtError) { try held[path]?.renewTime() } catch { fail(path, error) }
  }

  /// Reports an error, once for a document. What may pass is tried again after a while.
  private func fail(_ path: FilePath, _ error: ArtError) {
    if [.busy, .inputOutput, .diskFull, .movedOn, .damaged, .notADocument].contains(error.code) {
      lookAgain(at: path)
    }
    guard failures[path] != error else { return }
    failures[path] = error
    broadcast.send(.failed(path.string, error))
  }
}
