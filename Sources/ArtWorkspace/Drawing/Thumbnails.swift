// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc
import Synchronization

/// Small pictures of documents, drawn once for each state of a document and each size while their cache keeps them.
///
///     request ──in the cache──▶ picture
///        └──not there──▶ drawing, shared by all requests of the same key ──▶ picture, and a file in the cache
///                           └──every request is cancelled──▶ the helper program is ended
///
/// Documents and the cache are read one by one on a queue of this object: a document that another program holds delays the next
/// ones by its own timeout at most.
public final class Thumbnails: Sendable {
  /// The bounds of a side, in pixels.
  public static let sides = 1...1024
  /// The largest picture in bytes. The raw pixels of the largest one have 4 MiB.
  private static let pictureLimit = 6 << 20

  private let cache: ThumbnailCache?
  private let font: @Sendable () -> String?
  private let renderer: Renderer
  private let recovery: Recovery
  private let queue = SerialQueue()
  private let drawings = SharedWork<String, Result<Thumbnail, Failure>>()

  /// Thumbnails in that cache, if there is one. `font` is the font that the user has chosen; nil stands for the default one. The
  /// notices of `recovery` come on a thread of this object.
  public init(
    cache: ThumbnailCache? = ThumbnailCache(), font: @escaping @Sendable () -> String? = { nil },
    renderer: Renderer = Renderer(),
    recovery: Recovery = Recovery()
  ) {
    self.cache = cache
    self.font = font
    self.renderer = renderer
    self.recovery = recovery
  }

  /// A picture, with possible warnings.
  public struct Thumbnail: Sendable {
    /// A PNG file.
    public let png: [UInt8]
    /// The result of drawing it. A picture from the cache has no warnings.
    public let drawn: Drawn
  }

  /// The number of requests that wait for a drawing.
  var waitingCount: Int { drawings.waitingCount }

  /// A PNG of a document with its orphaned edits, as large as fits into `size` with the aspect of its canvas. Throws `badValue`
  /// for a size out of `sides`, `unavailable` if the task is cancelled, and what reading and drawing throw.
  public func picture(of file: DocumentFile, within size: PixelSize) async throws(ArtError) -> [UInt8] {
    let bounds = try Bounds(size)
    let fonts = EmojiFont.find(font())
    let found = try await onQueue(for: file.path) { [recovery] () throws(ArtError) in
      let journals = file.journals(among: recovery.journals()).own
      if journals.isEmpty { return Found.state(try file.base()) }
      // This state is not cached: restoring orphaned edits may give another one.
      return .view(try DocumentView(file, among: journals, recovery: recovery))
    }
    switch found {
    case .view(let view):
      return try await named(file.path) { () throws(Failure) in
        try await draw(view.scene, bounds, fonts).png
      }
    case .state(let state):
      return try await named(file.path) { () throws(Failure) in
        try await shared(Key(state: state, bounds: bounds, fonts: fonts)) { [self] () throws(Failure) in
          let view = try await reading { () throws(ArtError) in
            try await onQueue(for: file.path) { [recovery] () throws(ArtError) in
              try DocumentView(file, among: [], recovery: recovery)
            }
          }
          let picture = try await draw(view.scene, bounds, fonts)
          // The document may be in another state by now.
          let key = Key(state: DocumentBase(view.content), bounds: bounds, fonts: fonts)
          if !view.isPictureLost { await keep(picture, as: key) }
          return picture
        }.png
      }
    }
  }

  /// A PNG of a document in memory, which messages call `name`; `background` is the bytes of its background. Only a state with
  /// `isSaved`, which the document's file was in, is shared and cached: after a rebase of unsaved edits, the same revision and
  /// head name another state.
  public func picture(
    of content: DocumentContent, background: [UInt8]?, named name: String, within size: PixelSize,
    isSaved: Bool = false
  ) async throws(ArtError) -> [UInt8] {
    let bounds = try Bounds(size)
    return try await named(name) { () throws(Failure) in
      try await thumbnail(of: content, DrawingScene(content, picture: background), bounds, isSaved: isSaved)
        .png
    }
  }

