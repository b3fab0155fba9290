// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// Decides when to look, as a pure machine. Times are durations since one moment of the caller's choice.
///
/// Each file, and each folder that is to be looked through, is in one of these states:
///
///                      happened                    nothing for `quiet`
///     (not known) ───────────────▶ restless ────────────────────────────▶ a quiet look ──▶ (not known)
///                                  │  ▲  ▲ │
///                         happened └──┘  │ │ `timeout` after the first, and still restless
///                                        │ ▼
///                                  a forced look: its timeout begins anew, a quiet look follows
///
///     (not known) ──again──▶ appointed ──at its time──▶ a look, quiet unless the file is restless
///
/// What is to be looked through swallows what lies below it: such files are looked at by then, and those that are
/// restless at that time once more when they are quiet. When more files wait than `most`, or more folders than
/// `mostFolders`, everything is looked through.
struct Debouncer: Equatable {
  /// A folder that is to be looked through.
  struct Scan: Equatable {
    let folder: FilePath
    /// Why, when something may have been missed.
    let reason: String?
  }

  /// What is due.
  struct Due: Equatable {
    /// Files, sorted.
    var looks: [Look] = []
    /// The folder that has been due for the longest time. One at a time, for it takes long: the others stay.
    var scan: Scan?
    var isEmpty: Bool { looks.isEmpty && scan == nil }
  }

  struct Look: Equatable {
    let path: FilePath
    let isQuiet: Bool
  }

  /// To look through everything costs about as much as that many folders, one by one.
  static let mostFolders = 64

  let quiet: Duration
  let timeout: Duration
  let most: Int
  private var files: [FilePath: Wait] = [:]
  private var folders: [FilePath: (wait: Wait, reason: String?)] = [:]

  init(quiet: Duration, timeout: Duration, most: Int = 65_536) {
    self.quiet = quiet
    self.timeout = max(quiet, timeout)
    self.most = most
  }

  /// Something happened to a file.
  mutating func happened(to path: FilePath, at now: Duration) {
    guard files[path] != nil || files.count < most else { return overflow(at: now) }
    files[path, default: Wait()].happened(at: now)
    checkInvariants()
  }

  /// A file is to be looked at, then or earlier.
  mutating func again(_ path: FilePath, at time: Duration) {
    guard files[path] != nil || files.count < most else { return overflow(at: time) }
    files[path, default: Wait()].appoint(time)
    checkInvariants()
  }

  /// A folder changed, so that its files may have come and gone: it is looked through when it is quiet.
  mutating func changed(_ folder: FilePath, reason: String? = nil, at now: Duration) {
    rescan(folder, reason) { $0.happened(at: now) }
  }

  /// A folder is to be looked through, then or earlier.
  mutating func rescan(_ folder: FilePath, reason: String? = nil, at time: Duration) {
    rescan(folder, reason) { $0.appoint(time) }
  }

  /// When the next thing is due; nil when nothing waits.
  var nextDue: Duration? {
    let scans = folders.values.lazy.map { $0.wait.due(quiet, timeout) }.min()
    // A scan of everything is the next thing for every file.
    if folders[.root] != nil { return scans }
    let looks = files.lazy.filter { !isCovered($0.key) }.map { $0.value.due(quiet, timeout) }.min()
    guard let scans, let looks else { return scans ?? looks }
    return min(scans, looks)
  }

  /// Takes what is due.
  mutating func take(at now: Duration) -> Due {
    var due = Due()
    let scans = folders.map { ($0.value.wait.due(quiet, timeout), $0.key) }
    if let (time, folder) = scans.min(by: <), time <= now, let entry = folders[folder] {
      due.scan = Scan(folder: folder, reason: entry.reason)
      // What was missed has been found then.
      folders[folder] = entry.wait.taken(at: now, quiet).map { ($0, nil) }
      files = files.compactMapValues(below: folder) { $0.taken(at: now, quiet) }
    }
    for (path, wait) in files where wait.due(quiet, timeout) <= now && !isCovered(path) {
      due.looks.append(Look(path: path, isQuiet: wait.isQuiet(at: now, quiet)))
    }
    for look in due.looks { files[look.path] = files[look.path]?.taken(at: now, quiet) }
    due.looks.sort { $0.path < $1.path }
    checkInvariants()
    return due
  }

