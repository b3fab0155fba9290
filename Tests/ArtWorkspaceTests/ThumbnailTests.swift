// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWorkspace

/// A helper program that is a shell script. Each drawing adds a line to a file and gives other bytes, which begin as a PNG file
/// does.
private final class CountingHelper: Sendable {
  let path: String

  /// `before` is run before an answer; `lacking` is a text that the font has no glyph for.
  init(_ watched: WatchedFolder, before: String = "", lacking: String? = nil) throws {
    path = watched["helper"]
    try #require(mkdir(path, 0o700) == 0)
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    try #require(symlink("\(project)/Fixtures/bin/scripted-worker", "\(path)/worker") == 0)
    let drawn =
      lacking.map { #"{"lacking":["\#($0)"],"lackingCount":1}"# } ?? #"{"lacking":[],"lackingCount":0}"#
    let script = """
      folder=${0%/*}
      echo drawing >>"$folder/drawings"
      echo '{"hello":7}'
      cat >/dev/null
      \(before)
      echo '{"part":13}'
      printf '\\211PNG\\r\\n\\032\\n%05d' "$(wc -l <"$folder/drawings")"
      echo '{"drawn":\(drawn)}'
      """
    try script.write(toFile: "\(path)/script", atomically: false, encoding: .utf8)
  }

  var renderer: Renderer {
    Renderer(
      helpers: HelperPrograms(folders: [], paths: ["emojiart-worker": "\(path)/worker"]),
      pool: HelperPool(limit: 4), clock: ManualClock())
  }

  /// The number of drawings that were begun.
  var count: Int {
    (FileManager.default.contents(atPath: "\(path)/drawings") ?? Data()).count { $0 == UInt8(ascii: "\n") }
  }
}

@Suite("Thumbnails", .timeLimit(.minutes(10))) struct ThumbnailTests {
  private let watched: WatchedFolder
  private let file: DocumentFile
  private let size: PixelSize

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
    try file.addBee()
    size = try PixelSize(width: 120, height: 90)
  }

  private var folder: String { watched["cache/emojiart/thumbnails"] }
  private var cache: ThumbnailCache { ThumbnailCache(in: folder) }