  /// A PNG of a document that was read with its background. `isSaved` is false if orphaned edits are in it.
  public func thumbnail(
    of view: DocumentView, within size: PixelSize, isSaved: Bool
  ) async throws(DrawingFailure) -> Thumbnail {
    let bounds: Bounds
    do throws(ArtError) { bounds = try Bounds(size) } catch { throw .failed(error) }
    do throws(Failure) {
      return try await thumbnail(of: view.content, view.scene, bounds, isSaved: isSaved)
    } catch {
      switch error {
      case .reading(let error): throw .failed(error)
      case .drawing(let failure): throw failure
      }
    }
  }

  /// The size of a canvas's picture within `size`. Throws `badValue` for a size out of `sides`.
  static func size(of canvas: Canvas, within size: PixelSize) throws(ArtError) -> PixelSize {
    try Bounds(size).fitting(canvas)
  }

  private func thumbnail(
    of content: DocumentContent, _ scene: DrawingScene, _ bounds: Bounds, isSaved: Bool
  ) async throws(Failure) -> Thumbnail {
    let fonts = EmojiFont.find(font())
    guard isSaved, content.background == nil || scene.picture != nil else {
      return try await draw(scene, bounds, fonts)
    }
    let key = Key(state: DocumentBase(content), bounds: bounds, fonts: fonts)
    return try await shared(key) { [self] () throws(Failure) in
      let picture = try await draw(scene, bounds, fonts)
      await keep(picture, as: key)
      return picture
    }
  }
}

// MARK: Keys

extension Thumbnails {
  /// The first reading of a document.
  private enum Found: Sendable {
    /// The document with its orphaned edits.
    case view(DocumentView)
    /// A document without orphaned edits, and its state.
    case state(DocumentBase)
  }

  /// The largest size of a picture.
  private struct Bounds: Sendable {
    let width: Int
    let height: Int

    init(_ size: PixelSize) throws(ArtError) {
      guard Thumbnails.sides.contains(size.width), Thumbnails.sides.contains(size.height) else {
        throw ArtError(
          .badValue,
          "a thumbnail has at most \(Thumbnails.sides.upperBound) pixels a side, not \(size.width) x \(size.height)"
        )
      }
      (width, height) = (size.width, size.height)
    }

    /// The largest size that fits.
    func fitting(_ canvas: Canvas) throws(ArtError) -> PixelSize {
      let (across, down) = (Double(canvas.width), Double(canvas.height))
      let scale = min(Double(width) / across, Double(height) / down)
      return try PixelSize(
        width: max(1, min(width, Int((across * scale).rounded()))),
        height: max(1, min(height, Int((down * scale).rounded()))))
    }
  }

  /// Everything that a picture depends on: the state of the document, the size, the program, and the fonts.
  private struct Key: Sendable {
    let text: String

    init(state: DocumentBase, bounds: Bounds, fonts: [String]) {
      text = [
        "thumbnail 3", EmojiArtVersion.current, "\(state.id)", "\(state.revision)",
        state.head?.description ?? "none", "\(bounds.width)x\(bounds.height)",
        fonts.map(Self.identity).joined(separator: ":"),
        LetterFontFolders.identity,
      ].joined(separator: "\n")
    }

    /// Identifies the font file. A file without a status cannot be drawn with, so nothing is cached.
    private static func identity(of font: String) -> String {
      EmojiFont.tag(of: font).map { "\($0) \(font)" } ?? "none"
    }
  }
}

// MARK: Work

extension Thumbnails {
  /// Why there is no picture.
  private enum Failure: Error {
    /// The document cannot be read.
    case reading(ArtError)
    case drawing(DrawingFailure)
  }

  /// Adds the document's name to the errors of `body`.
  private func named<Value>(
    _ name: String, _ work: () async throws(Failure) -> Value
  ) async throws(ArtError) -> Value {
    do throws(Failure) {
      return try await work()
    } catch {
      switch error {
      case .reading(let error): throw error
      case .drawing(let failure): throw ArtError(failure, drawing: name)
      }
    }
  }

