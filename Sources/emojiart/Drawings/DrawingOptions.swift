// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

/// The arguments of `render`, parsed before any file is opened.
struct RenderArguments {
  let output: String
  let options: RenderOptions
  /// The most bytes of a file; nil for any number.
  let maxBytes: Int?
  /// Whether a file with too many bytes may get fewer pixels: none of its sides was asked for.
  let canShrink: Bool
  /// The state that is drawn; nil for the present one.
  let reference: RevisionReference?
  /// The text of the size, for messages.
  private let size: String

  /// Throws `usage` and `badValue`.
  init(_ arguments: Render) throws(ArtError) {
    output = arguments.output
    reference = try arguments.state.reference()
    let destination = try arguments.destination.map { (name) throws(ArtError) in
      try Destination(named: name)
    }
    let format = try Self.format(arguments, destination)
    let page = try Self.page(arguments)
    let (size, frame, typed) = try Self.size(arguments, destination)
    let resolution = try Self.resolution(arguments, format)
    try Self.checkTargets(arguments, format)
    self.size = typed
    var options = try RenderOptions(
      format, size: size, region: arguments.region,
      isTransparent: arguments.transparent || destination != nil,
      embedsGlyphs: !arguments.text, quality: Self.quality(arguments, format),
      page: page, frame: frame, resolution: resolution,
      font: CurrentSettings.option(arguments.font, else: .font))
    (options.sheet, options.bleed) = try Self.print(arguments, format)
    options.hasTextCaptions = arguments.textCaptions
    options.isTrimmed = arguments.trim || destination != nil
    options.isLossless = arguments.lossless
    self.options = options
    maxBytes = try Self.maxBytes(arguments, format, destination)
    canShrink =
      switch size {
      case .width, .within: false
      case .scale, .fitting: page == nil && arguments.scale == nil
      }
    if arguments.lossless, format != .webp {
      throw ArtError(
        .usage,
        "--lossless is about WebP, and \(format.rawValue.uppercased()) is to be written; leave it out")
    }
    if arguments.text, arguments.textCaptions {
      throw ArtError(.usage, "--text or --text-captions: give one of them")
    }
    if arguments.text || arguments.textCaptions, format != .svg {
      throw ArtError(
        .usage,
        "\(arguments.text ? "--text" : "--text-captions") is about SVG, and \(format.rawValue.uppercased()) is to be written; leave it out"
      )
    }
    if arguments.transparent, format == .jpeg {
      throw ArtError(.usage, "--transparent: JPEG has no transparency; write PNG or WebP, or leave it out")
    }
    if arguments.font?.isEmpty == true {
      throw ArtError(.badValue, "an empty name is no font file; give one")
    }
    if output == "-", arguments.common.json {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
  }

  private static func format(
    _ arguments: Render, _ destination: Destination?
  ) throws(ArtError) -> PictureFormat {
    guard let destination else { return try format(arguments) }
    // A service has a format of its own where none is named.
    let isNamed = arguments.format != nil || PictureFormat(endingOf: arguments.output) != nil
    guard isNamed, let format = isNamed ? try format(arguments) : destination.formats.first else {
      return destination.formats.first ?? .png
    }
    guard destination.formats.contains(format) else {
      let taken = destination.formats.map { $0.rawValue.uppercased() }.joined(separator: " or ")
      throw ArtError(
        .usage,
        "--for \(destination.name) makes \(taken), and \(format.rawValue.uppercased()) is to be written; name another file or format"
      )
    }
    return format
  }

  private static func format(_ arguments: Render) throws(ArtError) -> PictureFormat {
    let ending = arguments.output == "-" ? .png : PictureFormat(endingOf: arguments.output)
    guard let typed = arguments.format else {
      guard let ending else {
        throw ArtError(
          .usage,
          "\(shown(arguments.output)) ends in none of .png, .jpg, .webp, .avif, .svg and .pdf; say which one with --format"
        )
      }
      return ending
    }
    guard let format = PictureFormat(name: typed) else {
      throw ArtError(.badValue, "\(shown(typed)) is no format; give png, jpg, webp, avif, svg or pdf")
    }
    if let ending, ending != format, arguments.output != "-" {
      throw ArtError(.usage, "\(arguments.output) and --format \(format.rawValue) do not go together")
    }
    return format
  }

  private static func page(_ arguments: Render) throws(ArtError) -> Page? {
    guard let typed = arguments.page else {
      if arguments.margin != nil, !arguments.pad {
        throw ArtError(
          .usage, "--margin is about a page, or about --pad; give one of them, too, or leave it out")
      }
      if arguments.landscape {
        throw ArtError(.usage, "--landscape is about a page; give --page, too, or leave it out")
      }
      return nil
    }
    for (name, isGiven) in [
      ("--scale", arguments.scale != nil), ("--width", arguments.width != nil),
      ("--fit", arguments.fit != nil), ("--pad", arguments.pad), ("--for", arguments.destination != nil),
    ]
    where isGiven {
      throw ArtError(.usage, "--page or \(name): give one of them")
    }
    // Several documents that touch each other would look like one.
    let margin = arguments.margin ?? (arguments.up == nil ? nil : "\(numberText(Page.Sheet.margin))mm")
    return try Page(typed: typed, margin: margin, isLandscape: arguments.landscape)
  }

  /// What is about pages of PDF that are printed and cut.
  private static func print(_ arguments: Render, _ format: PictureFormat) throws(ArtError) -> (
    Page.Sheet?, bleed: Double?
  ) {
    for (name, isGiven) in [("--up", arguments.up != nil), ("--bleed", arguments.bleed != nil)] where isGiven
    {
      guard format == .pdf else {
        throw ArtError(
          .usage, "\(name) is about PDF, and \(format.rawValue.uppercased()) is to be written; leave it out")
      }
      guard arguments.page != nil else {
        throw ArtError(.usage, "\(name) is about a page; give --page, too, or leave it out")
      }
    }
    guard arguments.up == nil || arguments.bleed == nil else {
      throw ArtError(.usage, "--up or --bleed: give one of them")
    }
    var sheet: Page.Sheet?
    if let typed = arguments.up {
      sheet = Int(typed).flatMap { Page.Sheet(rawValue: $0) }
      guard sheet != nil else {
        throw ArtError(
          .badValue, "\(shown(typed)) is no number of documents for a page; give 2, 4, 6, 8, 9 or 16")
      }
    }
    return (sheet, try arguments.bleed.map { (typed) throws(ArtError) in try Page.bleed(typed: typed) })
  }

  private static func resolution(_ arguments: Render, _ format: PictureFormat) throws(ArtError) -> Int? {
    guard let typed = arguments.dpi else { return nil }
    guard format != .svg else {
      throw ArtError(.usage, "--dpi is about pixels, and SVG has any number of them; leave it out")
    }
    guard format.recordsResolution || format == .pdf || arguments.page != nil else {
      let name = format == .webp ? "a WebP" : "an AVIF"
      throw ArtError(.usage, "--dpi: \(name) file does not record it; leave it out, or give --page")
    }
    guard typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let dots = Int(typed),
      DrawingDetails.resolutions.contains(dots)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no resolution; give whole dots per inch from 1 to 9,600, such as 300")
    }
    return dots
  }

