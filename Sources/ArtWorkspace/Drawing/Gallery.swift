// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Glibc

/// What a front end should say of a document in a gallery.
public enum GalleryEvent: Sendable {
  /// It is in the gallery as one that cannot be shown.
  case failed(ArtError)
  /// The document at that path was drawn; what may be amiss.
  case drawn(String, Drawn)
  /// The bytes of the background are lost: the document at that path was drawn without.
  case pictureLost(String)
}

/// A gallery being written: documents are read one after the other, two are drawn at once, and each is written in its turn.
public struct Gallery<Waiter: DrawingWaiter> {
  /// Bytes of a small picture at most.
  private static var pictureBytes: Int { 4 << 20 }
  /// Emoji that stand for a picture.
  private static var named: Int { 8 }
  private static var atOnce: Int { 2 }

  private let folder: String
  private let font: String?
  private let page: OutputFile
  private let waiter: Waiter
  private let report: (GalleryEvent) -> Void
  private let renderer: Renderer
  /// What programs that are gone have left.
  private let journals: [OrphanedJournal]
  private let recovery: Recovery
  /// For the documents that other programs hold.
  private var timeout = SharedTimeout(.seconds(5))

  /// How many documents are in it with a picture.
  public private(set) var shown = 0
  /// Those that are in it without one, and why.
  public private(set) var errors: [(name: String, error: ArtError)] = []
  /// The first thing that went wrong; nil where nothing did. `damaged` stands for a background that is not drawn.
  public private(set) var firstFailure: ArtError.Code?
  private var failures = 0
  private var documents = 0

  /// A gallery of a folder, to be written into `page`. `font` is the font file that a person named; `report` is given each event as
  /// it happens.
  public init(
    of folder: String, font: String? = nil, into page: OutputFile, recovery: Recovery, waiter: Waiter,
    renderer: Renderer = Renderer(), report: @escaping (GalleryEvent) -> Void = { _ in }
  ) {
    self.folder = folder
    self.font = EmojiFont.find(font)
    self.page = page
    self.recovery = recovery
    self.waiter = waiter
    self.renderer = renderer
    self.report = report
    journals = recovery.journals()
  }

  /// Writes all of it and puts it at its path. Throws what keeps it from being written: no font, no room.
  public mutating func write(_ listing: FolderListing) throws(ArtError) {
    let count = listing.names.count + listing.unreadable.count
    try put(Array(GalleryPage.head(title: Self.title(folder), count: count).utf8))
    for name in listing.unreadable {
      try fail(name, ArtError(.badValue, "\(name) has a name that is no UTF-8; rename it", about: name))
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
    guard !page.write(bytes) else { return }
    try page.check()
  }

  /// What the folder is called.
  private static func title(_ folder: String) -> String {
    guard let real = FilePath.resolvedIfThere(folder) else { return folder }
    let name = FilePath(real).name
    return name.isEmpty ? "/" : name
  }
}

extension Gallery {
  private typealias Picture = (drawn: Drawn, png: [UInt8])

  /// A document in its turn: read, and being drawn.
  private struct Begun {
    let name: String
    let work: Result<(DocumentView, PixelSize, Task<Result<Picture, DrawingFailure>, Never>), ArtError>
  }

  private mutating func begin(_ name: String) -> Begun {
    do throws(ArtError) {
      let path = FilePath.path(of: name, in: folder)
      let seen = try timeout.read(path) { [journals, recovery] (file) throws(ArtError) in
        try DocumentView(file, among: journals, recovery: recovery)
      }
      let size = try Self.size(seen.content.canvas)
      let drawing = Drawing(
        scene: seen.scene, region: CanvasRect(seen.content.canvas), format: .png(size), font: font)
      let (renderer, limit) = (renderer, Self.pictureBytes)
      let task = Task.detached { () -> Result<Picture, DrawingFailure> in
        do throws(DrawingFailure) {
          return .success(try await renderer.draw(drawing, limit: limit))
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
    let (seen, size, task): (DocumentView, PixelSize, Task<Result<Picture, DrawingFailure>, Never>)
    do throws(ArtError) { (seen, size, task) = try begun.work.get() } catch {
      return try fail(begun.name, error)
    }
    let path = FilePath.path(of: begun.name, in: folder)
    let picture: Picture
    do throws(DrawingFailure) { picture = try wait(for: task) } catch {
      guard !isAboutAll(error) else { throw ArtError(error, drawing: "the gallery of \(folder)") }
      return try fail(begun.name, ArtError(error, drawing: path))
    }
    report(.drawn(path, picture.drawn))
    if picture.drawn.pictureFault != nil { note(.damaged) }
    if seen.isPictureLost {
      report(.pictureLost(path))
      note(.damaged)
    }
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
    try waiter.wait { () async throws(DrawingFailure) in
      try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
  }

  /// Shows a document as one that cannot be shown.
  private mutating func fail(_ name: String, _ error: ArtError) throws(ArtError) {
    report(.failed(error))
    note(error.code)
    errors.append((name, error))
    try put(GalleryPage.item(GalleryPage.Entry(name: name, words: error.cause)))
  }

  private mutating func note(_ code: ArtError.Code) { firstFailure = firstFailure ?? code }
}

/// The pieces of a gallery: one HTML page that needs nothing beside it. It has no script, and its policy allows none, nor anything
/// from elsewhere.
enum GalleryPage {
  /// What is told of a document.
  struct Entry {
    /// What it is called.
    var name: String
    /// What is below the name: its size and how many emoji it has, or why it cannot be shown.
    var words: String
    /// The first emoji of it, which stand for the picture where that cannot be seen.
    var emojis: [String] = []
    /// A PNG file and how large it is shown, or nothing for what cannot be shown.
    var picture: (png: [UInt8], width: Int, height: Int)?
  }

  /// How every gallery begins; no other page does.
  static let mark =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"emojiart "

  /// What comes before the documents.
  static func head(title: String, count: Int) -> String {
    """
    \(mark)\(EmojiArtVersion.current)">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-\(styleDigest)'; \
    base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(escaped(title))</title>
    <style>\(style)</style>
    <main>
    <h1><bdi>\(escaped(title))</bdi> <small>\(count == 1 ? "1 document" : "\(count) documents")</small></h1>
    <ul role="list">

    """
  }

  /// A document.
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
    item += "<h2><bdi>\(escaped(entry.name))</bdi></h2><p>\(escaped(entry.words))</p></li>\n".utf8
    return item
  }

  /// What comes after the documents.
  static let end = "</ul>\n</main>\n</html>\n"

  /// Text as HTML shows it, in quotes, too; characters that cannot be seen are shown by their numbers.
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

  /// How a picture is shown at most, in the units of the page; it has twice as many pixels.
  static let (widest, highest) = (240.0, 180.0)

  /// Colours are the browser's own, of a bright page or a dark one. A column is as wide as the pictures; a telephone has two.
  private static let style = """
    *{box-sizing:border-box}
    body{margin:0;padding:clamp(.75rem,2vw,2.5rem);font:1rem/1.4 system-ui,sans-serif;background:Canvas;color:CanvasText}
    main{display:grid;gap:1.5rem;justify-content:center;grid-template-columns:repeat(auto-fill,15rem)}
    h1{grid-column:1/-1;margin:0;font-size:1.5rem;line-height:1.2;overflow-wrap:anywhere}
    small{font-size:1rem;font-weight:normal;opacity:.7;white-space:nowrap}
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
  private static let styleDigest = "6kZ8T6M0KzgMDJjzJR+XniCrhkqRV9i2GtAbmeQ4LOc="
}
