// SPDX-License-Identifier: Apache-2.0

// A program that draws with ArtDrawing and nothing else, for tests and measurements of its memory and time:
//   DrawingChild FONT LINES WIDTH HEIGHT OUT.png [SCALE [PICTURE [PAGES]]]
// or OUT.svg, OUT-text.svg, OUT.pdf, OUT.jpg, OUT.webp, OUT-clear.webp, OUT-lossless.webp, OUT.avif, OUT-clear.avif.
// LINES has one emoji a line: `x y size text`. It prints its peak memory in KiB, resident and
// address space, when it has ended; or `refused: ` and the reason.

import ArtDrawing
import ArtModel
import Glibc

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

private func labels(_ path: String) throws(ArtError) -> [DrawingScene.Label] {
  var labels: [DrawingScene.Label] = []
  for line in try bytes(of: path).split(separator: 0x0A) {
    let words = line.split(separator: 0x20, maxSplits: 3).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 4, let x = decimal(words[0]), let y = decimal(words[1]) else {
      throw ArtError(.badValue, "not `x y size text`")
    }
    labels.append(
      DrawingScene.Label(
        text: try EmojiText(words[3]), position: try Point(x: x, y: y), size: try FontSize(typed: words[2])))
  }
  return labels
}

private func format(_ path: String, _ size: PixelSize) -> Drawing.Format {
  if path.hasSuffix(".pdf") { return .pdf(size) }
  if path.hasSuffix(".jpg") { return .jpeg(size, quality: 90) }
  if path.hasSuffix("lossless.webp") { return .losslessWebP(size) }
  if path.hasSuffix(".avif") { return .avif(size, quality: 90) }
  if path.hasSuffix(".webp") { return .webp(size, quality: 90) }
  return path.hasSuffix(".svg") ? .svg(size, embedsGlyphs: !path.hasSuffix("text.svg")) : .png(size)
}

private func drawing(_ words: [String]) throws(ArtError) -> Drawing {
  guard words.count >= 6, let width = Int(words[3]), let height = Int(words[4]) else {
    throw ArtError(.usage, "DrawingChild FONT LINES WIDTH HEIGHT OUT.png [SCALE [PICTURE]]")
  }
  let canvas = try Canvas(width: width, height: height)
  let scale = words.count > 6 ? decimal(words[6]) ?? 1 : 1
  let picture = words.count > 7 ? try bytes(of: words[7]) : nil
  let size = try PixelSize(
    width: max(1, Int((Double(width) * scale).rounded())),
    height: max(1, Int((Double(height) * scale).rounded())))
  return Drawing(
    scene: DrawingScene(canvas: canvas, labels: try labels(words[2]), picture: picture),
    region: CanvasRect(canvas),
    format: format(words[5], size),
    isTransparent: words[5].split(separator: ".").dropLast().last?.contains("clear") == true,
    fonts: [words[1]])
}

private func printLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(1, bytes, bytes.count)
}

/// The number in a line of `/proc/self/status`, in KiB.
private func peak(_ name: String) throws(ArtError) -> String {
  var text: [UInt8] = []
  let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  let count = read(file, &buffer, buffer.count)
  close(file)
  text = Array(buffer.prefix(max(count, 0)))
  let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("\(name):") }
  return String(line?.drop { !$0.isNumber }.prefix { $0.isNumber } ?? "0")
}

do {
  let drawing = try drawing(CommandLine.arguments)
  let output = open(CommandLine.arguments[5], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  do throws(DrawingRefusal) {
    let receive: ([UInt8]) -> Void = { piece in
      guard write(output, piece, piece.count) == piece.count else { exit(EX_IOERR) }
    }
    var drawn = Drawn()
    if let pages = CommandLine.arguments.dropFirst(8).first.flatMap({ Int($0) }) {
      let fonts = OpenFonts(colors: drawing.fonts)
      let file = PDFFile(receive)
      for page in 1...max(1, pages) {
        var drawing = drawing
        drawing.details.pagesLeft = pages - page
        drawn = try file.add(drawing, with: fonts)
      }
    } else {
      drawn = try Renderings.draw(drawing, receive)
    }
    if let fault = drawn.pictureFault { printLine("picture: \(fault)") }
    printLine("lacking \(drawn.lackingCount)")
  } catch {
    printLine("refused: \(error.reason.rawValue): \(error.detail)")
  }
  printLine("resident \(try peak("VmHWM")) address \(try peak("VmPeak"))")
} catch {
  printLine("\(error)")
  exit(EX_USAGE)
}
