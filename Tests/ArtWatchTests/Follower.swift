// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWatch

/// Follows a watcher as its owner would: it keeps the list of files that the events report.
actor Follower {
  let watcher: FolderWatcher
  let root: String
  private(set) var events: [WatchEvent] = []
  private(set) var files: Set<String> = []

  init(_ watcher: FolderWatcher, root: String) {
    self.watcher = watcher
    self.root = root
  }

  /// Receives events until something holds.
  @discardableResult
  func until(_ holds: (Follower.View) throws -> Bool) async throws -> [WatchEvent] {
    let start = events.count
    while try !holds(view(from: start)) {
      let next = try await result(for: "an event after \(events.last.map { "\($0)" } ?? "none")") {
        [watcher] in
        await watcher.next()
      }
      guard let next else { throw Closed() }
      events.append(next)
      apply(next)
    }
    return Array(events[start...])
  }

  /// The next event.
  func next() async throws -> WatchEvent {
    let start = events.count
    try await until { $0.events.count == 1 }
    return events[start]
  }

  func view(from start: Int = 0) -> View { View(events: Array(events[start...]), files: files.sorted()) }

  struct View: Sendable {
    let events: [WatchEvent]
    let files: [String]
    var changedFiles: [WatchedFile] {
      events.flatMap { event -> [WatchedFile] in if case .changed(let files) = event { files } else { [] } }
    }
    var scans: [FolderScan] {
      events.compactMap { if case .scanned(let scan) = $0 { scan } else { nil } }
    }
    var reasons: [String] { scans.compactMap(\.reason) }
    var degraded: [String] { events.compactMap { if case .degraded(let why) = $0 { why } else { nil } } }
    func hasReported(_ path: String) -> Bool { changedFiles.contains(WatchedFile(path, isQuiet: true)) }
  }

  struct Closed: Error {}

  private func apply(_ event: WatchEvent) {
    switch event {
    case .changed(let changed):
      for file in changed {
        var status = stat()
        let isFile = lstat("\(root)/\(file.path)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile { files.insert(file.path) } else { files.remove(file.path) }
      }
    case .scanned(let scan):
      files = files.filter { !FilePath($0).isWithin(FilePath(scan.folder)) }
      files.formUnion(scan.files)
    case .degraded, .watching: break
    }
  }
}

/// The helper programs that were built with these tests.
let realHelpers: HelperPrograms = {
  let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  return HelperPrograms(folders: [own.deletingLastPathComponent().path])
}()

extension WatchSettings {
  /// With the default timeout a busy machine makes the watcher degraded, and it reports scans instead of changes.
  static func real(recursive: Bool = true, helperTimeout: Duration = Hang.limit) -> WatchSettings {
    var settings = WatchSettings(ending: ".emojiart", helpers: realHelpers)
    settings.isRecursive = recursive
    settings.helperTimeout = helperTimeout
    return settings
  }
}
