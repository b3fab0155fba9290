// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Dialect {
  /// What could not be carried, found before a byte is written: for who would rather have nothing.
  public func report(on content: DocumentContent) -> ExchangeReport { ExchangeReport() }

  /// Writes a document, with the bytes of its picture, in pieces of some 64 KiB. What cannot be carried is in `report(on:)`.
  public func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    throw ArtError(.notADocument, "not built yet")
  }
}
