// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWorker
import Glibc

/// A gallery being written: documents are read one after the other, two are drawn at once, and each is written in its turn.
struct GalleryMaking {
  /// Bytes of a small picture at most.
  private static let pictureBytes = 4 << 20
  /// Emoji that stand for a picture.
  private static let named = 8
  private static let atOnce = 2

  let folder: String
  let font: String?
  let page: NewFile
  let held: HeldSignals
  private let renderer = Renderer()
  /// What programs that are gone have left.
  private let journals = Restoring.seen()
  /// For the documents that other programs hold.
  private var patience = SharedPatience(.seconds(5))

  /// How many documents are in it with a picture.
  private(set) var shown = 0
  /// Those that are in it without one.
  private(set) var errors: [(name: String, message: String)] = []
  /// How the command ends: by the first thing that went wrong.
  private(set) var status = ExitStatus.done
  private var failures = 0
  private var documents = 0

  init(folder: String, font: String?, page: NewFile, held: HeldSignals) {
    self.folder = folder
    self.font = EmojiFont.find(font)
    self.page = page
    self.held = held
  }

  /// Writes all of it. Throws what keeps it from being written: no font, no room.
  mutating func write(_ listing: FolderListing) throws(ArtError) {
    try checkThreads()
    let count = listing.names.count + listing.unreadable.count
    try put(Array(GalleryPage.head(title: Self.title(folder), count: count).utf8))
    for name in listing.unreadable {
      try fail(name, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it"))
    }
    documents = listing.names.count
    var begun: [Begun] = []
    for name in listing.names {
      if begun.count == Self.atOnce { try finish(begun.removeFirst()) }
      begun.append(begin(name))
    }
    for last in begun { try finish(last) }
    try put(Array(GalleryPage.end.utf8))
    try page.finish()
  }

  private func put(_ bytes: [UInt8]) throws(ArtError) {
    guard !page.take(bytes) else { return }
    try page.check()
  }

  /// What the folder is called.
  private static func title(_ folder: String) -> String {
    guard let real = realpath(folder, nil) else { return folder }
    defer { free(real) }
    let name = PathParts(String(cString: real)).name
    return name.isEmpty ? "/" : name
  }
}

extension GalleryMaking {
  private typealias Picture = (drawn: Drawn, png: [UInt8])

  /// A document in its turn: read, and being drawn.
  private struct Begun {
    let name: String
    let work: Result<(SeenDocument, PixelSize, Task<Result<Picture, DrawingFailure>, Never>), ArtError>
  }

  private mutating func begin(_ name: String) -> Begun {
    do throws(ArtError) {
      let path = CommonOptions.path(of: name, in: folder)
      let seen = try patience.look(at: path) { [journals] (file) throws(ArtError) in
        try SeenDocument(file, among: journals)
      }
      let size = try Self.size(seen.content.canvas)
      let drawing = Drawing(
        scene: seen.scene, region: Rect(seen.content.canvas), format: .png(size), font: font)
      let task = Task.detached { [renderer] () -> Result<Picture, DrawingFailure> in
        do throws(DrawingFailure) {
          return .success(try await renderer.draw(drawing, limit: Self.pictureBytes))
        } catch {
          return .failure(error)
        }
      }
      return Begun(name: name, work: .success((seen, size, task)))
    } catch {
      return Begun(name: name, work: .failure(error))
    }
  }

  /// Twice what is shown: as large as it fits.
  private static func size(_ canvas: Canvas) throws(ArtError) -> PixelSize {
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let scale = 2 * min(GalleryPage.widest / width, GalleryPage.highest / height)
    return try PixelSize(
      width: max(1, Int((width * scale).rounded())), height: max(1, Int((height * scale).rounded())))
  }

  private mutating func finish(_ begun: Begun) throws(ArtError) {
    let (seen, size, task): (SeenDocument, PixelSize, Task<Result<Picture, DrawingFailure>, Never>)
    do throws(ArtError) { (seen, size, task) = try begun.work.get() } catch {
      return try fail(begun.name, error)
    }
    let path = CommonOptions.path(of: begun.name, in: folder)
    let picture: Picture
    do throws(DrawingFailure) { picture = try wait(for: task) } catch {
      guard !isAboutAll(error) else { throw ArtError(error, drawing: "the gallery of \(folder)") }
      return try fail(begun.name, ArtError(error, drawing: path))
    }
    note(DrawingNotes.complain(picture.drawn, of: path))
    note(seen.complainOfLostPicture(in: path))
    try put(GalleryPage.item(Self.entry(begun.name, seen.content, size, picture.png)))
    shown += 1
  }

  /// Whether other documents would fare no better: there is no font, or the helper program failed at the first three.
  private mutating func isAboutAll(_ failure: DrawingFailure) -> Bool {
    switch failure {
    case .refused(let refusal): return [.noFont, .badFont].contains(refusal.reason)
    case .failed:
      failures += 1
      return shown == 0 && failures == min(3, documents)
    case .cancelled: return false
    }
  }

  private static func entry(
    _ name: String, _ content: DocumentContent, _ size: PixelSize, _ png: [UInt8]
  ) -> GalleryPage.Entry {
    let count = content.emojiCount == 0 ? "no emoji" : "\(content.emojiCount) emoji"
    var texts: [String] = []
    for emoji in content.emojisInOrder() where !texts.contains(emoji.text.string) {
      texts.append(emoji.text.string)
      if texts.count == named { break }
    }
    return GalleryPage.Entry(
      name: String(name.dropLast(".emojiart".count)),
      words: "\(content.canvas.width) × \(content.canvas.height), \(count)", emojis: texts,
      picture: (png, (size.width + 1) / 2, (size.height + 1) / 2))
  }

  private func wait(for task: Task<Result<Picture, DrawingFailure>, Never>) throws(DrawingFailure) -> Picture
  {
    try waitForDrawing(held, restore: page.discard) { () async throws(DrawingFailure) in
      try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
  }

  /// Shows a document as one that cannot be shown.
  private mutating func fail(_ name: String, _ error: ArtError) throws(ArtError) {
    Output.complain(error.message)
    note(ExitStatus(error.code))
    errors.append((name, error.message))
    try put(GalleryPage.item(GalleryPage.Entry(name: name, words: error.message)))
  }

  private mutating func note(_ new: ExitStatus) { if status == .done { status = new } }
}
