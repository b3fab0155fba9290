// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running `Fixtures/bin/picture-server`, which ends with this object.
package final class PictureServer: Sendable {
  private let process = Process()
  private let input = Pipe.unshared()
  /// The folder of the pictures made for this server.
  private let folder: URL
  /// The server's URL, without a slash at its end.
  package let url: String
  /// The port of `url`.
  package var port: String { String(url.split(separator: ":").last ?? "") }

  /// The server could not be started or does not answer.
  package struct Trouble: Error {
    package init() {}
  }

  /// A PNG of 1 x 1.
  private static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

  /// Starts a server with these options, which has a picture of 1 x 1 under each of these names.
  package init(_ arguments: String..., pictures: [String] = []) throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-pictures-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    guard let picture = Data(base64Encoded: Self.pixel) else { throw Trouble() }
    for name in pictures { try picture.write(to: folder.appendingPathComponent(name)) }
    process.executableURL = root.appendingPathComponent("Fixtures/bin/picture-server")
    process.arguments = ["--folder", folder.path] + arguments
    let output = Pipe.unshared()
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    url = String(decoding: line, as: UTF8.self)
    guard url.hasPrefix("http") else { throw Trouble() }
  }

  deinit {
    // The server ends when its input is closed. Files that are left in the folder are of no use.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
