// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// How a command ends. The numbers are those of BSD's sysexits.h; `docs/CLI.md` has the same table.
enum ExitStatus: Int32, CaseIterable {
  case done = 0
  /// The command's words are off.
  case usage = 64
  /// The data is bad: a damaged or foreign file, a value out of bounds.
  case badData = 65
  /// No such document, emoji or background; nothing to undo.
  case notFound = 66
  /// Something outside cannot be reached.
  case unavailable = 69
  /// It cannot be created: it exists.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Busy, or moved on: try again.
  case tryAgain = 75
  /// Not permitted.
  case notPermitted = 77

  init(_ code: ArtError.Code) {
    self =
      switch code {
      case .usage: .usage
      case .badValue, .badText, .badJSON, .notADocument, .newerFormat, .damaged, .tooLarge, .ambiguous:
        .badData
      case .noSuchDocument, .replaced, .noSuchEmoji, .nothingToUndo, .noBackground: .notFound
      case .unavailable: .unavailable
      case .exists: .cannotCreate
      case .inputOutput, .diskFull: .inputOutput
      case .busy, .movedOn: .tryAgain
      case .notPermitted, .closed: .notPermitted
      }
  }
}
