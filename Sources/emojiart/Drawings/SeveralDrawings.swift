// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// Several documents that `render` draws, into one file or into a file each.
struct SeveralDrawings {
  /// A document that was read, and is read again when its page is drawn: the memory holds one at a time.
  private struct Page: Sendable {
    let file: DocumentFile
    let revision: Int
    let size: PixelSize
    let picture: PictureKind?
    let fonts: [String]
    let hasLetters: Bool
    let isPictureLost: Bool
    let fill: Color?
    /// The part that is drawn of a trimmed document.
    let ink: CanvasRect?
  }

  let arguments: RenderArguments
  let files: [DocumentFile]
  let isJSON: Bool

  /// Draws each document into a file of its own. What fails is reported, and the others are drawn. Returns the first failure's status.
  func drawEach(_ pattern: OutputPattern, _ advice: inout DrawingAdvice) throws(ArtError) -> ExitStatus {
    let paths = try pattern.paths(for: files.map(\.path))
    var status = ExitStatus.done
    var results: [JSON] = []
    for (file, path) in zip(files, paths) {
      do throws(ArtError) {
        let single = SingleDrawing(arguments: arguments, file: file, output: path, isJSON: isJSON)
        let next = try single.draw(&advice) { results.append($0) }
        if status == .done { status = next }
      } catch {
        try Output.flush()
        Output.printError(error.message)
        if status == .done { status = ExitStatus(error.code) }
      }
    }
    if isJSON { try Output.json(.array(results)) }
    return status
  }

  /// Draws all into one PDF file, a page each. Every document is read before anything is written; those that cannot be read are reported.
  func drawPages(_ advice: inout DrawingAdvice) throws(ArtError) -> ExitStatus {
    let (pages, failure) = read()
    if let failure { return failure }
    let result = try OutputFile(of: OutputLocation(argument: arguments.output, replacing: .pictures))
    let drawn = try draw(pages, into: result)
    var status = ExitStatus.done
    for (page, drawn) in zip(pages, drawn) {
      let notes = DrawingNotes.printFault(drawn, of: page.file.path)
      advice.add(drawn, of: page.file.path)
      advice.add(fill: page.fill, arguments.options, of: page.file.path)
      if page.isPictureLost { DrawingNotes.printLostPicture(in: page.file.path) }
      for next in [notes, page.isPictureLost ? .badData : .done] where status == .done { status = next }
    }
    if arguments.output != "-" {
      Output.addToErrors("the pages are in \(arguments.output)")
      try write(pages, drawn, bytes: result.size)
    }
    return status
  }

  private func read() -> ([Page], failure: ExitStatus?) {
    var pages: [Page] = []
    var failure: ExitStatus?
    for file in files {
      do throws(ArtError) {
        let (view, drawing, size) = try arguments.drawing(of: file)
        pages.append(
          Page(
            file: file, revision: view.content.revision, size: size, picture: view.pictureKind,
            fonts: drawing.fonts,
            hasLetters: view.hasLetters, isPictureLost: view.isPictureLost, fill: view.content.fill,
            ink: arguments.options.isTrimmed ? drawing.region : nil))
      } catch {
        Output.printError(error.message)
        failure = failure ?? ExitStatus(error.code)
      }
    }
    return (pages, failure)
  }

  private func draw(_ pages: [Page], into result: OutputFile) throws(ArtError) -> [Drawn] {
    let signals = result.blockedSignals()
    defer { signals.release() }
    let drawings = DrawingSequence(
      count: pages.count, fonts: pages.first?.fonts ?? [], pictures: Set(pages.compactMap(\.picture)),
      hasLetters: pages.contains(where: \.hasLetters)
    ) { [arguments] (index) throws(ArtError) in
      let page = pages[index]
      let view = try DocumentView(page.file, at: arguments.reference, recovery: .ofCommand)
      let (_, drawing, _) = try arguments.drawing(
        of: page.file, view, ink: page.ink, number: index, of: pages.count)
      guard view.content.revision == page.revision else {
        throw ArtError(
          .movedOn, "\(page.file.path) was edited while the pages were drawn; draw them again",
          about: page.file.path)
      }
      return drawing
    }
    return try result.orEnd { () throws(ArtError) in
      try result.finish(
        pages: drawings, named: pages.map(\.file.path),
        waiter: SignalledWaiter(signals: signals, file: result))
    }
  }

