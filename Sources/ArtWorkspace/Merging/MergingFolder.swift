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
/// merged into that. Files are held when they come, on another thread than the one that merges: see `HeldFiles`. A file that is overwritten in
/// place is not guarded.
///
/// Any user, and a download, may make a file with the name of a conflict copy. So conflict copies of other users are reported, and stay. In a
/// folder that no program is known to carry, conflict copies are merged on request only.
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
    /// Conflict copies of the document at this path wait for somebody to ask for their merge; their paths.
    case waiting(String, copies: [String])
  }

  /// Which conflict copies are merged by themselves.
  public enum Mode: Sendable {
    /// All.
    case all
    /// Those in folders that a program is known to carry between machines.
    case carried
  }

  private let folder: DocumentFolder
  private let merging: Merging
  private let mode: Mode
  private let only: Set<FilePath>?
  private let held = HeldFiles()
  /// The files that merges have put in place, until they are looked at once more.
  private var placed: [FilePath: HeldFile] = [:]
  /// The last error of each document. The same error is reported once.
  private var failures: [FilePath: ArtError] = [:]
  /// The conflict copies of each document that are not merged by themselves, and why. Each is reported once.
  private var left: [FilePath: [FilePath: ArtError]] = [:]
  /// Documents whose former file could not be read: a program may be writing it.
  private var doubtful: Set<FilePath> = []
  /// Documents whose former files wait for the one at the path to be whole.
  private var incomplete: Set<FilePath> = []
  private var isClosed = false
  private var following: [Task<Void, Never>] = []
  /// Documents that were away when a conflict copy came.
  private var awaited: Set<FilePath> = []
  /// What looks at documents once more.
  private(set) var looks: [FilePath: Task<Void, Never>] = [:]
  private let timeline: Timeline
  private static let delayOfLooks = Duration.seconds(2)
  private nonisolated let broadcast = Broadcast<Event>()
  private nonisolated let executor = ThreadExecutor()

  /// An executor of its own, because file operations block it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Merges in a folder that the caller closes. `only` are the paths of the documents of interest; nil stands for all. The author and the
  /// notices are those of `recovery`.
  public init(
    _ folder: DocumentFolder, _ mode: Mode = .all, only: [String]? = nil, by recovery: Recovery,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    (self.folder, self.mode) = (folder, mode)
    timeline = Timeline(clock)
    self.only = only.map { Set($0.map { FilePath($0) }) }
    merging = Merging(by: recovery)
  }

  /// The events from now on, for one of any number of listeners. A very slow listener misses the oldest.
  public nonisolated func events() -> EventSequence<Event> { broadcast.subscribe(capacity: 1_024) }

  /// Begins. Returns when all documents are held, and the conflict copies that were there are merged.
  public func begin() async {
    held.raiseLimit()
    folder.forwardArrivals { [held, only, folder] path in
      guard only?.contains(path) ?? true, ConflictCopy.document(of: path.string) == nil else { return }
      // What cannot be held now is reported when the document is looked at.
      do throws(ArtError) { try held.hold(path, at: folder.absolute(path)) } catch {}
    }
    let events = folder.events()
    let changes = folder.quietChanges.subscribe(capacity: 1_024)
    await checkAll()
    following = [
      Task { [weak self] in
        for await event in events {
          guard let self, !Task.isCancelled else { return }
          await self.receive(event)
        }
      },
      Task { [weak self] in
        for await change in changes {
          guard let self, !Task.isCancelled else { return }
          await self.receive(change)
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
    folder.forwardArrivals(to: nil)
    for (path, files) in held.all {
      let file = await folder.file(path)
      if let identity = FileIdentity(at: file.path) {
        for former in files where former.identity != identity {
          do throws(ArtError) { _ = try file.merge(former) } catch { setAside(former, at: path, error) }
        }
      }
      held.release(path) { _ in true }
    }
    broadcast.finish()
  }

  /// Why copies are not merged, by the paths of their documents.
  var failuresByPath: [FilePath: ArtError] {
    left.compactMapValues { $0.min { $0.key < $1.key }?.value }.merging(failures) { $1 }
  }

  private func receive(_ event: FolderEvent) async {
    switch event {
    case .added(let path, _), .conflict(let path, _, _): await check(FilePath(path), isNew: true)
    case .changed(let path, _), .movedOn(let path, _), .versions(let path, _, _): await check(FilePath(path))
    case .renamed(let path, let old):
      // A former file at the new path is merged into the one that has come there.
      held.move(FilePath(old), to: FilePath(path))
      await check(FilePath(path), isNew: true)
    // The former file is held until another one comes, or for good: it may be all that is left of edits.
    case .removed(let path): forget(FilePath(path))
    case .damaged, .degraded: break
    case .rescanned, .resync: await checkAll()
    }
  }

  /// Merges former files at each quiet change: one with edits may have been at the path for a moment, also if the file there has the inode that the
  /// folder knows. Looks at conflict copies only if the inode is another one. A merge moves a copy away and back that has changed since; that is a
  /// quiet change, too, and would begin the same merge again.
  private func receive(_ change: QuietChange?) async {
    guard let change else { return await checkAll() }
    let file = await folder.file(change.path)
    let hasFormers = !held.formers(of: change.path, besides: { FileIdentity(at: file.path) }).isEmpty
    if hasFormers { await merge(change.path, withCopies: false) }
    if change.isReplaced { await check(change.path) }
  }

  /// A conflict copy that was left is gone: another one with its name is reported again.
  private func forget(_ copy: FilePath) {
    guard let document = ConflictCopy.document(of: copy.string).map({ FilePath($0) }) else { return }
    left[document] = left[document]?.filter { $0.key.name != copy.name }
  }

  /// The conflict copies of a document that wait for somebody to ask for their merge; their paths, sorted.
  func waiting(of path: FilePath) -> [String] {
    Self.waiting(left[path] ?? [:]).map { path.prefix + $0.name }.sorted()
  }

  private static func waiting(_ left: [FilePath: ArtError]) -> [FilePath] {
    left.filter { $0.value.code == .unavailable }.map(\.key)
  }

  /// Each conflict copy is a file of the folder itself, so none has to be looked for. What a killed merge has left is looked for once in each
  /// folder.
  private func checkAll() async {
    var leftovers: [FilePath: Bool] = [:]
    for document in await folder.documents {
      let path = FilePath(document.path)
      let parent = await FilePath(FilePath(folder.file(path).path).folder)
      if leftovers[parent] == nil {
        do throws(ArtError) { leftovers[parent] = try DocumentFile.areLeftovers(in: parent.string) } catch {
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

  /// Merges into a document what its former files held, and then its conflict copies. A former file comes first: it may be a conflict copy by
  /// now, and another one may be at that copy's path already.
  private func merge(_ path: FilePath, withCopies hasCopies: Bool) async {
    guard only?.contains(path) ?? true else { return }
    let file = await folder.file(path)
    guard !isClosed else { return }
    do throws(ArtError) {
      guard FileIdentity(at: file.path) != nil else { return noteAway(path, withCopies: hasCopies) }
      if hasCopies { awaited.remove(path) }
      try mergeFormers(file, at: path)
      guard hasCopies, let due = try due(file, at: path) else { return failures[path] = nil }
      let before = held.files(of: path)
      let result = try due == .copies ? merging.merge(file) : merging.merge(file, [])
      hold(result.outcome, at: path, before)
      // The document may have been replaced once more in between.
      try mergeFormers(file, at: path)
      failures[path] = nil
      broadcast.send(.merged(path.string, result))
      if let error = result.kept.first(where: { $0.remedy != .mergeCopy }) { fail(path, error) }
    } catch {
      if error.code == .noSuchDocument, FileIdentity(at: file.path) == nil {
        noteAway(path, withCopies: hasCopies)
      } else {
        fail(path, error)
      }
    }
  }

  /// A document is away. A program that carries files may put the next one there in a moment.
  private func noteAway(_ path: FilePath, withCopies hasCopies: Bool) {
    if hasCopies, awaited.insert(path).inserted { lookAgain(at: path) }
  }

  /// What is merged into a document besides its former files.
  private enum Due {
    /// Its conflict copies, and what a killed merge has left.
    case copies
    /// Only what a killed merge has left.
    case leftovers
  }

  /// What is to be merged into a document by itself; nil for nothing. Reports the conflict copies that are not.
  private func due(_ file: DocumentFile, at path: FilePath) throws(ArtError) -> Due? {
    let found = try ConflictCopy.found(beside: file)
    var isCarried = found.own.isEmpty || mode == .all
    if !isCarried { isCarried = try CarriedFolder.isCarried(file.path) }
    var left: [FilePath: ArtError] = [:]
    for error in found.kept where error.remedy == .mergeCopy { left[FilePath(error.subject ?? "")] = error }
    if !isCarried { for copy in found.own { left[FilePath(copy.path)] = .waiting(copy) } }
    let former = self.left.updateValue(left, forKey: path) ?? [:]
    let new = left.filter { former[$0.key] != $0.value }
    for error in new.values where error.code == .notPermitted { broadcast.send(.failed(path.string, error)) }
    let waiting = Self.waiting(new)
    if !waiting.isEmpty {
      broadcast.send(.waiting(path.string, copies: waiting.map { path.prefix + $0.name }.sorted()))
    }
    if left.isEmpty { self.left[path] = nil }
    if !found.own.isEmpty, isCarried { return .copies }
    return try file.hasLeftovers() ? .leftovers : nil
  }

  /// Holds the file at the path, and merges into it what those hold that were there before.
  private func mergeFormers(_ file: DocumentFile, at path: FilePath) throws(ArtError) {
    do throws(ArtError) { try held.hold(path, at: file.path) } catch { fail(path, error) }
    let formers = held.formers(of: path, besides: { FileIdentity(at: file.path) })
    guard !formers.isEmpty else { return }
    if let error = damage(of: file) { return try waitForWhole(path, error, formers) }
    incomplete.remove(path)
    for former in formers {
      try merge(former, into: file, at: path)
      held.release(path) { $0 === former }
    }
  }

  /// The error if the file at a path is not a whole document. Nil if it is one, or if that cannot be found out now.
  private func damage(of file: DocumentFile) -> ArtError? {
    do throws(ArtError) { _ = try file.read() } catch {
      return [.damaged, .notADocument].contains(error.code) ? error : nil
    }
    return nil
  }

  /// Waits until the file at a path is a whole document. It may still be written, or may have another file's journal beside it for a moment. It
  /// gets what its former files held when it is whole: the folder reports that. From the second look on that is also kept in the state folder.
  private func waitForWhole(_ path: FilePath, _ error: ArtError, _ formers: [HeldFile]) throws(ArtError) {
    guard !incomplete.insert(path).inserted else { return lookAgain(at: path) }
    for former in formers where try !former.isSetAside() { setAside(former, at: path, error) }
  }

  private func merge(
    _ former: HeldFile, into file: DocumentFile, at path: FilePath
  ) throws(ArtError) {
    let before = held.files(of: path)
    let outcome: MergeOutcome?
    do throws(ArtError) { outcome = try file.merge(former) } catch {
      switch error.code {
      case .parted, .tooLarge: setAside(former, at: path, error)
      case .notPermitted:
        guard let why = try file.distrust(after: former) else { throw error }
        setAside(former, at: path, why)
      case .damaged, .notADocument, .newerFormat:
        // A repair has kept it, and said so.
        guard try !former.isSetAside() else { break }
        // A program may be writing it.
        guard !doubtful.insert(path).inserted else { throw error }
        setAside(former, at: path, error)
      default: throw error
      }
      doubtful.remove(path)
      return
    }
    doubtful.remove(path)
    guard let outcome else { return }
    hold(outcome, at: path, before)
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

  /// Holds the file that a merge has put in place, instead of the one that it has replaced. `before` are the files that were held before it.
  private func hold(_ outcome: MergeOutcome, at path: FilePath, _ before: [HeldFile]) {
    guard let file = outcome.held else { return }
    do throws(ArtError) {
      if outcome.hasChanged, outcome.former != file.identity {
        held.release(path, replaced: outcome.former, of: before)
      }
      try held.hold(file, path)
    } catch {
      fail(path, error)
    }
    guard outcome.hasChanged else { return }
    placed[path] = file
    lookAgain(at: path)
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
    do throws(ArtError) { try placed.removeValue(forKey: path)?.renewTime() } catch {
      fail(path, error)
    }
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

extension ArtError {
  /// A conflict copy in a folder that no program is known to carry between machines.
  fileprivate static func waiting(_ copy: ConflictCopy) -> ArtError {
    ArtError(
      .unavailable,
      "no program is known to carry this folder between machines, so the copy is merged only if you ask for it",
      about: copy.path, remedy: .mergeCopy)
  }
}
