// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

extension BackgroundCommand {
  /// Writes the picture's bytes out, as they came.
  func save(as path: String) throws(ArtError) {
    guard !path.isEmpty else {
      throw ArtError(.badValue, "an empty name is no file; give one, or - for stdout")
    }
    let isStdout = path == "-"
    if isStdout {
      guard !options.common.json else {
        throw ArtError(.usage, "--save-as - or --json: stdout takes one of them")
      }
      guard isatty(1) != 1 else {
        throw ArtError(.usage, "stdout is a terminal, which shows no picture; redirect it, or name a file")
      }
    }
    guard let (background, bytes) = try file.background() else {
      throw ArtError(.noBackground, "\(file.path) has no background to save")
    }
    guard !isStdout else { return try Output.write(bytes) }
    try Self.create(path, bytes)
    Output.tell(of: "the picture is in \(path)")
    if options.common.json {
      let fields: [String: JSON] = [
        "mediaType": .string(background.mediaType), "path": .string(path), "size": .integer(bytes.count),
      ]
      return try Output.json(.object(["saved": .object(fields)]))
    }
    try Output.line(safe("\(background.kind), \(path)"))
  }

  /// A new file; what cannot be written whole is taken away again.
  private static func create(_ path: String, _ bytes: [UInt8]) throws(ArtError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw .notSaved(as: path, errno) }
    defer { close(file) }
    if let number = Output.write(bytes[...], to: file) {
      unlink(path)
      throw .notSaved(as: path, number)
    }
  }
}

extension ArtError {
  fileprivate static func notSaved(as path: String, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    switch number {
    case EEXIST: return ArtError(.exists, "\(path) exists already; choose another name")
    case EACCES, EPERM, EROFS: return ArtError(.notPermitted, "cannot write \(path): \(cause)")
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot write \(path): \(cause)")
    case ENOENT: return ArtError(.noSuchDocument, "no folder to write \(path) in; make it first")
    default: return ArtError(.inputOutput, "cannot write \(path): \(cause)")
    }
  }
}
