// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct GalleryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gallery",
    abstract: "Write a web page with a small picture of each document.",
    usage: "emojiart gallery [<folder>] -o <file> [--font <font>] [--quiet]",
    discussion: """
      The page is one HTML file that needs no other file, no network and no script. It appears whole or not at all, and \
      replaces an earlier gallery. Files that are no documents, or cannot be shown, are named on the page and on stderr, \
      and the exit status is that of the first one. Prints how many documents the page shows, and its path.

      Examples:
        emojiart gallery -o gallery.html
        emojiart gallery posters -o posters.html
        emojiart gallery posters -o - | gzip >posters.html.gz
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var directory: String?
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The page that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The emoji: noto, openmoji, twemoji, or a font file.", valueName: "font"),
    completion: .file(extensions: ["ttf", "otf", "ttc"]))
  var font: String?
  @OptionGroup var advice: AdviceOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let folder = if let directory { try CommonOptions.listed(directory) } else { try common.currentFolder() }
    if font?.isEmpty == true { throw ArtError(.badValue, "an empty name is no font file; give one") }
    guard output != "-" || !common.json else {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
    let font = try CurrentSettings.option(font, else: .font)
    let listing = try FolderListing(of: folder)
    let page = try OutputFile(of: OutputLocation(argument: output, replacing: .galleries))
    let signals = page.blockedSignals()
    try prepareThreads()
    var notes = DrawingAdvice()
    var gallery = try Gallery(
      of: folder, into: page, recovery: .ofCommand, waiter: SignalledWaiter(signals: signals, file: page),
      thumbnails: Thumbnails(font: { font })
    ) { Self.report($0, &notes) }
    try page.orEnd { () throws(ArtError) in try gallery.write(listing) }
    signals.release()
    if !advice.quiet { notes.print() }
    if output != "-" {
      Output.addToErrors("the gallery is in \(output)")
      try write(gallery, bytes: page.size)
    }
    try Output.flush()
    if let code = gallery.firstFailure { throw ExitCode(ExitStatus(code).rawValue) }
  }

  private static func report(_ event: GalleryEvent, _ advice: inout DrawingAdvice) {
    switch event {
    case .failed(let error): Output.printError(error.message)
    case .drawn(let path, var drawn):
      _ = DrawingNotes.printFault(drawn, of: path)
      // The pictures are small: what is enlarged there says nothing.
      drawn.enlarged = nil
      advice.add(drawn, of: path)
    case .pictureLost(let path): DrawingNotes.printLostPicture(in: path)
    }
  }

  private func write(_ gallery: Gallery<SignalledWaiter>, bytes: Int) throws(ArtError) {
    guard common.json else {
      return try Output.line(safe("\(gallery.count), \(output)"))
    }
    let errors = gallery.errors.map {
      JSON.object(["error": .string($0.error.message), "name": .string($0.name)])
    }
    try Output.json(
      .object([
        "gallery": .object([
          "errors": .array(errors), "path": .string(output), "shown": .integer(gallery.shown),
          "size": .integer(bytes),
        ])
      ]))
  }
}
