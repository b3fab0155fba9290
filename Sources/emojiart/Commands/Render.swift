// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw a document as a PNG, SVG or PDF file.",
    usage: """
      emojiart render <doc> -o <file> [--format <format>]
               [--scale <scale> | --width <width>] [--region <x,y,wxh>]
               [--transparent] [--embed] [--font <font>]
      """,
    discussion: """
      Draws the background and every emoji, from the bottom to the top. The format follows from FILE's ending, or from \
      --format. FILE appears whole or not at all, and replaces an existing PNG, SVG or PDF file. The emoji of an SVG \
      file are text, which is shown with the viewer's fonts; with --embed they are pictures, and look the same \
      everywhere. Drawing does not change the document, and needs no network. Prints type, size and path.

      Examples:
        emojiart render bees -o bees.png
        emojiart render bees -o bees.png --scale 2 --transparent
        emojiart render bees -o bees.svg --embed
        emojiart render bees -o corner.pdf --region 0,0,50%x50%
        emojiart render bees -o - --width 256 >small.png
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The file that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: PictureFormat.allCases.map(\.rawValue)))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("png, svg or pdf (default: by FILE's ending; png for -).", valueName: "format"),
    completion: .list(PictureFormat.allCases.map(\.rawValue)))
  var format: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Pixels, or points, per pixel of the canvas (default: 1).", valueName: "scale"))
  var scale: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The width in pixels, or points; the height follows.", valueName: "width"))
  var width: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Draw only this part of the canvas, in pixels or percent.", valueName: "x,y,wxh"))
  var region: String?
  @Flag(help: "A transparent canvas instead of a white one.") var transparent = false
  @Flag(help: "For SVG: embed the glyphs as pictures.") var embed = false
  @Option(
    parsing: .unconditional, help: ArgumentHelp("A font file with colour emoji.", valueName: "font"),
    completion: .file(extensions: ["ttf", "otf", "ttc"]))
  var font: String?
  @OptionGroup var common: CommonOptions

  func run() throws {
    let arguments = try RenderArguments(self)
    let file = try common.file(doc)
    let view = try DocumentView(file, recovery: .ofCommand)
    let (drawing, size) = try arguments.drawing(of: view.scene)
    let result = try OutputFile(OutputLocation(argument: arguments.output, replacing: .pictures))
    let drawn = try Self.draw(drawing, into: result, named: file.path)
    var status = DrawingNotes.printNotes(drawn, of: file.path)
    if status == .done { status = view.printLostPicture(in: file.path) }
    if arguments.output != "-" {
      Output.addToErrors("the picture is in \(arguments.output)")
      try write(arguments, size, drawn, bytes: result.size)
    }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// Draws into a file. A signal leaves no partial file behind.
  private static func draw(
    _ drawing: Drawing, into result: OutputFile, named name: String
  ) throws(ArtError) -> Drawn {
    let signals = result.blockedSignals()
    defer { signals.release() }
    return try result.orEnd { () throws(ArtError) in
      try result.finish(drawing, of: name, waiter: SignalledWaiter(signals: signals, file: result))
    }
  }

  private func write(_ arguments: RenderArguments, _ size: PixelSize, _ drawn: Drawn, bytes: Int)
    throws(ArtError)
  {
    guard common.json else {
      return try Output.line(
        safe("\(arguments.options.format.mediaType) \(size.width) x \(size.height), \(arguments.output)"))
    }
    let fields: [String: JSON] = [
      "height": .integer(size.height), "mediaType": .string(arguments.options.format.mediaType),
      "path": .string(arguments.output),
      "size": .integer(bytes), "width": .integer(size.width),
    ]
    try Output.json(
      .object(["rendered": .object(fields.merging(DrawingNotes.json(drawn)) { first, _ in first })]))
  }
}
