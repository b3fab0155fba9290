// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Synchronization

/// The files that the documents of a folder have had since they were last merged, held open, by path: the oldest first, and the one that is at
/// the path last.
///
///     another file comes to a path ──▶ it is opened at once, by the thread that reads of it ──▶ … ──▶ it is merged into the one at the path
///
/// So a file that is at a path for a moment only, while others are merged, is not missed.
final class HeldFiles: Sendable {
  private struct State {
    var files: [FilePath: [HeldFile]] = [:]
    var count = 0
    /// The number of files that may be held open.
    var capacity = 512
    /// Whether an error has said that there are more than that.
    var isFull = false
  }

  private let state = Mutex(State())
  private static let ownFiles = 256

  /// As many files may be held open as the system permits, but for those that this program needs besides.
  func raiseLimit() {
    guard let limit = OpenFileLimit.raise() else { return }
    state.withLock { $0.capacity = max(16, limit - Self.ownFiles) }
  }

  /// The path's files but the one that is there, oldest first.
  ///
  /// Asks what is there after it has taken the files: one that comes meanwhile is none of them. It is still edited, and would be released
  /// without these edits.
  func formers(of path: FilePath, besides current: () -> FileIdentity?) -> [HeldFile] {
    let files = files(of: path)
    let identity = current()
    return files.filter { $0.identity != identity }
  }

  /// The path's files, oldest first.
  func files(of path: FilePath) -> [HeldFile] { state.withLock { $0.files[path, default: []] } }

  /// All files, by path.
  var all: [(path: FilePath, files: [HeldFile])] {
    state.withLock { $0.files.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
  }

  /// Holds the file that is at a document's path. Throws `unavailable` for the first one that may not be held, and what opening throws.
  func hold(_ path: FilePath, at file: String) throws(ArtError) {
    guard let found = FileIdentity(at: file), !holds(found, path), let opened = try HeldFile(file) else {
      return
    }
    try hold(opened, path)
  }

  /// Holds a file of the path, unless it is held: that one knows the time that it had when it came.
  func hold(_ file: HeldFile, _ path: FilePath) throws(ArtError) {
    let limit = state.withLock { state -> Int? in
      let held = state.files[path, default: []]
      if held.contains(where: { $0.identity == file.identity }) { return nil }
      guard state.count < state.capacity else {
        defer { state.isFull = true }
        return state.isFull ? nil : state.capacity
      }
      state.files[path] = held + [file]
      state.count += 1
      return nil
    }
    guard let limit else { return }
    throw ArtError(
      .unavailable,
      "more than \(limit) documents: \(path.string) and others are not guarded; raise `ulimit -Hn`",
      about: path.string)
  }

  private func holds(_ identity: FileIdentity, _ path: FilePath) -> Bool {
    state.withLock { $0.files[path, default: []].contains { $0.identity == identity } }
  }

  /// Holds these files no more: they are merged, or kept elsewhere.
  func release(_ path: FilePath, where isDone: (HeldFile) -> Bool) {
    // What is closed here is closed after the lock.
    _ = state.withLock { state -> [HeldFile] in
      let held = state.files[path, default: []]
      let rest = held.filter { !isDone($0) }
      state.count -= held.count - rest.count
      state.files[path] = rest.isEmpty ? nil : rest
      return held
    }
  }

  /// Releases the file that a merge has replaced, but only one that was held `before` the merge: its number may have been given to a new file
  /// since.
  func release(_ path: FilePath, replaced identity: FileIdentity?, of before: [HeldFile]) {
    guard let replaced = before.first(where: { $0.identity == identity }) else { return }
    release(path) { $0 === replaced }
  }

  /// A document was renamed. What was at its new path before stays held, too, and is older.
  func move(_ old: FilePath, to path: FilePath) {
    state.withLock { state in
      let moved = state.files.removeValue(forKey: old) ?? []
      let there = state.files[path, default: []]
      let new = moved.filter { file in !there.contains { $0.identity == file.identity } }
      state.count -= moved.count - new.count
      guard !moved.isEmpty else { return }
      // The one that came is the last one, whether it was opened here or there.
      let last = moved.last.flatMap { moved in there.first { $0.identity == moved.identity } }
      state.files[path] = there.filter { $0.identity != last?.identity } + new + [last].compactMap(\.self)
    }
  }
}