  private func reading<Value>(
    _ work: () async throws(ArtError) -> Value
  ) async throws(Failure) -> Value {
    do throws(ArtError) { return try await work() } catch { throw .reading(error) }
  }

  private func draw(
    _ scene: DrawingScene, _ bounds: Bounds, _ fonts: [String]
  ) async throws(Failure) -> Thumbnail {
    let size = try await reading { () throws(ArtError) in try bounds.fitting(scene.canvas) }
    let drawing = Drawing(scene: scene, region: CanvasRect(scene.canvas), format: .png(size), fonts: fonts)
    do throws(DrawingFailure) {
      let (drawn, png) = try await renderer.draw(drawing, limit: Self.pictureLimit)
      return Thumbnail(png: png, drawn: drawn)
    } catch {
      throw .drawing(error)
    }
  }

  /// Caches a picture, unless it has warnings: these would be missing the next time.
  private func keep(_ picture: Thumbnail, as key: Key) async {
    guard let cache, picture.drawn.isFaultless else { return }
    await queue.value { cache.keep(picture.png, as: key.text) }
  }

  /// The picture of that key from the cache, or else from this work. Requests of the same key share both.
  private func shared(
    _ key: Key, _ work: @escaping @Sendable () async throws(Failure) -> Thumbnail
  ) async throws(Failure) -> Thumbnail {
    let outcome: Result<Thumbnail, Failure>? = await drawings.value(for: key.text) { [self] in
      do throws(Failure) {
        if let cached = await read(key) { return .success(Thumbnail(png: cached, drawn: Drawn())) }
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    guard let outcome else { throw .drawing(.cancelled) }
    return try outcome.get()
  }

  private func read(_ key: Key) async -> [UInt8]? {
    guard let cache else { return nil }
    return await queue.value { cache.read(key.text) }
  }

  /// Runs blocking work on the queue of this object, unless the task is cancelled before its turn.
  private func onQueue<Value: Sendable>(
    for name: String, _ work: @escaping @Sendable () throws(ArtError) -> Value
  ) async throws(ArtError) -> Value {
    let cancellation = Cancellation()
    let outcome = await withTaskCancellationHandler {
      await queue.value {
        Result<Value, ArtError> { () throws(ArtError) in
          guard !cancellation.isRequested.load(ordering: .relaxed) else {
            throw ArtError(.cancelled, drawing: name)
          }
          return try work()
        }
      }
    } onCancel: {
      cancellation.isRequested.store(true, ordering: .relaxed)
    }
    return try outcome.get()
  }

  /// Whether a task was cancelled, for work on a queue.
  private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
  }
}

/// A bounded folder of small pictures. Any number of programs may use it, and its files may be deleted at any moment.
///
/// Each picture is a PNG file, named by a digest of its key. A digest of its key and its bytes follows the end of the PNG data,
/// where PNG readers do not look. A file is written without a name and then renamed, and a file with a wrong digest counts as
/// absent, so no file needs to be synced. A read sets the modification time, and the least recently used files are removed first.
///
/// No failure is an error: the picture is absent, or is not stored.
public final class ThumbnailCache: Sendable {
  /// The default limit of all files together, in bytes.
  public static let defaultLimit = 64 << 20

  /// Its folder.
  let folder: String
  private let limit: Int
  /// Bytes written since the last clean-up; nil before the first one.
  private let written = Mutex<Int?>(nil)

  /// A cache in a folder that need not exist, with files of `limit` bytes in all. Several programs that write at once may each
  /// exceed it by an eighth.
  init(in folder: String, limit: Int = defaultLimit) {
    self.folder = folder
    self.limit = limit
  }

  /// This user's cache: `$XDG_CACHE_HOME/emojiart/thumbnails`, or `~/.cache/emojiart/thumbnails`. Nil if no variable names an
  /// absolute path.
  public convenience init?(limit: Int = defaultLimit) { self.init(limit: limit) { Environment[$0] } }

  /// This user's cache, by these variables.
  convenience init?(limit: Int = defaultLimit, variable: @escaping (String) -> String?) {
    guard let cache = XDGFolders(variable).cache else { return nil }
    self.init(in: "\(cache)/emojiart/thumbnails", limit: limit)
  }

