// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// Decides when files are refreshed and folders are scanned. A pure machine: times are durations since a moment
/// that the caller chooses.
///
/// Each file, and each folder to be scanned, is in one of these states:
///
///                    event                       nothing for `quiet`
///     (unknown) ──────────────▶ pending ────────────────────────────▶ quiet refresh ──▶ (unknown)
///                               │  ▲  ▲ │
///                         event └──┘  │ │ `maxDelay` after the first event, and still pending
///                                     │ ▼
///                               forced refresh: `maxDelay` starts again, a quiet refresh follows
///
///     (unknown) ──schedule──▶ scheduled ──at its time──▶ refresh, quiet unless the file is pending
///
/// A scan covers every file below its folder: they are not refreshed one by one. A file that is pending at the
/// time of the scan gets a quiet refresh after it. With more than `capacity` files, or more than
/// `folderCapacity` folders, everything is scanned.
struct Debouncer: Equatable {
  /// A folder to be scanned.
  struct Scan: Equatable {
    let folder: FilePath
    /// Why, where events may have been missed.
    let reason: String?
  }

  /// Work that is due.
  struct Due: Equatable {
    /// The files, sorted.
    var refreshes: [Refresh] = []
    /// The folder that has been due for the longest time. Only one, because a scan takes long.
    var scan: Scan?
    var isEmpty: Bool { refreshes.isEmpty && scan == nil }
  }

  struct Refresh: Equatable {
    let path: FilePath
    let isQuiet: Bool
  }

  /// Scanning everything costs about as much as this many scans of one folder.
  static let folderCapacity = 64

  let quiet: Duration
  let maxDelay: Duration
  let capacity: Int
  private var files: [FilePath: Schedule] = [:]
  private var folders: [FilePath: (schedule: Schedule, reason: String?)] = [:]

  init(quiet: Duration, maxDelay: Duration, capacity: Int = 65_536) {
    self.quiet = quiet
    self.maxDelay = max(quiet, maxDelay)
    self.capacity = capacity
  }

  /// Records an event of a file.
  mutating func recordEvent(for path: FilePath, at now: Duration) {
    guard files[path] != nil || files.count < capacity else { return overflow(at: now) }
    files[path, default: Schedule()].recordEvent(at: now)
    checkInvariants()
  }

  /// Schedules a refresh of a file at a time, or earlier.
  mutating func schedule(_ path: FilePath, at time: Duration) {
    guard files[path] != nil || files.count < capacity else { return overflow(at: time) }
    files[path, default: Schedule()].schedule(time)
    checkInvariants()
  }

  /// Records an event of a folder whose entries may have changed: it is scanned when it is quiet.
  mutating func folderChanged(_ folder: FilePath, reason: String? = nil, at now: Duration) {
    scheduleScan(folder, reason) { $0.recordEvent(at: now) }
  }

  /// Schedules a scan of a folder at a time, or earlier.
  mutating func scheduleScan(_ folder: FilePath, reason: String? = nil, at time: Duration) {
    scheduleScan(folder, reason) { $0.schedule(time) }
  }

  /// The time of the next work; nil when there is none.
  var nextDue: Duration? {
    let scans = folders.values.lazy.map { $0.schedule.due(quiet, maxDelay) }.min()
    // A scan of everything covers all files.
    if folders[.root] != nil { return scans }
    let refreshes = files.lazy.filter { !isCovered($0.key) }.map { $0.value.due(quiet, maxDelay) }.min()
    guard let scans, let refreshes else { return scans ?? refreshes }
    return min(scans, refreshes)
  }

  /// Removes the work that is due and returns it.
  mutating func removeDue(at now: Duration) -> Due {
    var due = Due()
    let scans = folders.map { ($0.value.schedule.due(quiet, maxDelay), $0.key) }
    if let (time, folder) = scans.min(by: <), time <= now, let entry = folders[folder] {
      due.scan = Scan(folder: folder, reason: entry.reason)
      // The scan finds whatever was missed, so the reason is reported once.
      folders[folder] = entry.schedule.remaining(after: now, quiet).map { ($0, nil) }
      files = files.compactMapValues(below: folder) { $0.remaining(after: now, quiet) }
    }
    for (path, schedule) in files where schedule.due(quiet, maxDelay) <= now && !isCovered(path) {
      due.refreshes.append(Refresh(path: path, isQuiet: schedule.isQuiet(at: now, quiet)))
    }
    for refresh in due.refreshes { files[refresh.path] = files[refresh.path]?.remaining(after: now, quiet) }
    due.refreshes.sort { $0.path < $1.path }
    checkInvariants()
    return due
  }

