// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Testing

@testable import ArtWatch

/// Follows a watcher as its owner would: it keeps the list of files that it has been told of.
actor Follower {
  let watcher: FolderWatcher
  let root: String
  private(set) var news: [WatchEvent] = []
  private(set) var files: Set<String> = []
  private var isAsking = false

  init(_ watcher: FolderWatcher, root: String) {
    self.watcher = watcher
    self.root = root
  }

  /// Takes news until something holds.
  @discardableResult
  func until(_ holds: (Follower.View) throws -> Bool) async throws -> [WatchEvent] {
    let start = news.count
    while try !holds(view(from: start)) {
      guard let next = await watcher.next() else { throw Over() }
      news.append(next)
      take(next)
    }
    return Array(news[start...])
  }

  /// One piece of news.
  func next() async throws -> WatchEvent {
    let start = news.count
    try await until { $0.news.count == 1 }
    return news[start]
  }

  func view(from start: Int = 0) -> View { View(news: Array(news[start...]), files: files.sorted()) }

  struct View: Sendable {
    let news: [WatchEvent]
    let files: [String]
    var looks: [WatchedFile] {
      news.flatMap { news -> [WatchedFile] in if case .changed(let files) = news { files } else { [] } }
    }
    var scans: [FolderScan] {
      news.compactMap { if case .scanned(let scan) = $0 { scan } else { nil } }
    }
    var reasons: [String] { scans.compactMap(\.reason) }
    var degraded: [String] { news.compactMap { if case .degraded(let why) = $0 { why } else { nil } } }
    func looked(at path: String) -> Bool { looks.contains(WatchedFile(path, isQuiet: true)) }
  }

  struct Over: Error {}

  private func take(_ news: WatchEvent) {
    switch news {
    case .changed(let looked):
      for file in looked {
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

/// The helper that was built with these tests.
let realHelpers: HelperPrograms = {
  let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  return HelperPrograms(folders: [own.deletingLastPathComponent().path])
}()

extension WatchSettings {
  static func real(recursive: Bool = true) -> WatchSettings {
    var settings = WatchSettings(ending: ".emojiart", helpers: realHelpers)
    settings.isRecursive = recursive
    return settings
  }
}
