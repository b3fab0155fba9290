// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc

/// A message about a document in a gallery.
public enum GalleryEvent: Sendable {
  /// A document cannot be shown; it is in the gallery with the error.
  case failed(ArtError)
  /// The document at that path was drawn; with possible warnings.
  case drawn(String, Drawn)
  /// The bytes of the background are lost: the document at that path was drawn without it.
  case pictureLost(String)
}

/// Writes a gallery: documents are read in order, two are drawn at once, and each is written in its turn.
public struct Gallery<Waiter: DrawingWaiter> {
  /// How many emoji stand for a picture that cannot be seen.
  private static var named: Int { 8 }
  private static var atOnce: Int { 2 }

  private let folder: String
  private let page: OutputFile
  private let waiter: Waiter
  private let report: (GalleryEvent) -> Void
  private let thumbnails: Thumbnails
  /// The orphaned journals.
  private let journals: [OrphanedJournal]
  private let recovery: Recovery
  /// The timeout for documents that other programs hold.
  private var timeout = SharedTimeout(.seconds(5))

  /// The number of documents with a picture.
  public private(set) var shown = 0
  /// The documents without a picture, and why.
  public private(set) var errors: [(name: String, error: ArtError)] = []
  /// The first failure; nil for none. `damaged` stands for a background that is not drawn.
  public private(set) var firstFailure: ArtError.Code?
  private var failures = 0
  private var documents = 0

  /// How many documents are shown, in words: `3 documents`, or `2 of 3 documents`.
  public var count: String {
    let all = shown + errors.count
    let documents = all == 1 ? "1 document" : "\(all) documents"
    return errors.isEmpty ? documents : "\(shown) of \(documents)"
  }

  /// Prepares a gallery in the file `page`, with pictures from `thumbnails`; `report` is called with each event.
  public init(
    of folder: String, into page: OutputFile, recovery: Recovery, waiter: Waiter,
    thumbnails: Thumbnails = Thumbnails(), report: @escaping (GalleryEvent) -> Void = { _ in }
  ) {
    self.folder = folder
    self.page = page
    self.recovery = recovery
    self.waiter = waiter
    self.thumbnails = thumbnails
    self.report = report
    journals = recovery.journals()
  }

  /// Writes the whole gallery and puts it at its path. Throws what prevents that, such as no font or no space.
  public mutating func write(_ listing: FolderListing) throws(ArtError) {
    try put(Array(GalleryPage.head(title: Self.title(folder)).utf8))
    for name in listing.unreadable {
      try fail(name, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name))
    }
    documents = listing.names.count
    var started: [StartedDrawing] = []
    // If one drawing fails for all, the other one is not needed.
    defer { for drawing in started { drawing.cancel() } }
    for name in listing.names {
      if started.count == Self.atOnce { try finish(started.removeFirst()) }
      started.append(begin(name))
    }
    while !started.isEmpty { try finish(started.removeFirst()) }
    try put(Array(GalleryPage.end(count: count).utf8))
    try page.finish()
  }

  private func put(_ bytes: [UInt8]) throws(ArtError) {
    guard !page.write(bytes) else { return }
    try page.check()
  }

  /// The title for a folder.
  private static func title(_ folder: String) -> String {
    guard let real = FilePath.resolvedIfThere(folder) else { return folder }
    let name = FilePath(real).name
    return name.isEmpty ? "/" : name
  }
}

extension Gallery {
  private typealias Picture = Task<Result<Thumbnails.Thumbnail, DrawingFailure>, Never>

  /// A document that was read and is being drawn.
  private struct StartedDrawing {
    let name: String
    let work: Result<(view: DocumentView, size: PixelSize, picture: Picture), ArtError>

    func cancel() {
      if case .success(let work) = work { work.picture.cancel() }
    }
  }

  private mutating func begin(_ name: String) -> StartedDrawing {
    do throws(ArtError) {
      let path = FilePath.path(of: name, in: folder)
      let (view, isSaved) = try timeout.read(path) { [journals, recovery] (file) throws(ArtError) in
        let view = try DocumentView(file, among: journals, recovery: recovery)
        return (view, file.journals(among: journals).own.isEmpty)
      }
      let bounds = try Self.bounds()
      let size = try Thumbnails.size(of: view.content.canvas, within: bounds)
      let picture = Picture.detached { [thumbnails] () -> Result<Thumbnails.Thumbnail, DrawingFailure> in
        do throws(DrawingFailure) {
          return .success(try await thumbnails.thumbnail(of: view, within: bounds, isSaved: isSaved))
        } catch {
          return .failure(error)
        }
      }
      return StartedDrawing(name: name, work: .success((view, size, picture)))
    } catch {
      return StartedDrawing(name: name, work: .failure(error))
    }
  }

  /// The bounds of a picture: twice the shown size.
  private static func bounds() throws(ArtError) -> PixelSize {
    try PixelSize(width: 2 * GalleryPage.widest, height: 2 * GalleryPage.highest)
  }

  private mutating func finish(_ started: StartedDrawing) throws(ArtError) {
    let (view, size, task): (DocumentView, PixelSize, Picture)
    do throws(ArtError) { (view, size, task) = try started.work.get() } catch {
      return try fail(started.name, error)
    }
    let path = FilePath.path(of: started.name, in: folder)
    let picture: Thumbnails.Thumbnail
    do throws(DrawingFailure) { picture = try wait(for: task) } catch {
      guard !isAboutAll(error) else { throw ArtError(error, drawing: "the gallery of \(folder)") }
      return try fail(started.name, ArtError(error, drawing: path))
    }
    report(.drawn(path, picture.drawn))
    if picture.drawn.pictureFault != nil { note(.damaged) }
    if view.isPictureLost {
      report(.pictureLost(path))
      note(.damaged)
    }
    var entry = Self.entry(started.name, view.content, size, picture.png)
    if let document = ConflictCopy(path)?.document {
      entry.detail += "; conflict copy of \(DocumentName.withoutEnding(FilePath(document).name))"
    }
    try put(GalleryPage.item(entry))
    shown += 1
  }

