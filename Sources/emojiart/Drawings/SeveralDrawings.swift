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
  }

  let arguments: RenderArguments
  let files: [DocumentFile]
  let isJSON: Bool

  /// Draws each document into a file of its own. What fails is reported, and the others are drawn. Returns the first failure's status.
  func drawEach(_ pattern: OutputPattern) throws(ArtError) -> ExitStatus {
    let paths = try pattern.paths(for: files.map(\.path))
    var status = ExitStatus.done
    var results: [JSON] = []
    for (file, path) in zip(files, paths) {
      do throws(ArtError) {
        let single = SingleDrawing(arguments: arguments, file: file, output: path, isJSON: isJSON)
        let next = try single.draw { results.append($0) }
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
  func drawPages() throws(ArtError) -> ExitStatus {
    let (pages, failure) = read()
    if let failure { return failure }
    let result = try OutputFile(of: OutputLocation(argument: arguments.output, replacing: .pictures))
    let drawn = try draw(pages, into: result)
    var status = ExitStatus.done
    for (page, drawn) in zip(pages, drawn) {
      let notes = DrawingNotes.printNotes(drawn, of: page.file.path)
      DrawingNotes.printOpaqueFill(page.fill, arguments.options, of: page.file.path)
      if page.isPictureLost { DrawingNotes.printLostPicture(in: page.file.path) }
      for next in [notes, page.isPictureLost ? .badData : .done] where status == .done { status = next }
    }
    DrawingNotes.printEnlarged(zip(pages, drawn).map { ($0.file.path, $1) })
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
            hasLetters: view.hasLetters, isPictureLost: view.isPictureLost, fill: view.content.fill))
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
      let (view, drawing, _) = try arguments.drawing(of: page.file, number: index, of: pages.count)
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
  func draw(report: (JSON) throws(ArtError) -> Void) throws(ArtError) -> ExitStatus {
    let (view, drawing, size) = try arguments.drawing(of: file)
    let result = try OutputFile(of: OutputLocation(argument: output, replacing: .pictures))
    let drawn = try draw(drawing, into: result)
    var status = DrawingNotes.printNotes(drawn, of: file.path)
    if status == .done { status = view.printLostPicture(in: file.path) }
    DrawingNotes.printOpaqueFill(view.content.fill, arguments.options, of: file.path)
    DrawingNotes.printEnlarged([(file.path, drawn)])
    if output != "-" {
      Output.addToErrors("the picture is in \(output)")
      try write(size, drawn, bytes: result.size, report)
    }
    return status
  }

  /// Draws into a file. A signal leaves no partial file behind.
  private func draw(_ drawing: Drawing, into result: OutputFile) throws(ArtError) -> Drawn {
    let signals = result.blockedSignals()
    defer { signals.release() }
    return try result.orEnd { () throws(ArtError) in
      try result.finish(drawing, of: file.path, waiter: SignalledWaiter(signals: signals, file: result))
    }
  }

  private func write(
    _ size: PixelSize, _ drawn: Drawn, bytes: Int, _ report: (JSON) throws(ArtError) -> Void
  ) throws(ArtError) {
    let mediaType = arguments.options.format.mediaType
    guard isJSON else {
      return try Output.line(safe("\(mediaType) \(size.width) x \(size.height), \(output)"))
    }
    let fields: [String: JSON] = [
      "height": .integer(size.height), "mediaType": .string(mediaType), "path": .string(output),
      "size": .integer(bytes), "width": .integer(size.width),
    ]
    try report(.object(["rendered": .object(fields.merging(DrawingNotes.json(drawn)) { first, _ in first })]))
  }
}
