// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
  /// Writes bytes as a string of base64, in pieces: the sink is handed what the writer holds, and then each piece as it is ready,
  /// so that nothing as large as a picture is made. The writer goes on empty.
  public mutating func base64<Failure>(
    _ picture: [UInt8], emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    verbatim(CollectionOfOne(UInt8(ascii: "\"")))
    var encoder = Base64Encoder()
    for start in stride(from: 0, to: picture.count, by: 3 << 14) {
      try sink(bytes)
      piece(encoder.encode(Array(picture[start..<min(start + 3 << 14, picture.count)])))
    }
    try sink(bytes)
    piece(encoder.finish() + [UInt8(ascii: "\"")])
  }
}