  /// The PNG file of that key; nil if it is absent or its digest is wrong.
  func read(_ key: String) -> [UInt8]? {
    let path = path(of: key)
    do {
      try verifyFolder()
      guard let bytes = try SmallFile.read(path, limit: largest), bytes.starts(with: Self.signature) else {
        return nil
      }
      let picture = Array(bytes.dropLast(Self.digestLength))
      guard bytes.suffix(Self.digestLength).elementsEqual(Self.digest(key, picture).utf8) else { return nil }
      // If the time cannot be set, the file is removed earlier, which does no harm.
      utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
      return picture
    } catch {
      // A picture that cannot be read is drawn again.
      return nil
    }
  }

  /// Stores a PNG file under a key, if possible. A file that is larger than an eighth of the limit is not stored.
  func keep(_ picture: [UInt8], as key: String) {
    let bytes = picture + Array(Self.digest(key, picture).utf8)
    guard bytes.count <= largest else { return }
    do {
      try StateFolder.makeFolders(folder)
      try verifyFolder()
      try written.withLock { written in
        let sum = (written ?? largest) + bytes.count
        if sum > largest {
          try clean()
          written = bytes.count
        } else {
          written = sum
        }
      }
      try write(bytes, to: path(of: key))
    } catch {
      // The picture is drawn again the next time.
    }
  }

  /// The largest file, and the bytes written between two clean-ups.
  private var largest: Int { limit / 8 }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let hidden =
      "\(folder)/\(Self.hiddenStart)\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.hiddenEnd)"
    let file = try UnnamedFile(in: folder, mode: 0o600, else: hidden)
    defer { close(file.descriptor) }
    do {
      try PlainFile.write(bytes, to: file.descriptor, name: path)
      _ = try file.replace(path, over: hidden)
    } catch {
      file.abandon()
      throw error
    }
  }

  /// Throws if other users may write to the folder.
  private func verifyFolder() throws(ArtError) {
    try StateFolder.verify(FilePath(folder).folder)
    try StateFolder.verify(folder)
  }

  /// Removes the least recently used files until the next files fit. Files of other names are not touched: the folder may be a
  /// link to one with other contents.
  private func clean() throws(SystemError) {
    var files: [(path: String, size: Int, time: timespec)] = []
    try FolderEntry.each(in: folder) { entry in
      guard let name = entry.name, Self.isOurs(name) else { return }
      let path = "\(folder)/\(name)"
      // A file that was removed meanwhile does not count.
      guard let status = try? FileStatus(ofLinkAt: path), status.isRegularFile else { return }
      files.append((path, status.size, status.raw.st_mtim))
    }
    files.sort { ($0.time.tv_sec, $0.time.tv_nsec) < ($1.time.tv_sec, $1.time.tv_nsec) }
    var sum = files.reduce(0) { $0 &+ $1.size }
    for file in files where sum > limit - largest {
      guard unlink(file.path) == 0 || errno == ENOENT else { throw SystemError("unlink", file.path) }
      sum -= file.size
    }
  }
}

// MARK: Names and bytes

extension ThumbnailCache {
  /// The first bytes of every PNG file.
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let digestLength = 32
  private static let end = ".png"
  private static let (hiddenStart, hiddenEnd) = (".thumbnail-", ".tmp")

  /// The path of that key's picture.
  func path(of key: String) -> String { "\(folder)/\(Self.digest(key, []))\(Self.end)" }

  private static func digest(_ key: String, _ picture: [UInt8]) -> String {
    (Array(key.utf8) + [0] + picture).withUnsafeBufferPointer { ContentDigest.of($0) }
  }

  /// Whether a file name is one of this cache.
  private static func isOurs(_ name: String) -> Bool {
    if name.utf8.starts(with: hiddenStart.utf8), FilePath(name).hasEnding(hiddenEnd) { return true }
    return name.utf8.count == digestLength + end.utf8.count && FilePath(name).hasEnding(end)
      && name.utf8.prefix(digestLength).allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}