  /// Whether other documents would fail in the same way: there is no font, or the helper process failed for the first three.
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
    var texts: [String] = []
    for emoji in content.emojisInOrder() where !texts.contains(emoji.text.label) {
      texts.append(emoji.text.label)
      if texts.count == named { break }
    }
    return GalleryPage.Entry(
      name: DocumentName.withoutEnding(name),
      detail: "\(content.canvas.width) × \(content.canvas.height), \(content.countText)", emojis: texts,
      picture: (png, (size.width + 1) / 2, (size.height + 1) / 2))
  }

  private func wait(for task: Picture) throws(DrawingFailure) -> Thumbnails.Thumbnail {
    try waiter.wait { () async throws(DrawingFailure) in
      try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
  }

  /// Writes a document that cannot be shown.
  private mutating func fail(_ name: String, _ error: ArtError) throws(ArtError) {
    report(.failed(error))
    // A file that is no document is told, and is no failure.
    if error.code != .notADocument { note(error.code) }
    errors.append((name, error))
    try put(GalleryPage.item(GalleryPage.Entry(name: name, detail: error.cause)))
  }

  private mutating func note(_ code: ArtError.Code) { firstFailure = firstFailure ?? code }
}

/// The parts of a gallery: one self-contained HTML page. It has no script, and its policy allows no script and no external
/// content.
enum GalleryPage {
  /// A document's entry.
  struct Entry {
    /// The document's name.
    var name: String
    /// The text below the name: the size and the number of emoji, or the error.
    var detail: String
    /// The first emoji, for readers who cannot see the picture.
    var emojis: [String] = []
    /// A PNG file and its shown size; nil for a document that cannot be shown.
    var picture: (png: [UInt8], width: Int, height: Int)?
  }

  /// The beginning of every gallery, and of no other page.
  static let mark =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"emojiart "

  /// The page up to the first document.
  static func head(title: String) -> String {
    """
    \(mark)\(EmojiArtVersion.current)">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-\(styleDigest)'; \
    base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(escaped(title))</title>
    <style>\(style)</style>
    <main>
    <h1><bdi>\(escaped(title))</bdi></h1>
    <ul role="list">

    """
  }

  /// The HTML of a document.
  static func item(_ entry: Entry) -> [UInt8] {
    var item = Array("<li>".utf8)
    if let picture = entry.picture {
      let alternative = escaped(entry.emojis.joined(separator: " "))
      item +=
        "<div><img alt=\"\(alternative)\" width=\"\(picture.width)\" height=\"\(picture.height)\" "
        .utf8
      item += "decoding=\"async\" src=\"data:image/png;base64,".utf8
      item += Base64Encoder.text(picture.png)
      item += "\"></div>".utf8
    } else {
      item += "<div class=\"fault\"><p>cannot be shown</p></div>".utf8
    }
    item += "<h2><bdi>\(escaped(entry.name))</bdi></h2><p>\(escaped(entry.detail))</p></li>\n".utf8
    return item
  }

  /// The page after the last document. How many are shown is known only there.
  static func end(count: String) -> String {
    "</ul>\n<footer>\(escaped(count))</footer>\n</main>\n</html>\n"
  }

  /// Text escaped for HTML, also within quotes; invisible characters are shown as numbers.
  static func escaped(_ text: String) -> String {
    text.visible.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// The largest shown size of a picture, in CSS pixels; it has twice as many pixels.
  static let (widest, highest) = (240, 180)

  /// The browser's own colours, light or dark. A column is as wide as the pictures; a telephone shows two.
  private static let style = """
    *{box-sizing:border-box}
    body{margin:0;padding:clamp(.75rem,2vw,2.5rem);font:1rem/1.4 system-ui,sans-serif;background:Canvas;color:CanvasText}
    main{display:grid;gap:1.5rem;justify-content:center;grid-template-columns:repeat(auto-fill,15rem)}
    h1{grid-column:1/-1;margin:0;font-size:1.5rem;line-height:1.2;overflow-wrap:anywhere}
    footer{grid-column:1/-1;opacity:.7}
    ul{display:contents;list-style:none}
    li{min-width:0}
    div{aspect-ratio:4/3;display:grid;grid-template:100%/100%;place-items:center;border-radius:.5rem;overflow:hidden;\
    outline:1px solid color-mix(in srgb,CanvasText 20%,Canvas);background:color-mix(in srgb,CanvasText 8%,Canvas)}
    img{display:block;width:100%;height:100%;object-fit:contain}
    h2{margin:.5rem 0 0;font-size:1rem;line-height:1.3;overflow-wrap:anywhere}
    p{margin:0;font-size:.875rem;opacity:.75;overflow-wrap:anywhere}
    .fault{outline-style:dashed;padding:.5rem;text-align:center}
    @media (max-width:35rem){main{gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,8rem),1fr))}}
    """

  /// The SHA-256 of the style in base64: the only style that the page's policy allows.
  private static let styleDigest = "IBiUkmF0+gmyzD/VJg97UyrDhfOu8UBedOcXQYBvnRE="
}
