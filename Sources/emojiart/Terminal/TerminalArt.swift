// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorker

/// The art as a terminal is given it, and what a person has to know of it.
struct TerminalArt: Sendable {
  /// Bytes that a helper program may make for a terminal.
  static let limit = 1 << 26

  /// What the terminal is given.
  enum Body: Sendable {
    /// Lines, each ended.
    case lines([UInt8])
    /// A picture that begins where the cursor is.
    case picture([UInt8])
  }

  var body: Body
  /// Cells across that it takes.
  var columns: Int
  /// Cells down.
  var rows: Int
  /// What is not as it should be, a sentence each.
  var complaints: [String] = []
  /// Whether something of the document itself cannot be drawn.
  var isFaulty = false

  /// Has it drawn. Where it cannot be, the emoji are put on cells, and why is a complaint. Throws `cancelled` only.
  static func drawn(
    _ scene: Scene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    let complaint: String
    do throws(DrawingFailure) {
      return try await picture(scene, placement, graphics, font: font, by: renderer)
    } catch {
      switch error {
      case .refused(let refusal): complaint = refusal.detail
      case .failed(let failure): complaint = failure.message
      case .cancelled: throw error
      }
    }
    return onCells(scene, placement, complaint: complaint)
  }

  /// Has it drawn, or throws why it cannot be.
  static func picture(
    _ scene: Scene, _ placement: ArtPlacement, _ graphics: Graphics, font: String?,
    by renderer: Renderer = Renderer()
  ) async throws(DrawingFailure) -> TerminalArt {
    guard let format = placement.format else { return onCells(scene, placement) }
    let drawing = Drawing(scene: scene, region: placement.region, format: format, font: EmojiFont.find(font))
    let (drawn, bytes) = try await renderer.draw(drawing, limit: limit)
    guard let body = body(bytes, placement, graphics) else {
      throw .failed(
        ArtError(.unavailable, "what emojiart-worker drew is nothing for a terminal; install emojiart again"))
    }
    return TerminalArt(
      body: body, columns: placement.columns, rows: placement.rows, complaints: complaints(drawn),
      isFaulty: drawn.pictureFault != nil)
  }

  /// Nil for bytes that are not what was asked for.
  private static func body(_ bytes: [UInt8], _ placement: ArtPlacement, _ graphics: Graphics) -> Body? {
    switch graphics {
    case .kitty:
      guard case .png(let size) = placement.format, TerminalBytes.arePNG(bytes, size) else { return nil }
      return .picture(KittyPicture.sequence(bytes, columns: placement.isScaled ? placement.columns : nil))
    case .sixel:
      guard case .sixel(let size) = placement.format, TerminalBytes.areSixels(bytes, size) else { return nil }
      return .picture(bytes)
    case .symbols:
      let isFine = TerminalBytes.areSymbols(bytes, columns: placement.columns, rows: placement.rows)
      // Whatever colours the last line ended with.
      let lines = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
      return isFine ? .lines(lines + Array("\u{1B}[0m\n".utf8)) : nil
    case .text: return nil
    }
  }

  private static func onCells(_ scene: Scene, _ placement: ArtPlacement, complaint: String? = nil)
    -> TerminalArt
  {
    let lines = EmojiGrid.lines(scene, placement.region, columns: placement.columns, rows: placement.rows)
    return TerminalArt(
      body: .lines(Array(lines.map { $0 + "\n" }.joined().utf8)), columns: placement.columns,
      rows: lines.count, complaints: complaint.map { [$0] } ?? [])
  }

  private static func complaints(_ drawn: Drawn) -> [String] {
    var complaints: [String] = []
    if let fault = drawn.pictureFault { complaints.append("the background cannot be drawn: \(fault)") }
    if let lacking = DrawingNotes.lacking(drawn) { complaints.append(lacking) }
    return complaints
  }

  /// What closes it when only a part of it was written.
  var closing: String {
    guard case .picture(let picture) = body else { return KittyPicture.closing(isKitty: false) }
    return KittyPicture.closing(isKitty: picture.starts(with: [0x1B, UInt8(ascii: "_")]))
  }

  /// What stands on the screen where the cursor is, at the beginning of a line; then the cursor is at the beginning of the line below.
  ///
  /// Terminals leave the cursor in several places after a picture: room is made for it first, and the cursor is put back.
  var bytes: [UInt8] {
    switch body {
    case .lines(let lines): return lines
    case .picture(let picture):
      let room = String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A\u{1B}7"
      return Array(room.utf8) + picture + Array("\u{1B}8\u{1B}[\(rows)B\r".utf8)
    }
  }
}
