// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

extension Document {
  /// Sets the background: the picture's bytes are in the file, durably, before the edit is made, and the edit is journalled like
  /// any other. Returns nil when it has no effect. Throws `closed`, what planning throws and what writing a file throws; then
  /// nothing is changed.
  @discardableResult
  public func setBackground(
    _ picture: CheckedPicture, from url: String?, keepsCanvas: Bool = false
  ) async throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    let background = try Background(picture, from: url)
    let (file, id, present) = (file, content.id, content.background?.digest)
    let held = try await thread.run { () throws(ArtError) in try file.keep(picture, in: id, sparing: present)
    }
    content.setPictures(held)
    return try perform(.set(background, keepsCanvas: keepsCanvas))
  }

  /// Clears the background, has one fetched later, or gives one up. Returns nil when it has no effect. Throws `closed`, and what
  /// planning throws; then nothing is changed.
  @discardableResult
  public func perform(_ edit: BackgroundEdit) throws(ArtError) -> LoggedEdit? {
    try checkEditable()
    return try edit.plan(on: content).flatMap { (edit) throws(ArtError) in try perform(edit) }
  }
}
