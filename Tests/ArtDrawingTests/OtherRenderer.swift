// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Programs that draw SVG and PDF: librsvg, Chromium, poppler; and pango-view, which draws text.
final class OtherRenderer {
  struct Failure: Error {
    let program: String
    let status: Int32
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seen-\(UUID())")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }

  deinit {
    // A folder that cannot be removed fails no test.
    try? FileManager.default.removeItem(at: folder)
  }

  /// The pixels of an SVG file in librsvg.
  func rsvg(_ svg: [UInt8]) throws -> Pixels {
    let (file, picture) = (try write(svg, "a.svg"), folder.appendingPathComponent("a.png"))
    try run("rsvg-convert", "--unlimited", file.path, "-o", picture.path)
    return try Pixels(contentsOf: picture)
  }

  /// The pixels of a PDF page in poppler, `scale` pixels a point: with Cairo, or with Splash, which moves pictures to whole pixels.
  func poppler(_ pdf: [UInt8], usesSplash: Bool = false, page: Int = 1, scale: Int = 1) throws -> Pixels {
    let file = try write(pdf, "a.pdf")
    let picture = folder.appendingPathComponent("b").path
    try run(
      usesSplash ? "pdftoppm" : "pdftocairo", "-r", "\(72 * scale)", "-png", "-singlefile", "-f", "\(page)",
      file.path,
      picture)
    return try Pixels(contentsOf: folder.appendingPathComponent("b.png"))
  }

  /// The pixels of files of one size in Chromium, all on one page. Without kinds they are SVG.
  func chromium(_ files: [[UInt8]], width: Int, height: Int, kinds: [String]? = nil) throws -> [Pixels] {
    var page =
      "<!doctype html><style>body{margin:0}img{display:block;width:\(width)px;height:\(height)px}</style>"
    for (index, file) in files.enumerated() {
      let name = "page-\(index).\(kinds?[index] ?? "svg")"
      _ = try write(file, name)
      page += "<img src=\"\(name)\">"
    }
    return try shown(page, files.count, width: width, height: height)
  }

  /// The pixels of pictures of one size as the studio's page paints them: decoded by the browser, drawn on a canvas.
  func canvases(_ files: [[UInt8]], width: Int, height: Int) throws -> [Pixels] {
    let list = files.map { "'\(Data($0).base64EncodedString())'" }.joined(separator: ",")
    let page = """
      <!doctype html><style>body{margin:0}canvas{display:block}iframe{display:none}</style><body><script>(async () => {
        // A frame that is being written holds up the end of loading, which the screenshot waits for.
        const frame = document.createElement('iframe');
        document.body.append(frame);
        frame.contentDocument.open();
        for (const text of [\(list)]) {
          const blob = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
          const hidden = new OffscreenCanvas(\(width), \(height));
          hidden.getContext('2d', { alpha: false }).drawImage(await createImageBitmap(blob), 0, 0);
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [\(width), \(height)];
          document.body.append(canvas);
          canvas.getContext('bitmaprenderer').transferFromImageBitmap(hidden.transferToImageBitmap());
        }
        frame.contentDocument.close();
      })()</script>
      """
    return try shown(page, files.count, width: width, height: height)
  }

  /// The pixels of boxes of one size below each other on a page that has been loaded.
  private func shown(_ page: String, _ count: Int, width: Int, height: Int) throws -> [Pixels] {
    let whole = try chromium(page: page, width: width, height: height * count)
    return try (0..<count).map { index in
      let rows = (index * height..<(index + 1) * height).flatMap { row in
        whole.bytes[4 * row * whole.width..<4 * (row * whole.width + width)]
      }
      return try Pixels(width: width, height: height, bytes: Array(rows))
    }
  }

  /// The pixels of a page in Chromium, which may name the files that were written.
  func chromium(page: String, width: Int, height: Int, more: String...) throws -> Pixels {
    let file = try write(Array(page.utf8), "page.html")
    let picture = folder.appendingPathComponent("page.png")
    let arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
      "--force-color-profile=srgb", "--default-background-color=00000000",
      "--user-data-dir=\(folder.appendingPathComponent("profile").path)",
      "--window-size=\(max(width, 500)),\(height)", "--screenshot=\(picture.path)",
    ]
    try run("chromium", arguments: arguments + more + [file.absoluteString])
    return try Pixels(contentsOf: picture)
  }

  /// The pixels of a line of text in that family of fonts, 100 pixels high.
  func pango(_ line: String, _ family: String) throws -> Pixels {
    let picture = folder.appendingPathComponent("line.png")
    try run(
      "pango-view", "--no-display", "--font=\(family) 100px", "--dpi=72", "--margin=0", "--hinting=none",
      "-t", line,
      "-o", picture.path)
    return try Pixels(contentsOf: picture)
  }

  /// Writes a file for `run`.
  func write(_ bytes: [UInt8], _ name: String) throws -> URL {
    let file = folder.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file
  }

  @discardableResult
  func run(_ program: String, _ words: String...) throws -> String { try run(program, arguments: words) }

  @discardableResult
  func run(_ program: String, arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe.unshared()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.start()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(program: program, status: process.terminationStatus)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The elements of an SVG file as an XML parser reads them: one a line, with its attributes' names, and its text after a tab.
  func elements(_ svg: [UInt8]) throws -> [Substring] {
    let file = try write(svg, "b.svg")
    let script = """
      import sys, xml.etree.ElementTree as tree
      for part in tree.parse(sys.argv[1]).getroot().iter():
          names = ','.join(sorted(name.split('}')[-1] for name in part.attrib))
          print(part.tag.split('}')[-1], names, '\\t', (part.text or '').encode('unicode_escape').decode())
      """
    return try run("python3", "-c", script, file.path).split(separator: "\n")
  }
}
