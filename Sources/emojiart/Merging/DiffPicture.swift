// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// The arguments of `diff` about its picture, parsed before any file is opened.
struct DiffPictureArguments {
  /// The width of the picture in pixels that is not exceeded, unless the user gives a size.
  private static let widest = 4_000

  let output: String
  let format: PictureFormat
  /// The font file that the user named; nil for the default one.
  let font: String?
  private let size: RenderSize?
  /// The text of the size, for messages.
  private let typed: String

  /// Nil without `--output`. Throws `usage` and `badValue`.
  init?(_ arguments: Diff) throws(ArtError) {
    guard let output = arguments.output else {
      for (name, value) in [
        ("--width", arguments.width), ("--scale", arguments.scale), ("--font", arguments.font),
      ]
      where value != nil {
        throw ArtError(.usage, "\(name) is about a picture; give --output, too, or leave it out")
      }
      return nil
    }
    self.output = output
    font = try CurrentSettings.option(arguments.font, else: .font)
    guard font?.isEmpty != true else {
      throw ArtError(.badValue, "an empty name is no font file; give one")
    }
    format = try Self.format(output)
    if output == "-", arguments.common.json {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
    switch (arguments.width, arguments.scale) {
    case (nil, nil): (size, typed) = (nil, "the picture")
    case (let width?, nil):
      let width = try RenderArguments.pixels(width, of: "width")
      guard width >= DrawingDetails.panelGap + 2 else {
        throw ArtError(
          .badValue,
          "--width \(width) is too small for two pictures; give at least \(DrawingDetails.panelGap + 2)")
      }
      (size, typed) = (.width(width), "--width \(width)")
    case (nil, let scale?):
      let (scale, typed) = try RenderArguments.scale(scale)
      (size, self.typed) = (scale, typed)
    default: throw ArtError(.usage, "--scale or --width: give one of them")
    }
  }

  private static func format(_ output: String) throws(ArtError) -> PictureFormat {
    guard output != "-" else { return .png }
    guard let format = PictureFormat(endingOf: output) else {
      throw ArtError(.usage, "\(shown(output)) ends in none of .png, .jpg and .webp; give one that does")
    }
    guard [.png, .jpeg, .webp].contains(format) else {
      throw ArtError(
        .usage,
        "\(output): diff draws no \(format.rawValue.uppercased()); give a file that ends in .png, .jpg or .webp"
      )
    }
    return format
  }

  /// The sizes of two canvases side by side, in the same scale. Throws `badValue` for sides out of bounds.
  func sizes(_ first: Canvas, _ second: Canvas) throws(ArtError) -> (first: PixelSize, second: PixelSize) {
    let width = first.width + second.width
    let bounded = width + DrawingDetails.panelGap > Self.widest ? RenderSize.width(Self.widest) : .scale(1)
    let (scale, exact): (Double, Int?) =
      switch size ?? bounded {
      case .width(let whole), .fitting(let whole):
        (Double(whole - DrawingDetails.panelGap) / Double(width), whole - DrawingDetails.panelGap)
      case .scale(let scale): (scale, nil)
      case .within(let bounds): (Double(bounds.width) / Double(width), nil)
      }
    _ = try pixels(
      of: try CanvasRect(
        x: 0, y: 0, width: Double(width + DrawingDetails.panelGap),
        height: Double(max(first.height, second.height))), scale: scale)
    let left = try pixels(of: CanvasRect(first), scale: scale)
    let right = try pixels(of: CanvasRect(second), scale: scale)
    guard let exact else { return (left, right) }
    // Both widths are rounded; their sum shall be exact.
    let part = min(left.width, exact - 1)
    return (
      try PixelSize(width: part, height: left.height),
      try PixelSize(width: exact - part, height: right.height)
    )
  }

  private func pixels(of region: CanvasRect, scale: Double) throws(ArtError) -> PixelSize {
    do throws(RenderSize.TooLarge) {
      return try RenderSize.scale(scale).pixels(of: region)
    } catch {
      throw ArtError(
        .badValue,
        "\(typed) makes a side of more than 10,000,000 pixels; --scale \(numberText(error.fittingScale)) does not"
      )
    }
  }
}

/// Two states as a picture side by side, with a line around what differs.
struct DiffPicture {
  private let arguments: DiffPictureArguments
  private let states: [Comparison.State]
  private let panels: [Drawing]
  /// The size of the whole picture.
  private let size: PixelSize

