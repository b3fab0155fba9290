// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw documents as PNG, JPEG, WebP, AVIF, SVG or PDF files.",
    usage: """
      emojiart render <doc> ... -o <file> [--format <format>]
               [--scale <scale> | --width <width> | --fit <n|wxh> |
                --page <page>] [--pad] [--margin <length>] [--landscape]
               [--dpi <dpi>] [--up <n>] [--bleed <length>]
               [--region <x,y,wxh>] [--trim] [--transparent]
               [--text | --text-captions] [--quality <quality> | --lossless]
               [--max-bytes <n>] [--for <service>] [--font <font>]
               [--at <rev|name>] [--quiet]
      """,
    discussion: """
      Draws the background and every emoji, from the bottom to the top. The format follows from FILE's ending, or from \
      --format. FILE appears whole or not at all, and replaces an existing picture or PDF file. The emoji of an SVG \
      file are pictures, and look the same everywhere; with --text they are text, which is small and editable, and \
      which several programs draw wrongly. Drawing does not change the document, and needs no network. Prints type, size and path.

      Several documents are the pages of one PDF file; or each is drawn into a file of its own, if FILE has {name} in it, which \
      stands for the document's name, or {n}, its number. --page fits the drawing into a page of paper; what is beside it \
      stays white, and `emojiart new --canvas a4` has the shape of a page. With --up a page of PDF has several documents, and with \
      --bleed its edges can be cut off: there are crop marks, and the drawing goes on beyond the page.

      A PDF file has its captions and the characters of its emoji as text, which can be searched, copied and read aloud.

      --trim leaves out what is empty around the emoji, the fill and the background. --for makes a sticker or an emoji by the rules \
      of a service; it sets the format, the size, --trim, --transparent and --max-bytes:

      \(destinations)

      Emoji are as sharp as their font: `emojiart help fonts`. Noto Color Emoji often has pictures of 136 x 128 pixels, and one that is \
      drawn more than twice as large looks soft, which is told; outlines are sharp at any size. --quiet leaves out such \
      advice, and no error.

      Examples:
        emojiart render bees -o bees.png
        emojiart render bees -o bees.png --scale 2 --transparent
        emojiart render bees -o bees.svg
        emojiart render bees -o bees.jpg --quality 80
        emojiart render bees -o corner.pdf --region 0,0,50%x50%
        emojiart render bees -o - --width 256 >small.png
        emojiart render bees -o bees.pdf --page a4 --margin 10mm
        emojiart render bees -o bees.png --page a6 --landscape --dpi 150
        emojiart render bees -o bees.webp --for telegram
        emojiart render bees -o bees.png --trim --fit 512x512 --pad --transparent
        emojiart render bees -o bees.jpg --max-bytes 100k
        emojiart render bees ants -o both.pdf
        emojiart render cards/* -o cards.pdf --page a4 --up 4
        emojiart render bees -o print.pdf --page a5 --bleed 3mm
        emojiart render bees ants -o '{name}.png'
      """)

  @Argument(
    help: ArgumentHelp("A document, or several.", valueName: "doc"),
    completion: .custom(Completion.documents))
  var docs: [String]
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The file that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: ["png", "jpg", "jpeg", "webp", "avif", "svg", "pdf"]))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "png, jpg, webp, avif, svg or pdf (default: by FILE's ending; png for -).", valueName: "format"),
    completion: .list(["png", "jpg", "webp", "avif", "svg", "pdf"]))
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
    help: ArgumentHelp(
      "Make it smaller, so that no side has more pixels, or points, than n; or as large as fits into wxh.",
      valueName: "n|wxh"))
  var fit: String?
  @Flag(help: "With --fit wxh: fill up to exactly that size, white or transparent.") var pad = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Draw only this part of the canvas, in pixels or percent.", valueName: "x,y,wxh"))
  var region: String?
  @Flag(help: "Draw only the part that is not empty.") var trim = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Fit into a page: a4, letter, 100x150mm, 4x6in.", valueName: "page"),
    completion: .list(Page.names))
  var page: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The empty edge: of a page, such as 10mm; with --pad, such as 16px (default: none).",
      valueName: "length"))
  var margin: String?
  @Flag(help: "Turn the page, so that it is wider than high.") var landscape = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Dots per inch: of a page (default: 300), and written into PNG and JPEG.", valueName: "dpi"))
  var dpi: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For PDF: documents on a page: 2, 4, 6, 8, 9 or 16.", valueName: "n"),
    completion: .list(Page.Sheet.allCases.map { "\($0.rawValue)" }))
  var up: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For PDF: go on beyond the page, such as 3mm, with crop marks.", valueName: "length"))
  var bleed: String?
  @Flag(help: "A transparent canvas instead of a white one.") var transparent = false
  @Flag(help: "For SVG: emoji as text, for the viewer's fonts.") var text = false
  @Flag(help: "For SVG: only captions as text, for the viewer's fonts.") var textCaptions = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For JPEG, WebP and AVIF: from 1 to 100 (default: 90).", valueName: "quality"))
  var quality: String?
  @Flag(help: "For WebP: lose nothing.") var lossless = false
  @Option(
    name: .customLong("max-bytes"), parsing: .unconditional,
    help: ArgumentHelp(
      "The most bytes of the file, such as 100k or 1MiB: less quality, then fewer pixels.", valueName: "n"))
  var maxBytes: String?
  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: ArgumentHelp(
      "Make a sticker or an emoji for \(Destination.names.joined(separator: ", ")).", valueName: "service"),
    completion: .list(Destination.names))
  var destination: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The emoji: noto, openmoji, twemoji, or a font file.", valueName: "font"),
    completion: .file(extensions: ["ttf", "otf", "ttc"]))
  var font: String?
  @OptionGroup var advice: AdviceOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var common: CommonOptions

  /// The services and their rules, a line each.
  private static let destinations = Destination.all.map { "  \($0.name): \($0.rules)" }
    .joined(separator: "\n")

  func run() throws {
    let arguments = try RenderArguments(self)
    let files = try docs.map { (doc) throws(ArtError) in try common.file(doc) }
    let several = SeveralDrawings(arguments: arguments, files: files, isJSON: common.json)
    var notes = DrawingAdvice()
    let status: ExitStatus
    if let pattern = OutputPattern(output) {
      status = try several.drawEach(pattern, &notes)
    } else if files.count > 1 {
      status = try several.drawPages(&notes)
    } else if let file = files.first {
      status = try SingleDrawing(arguments: arguments, file: file, output: output, isJSON: common.json)
        .draw(&notes, report: Output.json)
    } else {
      status = .done
    }
    if !advice.quiet { notes.print() }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
