// SPDX-License-Identifier: Apache-2.0

/// Puts a drawing together from what is sent before `draw`.
package struct SentScene {
  private var labels: [Scene.Label] = []
  private var total = 0
  private var picture: [UInt8]?

  /// Nothing was sent yet.
  package init() {}

  /// Whether nothing was sent.
  package var isEmpty: Bool { total == 0 && picture == nil }

  /// Takes some of so many labels, a JSON array. Throws `badJSON`, and `badValue` when they are more than those.
  package mutating func take(labels json: [UInt8], total: Int) throws(ArtError) {
    if self.total == 0 {
      self.total = total
      // At once: an array that grows is there twice while it does.
      labels.reserveCapacity(total)
    }
    guard total == self.total else { throw .badCount(total, "labels") }
    try json.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.array { (reader) throws(ArtError) in
          guard labels.count < total else { throw .badCount(labels.count + 1, "labels") }
          labels.append(try Scene.Label(from: &reader))
        }
      }
    }
  }

  /// Takes the background. Throws `badValue` when there is one.
  package mutating func take(picture: [UInt8]) throws(ArtError) {
    guard self.picture == nil else { throw ArtError(.badValue, "two pictures of one drawing") }
    self.picture = picture
  }

  /// Hands over the drawing, without a font, and holds nothing more. Throws `badValue` when labels are missing.
  package mutating func drawing(_ draw: WorkerRequest.Draw) throws(ArtError) -> Drawing {
    guard labels.count == total else { throw .badCount(labels.count, "labels") }
    defer { self = SentScene() }
    return Drawing(
      scene: Scene(canvas: draw.canvas, labels: labels, picture: picture), region: draw.region,
      format: draw.format, isTransparent: draw.isTransparent, font: nil)
  }
}

extension Drawing {
  /// Sends a request for it, line by line and in pieces, so that nothing large is made of it.
  package func send<Failure: Error>(_ send: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    try sendLabels(send)
    if let picture = scene.picture {
      try send(WorkerRequest.picture(bytes: picture.count).line)
      try send(picture)
    }
    try send(WorkerRequest.draw(WorkerRequest.Draw(self)).line)
  }

  /// Bytes of a piece of labels, about.
  private static let pieceLength = 1 << 16

  private func sendLabels<Failure: Error>(_ send: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var rest = scene.labels[...]
    while !rest.isEmpty {
      var writer = JSONWriter(reserving: Self.pieceLength + 1_024)
      writer.array {
        while $0.bytes.count < Self.pieceLength, let label = rest.popFirst() { label.write(to: &$0) }
      }
      try send(WorkerRequest.labels(bytes: writer.bytes.count, total: scene.labels.count).line)
      try send(writer.bytes)
    }
  }
}

extension WorkerRequest {
  /// Its line, with its line break.
  package var line: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    writer.endLine()
    return writer.bytes
  }
}
