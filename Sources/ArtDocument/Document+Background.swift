// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Sets the background: the picture's bytes are in the file, durably, before the edit is made, and the edit is journalled like
  /// any other. `pending` is the URL that it was pending by, if it was; where that is not pending any more, it is not set.
  ///
  /// Returns nil when it has no effect, and when the task is cancelled before the edit is made. Throws `closed`, what planning
  /// throws and what writing a file throws; then the document is as it was.
  ///
  /// Others may take the bytes' room before the edit is saved, by three pictures of their own. The save then makes another edit
  /// of it, which has the picture fetched again, and `DocumentEvent.dropped` tells.
  @discardableResult
  public func setBackground(
    _ picture: CheckedPicture, from url: String?, pending: String? = nil, keepsCanvas: Bool = false
  ) async throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    let background = try Background(picture, from: url)
    guard pending == nil || content.pending?.url == pending else { return nil }
    try await keep(picture, background.digest)
    // From here on nobody can come between.
    guard !Task.isCancelled else { return nil }
    return try perform(.set(background, keepsCanvas: keepsCanvas, pending: pending))
  }

  /// Clears the background, has one fetched later, or gives one up. Returns nil when it has no effect. Throws `closed`, and what
  /// planning throws; then nothing is changed.
  @discardableResult
  public func perform(_ edit: BackgroundEdit) throws(ArtError) -> LoggedEdit? {
    try answer(.background(edit)).entries.first
  }

  /// Puts a picture's bytes into the file. To others the document is as it was.
  private func keep(_ picture: CheckedPicture, _ digest: String) async throws(ArtError) {
    let (file, id, recent) = (file, content.id, unsaved.pictures + saving.pictures)
    let held = try await thread.run { () throws(ArtError) in
      try file.keep(picture, in: id, recent: recent)
    }
    kept = kept.intersection(held).union([digest])
    holds(held)
  }

  /// Notes which pictures the file holds. What was read before this program's own last picture came does not know of it; that
  /// the file holds one no more is found by the save at the latest.
  func holds(_ pictures: Set<String>) { content.setPictures(pictures.union(kept)) }
}