  /// Finds what is outlined. The states must have their views.
  init(_ arguments: DiffPictureArguments, _ comparison: Comparison) throws(ArtError) {
    self.arguments = arguments
    states = [comparison.old, comparison.new]
    let (old, new, difference) = (comparison.old, comparison.new, comparison.difference)
    let sizes = try arguments.sizes(old.content.canvas, new.content.canvas)
    let fonts = EmojiFont.find(arguments.font)
    let canvas = difference.isCanvasOutlined ? [DrawingHighlight(.changed)] : []
    func panel(
      _ state: Comparison.State, _ size: PixelSize, _ only: DrawingHighlight.Kind, _ emoji: [Emoji],
      _ changed: [Emoji]
    ) -> Drawing {
      let region = CanvasRect(state.content.canvas)
      var details = DrawingDetails()
      let all =
        canvas + emoji.map { DrawingHighlight(only, around: EmojiBox($0)) }
        + changed.map { DrawingHighlight(.changed, around: EmojiBox($0)) }
      let visible = all.filter { $0.box?.overlaps(region) ?? true }
      if visible.count > DrawingDetails.highlights {
        Output.printError(
          "\(state.text): \(visible.count) emoji differ; the first \(DrawingDetails.highlights) are outlined")
      }
      details.highlights = Array(visible.prefix(DrawingDetails.highlights))
      let scene = state.view?.scene ?? DrawingScene(state.content, picture: nil)
      return Drawing(
        scene: scene, region: region, format: arguments.format.drawn(size), fonts: fonts, details: details)
    }
    panels = [
      panel(old, sizes.first, .removed, difference.removed, difference.changed.map(\.from)),
      panel(new, sizes.second, .added, difference.added, difference.changed.map(\.to)),
    ]
    size = try PixelSize(
      width: sizes.first.width + DrawingDetails.panelGap + sizes.second.width,
      height: max(sizes.first.height, sizes.second.height))
  }

  /// A picture that was written.
  struct Written {
    /// Whether all is drawn as it was meant.
    let status: ExitStatus
    /// What `diff` prints about it.
    let line: String
    let json: JSON
  }

  /// Draws and reports. A signal leaves no partial file behind.
  func draw() throws(ArtError) -> Written {
    let result = try OutputFile(of: OutputLocation(argument: arguments.output, replacing: .pictures))
    let reports = try draw(into: result)
    var status = ExitStatus.done
    var advice = DrawingAdvice()
    for (state, drawn) in zip(states, reports) {
      let notes = DrawingNotes.printFault(drawn, of: state.text)
      advice.add(drawn, of: state.text)
      let lost = state.view?.printLostPicture(in: state.text) ?? .done
      for next in [notes, lost] where status == .done { status = next }
    }
    advice.print()
    if arguments.output != "-" { Output.addToErrors("the picture is in \(arguments.output)") }
    let mediaType = arguments.format.mediaType
    return Written(
      status: status, line: "\(mediaType) \(size.width) x \(size.height), \(arguments.output)",
      json: .object([
        "height": .integer(size.height), "mediaType": .string(mediaType),
        "panels": .array(reports.map { .object(DrawingNotes.json($0)) }), "path": .string(arguments.output),
        "size": .integer(result.size), "width": .integer(size.width),
      ]))
  }

  private func draw(into result: OutputFile) throws(ArtError) -> [Drawn] {
    let signals = result.blockedSignals()
    defer { signals.release() }
    let name = states.map(\.text).joined(separator: " beside ")
    return try result.orEnd { () throws(ArtError) in
      try result.finish(panels: panels, of: name, waiter: SignalledWaiter(signals: signals, file: result))
    }
  }
}

extension ArtDifference {
  /// Whether what is behind the emoji differs.
  fileprivate var isCanvasOutlined: Bool { canvas != nil || fill != nil || background != nil }
}

extension PictureFormat {
  /// The format of a drawing that is a file of pixels.
  fileprivate func drawn(_ size: PixelSize) -> Drawing.Format {
    switch self {
    case .jpeg: .jpeg(size, quality: Self.quality)
    case .webp: .webp(size, quality: Self.quality)
    case .png, .avif, .svg, .pdf: .png(size)
    }
  }
}
