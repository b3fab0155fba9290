// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A temporary folder, removed with the value. Its path has no symbolic links.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "emojiart-watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.resolvingSymlinksInPath().path
  }

  deinit {
    // A test may have removed the folder or its permissions; this is no failure.
    try? FileManager.default.removeItem(atPath: path)
  }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String = "x") throws {
    try text.write(toFile: self[name], atomically: false, encoding: .utf8)
  }

  /// Puts a file in place that was written outside of the folder: one event, where a write in place has several.
  func put(_ name: String, _ text: String) throws {
    let draft = "\(path).draft"
    try text.write(toFile: draft, atomically: false, encoding: .utf8)
    try #require(rename(draft, self[name]) == 0, "\(name): \(String(cString: strerror(errno)))")
  }

  func make(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self[name], withIntermediateDirectories: true)
  }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: self[name], toPath: self[other])
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self[name]) }

  /// Runs lines in a real shell, in this folder.
  @discardableResult
  func shell(_ lines: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", lines]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    let output = Pipe.unshared()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.start()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(lines)")
    return String(decoding: text, as: UTF8.self)
  }
}
