// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Tells a person that a background was refused: once for a document, unless the person said otherwise.
enum RefusalWarning {
  /// Tells, or is silent, by the rules of `Warning.decide`, and notes what was told and answered in this machine's state.
  ///
  /// `url` is what a person's own command asked for, and nil where nobody did. `mayAsk` is whether the question may be put
  /// where stdin and stderr are terminals.
  static func tell(
    _ refusal: Refusal, of document: DocumentFile, _ choice: WarningChoice?,
    askedFor url: BackgroundURL? = nil,
    mayAsk: Bool = false
  ) {
    // STUB
  }
}