  /// More files than `capacity`: they are replaced by a scan of everything, and another one when the folder is
  /// quiet.
  private mutating func overflow(at now: Duration) {
    files = [:]
    folderChanged(.root, reason: .tooManyAtOnce, at: now)
  }

  private mutating func scheduleScan(
    _ folder: FilePath, _ reason: String?, _ update: (inout Schedule) -> Void
  ) {
    var outer = folders.keys.first { folder.isWithin($0) } ?? folder
    if folders[outer] == nil, folders.count == Self.folderCapacity { outer = .root }
    var entry = folders[outer] ?? (Schedule(), nil)
    update(&entry.schedule)
    entry.reason = entry.reason ?? reason
    for (inner, other) in folders where inner != outer && inner.isWithin(outer) {
      entry.schedule.merge(other.schedule)
      entry.reason = entry.reason ?? other.reason
      folders[inner] = nil
    }
    folders[outer] = entry
    checkInvariants()
  }

  /// Whether a scan that is still to come covers the file.
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
    left.files == right.files && left.folders.mapValues(\.schedule) == right.folders.mapValues(\.schedule)
  }

  /// Stops a debug build when an invariant does not hold.
  private func checkInvariants() {
    assert(files.count <= capacity, "the number of files is bounded")
    assert(folders[.root] == nil || folders.count == 1, "a scan of everything covers the others")
    assert(folders.count <= Self.folderCapacity, "the number of folders is bounded")
    assert(folders.values.allSatisfy { !$0.schedule.isEmpty }, "every entry has a time")
  }
}

extension Dictionary where Key == FilePath {
  /// Maps the values of the paths within a folder; those that become nil are removed.
  fileprivate func compactMapValues(
    below folder: FilePath, _ change: (Value) -> Value?
  ) -> [Key: Value] {
    var result = self
    for (path, value) in self where path.isWithin(folder) { result[path] = change(value) }
    return result
  }
}

/// When one file or folder is due.
private struct Schedule: Equatable {
  /// The times of the first and the last event since the last refresh.
  private var pending: (first: Duration, last: Duration)?
  /// The time of a scheduled refresh.
  private var scheduled: Duration?

  var isEmpty: Bool { pending == nil && scheduled == nil }

  mutating func recordEvent(at now: Duration) {
    // Times come from two threads, and may be slightly out of order.
    pending = pending.map { (min($0.first, now), max($0.last, now)) } ?? (now, now)
  }

  mutating func schedule(_ time: Duration) { scheduled = min(scheduled ?? time, time) }

  /// Adds the events and the scheduled time of another one.
  mutating func merge(_ other: Schedule) {
    if let events = other.pending {
      recordEvent(at: events.first)
      recordEvent(at: events.last)
    }
    if let time = other.scheduled { schedule(time) }
  }

  func due(_ quiet: Duration, _ maxDelay: Duration) -> Duration {
    guard let pending else { return scheduled ?? .zero }
    // The refresh that follows the event is early enough for a scheduled one, too.
    return min(pending.last + quiet, pending.first + maxDelay)
  }

  func isQuiet(at now: Duration, _ quiet: Duration) -> Bool {
    pending.map { $0.last + quiet <= now } ?? true
  }

  /// What remains after a refresh; nil for nothing.
  func remaining(after now: Duration, _ quiet: Duration) -> Schedule? {
    var left = Schedule()
    if let pending, !isQuiet(at: now, quiet) { left.pending = (max(pending.first, now), pending.last) }
    if let scheduled, scheduled > now { left.scheduled = scheduled }
    return left.isEmpty ? nil : left
  }

  static func == (left: Schedule, right: Schedule) -> Bool {
    left.pending?.first == right.pending?.first && left.pending?.last == right.pending?.last
      && left.scheduled == right.scheduled
  }
}
