// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

/// What the words of `render` ask for, read before any file is touched.
struct RenderArguments {
  let output: String
  let options: RenderOptions
  /// How the size was given.
  private let size: String

  /// Throws `usage` and `badValue`.
  init(_ words: Render) throws(ArtError) {
    output = words.output
    let format = try Self.format(words)
    let (size, typed) = try Self.size(words)
    self.size = typed
    options = RenderOptions(
      format, size: size, region: words.region, isTransparent: words.transparent, embedsGlyphs: words.embed,
      font: words.font)
    if words.embed, format != .svg {
      throw ArtError(
        .usage, "--embed is about SVG, and \(format.rawValue.uppercased()) is to be written; leave it out")
    }
    if words.font?.isEmpty == true { throw ArtError(.badValue, "an empty name is no font file; give one") }
    if output == "-", words.common.json {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
  }

  private static func format(_ words: Render) throws(ArtError) -> PictureFormat {
    let ending = words.output == "-" ? .png : PictureFormat(endingOf: words.output)
    guard let typed = words.format else {
      guard let ending else {
        throw ArtError(
          .usage, "\(shown(words.output)) ends neither in .png nor .svg nor .pdf; say which one with --format"
        )
      }
      return ending
    }
    guard let format = PictureFormat(rawValue: typed.lowercased()) else {
      throw ArtError(.badValue, "\(shown(typed)) is no format; give png, svg or pdf")
    }
    if let ending, ending != format, words.output != "-" {
      throw ArtError(.usage, "\(words.output) and --format \(format.rawValue) do not go together")
    }
    return format
  }

  private static func size(_ words: Render) throws(ArtError) -> (RenderSize, typed: String) {
    guard let typed = words.width else { return try scale(words.scale ?? "1") }
    guard words.scale == nil else { throw ArtError(.usage, "--scale or --width: give one of them") }
    guard typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(typed),
      PixelSize.sides.contains(width)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no width; give a whole number of pixels, from 1 to 10,000,000")
    }
    return (.width(width), "--width \(width)")
  }

  private static func scale(_ typed: String) throws(ArtError) -> (RenderSize, typed: String) {
    guard let scale = decimal(typed), scale > 0 else {
      throw ArtError(.badValue, "\(shown(typed)) is no scale; give a number above 0, such as 2")
    }
    return (.scale(scale), "--scale \(typed)")
  }

  /// The drawing, and how large it is. Throws `badValue` for a region or a size out of bounds.
  func drawing(of scene: DrawingScene) throws(ArtError) -> (drawing: Drawing, size: PixelSize) {
    do throws(RenderOptions.Failure) {
      return try options.drawing(of: scene)
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
  /// What a person gives a command: a path, or `-` for stdout. Throws what a place must not be.
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
  /// Holds back the signals that end programs where they would leave something of it. Else they end this one at once, also while it
  /// waits for who reads a pipe.
  func heldSignals() -> SignalSource {
    guard !leavesFile else { return SignalSource() }
    // Swift's runtime would tell of a crash.
    if !SignalSource.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    return SignalSource([])
  }

  /// Does what writes to it, and ends as other commands do whose reader has gone: by that signal.
  func orEnd<Value>(_ work: () throws(ArtError) -> Value) throws(ArtError) -> Value {
    do throws(ArtError) {
      return try work()
    } catch {
      if isReaderGone, !SignalSource.isIgnored(SIGPIPE) { SignalSource.die(of: SIGPIPE) }
      throw error
    }
  }

  /// Puts the file at its path, durably, or ends so. Throws what `finish` throws.
  func finishOrEnd() throws(ArtError) { try orEnd(finish) }
}

/// Waits for drawings, and ends by a signal that says so, with nothing left of what was being written.
struct SignalledWaiter: DrawingWaiter {
  let held: SignalSource
  let file: OutputFile

  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(DrawingFailure) -> Value
  ) throws(DrawingFailure) -> Value {
    try waitForDrawing(held, restore: file.discard, work)
  }
}