  /// More files than are kept apart: what waits is looked through as a whole, and once more when it is quiet.
  private mutating func overflow(at now: Duration) {
    files = [:]
    changed(.root, reason: .tooManyAtOnce, at: now)
  }

  private mutating func rescan(_ folder: FilePath, _ reason: String?, _ wish: (inout Wait) -> Void) {
    var outer = folders.keys.first { folder.isWithin($0) } ?? folder
    if folders[outer] == nil, folders.count == Self.mostFolders { outer = .root }
    var entry = folders[outer] ?? (Wait(), nil)
    wish(&entry.wait)
    entry.reason = entry.reason ?? reason
    for (inner, other) in folders where inner != outer && inner.isWithin(outer) {
      entry.wait.join(other.wait)
      entry.reason = entry.reason ?? other.reason
      folders[inner] = nil
    }
    folders[outer] = entry
    checkInvariants()
  }

  /// Whether a scan that is still to come takes in that file.
  private func isCovered(_ path: FilePath) -> Bool {
    if folders.isEmpty { return false }
    if folders[.root] != nil { return true }
    var folder = path.parent
    while let here = folder {
      if folders[here] != nil { return true }
      folder = here.parent
    }
    return false
  }

  static func == (left: Debouncer, right: Debouncer) -> Bool {
    left.files == right.files && left.folders.mapValues(\.wait) == right.folders.mapValues(\.wait)
  }

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() {
    assert(files.count <= most, "what waits has a bound")
    assert(folders[.root] == nil || folders.count == 1, "a scan of everything has swallowed the others")
    assert(folders.count <= Self.mostFolders, "what is to be looked through has a bound")
    assert(folders.values.allSatisfy { !$0.wait.isEmpty }, "what waits has a time")
  }
}

extension Dictionary where Key == FilePath {
  /// Maps the values of what lies in a folder; those that become nil go.
  fileprivate func compactMapValues(
    below folder: FilePath, _ change: (Value) -> Value?
  ) -> [Key: Value] {
    var result = self
    for (path, value) in self where path.isWithin(folder) { result[path] = change(value) }
    return result
  }
}

/// What one file or folder waits for.
struct Wait: Equatable {
  /// The first and the last of what happened since it was looked at.
  private var restless: (first: Duration, last: Duration)?
  /// When somebody wants it looked at in any case.
  private var appointed: Duration?

  var isEmpty: Bool { restless == nil && appointed == nil }

  mutating func happened(at now: Duration) {
    // Times come from two threads, and may be handed in a little out of order.
    restless = restless.map { (min($0.first, now), max($0.last, now)) } ?? (now, now)
  }

  mutating func appoint(_ time: Duration) { appointed = min(appointed ?? time, time) }

  /// Takes in what another one waits for.
  mutating func join(_ other: Wait) {
    if let more = other.restless {
      happened(at: more.first)
      happened(at: more.last)
    }
    if let time = other.appointed { appoint(time) }
  }

  func due(_ quiet: Duration, _ timeout: Duration) -> Duration {
    guard let restless else { return appointed ?? .zero }
    // The look that what happened brings is soon enough for an appointment, too.
    return min(restless.last + quiet, restless.first + timeout)
  }

  func isQuiet(at now: Duration, _ quiet: Duration) -> Bool {
    restless.map { $0.last + quiet <= now } ?? true
  }

  /// What it waits for after a look; nil for nothing.
  func taken(at now: Duration, _ quiet: Duration) -> Wait? {
    var left = Wait()
    if let restless, !isQuiet(at: now, quiet) { left.restless = (max(restless.first, now), restless.last) }
    if let appointed, appointed > now { left.appointed = appointed }
    return left.isEmpty ? nil : left
  }

  static func == (left: Wait, right: Wait) -> Bool {
    left.restless?.first == right.restless?.first && left.restless?.last == right.restless?.last
      && left.appointed == right.appointed
  }
}