  private func thumbnails(_ helper: CountingHelper, font: String? = #filePath) -> Thumbnails {
    Thumbnails(cache: cache, font: font, renderer: helper.renderer, recovery: watched.recovery())
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

  /// Bytes that the cache accepts as a picture, of this length.
  private func picture(_ count: Int) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: count - 8)
  }

  private func setAge(_ seconds: Int, of path: String) throws {
    let times = [
      timespec(tv_sec: 1_000_000 - seconds, tv_nsec: 0), timespec(tv_sec: 1_000_000 - seconds, tv_nsec: 0),
    ]
    try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
  }

  @Test("U13 a thumbnail is a PNG that fits into its size with the aspect of the canvas")
  func aspect() async throws {
    let thumbnails = Thumbnails(cache: cache, recovery: watched.recovery())
    let first = try await thumbnails.picture(of: file, within: PixelSize(width: 100, height: 100))
    let pixels = try Pixels(decoding: first)
    #expect(pixels.width == 100 && pixels.height == 75)
    let again = try await thumbnails.picture(of: file, within: PixelSize(width: 100, height: 100))
    #expect(again == first)
    let low = try Pixels(
      decoding: try await thumbnails.picture(of: file, within: PixelSize(width: 1024, height: 3)))
    #expect(low.width == 4 && low.height == 3)
    for (width, height) in [(1025, 10), (10, 10_000_000)] {
      await #expect(throws: ArtError.self) {
        try await thumbnails.picture(of: file, within: PixelSize(width: width, height: height))
      }
    }
  }

  @Test("U13 a thumbnail is drawn once for a state, a size and a font file")
  func once() async throws {
    let helper = try CountingHelper(watched)
    let font = watched["font.ttf"]
    try watched.overwrite("font.ttf", [1])
    let thumbnails = thumbnails(helper, font: font)
    let first = try await thumbnails.picture(of: file, within: size)
    #expect(try await thumbnails.picture(of: file, within: size) == first)
    // Another program.
    #expect(try await self.thumbnails(helper, font: font).picture(of: file, within: size) == first)
    #expect(helper.count == 1)
    _ = try await thumbnails.picture(of: file, within: PixelSize(width: 120, height: 91))
    #expect(helper.count == 2)
    let old = try watched.bytes("bees.emojiart")
    try file.addBee()
    let second = try await thumbnails.picture(of: file, within: size)
    #expect(second != first && helper.count == 3)
    // The same revision, but another head.
    try watched.replace("bees.emojiart", old)
    try file.addBee()
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == 4)
    try watched.replace("font.ttf", [1, 2])
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == 5)
    let other = try watched.make("other.emojiart")
    _ = try await thumbnails.picture(of: other, within: size)
    #expect(helper.count == 6)
    _ = try await thumbnails.picture(of: other, within: size)
    #expect(try helper.count == 6 && names().count == 6)
  }

  /// Writes a gallery of the folder; returns the texts without a glyph.
  private func writeGallery(_ helper: CountingHelper) async throws -> [String] {
    let (watched, thumbnails) = (watched, thumbnails(helper))
    return try await onThread {
      let page = try OutputFile(OutputLocation(watched["gallery.html"], replacing: .galleries))
      let lacking = Mutex<[String]>([])
      var gallery = Gallery(
        of: watched.path, into: page, recovery: watched.recovery(), waiter: BlockingWaiter(),
        thumbnails: thumbnails
      ) { event in
        if case .drawn(_, let drawn) = event { lacking.withLock { $0 += drawn.lacking } }
      }
      try gallery.write(FolderListing(of: watched.path))
      return lacking.withLock(\.self)
    }
  }

  @Test("U13 a gallery takes its pictures from the cache")
  func galleryFromCache() async throws {
    let helper = try CountingHelper(watched)
    _ = try await writeGallery(helper)
    let page = try watched.text("gallery.html")
    _ = try await writeGallery(helper)
    #expect(try helper.count == 1 && watched.text("gallery.html") == page)
    // Another reader gets the same picture.
    _ = try await thumbnails(helper).picture(of: file, within: PixelSize(width: 480, height: 360))
    #expect(helper.count == 1)
    try file.addBee()
    _ = try await writeGallery(helper)
    #expect(helper.count == 2)
  }

  @Test("U13 a picture that lacks a glyph is drawn, and reported, each time")
  func galleryWithoutGlyph() async throws {
    let helper = try CountingHelper(watched, lacking: "🐝")
    for count in 1...2 {
      #expect(try await writeGallery(helper) == ["🐝"])
      #expect(helper.count == count)
    }
  }

  @Test("U14 a cached file that is torn, foreign, or another key's is drawn again and replaced")
  func torn() async throws {
    let helper = try CountingHelper(watched)
    let thumbnails = thumbnails(helper)
    var last = try await thumbnails.picture(of: file, within: size)
    let path = "\(folder)/\(try #require(names().first))"
    let whole = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    var turned = whole
    turned[9] ^= 1
    let other = ThumbnailCache(in: watched["other"])
    other.keep(last, as: "another key")
    let foreign = try Array(Data(contentsOf: URL(fileURLWithPath: other.path(of: "another key"))))
    for bytes in [[], Array(whole.prefix(20)), turned, whole + [0], last, foreign, picture(9 << 20)] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let count = helper.count
      let drawn = try await thumbnails.picture(of: file, within: size)
      #expect(drawn != last && helper.count == count + 1)
      #expect(try await thumbnails.picture(of: file, within: size) == drawn)
      #expect(helper.count == count + 1)
      last = drawn
    }
    // A folder in the place of the file stays; the picture is drawn each time.
    try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    let count = helper.count
    _ = try await thumbnails.picture(of: file, within: size)
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == count + 2 && FileStatus.isFolder(at: path))
    #expect(try names().count == 1)
  }

  @Test("U14 the cache is private and may be deleted at any moment")
  func deleted() async throws {
    let helper = try CountingHelper(watched)
    let thumbnails = thumbnails(helper)
    _ = try await thumbnails.picture(of: file, within: size)
    let path = "\(folder)/\(try #require(names().first))"
    #expect(try FileStatus(at: folder).raw.st_mode & 0o777 == 0o700)
    #expect(try FileStatus(at: watched["cache/emojiart"]).raw.st_mode & 0o777 == 0o700)
    #expect(try FileStatus(at: path).raw.st_mode & 0o777 == 0o600)
    try FileManager.default.removeItem(atPath: watched["cache"])
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == 2 && FileStatus.isRegularFile(at: path))
  }

  @Test("U14 a folder that others may write to, or own, is not used")
  func openFolder() async throws {
    let helper = try CountingHelper(watched)
    let thumbnails = thumbnails(helper)
    _ = try await thumbnails.picture(of: file, within: size)
    for (index, path) in [folder, watched["cache/emojiart"]].enumerated() {
      try #require(chmod(path, 0o777) == 0)
      _ = try await thumbnails.picture(of: file, within: size)
      _ = try await thumbnails.picture(of: file, within: PixelSize(width: 10, height: 10 + index))
      #expect(try names().count == 1)
      try #require(chmod(path, 0o700) == 0)
    }
    #expect(helper.count == 5)
    if isRoot(for: "a folder of thumbnails of another user") {
      try #require(chown(folder, 4_711, 4_711) == 0)
      _ = try await thumbnails.picture(of: file, within: size)
      #expect(helper.count == 6)
      try #require(chown(folder, 0, 0) == 0)
    }
    let count = helper.count
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == count)
    // A folder that cannot be made is no error.
    try watched.overwrite("file", [])
    let none = Thumbnails(
      cache: ThumbnailCache(in: watched["file/thumbnails"]), font: #filePath, renderer: helper.renderer)
    _ = try await none.picture(of: file, within: size)
    #expect(helper.count == count + 1)
  }

  @Test("U14 the folder is below XDG_CACHE_HOME, else below the home folder, and relative paths are ignored")
  func place() {
    func folder(_ variables: [String: String]) -> String? { ThumbnailCache { variables[$0] }?.folder }
    #expect(folder(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/emojiart/thumbnails")
    #expect(folder(["XDG_CACHE_HOME": "c", "HOME": "/h"]) == "/h/.cache/emojiart/thumbnails")
    #expect(folder(["XDG_CACHE_HOME": "c", "HOME": "h"]) == nil)
  }

  @Test(
    "U14 the cache keeps its limit by removing the files that were unused longest, and leaves foreign files")
  func bound() throws {
    let limit = 80_000
    let cache = ThumbnailCache(in: folder, limit: limit)
    func bytes() throws -> Int {
      try names().filter { $0.hasSuffix(".png") }.reduce(0) {
        try $0 + FileStatus(at: "\(folder)/\($1)").size
      }
    }
    cache.keep(picture(5_000), as: "first")
    try setAge(5_000, of: cache.path(of: "first"))
    try watched.overwrite("cache/emojiart/thumbnails/mine.txt", [UInt8](repeating: 0, count: 100_000))
    for number in 0..<60 {
      let key = "\(number)"
      cache.keep(picture(3_000), as: key)
      try setAge(1_000 - number, of: cache.path(of: key))
      #expect(try bytes() <= limit)
      // A read counts as a use.
      #expect(cache.read("first") == picture(5_000))
    }
    #expect(cache.read("59") != nil && cache.read("0") == nil)
    #expect(try bytes() > limit / 2 && names().contains("mine.txt"))
    cache.keep(picture(limit / 8), as: "large")
    #expect(cache.read("large") == nil)
    // A temporary file of a killed program is removed, too.
    let left = "\(folder)/.thumbnail-1.tmp"
    try watched.overwrite("cache/emojiart/thumbnails/.thumbnail-1.tmp", [UInt8](repeating: 0, count: 80_000))
    try setAge(2_000, of: left)
    for number in 60..<64 { cache.keep(picture(3_000), as: "\(number)") }
    #expect(!FileStatus.isRegularFile(at: left))
  }

  @Test("U14 programs that use the cache at once read whole pictures or none")
  func programs() async throws {
    let folder = folder
    await withTaskGroup(of: Void.self) { group in
      for program in 0..<8 {
        group.addTask {
          let cache = ThumbnailCache(in: folder, limit: 40_000)
          for round in 0..<100 {
            let key = "\(round % 7)"
            cache.keep(self.picture(1_000 + program), as: key)
            if let picture = cache.read(key) {
              #expect((1_000..<1_008).contains(picture.count) && picture == self.picture(picture.count))
            }
          }
        }
      }
    }
    #expect(try names().allSatisfy { $0.hasSuffix(".png") })
  }

  @Test(
    "U13 concurrent requests of one thumbnail share one drawing, which continues when one of them is cancelled"
  )
  func shared() async throws {
    let gate = watched["gate"]
    try #require(mkfifo(gate, 0o600) == 0)
    let helper = try CountingHelper(watched, before: "cat \"${0%/*}/../gate\" >/dev/null")
    let thumbnails = thumbnails(helper)
    let (file, size) = (file, size)
    let tasks = (0..<20).map { _ in Task { try await thumbnails.picture(of: file, within: size) } }
    try await until("20 waiting requests") { thumbnails.waitingCount >= 20 }
    tasks[0].cancel()
    await #expect(throws: ArtError.self) { try await tasks[0].value }
    #expect(thumbnails.waitingCount == 19)
    // Opening the pipe for writing blocks until the helper program reads.
    _ = try await onThread { close(open(gate, O_WRONLY)) }
    var pictures: Set<[UInt8]> = []
    for task in tasks.dropFirst() { pictures.insert(try await task.value) }
    #expect(pictures.count == 1 && helper.count == 1)
  }

  @Test("U13 a drawing ends when its last request is cancelled, and the next request begins a new one")
  func cancelled() async throws {
    let gate = watched["gate"]
    try #require(mkfifo(gate, 0o600) == 0)
    let helper = try CountingHelper(
      watched, before: "if mkdir \"$folder/first\"; then exec cat \"${0%/*}/../gate\"; fi")
    let thumbnails = thumbnails(helper)
    let (file, size) = (file, size)
    let tasks = (0..<3).map { _ in Task { try await thumbnails.picture(of: file, within: size) } }
    try await until("3 waiting requests") { thumbnails.waitingCount >= 3 }
    // The helper program ends when the writer of this pipe closes it.
    let writer = try await onThread { open(gate, O_WRONLY | O_CLOEXEC) }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: ArtError.self) { try await task.value } }
    #expect(thumbnails.waitingCount == 0)
    // A pipe without a reader is in error.
    try await onThread { try waitUntilReadable(writer, for: "the end of a helper program") }
    close(writer)
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(helper.count == 2)
  }

  @Test("U13 a document in memory is drawn with its unsaved edits, and only a saved state is cached")
  func content() async throws {
    let helper = try CountingHelper(watched)
    let thumbnails = thumbnails(helper)
    let content = try file.read()
    let first = try await thumbnails.picture(of: content, background: nil, named: "bees", within: size)
    let second = try await thumbnails.picture(of: content, background: nil, named: "bees", within: size)
    #expect(first != second && !FileManager.default.fileExists(atPath: folder))
    let saved = try await thumbnails.picture(
      of: content, background: nil, named: "bees", within: size, isSaved: true)
    #expect(try await thumbnails.picture(of: file, within: size) == saved)
    #expect(helper.count == 3)
    // Orphaned edits are drawn, and the picture is not cached before they are restored.
    try await watched.orphan(1, of: file)
    _ = try await thumbnails.picture(of: file, within: size)
    _ = try await thumbnails.picture(of: file, within: size)
    #expect(try helper.count == 5 && names().count == 1)
  }
}
