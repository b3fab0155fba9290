// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct Gallery: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gallery",
    abstract: "Write a web page with a small picture of each document.",
    usage: "emojiart gallery [<folder>] -o <file> [--font <font>]",
    discussion: """
      One HTML file that needs nothing beside it: no other file, no network, no script. It appears whole or not at \
      all, and takes the place of an earlier gallery. What is no document, or cannot be shown, is named in it and on \
      stderr, and the exit status says so. Prints how many documents it shows, and its path.

      Examples:
        emojiart gallery -o gallery.html
        emojiart gallery posters -o posters.html
        emojiart gallery posters -o - | gzip >posters.html.gz
      """)

  @Argument(help: "The folder.", completion: .directory) var directory: String?
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The page that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String
  @Option(
    parsing: .unconditional, help: ArgumentHelp("A font file with colour emoji.", valueName: "font"),
    completion: .file(extensions: ["ttf", "otf", "ttc"]))
  var font: String?
  @OptionGroup var common: CommonOptions

  func run() throws {
    let folder = if let directory { try CommonOptions.checked(directory) } else { try common.currentFolder() }
    if font?.isEmpty == true { throw ArtError(.badValue, "an empty name is no font file; give one") }
    guard output != "-" || !common.json else {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
    let listing = try FolderListing(of: folder)
    let place = try FilePlace(output, replacing: .galleries)
    let page = try NewFile(place)
    let held = page.heldSignals()
    var making = GalleryMaking(folder: folder, font: font, page: page, held: held)
    try making.write(listing)
    held.release()
    if place.kind != .stdout {
      Output.tell(of: "the gallery is in \(output)")
      try write(making, bytes: page.size)
    }
    try Output.flush()
    if making.status != .done { throw ExitCode(making.status.rawValue) }
  }

  private func write(_ making: GalleryMaking, bytes: Int) throws(ArtError) {
    guard common.json else {
      let count = making.shown == 1 ? "1 document" : "\(making.shown) documents"
      return try Output.line(safe("\(count), \(output)"))
    }
    let errors = making.errors.map { JSON.object(["error": .string($0.message), "name": .string($0.name)]) }
    try Output.json(
      .object([
        "gallery": .object([
          "errors": .array(errors), "path": .string(output), "shown": .integer(making.shown),
          "size": .integer(bytes),
        ])
      ]))
  }
}