  private func write(_ pages: [Page], _ drawn: [Drawn], bytes: Int) throws(ArtError) {
    let mediaType = arguments.options.format.mediaType
    guard isJSON else {
      let count = arguments.options.sheet.map { (pages.count - 1) / $0.rawValue + 1 } ?? pages.count
      return try Output.line(
        safe("\(mediaType) \(count) \(count == 1 ? "page" : "pages"), \(arguments.output)"))
    }
    let entries = zip(pages, drawn).map { page, drawn in
      let fields: [String: JSON] = [
        "document": .string(page.file.path), "height": .integer(page.size.height),
        "width": .integer(page.size.width),
      ]
      return JSON.object(fields.merging(DrawingNotes.json(drawn)) { first, _ in first })
    }
    try Output.json(
      .object([
        "rendered": .object([
          "mediaType": .string(mediaType), "pages": .array(entries), "path": .string(arguments.output),
          "size": .integer(bytes),
        ])
      ]))
  }
}

/// One document that `render` draws into one file.
struct SingleDrawing {
  let arguments: RenderArguments
  let file: DocumentFile
  let output: String
  let isJSON: Bool

  /// Reads, draws and reports; JSON is passed to `report`. Returns the status.
  func draw(
    _ advice: inout DrawingAdvice, report: (JSON) throws(ArtError) -> Void
  ) throws(ArtError) -> ExitStatus {
    let (view, drawing, size) = try arguments.drawing(of: file)
    let result = try OutputFile(of: OutputLocation(argument: output, replacing: .pictures))
    let (drawn, found) = try draw(drawing, into: result)
    var status = DrawingNotes.printFault(drawn, of: file.path)
    if status == .done { status = view.printLostPicture(in: file.path) }
    advice.add(drawn, of: file.path)
    advice.add(fill: view.content.fill, arguments.options, of: file.path)
    if let found { advice.add(found, of: file.path) }
    if output != "-" {
      Output.addToErrors("the picture is in \(output)")
      try write(found?.drawing.format.raster ?? size, drawn, found, bytes: result.size, report)
    }
    return status
  }

  /// Draws into a file. A signal leaves no partial file behind.
  private func draw(
    _ drawing: Drawing, into result: OutputFile
  ) throws(ArtError) -> (Drawn, BoundedDrawing?) {
    let signals = result.blockedSignals()
    defer { signals.release() }
    let waiter = SignalledWaiter(signals: signals, file: result)
    return try result.orEnd { () throws(ArtError) in
      guard let limit = arguments.maxBytes else {
        return (try result.finish(drawing, of: file.path, waiter: waiter), nil)
      }
      let found = try result.finish(
        drawing, within: limit, canShrink: arguments.canShrink, of: file.path, waiter: waiter)
      return (found.drawn, found)
    }
  }

  private func write(
    _ size: PixelSize, _ drawn: Drawn, _ found: BoundedDrawing?, bytes: Int,
    _ report: (JSON) throws(ArtError) -> Void
  ) throws(ArtError) {
    let mediaType = arguments.options.format.mediaType
    guard isJSON else {
      return try Output.line(safe("\(mediaType) \(size.width) x \(size.height), \(output)"))
    }
    var fields: [String: JSON] = [
      "height": .integer(size.height), "mediaType": .string(mediaType), "path": .string(output),
      "size": .integer(bytes), "width": .integer(size.width),
    ]
    if let found { fields["quality"] = found.drawing.format.quality.map { .integer($0) } ?? .null }
    try report(.object(["rendered": .object(fields.merging(DrawingNotes.json(drawn)) { first, _ in first })]))
  }
}
