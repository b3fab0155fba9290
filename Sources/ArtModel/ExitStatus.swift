// SPDX-License-Identifier: Apache-2.0

/// Exit statuses of our programs. The numbers are those of BSD's sysexits.h; `docs/CLI.md` has the same table.
package enum ExitStatus: Int32, CaseIterable {
  case done = 0
  /// The arguments are wrong.
  case usage = 64
  /// The data is bad: a damaged or foreign file, a value out of bounds.
  case badData = 65
  /// No such document, emoji, background or revision; nothing to undo.
  case notFound = 66
  /// Something outside the program is unavailable.
  case unavailable = 69
  /// The document exists already.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// The document is busy or at another revision: try again.
  case tryAgain = 75
  /// Not permitted.
  case notPermitted = 77

  /// The status for an error.
  package init(_ code: ArtError.Code) {
    self =
      switch code {
      case .usage: .usage
      case .badValue, .badText, .badJSON, .notADocument, .newerFormat, .damaged, .tooLarge, .ambiguous,
        .parted:
        .badData
      case .noSuchDocument, .replaced, .noSuchEmoji, .nothingToUndo, .noSuchRevision, .noBackground:
        .notFound
      case .unavailable: .unavailable
      case .exists: .cannotCreate
      case .inputOutput, .diskFull: .inputOutput
      case .busy, .movedOn: .tryAgain
      case .notPermitted, .closed: .notPermitted
      }
  }
}