  /// Several documents need a file that has pages, or files.
  private static func checkTargets(_ arguments: Render, _ format: PictureFormat) throws(ArtError) {
    let count = arguments.docs.count
    guard OutputPattern(arguments.output) == nil, count > 1 else { return }
    guard format == .pdf else {
      throw ArtError(
        .usage,
        "\(count) documents and one \(format.rawValue.uppercased()) file; write {name} into its name for a file each, or name one PDF file"
      )
    }
    guard count <= DrawingDetails.pages else {
      throw ArtError(
        .usage,
        "\(count) documents; a file has at most 1,000 pages; write {name} into its name for a file each"
      )
    }
  }

  private static func quality(_ arguments: Render, _ format: PictureFormat) throws(ArtError) -> Int {
    guard let typed = arguments.quality else { return PictureFormat.quality }
    guard format.hasQuality else {
      throw ArtError(
        .usage,
        "--quality is about JPEG, WebP and AVIF, and \(format.rawValue.uppercased()) is to be written; leave it out"
      )
    }
    guard !arguments.lossless else {
      throw ArtError(.usage, "--quality or --lossless: give one of them")
    }
    guard typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let quality = Int(typed),
      DrawingDetails.qualities.contains(quality)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no quality; give a whole number from 1 to 100, such as 80")
    }
    return quality
  }

  private static func maxBytes(
    _ arguments: Render, _ format: PictureFormat, _ destination: Destination?
  ) throws(ArtError) -> Int? {
    guard let typed = arguments.maxBytes else { return destination?.bytes }
    guard format.isRaster else {
      throw ArtError(
        .usage,
        "--max-bytes is about pictures made of pixels, and \(format.rawValue.uppercased()) is to be written; leave it out"
      )
    }
    let bytes = try BoundedDrawing.limit(typed: typed)
    if let destination, bytes > destination.bytes {
      throw ArtError(
        .usage,
        "--for \(destination.name) takes at most \(destination.bytes) bytes; give no more with --max-bytes, or leave it out"
      )
    }
    return bytes
  }

  private static func size(
    _ arguments: Render, _ destination: Destination?
  ) throws(ArtError) -> (RenderSize, PixelFrame?, typed: String) {
    if let destination {
      for (name, isGiven) in [
        ("--scale", arguments.scale != nil), ("--width", arguments.width != nil),
        ("--fit", arguments.fit != nil), ("--page", arguments.page != nil),
        ("--margin", arguments.margin != nil), ("--pad", arguments.pad),
      ] where isGiven {
        throw ArtError(.usage, "--for \(destination.name) sets the size; leave out \(name)")
      }
      let size = try PixelSize(width: destination.size.width, height: destination.size.height)
      let frame = try destination.margin.map { (margin) throws(ArtError) in
        try PixelFrame(size, margin: margin)
      }
      return (.within(size), frame, "--for \(destination.name)")
    }
    if let typed = arguments.fit, typed.contains(where: { "xX×*".contains($0) }),
      arguments.scale == nil, arguments.width == nil, arguments.page == nil
    {
      let size = try PixelSize(typed: typed)
      let frame = arguments.pad ? try PixelFrame(size, margin: margin(arguments.margin)) : nil
      return (.within(size), frame, "--fit \(size.width)x\(size.height)")
    }
    if arguments.pad, arguments.page == nil {
      throw ArtError(
        .usage, "--pad is about --fit WxH, such as --fit 512x512; give that, too, or leave it out")
    }
    let (size, typed) = try size(arguments)
    return (size, nil, typed)
  }

  /// The margin of a frame: pixels.
  private static func margin(_ typed: String?) throws(ArtError) -> Int {
    guard let typed else { return 0 }
    let number = typed.lowercased().hasSuffix("px") ? String(typed.dropLast(2)) : typed
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let pixels = Int(number) else {
      throw ArtError(.badValue, "\(shown(typed)) is no margin of --pad; give pixels, such as 16px")
    }
    return pixels
  }

  private static func size(_ arguments: Render) throws(ArtError) -> (RenderSize, typed: String) {
    let names = [("--scale", arguments.scale), ("--width", arguments.width), ("--fit", arguments.fit)]
      .filter { $0.1 != nil }.map(\.0)
    guard names.count <= 1 else {
      throw ArtError(.usage, "\(names.joined(separator: " or ")): give one of them")
    }
    if let typed = arguments.width {
      let width = try pixels(typed, of: "width")
      return (.width(width), "--width \(width)")
    }
    if let typed = arguments.fit {
      let side = try pixels(typed, of: "length of a side")
      return (.fitting(side), "--fit \(side)")
    }
    return try scale(arguments.scale ?? "1")
  }

  /// A width or a side as typed. Throws `badValue`.
  static func pixels(_ typed: String, of what: String) throws(ArtError) -> Int {
    guard typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let pixels = Int(typed),
      PixelSize.sides.contains(pixels)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no \(what); give a whole number of pixels, from 1 to 10,000,000")
    }
    return pixels
  }

  /// A scale as typed, and how messages name it. Throws `badValue`.
  static func scale(_ typed: String) throws(ArtError) -> (RenderSize, typed: String) {
    guard let scale = decimal(typed), scale > 0 else {
      throw ArtError(.badValue, "\(shown(typed)) is no scale; give a number above 0, such as 2")
    }
    return (.scale(scale), "--scale \(typed)")
  }

  /// A document as it is, its drawing and the size of that; `number` is its place among `count` drawings of the file. Throws what reading
  /// throws, and `badValue` as below.
  func drawing(
    of file: DocumentFile, number: Int = 0, of count: Int = 1
  ) throws(ArtError) -> (view: DocumentView, drawing: Drawing, size: PixelSize) {
    let view = try DocumentView(file, at: reference, recovery: .ofCommand)
    let ink = options.isTrimmed ? try ink(of: view.scene, in: file.path) : nil
    return try drawing(of: file, view, ink: ink, number: number, of: count)
  }

  /// The same of a document that was read; `ink` is the part that is drawn of a trimmed one.
  func drawing(
    of file: DocumentFile, _ view: DocumentView, ink: CanvasRect?, number: Int = 0, of count: Int = 1
  ) throws(ArtError) -> (view: DocumentView, drawing: Drawing, size: PixelSize) {
    let (drawing, size) = try self.drawing { () throws(RenderOptions.Failure) in
      try options.drawing(
        of: view.scene, title: DocumentView.title(of: file.path), ink: ink, number: number, of: count)
    }
    return (view, drawing, size)
  }

  /// The part of the canvas that is not empty. Throws `badValue` where all is.
  private func ink(of scene: DrawingScene, in name: String) throws(ArtError) -> CanvasRect {
    let look = try drawing { () throws(RenderOptions.Failure) in try options.inkDrawing(of: scene) }
    let drawn: Drawn
    do throws(DrawingFailure) {
      let signals = SignalSource([])
      defer { signals.release() }
      drawn = try waitForDrawing(signals) { () async throws(DrawingFailure) in
        try await Renderer().draw(look) { _ in true }
      }
    } catch {
      throw ArtError(error, drawing: name)
    }
    guard let ink = drawn.ink else {
      throw ArtError(
        .badValue,
        "\(name) has nothing there that can be seen, so that nothing is left of it; draw it without --trim and --for",
        about: name)
    }
    return ink
  }

  /// Makes a drawing. Throws `badValue` for a region or a size out of bounds.
  private func drawing<Made>(_ make: () throws(RenderOptions.Failure) -> Made) throws(ArtError) -> Made {
    do throws(RenderOptions.Failure) {
      return try make()
    } catch {
      switch error {
      case .region(let error): throw error
      case .tooLarge(let error):
        throw ArtError(
          .badValue,
          "\(size) makes a side of more than 10,000,000 pixels; --scale \(numberText(error.fittingScale)) does not"
        )
      }
    }
  }
}

