// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

/// The arguments of `render`, parsed before any file is opened.
struct RenderArguments {
  let output: String
  let options: RenderOptions
  /// The text of the size, for messages.
  private let size: String

  /// Throws `usage` and `badValue`.
  init(_ arguments: Render) throws(ArtError) {
    output = arguments.output
    let format = try Self.format(arguments)
    let (size, typed) = try Self.size(arguments)
    self.size = typed
    options = RenderOptions(
      format, size: size, region: arguments.region, isTransparent: arguments.transparent,
      embedsGlyphs: arguments.embed,
      font: arguments.font)
    if arguments.embed, format != .svg {
      throw ArtError(
        .usage, "--embed is about SVG, and \(format.rawValue.uppercased()) is to be written; leave it out")
    }
    if arguments.font?.isEmpty == true {
      throw ArtError(.badValue, "an empty name is no font file; give one")
    }
    if output == "-", arguments.common.json {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
  }

  private static func format(_ arguments: Render) throws(ArtError) -> PictureFormat {
    let ending = arguments.output == "-" ? .png : PictureFormat(endingOf: arguments.output)
    guard let typed = arguments.format else {
      guard let ending else {
        throw ArtError(
          .usage,
          "\(shown(arguments.output)) ends neither in .png nor .svg nor .pdf; say which one with --format"
        )
      }
      return ending
    }
    guard let format = PictureFormat(rawValue: typed.lowercased()) else {
      throw ArtError(.badValue, "\(shown(typed)) is no format; give png, svg or pdf")
    }
    if let ending, ending != format, arguments.output != "-" {
      throw ArtError(.usage, "\(arguments.output) and --format \(format.rawValue) do not go together")
    }
    return format
  }

  private static func size(_ arguments: Render) throws(ArtError) -> (RenderSize, typed: String) {
    guard let typed = arguments.width else { return try scale(arguments.scale ?? "1") }
    guard arguments.scale == nil else { throw ArtError(.usage, "--scale or --width: give one of them") }
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

  /// The drawing and its size in pixels. Throws `badValue` for a region or a size out of bounds.
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
