// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport

/// Decoders of others: ImageMagick's `identify` for PNG, JPEG, GIF and some animated WebP, `dwebp`
/// for WebP and `avifdec` for AVIF.
final class OtherDecoder {
  struct Picture {
    let path: String
    let kind: String
    let size: Canvas
    /// The sides as they are stored or turned, the smaller one first.
    var sides: [Int] { [size.width, size.height].sorted() }
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pictures-\(UUID())")
  private var count = 0

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed fails no test.
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes a picture for `undecoded`.
  func write(_ bytes: [UInt8], _ mediaType: String, _ size: Canvas) throws -> Picture {
    count += 1
    let kind = String(mediaType.dropFirst("image/".count))
    let file = folder.appendingPathComponent("\(count).\(kind)")
    try Data(bytes).write(to: file)
    return Picture(path: file.path, kind: kind, size: size)
  }

  /// The pictures that the other decoders do not decode, or to another size; removes all files.
  func undecoded(_ pictures: [Picture]) throws -> [String] {
    let known = pictures.filter { !["webp", "avif"].contains($0.kind) }
    let sizes = try identified(known)
    var bad = known.filter { picture in
      // The size of a GIF is that of its page.
      !(sizes[picture.path] ?? []).contains(picture.sides)
    }
    bad += try pictures.filter { try $0.kind == "webp" && !decodesWebP($0) }
    bad += try pictures.filter { try $0.kind == "avif" && !decodesAVIF($0.path) }
    let broken = try bad.map {
      "\($0.size) \($0.kind) \(try Data(contentsOf: URL(fileURLWithPath: $0.path)).base64EncodedString())"
    }
    for picture in pictures { try FileManager.default.removeItem(atPath: picture.path) }
    return broken
  }

  /// The sides of each picture and of its page, the smaller one first. Counting the colours decodes all pixels.
  private func identified(_ pictures: [Picture]) throws -> [String: [[Int]]] {
    guard !pictures.isEmpty else { return [:] }
    let words = ["-quiet", "-format", "%i %w %h %W %H %k\n"] + pictures.map { $0.path + "[0]" }
    var found: [String: [[Int]]] = [:]
    for line in try run("identify", arguments: words).output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 6 else { continue }
      let numbers = words[1...4].compactMap { Int($0) }
      guard numbers.count == 4 else { continue }
      let path = String(words[0].split(separator: "[")[0])
      found[path] = [[numbers[0], numbers[1]].sorted(), [numbers[2], numbers[3]].sorted()]
    }
    return found
  }

  /// `dwebp` reads no animations: it gets the first frame of one. `webpmux` is stricter than a decoder: it refuses, for instance, an
  /// animation whose header wrongly denies that it has transparent pixels. ImageMagick decodes such an animation.
  private func decodesWebP(_ picture: Picture) throws -> Bool {
    if try run("dwebp", "-quiet", picture.path, "-o", "/dev/null").status == 0 { return true }
    let frame = folder.appendingPathComponent("frame.webp").path
    if try run("webpmux", "-get", "frame", "1", picture.path, "-o", frame).status == 0 {
      return try run("dwebp", "-quiet", frame, "-o", "/dev/null").status == 0
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: picture.path))
    guard bytes.range(of: Data("ANMF".utf8)) != nil else { return false }
    return try identified([picture])[picture.path]?.contains(picture.sides) == true
  }

  /// `avifdec` would decode the track of a sequence, and we decode its still picture: the file is marked as a still picture.
  private func decodesAVIF(_ path: String) throws -> Bool {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    if bytes.dropFirst(8).starts(with: Array("avis".utf8)) { bytes[11] = UInt8(ascii: "f") }
    let still = folder.appendingPathComponent("still.avif")
    try Data(bytes).write(to: still)
    return try run("avifdec", still.path, folder.appendingPathComponent("out.png").path).status == 0
  }

  @discardableResult
  func run(_ name: String, _ words: String...) throws -> (status: Int32, output: String) {
    try run(name, arguments: words)
  }

  func run(_ name: String, arguments: [String]) throws -> (status: Int32, output: String) {
    let program = Process()
    let output = Pipe.unshared()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/\(name)")
    program.arguments = arguments
    program.standardOutput = output
    program.standardError = FileHandle.nullDevice
    try program.start()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    program.waitUntilExit()
    return (program.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
