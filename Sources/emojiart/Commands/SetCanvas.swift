// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct SetCanvas: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "canvas",
    abstract: "Change the size or the colour of the canvas.",
    usage: """
      emojiart canvas <doc>
      emojiart canvas <doc> <wxh> [--anchor <place>] [--scale]
      emojiart canvas <doc> --fit [--margin <length>]
      emojiart canvas <doc> --fill <colour>
      """,
    discussion: """
      The emoji keep their distance from the anchor, which is the top left corner unless you give center, bottom-right or \
      another one. With --scale they grow or shrink with the canvas. With --fit the canvas becomes as large as what is on \
      it. A colour is #ffcc00, rgb(255, 204, 0), a name such as gold, or none. Prints the canvas, also where nothing is to change.

      Examples:
        emojiart canvas bees 1080x1350 --anchor center
        emojiart canvas bees --fit --margin 20
        emojiart canvas bees --fill gold
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: ArgumentHelp("The new size in pixels.", valueName: "wxh")) var size: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The place from which the emoji keep their distance.", valueName: "place"))
  var anchor: String?
  @Flag(help: "Emoji grow or shrink with the canvas.") var scale = false
  @Flag(help: "As large as what is on it.") var fit = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --fit: the margin in pixels, or in percent of the shorter side.", valueName: "length"))
  var margin: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The colour of the canvas, or none.", valueName: "colour"))
  var fill: String?
  @OptionGroup var options: EditOptions

  func action() throws(ArtError) -> Action {
    guard [size != nil, fit, fill != nil].count(where: { $0 }) == 1 else {
      throw ArtError(.usage, "what is to change? give one of WIDTHxHEIGHT, --fit and --fill COLOUR")
    }
    guard size != nil || anchor == nil && !scale else {
      throw ArtError(.usage, "--anchor and --scale are about a new size; give WIDTHxHEIGHT, too")
    }
    guard fit || margin == nil else { throw ArtError(.usage, "--margin is about --fit; give that, too") }
    if let size {
      return .canvas(
        .resize(
          try Canvas(typed: size),
          anchor: try anchor.map { (typed) throws(ArtError) in try CanvasPlace(typed: typed) } ?? .topLeft,
          scales: scale))
    }
    if let fill { return .canvas(.fill(fill.lowercased() == "none" ? nil : try Color(typed: fill))) }
    let typed = margin ?? "0"
    guard let margin = Length(typed) else { throw .badLength(typed, "margin") }
    return .canvas(.fit(margin: margin))
  }

  func run() throws {
    let isQuestion = size == nil && anchor == nil && !scale && !fit && margin == nil && fill == nil
    guard !isQuestion || options.ifRevision != nil else {
      let content = try Recovery.ofCommand.content(of: options.common.file(doc))
      return try write(
        content.canvas, content.fill, OffCanvas(), revision: content.revision, isFillShown: true)
    }
    let result = try options.editing(doc).perform(action())
    Output.addToErrors("the edit itself is saved")
    if let notice = result.offCanvas.notice { Output.printError(notice) }
    try write(result.canvas, result.fill, result.offCanvas, revision: result.revision, isFillShown: false)
  }

  private func write(
    _ canvas: Canvas, _ fill: Color?, _ offCanvas: OffCanvas, revision: Int, isFillShown: Bool
  ) throws(ArtError) {
    guard options.common.json else {
      let color = isFillShown ? fill.map { ", \($0)" } ?? "" : ""
      return try Output.line("\(canvas.width)x\(canvas.height)\(color)")
    }
    var writer = JSONWriter()
    writer.object {
      $0.key("canvas")
      canvas.write(to: &$0, fill: fill)
      $0.offCanvas(offCanvas)
      $0.key("revision")
      $0.integer(revision)
    }
    try Output.line(writer.text)
  }

  func line(_ emoji: Emoji) -> String { "\(emoji.id)" }
}
