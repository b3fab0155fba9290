// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// The picture with this number: unique bytes, and a size of its own.
func picture(_ number: Int, bytes count: Int = 100) throws -> CheckedPicture {
  // A random piece is repeated, because large pictures must be made fast.
  var random = SplitMix64(seed: UInt64(number))
  var piece = withUnsafeBytes(of: number.littleEndian) { Array($0) }
  while piece.count < 4_096 { withUnsafeBytes(of: random.next()) { piece.append(contentsOf: $0) } }
  let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    while filled < count {
      let more = min(piece.count, count - filled)
      _ = UnsafeMutableBufferPointer(rebasing: buffer[filled..<filled + more]).initialize(
        fromContentsOf: piece[..<more])
      filled += more
    }
  }
  return CheckedPicture(
    bytes: bytes, mediaType: "image/png", size: try Canvas(width: 10 + number, height: 20), isAnimated: false)
}

func url(_ number: Int) -> String { "https://example.org/\(number).png" }

func background(_ number: Int, bytes: Int = 100, url: String?) throws -> Background {
  try Background(try picture(number, bytes: bytes), from: url)
}

extension DocumentFile {
  /// Sets the background as a command does.
  @discardableResult
  func set(_ picture: CheckedPicture, from url: String?, _ stamp: EditStamp) throws -> LoggedEdit? {
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      try transaction.keep(picture)
      let edit = BackgroundEdit.set(try Background(picture, from: url), keepsCanvas: false)
      return try edit.plan(on: transaction).flatMap { (edit) throws(ArtError) in
        try transaction.perform(edit, stamp: stamp)
      }
    }
  }

  @discardableResult
  func perform(_ edit: BackgroundEdit, _ stamp: EditStamp) throws -> LoggedEdit? {
    try self.edit { (transaction: DocumentTransaction) throws(ArtError) in
      try edit.plan(on: transaction).flatMap { (edit) throws(ArtError) in
        try transaction.perform(edit, stamp: stamp)
      }
    }
  }

  /// One step along the log, of any author; nil when there is none.
  @discardableResult
  func step(_ direction: UndoDirection, _ stamp: EditStamp) throws -> (left: Int, lost: [Background])? {
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      let plan = try direction == .undo ? UndoPlan.undo(in: transaction) : UndoPlan.redo(in: transaction)
      return try plan.map { (plan) throws(ArtError) in
        let done = try transaction.perform(plan, stamp: stamp)
        return (done.left, done.lost)
      }
    }
  }

  /// The stored pictures, newest first.
  func pictures() throws -> [StoredPicture] {
    try read { (transaction) throws(ArtError) in try transaction.storedPictures() }
  }

  /// Throws a reader's error, and checks the capacity of the stored pictures. The document is verified as a whole.
  func checkPictures(_ about: @autoclosure () -> String = "") throws {
    let content = try read()
    let stored = try pictures()
    let present = stored.filter { $0.digest == content.background?.digest }
    #expect(present.count == (content.background == nil ? 0 : 1), "no bytes: \(about())")
    #expect(Set(stored.map(\.digest)).count == stored.count, "twice: \(about())")
    #expect(stored.count <= 4, "too many: \(about())")
    #expect(stored.reduce(0) { $0 + $1.bytes } <= 64 << 20, "too large: \(about())")
    if let background = content.background {
      let bytes = try #require(try self.background()).bytes
      #expect(bytes.withUnsafeBufferPointer { ContentDigest.of($0) } == background.digest, "\(about())")
    }
  }
}
