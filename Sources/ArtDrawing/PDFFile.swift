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
  /// The pages that were begun.
  private var papers: [Paper] = []
  /// Whether the next drawing is on the last page.
  private var isPageOpen = false

  /// A file whose bytes `receive` gets in pieces and in order.
  public init(_ receive: @escaping ([UInt8]) -> Void) { sink = ByteSink(receive) }

  deinit { cairo_surface_destroy(surface) }

  /// Draws a page, or a part of one, and ends the file if its details say that none is left. Throws `noFont`, `badFont`, `tooLarge` and
  /// `noMemory`; the bytes passed until then are incomplete, and the file is of no more use.
  public func add(_ drawing: Drawing, with fonts: OpenFonts) throws(DrawingRefusal) -> Drawn {
    guard case .pdf(let size) = drawing.format else {
      throw DrawingRefusal(.tooLarge, "a page of PDF in another format")
    }
    guard max(size.width, size.height) <= PDFWriter.side else {
      throw .tooLargePage(size, drawing.region)
    }
    let typesetter = try Typesetter(fonts)
    let details = drawing.details
    let paper = Paper(page: try drawing.pageSize(size), bleed: details.bleed)
    let isNew = !isPageOpen
    if isNew { try begin(paper) }
    isPageOpen = details.sharesPage
    note(details)
    let cairo = cairo_create(surface)
    defer { cairo_destroy(cairo) }
    if isNew, !drawing.isTransparent {
      cairo_set_source_rgb(cairo, 1, 1, 1)
      cairo_paint(cairo)
    }
    images.resolution = details.resolution
    cairo_save(cairo)
    cairo_translate(cairo, paper.edge, paper.edge)
    var writer = PDFWriter(drawing: drawing, size: size, typesetter: typesetter, cairo: cairo, images: images)
    let drawn = try writer.drawPage(paper.page)
    cairo_restore(cairo)
    for credit in typesetter.fonts.credits where !credits.contains(credit) { credits.append(credit) }
    if isNew { paper.drawMarks(on: cairo) }
    if !isPageOpen || details.pagesLeft == 0 { cairo_show_page(cairo) }
    guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS else { throw .noMemory }
    images.dropBackgrounds()
    if details.pagesLeft == 0 { try finish() }
    return drawn
  }

  /// Begins a page.
  private func begin(_ paper: Paper) throws(DrawingRefusal) {
    papers.append(paper)
    guard max(paper.width, paper.height) <= Double(PDFWriter.side) else {
      throw DrawingRefusal(
        .tooLarge, "a page with its bleed has more than \(PDFWriter.side) points a side; choose a smaller one"
      )
    }
    guard surface == nil else {
      cairo_pdf_surface_set_size(surface, paper.width, paper.height)
      return
    }
    if paper.bleed != nil { sink.copy = PDFCopy() }
    surface = cairo_pdf_surface_create_for_stream(
      { context, bytes, count in
        guard let context else { return CAIRO_STATUS_WRITE_ERROR }
        Unmanaged<ByteSink>.fromOpaque(context).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, Unmanaged.passUnretained(sink).toOpaque(), paper.width, paper.height)
    // Later versions have objects in streams, in which no page is found for its boxes.
    if paper.bleed != nil { cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4) }
    // The default is the current time, which would make files differ.
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "")
  }

  /// Notes the words of a page, for the file's.
  private func note(_ details: DrawingDetails) {
    if let title = details.title { titles.append(title) }
    if let alternative = details.alternative { alternatives.append(alternative) }
    let number = papers.count
    guard let title = details.title, details.pagesLeft > 0 || titles.count > 1 else { return }
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
    if let copy = sink.copy {
      sink.copy = nil
      let update = try copy.update(papers)
      update.withUnsafeBytes { sink.write($0) }
    }
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
