// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The fonts that `Fixtures/fonts/make.py` makes, once for all tests.
enum TestFonts {
  /// A glyph that a font has, as the manifest beside the font says.
  struct Glyph: Decodable {
    var text: String
    var name: String
    /// False for one that shows nothing, or is refused; nil where a reader may choose.
    var draws: Bool?
    /// Whether SVG 1.1 has shapes for it; nil where a reader may choose.
    var vector: Bool?
    /// Whether every renderer draws the same pixels but at edges.
    var exact: Bool?
  }

  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fonts-\(UUID())")
    let process = Process()
    process.executableURL =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/fonts/make.py").standardizedFileURL
    process.arguments = [folder.path]
    // A folder that cannot be made has no fonts, which every test of them reports.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try? process.run()
    process.waitUntilExit()
    atexit { try? FileManager.default.removeItem(at: TestFonts.folder) }
    return folder
  }()

  /// The path of a font.
  static func path(_ name: String) -> String {
    let ending = ["ttf", "otf"].first {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("\(name).\($0)").path)
    }
    return folder.appendingPathComponent("\(name).\(ending ?? "ttf")").path
  }

  /// The glyphs of a font.
  static func glyphs(_ name: String) throws -> [Glyph] {
    try JSONDecoder().decode(
      [Glyph].self, from: Data(contentsOf: folder.appendingPathComponent("\(name).json")))
  }

  /// The names of all fonts that begin so.
  static func names(_ prefix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasPrefix(prefix) && !$0.hasSuffix(".json")
    }.map { String($0.prefix { $0 != "." }) }.sorted()
  }
}