extension OutputLocation {
  /// Parses an argument: a path, or `-` for stdout. Throws for a path that cannot be an output.
  init(argument: String, replacing replaceable: Replaceable) throws(ArtError) {
    guard !argument.isEmpty else {
      throw ArtError(.badValue, "an empty name is no file; give one, or - for stdout")
    }
    self =
      argument == "-"
      ? try OutputLocation(descriptor: 1, name: "stdout")
      : try OutputLocation(argument, replacing: replaceable)
  }
}

extension OutputFile {
  /// Creates a file whose notices are printed. Throws as `init(_:notice:)` does.
  convenience init(of location: OutputLocation) throws(ArtError) {
    try self.init(location) { Output.printError($0.message) }
  }

  /// Blocks the signals that end programs if they would leave a partial file. Otherwise they end the process at once,
  /// also while it waits for the reader of a pipe.
  func blockedSignals() -> SignalSource {
    guard !leavesFile else { return SignalSource() }
    // Swift's runtime would report a crash.
    if !SignalSource.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    return SignalSource([])
  }

  /// Performs writes. If the reader has gone, SIGPIPE ends the process, as in other commands.
  func orEnd<Value>(_ work: () throws(ArtError) -> Value) throws(ArtError) -> Value {
    do throws(ArtError) {
      return try work()
    } catch {
      if isReaderGone, !SignalSource.isIgnored(SIGPIPE) { SignalSource.die(of: SIGPIPE) }
      throw error
    }
  }

  /// Puts the file at its path durably, or ends on SIGPIPE. Throws the errors of `finish`.
  func finishOrEnd() throws(ArtError) { try orEnd(finish) }
}

/// Waits for drawings. A signal ends the process, and leaves no partial output behind.
struct SignalledWaiter: DrawingWaiter {
  let signals: SignalSource
  let file: OutputFile

  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(DrawingFailure) -> Value
  ) throws(DrawingFailure) -> Value {
    try waitForDrawing(signals, restore: file.discard, work)
  }
}
