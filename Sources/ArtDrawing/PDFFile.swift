// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// A PDF file that is written page by page with Cairo. Each glyph is stored once in the file.
///
/// Beside their pages, files have a title and a subject, in the metadata; a file of several pages has an outline with their titles.
/// Cairo 1.16 can mark a figure, but give it no alternative text: so that is the subject.
public final class PDFFile {
  private let sink: ByteSink
  private let images = PDFImages()
  private var surface: OpaquePointer?
  private var titles: [String] = []
  private var alternatives: [String] = []
  private var credits: [String] = []

  /// A file whose bytes `receive` gets in pieces and in order.
  public init(_ receive: @escaping ([UInt8]) -> Void) { sink = ByteSink(receive) }

  deinit { cairo_surface_destroy(surface) }

  /// Draws a page, and ends the file if its details say that none is left. Throws `noFont`, `badFont`, `tooLarge` and `noMemory`;
  /// the bytes passed until then are incomplete, and the file is of no more use.
  public func add(_ drawing: Drawing, with fonts: OpenFonts) throws(DrawingRefusal) -> Drawn {
    guard case .pdf(let size) = drawing.format else {
      throw DrawingRefusal(.tooLarge, "a page of PDF in another format")
    }
    guard max(size.width, size.height) <= PDFWriter.side else {
      throw .tooLargePage(size, drawing.region)
    }
    let typesetter = try Typesetter(fonts)
    let page = try drawing.pageSize(size)
    begin(page)
    let details = drawing.details
    note(details)
    let cairo = cairo_create(surface)
    defer { cairo_destroy(cairo) }
    images.resolution = details.resolution
    var writer = PDFWriter(drawing: drawing, size: size, typesetter: typesetter, cairo: cairo, images: images)
    let drawn = try writer.drawPage(page)
    for credit in typesetter.fonts.credits where !credits.contains(credit) { credits.append(credit) }
    cairo_show_page(cairo)
    guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS else { throw .noMemory }
    images.dropBackgrounds()
    if details.pagesLeft == 0 { try finish() }
    return drawn
  }

  /// Begins a page.
  private func begin(_ page: PageSize) {
    guard surface == nil else {
      cairo_pdf_surface_set_size(surface, page.width, page.height)
      return
    }
    surface = cairo_pdf_surface_create_for_stream(
      { context, bytes, count in
        guard let context else { return CAIRO_STATUS_WRITE_ERROR }
        Unmanaged<ByteSink>.fromOpaque(context).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, Unmanaged.passUnretained(sink).toOpaque(), page.width, page.height)
    // The default is the current time, which would make files differ.
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "")
  }

  /// Notes the words of a page, for the file's.
  private func note(_ details: DrawingDetails) {
    if let title = details.title { titles.append(title) }
    if let alternative = details.alternative { alternatives.append(alternative) }
    let number = titles.count
    guard let title = details.title, details.pagesLeft > 0 || number > 1 else { return }
    cairo_pdf_surface_add_outline(
      surface, CAIRO_PDF_OUTLINE_ROOT, title, "page=\(number)", cairo_pdf_outline_flags_t(0))
  }

  /// The most pages whose titles are the file's.
  private static let titlesShown = 8

  private func finish() throws(DrawingRefusal) {
    let more = titles.count - Self.titlesShown
    let title =
      titles.prefix(Self.titlesShown).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    write(title, as: CAIRO_PDF_METADATA_TITLE)
    write(alternatives.joined(separator: "\n"), as: CAIRO_PDF_METADATA_SUBJECT)
    write(credits.joined(separator: "; "), as: CAIRO_PDF_METADATA_KEYWORDS)
    cairo_surface_finish(surface)
    guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else { throw .noMemory }
    sink.flush()
  }

  /// Writes words, which Cairo encodes as UTF-16 where they need it.
  private func write(_ words: String, as kind: cairo_pdf_metadata_t) {
    guard !words.isEmpty else { return }
    cairo_pdf_surface_set_metadata(
      surface, kind, String(String.UnicodeScalarView(words.unicodeScalars.prefix(DrawingDetails.textLength))))
  }
}

extension Drawing {
  /// The page in points.
  fileprivate func pageSize(_ size: PixelSize) throws(DrawingRefusal) -> PageSize {
    if let page = details.page { return page }
    do throws(ArtError) {
      return try PageSize(width: Double(size.width), height: Double(size.height))
    } catch {
      throw .tooLargePage(size, region)
    }
  }
}
