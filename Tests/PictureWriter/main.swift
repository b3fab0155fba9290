// SPDX-License-Identifier: Apache-2.0

// A program that sets a document's background, for tests that kill it or measure its memory:
//   PictureWriter edit DOC PICTURE      in one transaction
//   PictureWriter stream DOC PICTURE    in an open document, which is saved afterwards
//   PictureWriter new DOC PICTURE       in a new document
//   PictureWriter read DOC PICTURE      reads the bytes from the document and compares them
//   PictureWriter look DOC PICTURE      reads the file of the picture, and nothing more
// It prints `ok` when the answer is due, and its peak memory in KiB when it has ended.

import ArtDocument
import ArtModel
import ArtStore
import Glibc

private func printLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(1, bytes, bytes.count)
}

/// The bytes of a file, in one array.
private func bytes(of path: String) throws(ArtError) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  var status = stat()
  guard file >= 0, fstat(file, &status) == 0 else { throw ArtError(.inputOutput, "cannot read \(path)") }
  defer { close(file) }
  return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
    while count < buffer.count {
      let more = read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      guard more > 0 else { break }
      count += more
    }
  }
}

private func run(_ how: String, _ file: DocumentFile, _ picture: CheckedPicture) async throws(ArtError) {
  let url = "https://example.org/a.png"
  var random = SystemRandomNumberGenerator()
  switch how {
  case "edit":
    var author = try Author(origin: Origin(using: &random))
    let stamp = author.stamp(at: WallClock.milliseconds())
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      try transaction.keep(picture)
      let background = try Background(picture, from: url)
      guard let edit = try BackgroundEdit.set(background, keepsCanvas: false).plan(on: transaction) else {
        return
      }
      _ = try transaction.perform(edit, stamp: stamp)
    }
    printLine("ok")
  case "stream":
    let document = try await Document.open(
      file, autosave: AutosavePolicy(changes: 1_000, delay: .seconds(3_600)), refreshInterval: nil)
    guard try await document.setBackground(picture, from: url) != nil else { throw .closed }
    printLine("ok")
    try await document.close()
  case "new":
    _ = try file.create(background: (picture, url), using: &random)
    printLine("ok")
  case "read":
    guard try file.background()?.bytes == picture.bytes else { throw .closed }
    printLine("ok")
  default: break
  }
}

extension ArtError {
  fileprivate static let closed = ArtError(.closed, "not done")
}

let arguments = CommandLine.arguments
do throws(ArtError) {
  let picture = CheckedPicture(
    bytes: try bytes(of: arguments[3]), mediaType: "image/png", size: try Canvas(width: 640, height: 480),
    isAnimated: false)
  try await run(arguments[1], DocumentFile(arguments[2]), picture)
} catch {
  printLine(error.cause)
  exit(1)
}
// VmHWM, because getrusage also counts the program that started this one.
private let status = fopen("/proc/self/status", "r")
private var line = [CChar](repeating: 0, count: 256)
while let status, fgets(&line, Int32(line.count), status) != nil {
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  if text.hasPrefix("VmHWM:") { printLine(String(text.filter(\.isNumber))) }
}
