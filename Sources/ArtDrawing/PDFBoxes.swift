// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// The paper of a page in PDF: the page alone, or with a bleed around it and crop marks around that.
struct Paper {
  /// From the bleed to a crop mark, and the length of that, in points.
  private static let marks = (gap: 3.0, length: 15.0)

  /// What is left when the paper was cut.
  let page: PageSize
  /// How far the drawing goes on beyond the page, in points; nil for paper that is not cut.
  let bleed: Double?

  /// From an edge of the paper to the page.
  var edge: Double { bleed.map { $0 + Self.marks.gap + Self.marks.length } ?? 0 }
  /// The width in points.
  var width: Double { page.width + 2 * edge }
  /// The height in points.
  var height: Double { page.height + 2 * edge }

  /// Draws two marks at each corner, outside of the bleed.
  func drawMarks(on cairo: OpaquePointer?) {
    guard bleed != nil else { return }
    let length = Self.marks.length
    for x in [edge, width - edge] {
      for y in [0, height - length] {
        cairo_move_to(cairo, x, y)
        cairo_rel_line_to(cairo, 0, length)
      }
    }
    for y in [edge, height - edge] {
      for x in [0, width - length] {
        cairo_move_to(cairo, x, y)
        cairo_rel_line_to(cairo, length, 0)
      }
    }
    cairo_set_source_rgb(cairo, 0, 0, 0)
    cairo_set_line_width(cairo, 0.25)
    cairo_stroke(cairo)
  }

  /// The entries of a page object that name the page and its bleed (PDF 1.7, 14.11.2).
  fileprivate var boxes: String {
    func box(_ inset: Double) -> String {
      "[" + [inset, inset, width - inset, height - inset].map(XMLText.number).joined(separator: " ") + "]"
    }
    return "/TrimBox \(box(edge)) /BleedBox \(box(edge - (bleed ?? 0)))"
  }
}

/// A copy of a PDF file as Cairo writes it. Cairo cannot name the page that is cut out of the paper: an update does, which is appended to the file, as
/// editors do (PDF 1.7, 7.5.6). Pages are found by the file's table of objects, so nothing in a picture can be taken for one.
struct PDFCopy {
  /// The most bytes of such a file.
  static let limit = 1 << 26

  private var bytes: [UInt8] = []
  private var isTooLarge = false

  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard bytes.count + more.count <= Self.limit else {
      isTooLarge = true
      return
    }
    bytes.append(contentsOf: more)
  }

  /// The bytes to be appended. Throws `tooLarge` for a file that is too large, and for one that is not as Cairo writes it.
  func update(_ papers: [Paper]) throws(DrawingRefusal) -> [UInt8] {
    guard !isTooLarge else {
      throw DrawingRefusal(
        .tooLarge,
        "a file with a bleed has at most \(Self.limit >> 20) MiB; draw fewer pages, or with fewer dots per inch"
      )
    }
    guard let update = update(of: papers) else {
      throw DrawingRefusal(
        .tooLarge,
        "the pages of the file that Cairo \(String(cString: cairo_version_string())) wrote are not found; leave the bleed out"
      )
    }
    return update
  }

  private func update(of papers: [Paper]) -> [UInt8]? {
    guard let start = number(after: "startxref", from: max(0, bytes.count - 64)),
      let table = objects(at: start), let trailer = dictionary("trailer", from: start),
      let root = reference("/Root", in: trailer), let catalog = object(root, table),
      let tree = reference("/Pages", in: catalog).flatMap({ object($0, table) }), let kids = kids(of: tree),
      kids.count == papers.count
    else { return nil }
    var update = "\n"
    var entries: [(number: Int, offset: Int)] = []
    for (kid, paper) in zip(kids, papers) {
      guard let page = object(kid, table), page.hasPrefix("<<"), page.contains("/Type /Page"),
        !page.contains("/TrimBox")
      else { return nil }
      entries.append((kid, bytes.count + update.utf8.count))
      update += "\(kid) 0 obj\n<< \(paper.boxes)\(page.dropFirst(2))\nendobj\n"
    }
    let place = bytes.count + update.utf8.count
    update += "xref\n"
    for entry in entries {
      let offset = String(entry.offset)
      update +=
        "\(entry.number) 1\n" + String(repeating: "0", count: max(0, 10 - offset.count))
        + "\(offset) 00000 n \n"
    }
    update += "trailer\n<< /Prev \(start)\(trailer.dropFirst(2))\nstartxref\n\(place)\n%%EOF\n"
    return Array(update.utf8)
  }

  /// The offsets of objects by their numbers.
  private func objects(at start: Int) -> [Int]? {
    var lines = Lines(bytes, start)
    guard lines.next() == "xref", let head = lines.next()?.split(separator: " "), head.count == 2,
      head[0] == "0",
      let count = Int(head[1]), count <= bytes.count / 20
    else { return nil }
    var offsets: [Int] = []
    for _ in 0..<count {
      guard let entry = lines.next()?.split(separator: " "), entry.count == 3, let offset = Int(entry[0])
      else { return nil }
      offsets.append(offset)
    }
    return offsets
  }

  /// The dictionary of an object, which is no stream.
  private func object(_ number: Int, _ table: [Int]) -> String? {
    guard table.indices.contains(number) else { return nil }
    return dictionary("\(number) 0 obj", from: table[number])
  }

  /// The dictionary after a line. It contains no `>>` in texts, which Cairo does not write into these.
  private func dictionary(_ line: String, from start: Int) -> String? {
    guard let place = start == 0 ? nil : first(line, from: start) else { return nil }
    var lines = Lines(bytes, place)
    guard lines.next() == line else { return nil }
    var text = ""
    var depth = 0
    while let next = lines.next(), text.utf8.count < 1 << 16 {
      text += (text.isEmpty ? "" : "\n") + next
      depth += next.split(separator: " ").reduce(0) { $0 + ($1 == "<<" ? 1 : $1 == ">>" ? -1 : 0) }
      if depth == 0 { return text.hasPrefix("<<") && text.hasSuffix(">>") ? text : nil }
    }
    return nil
  }

  /// The place of a line at or after another place.
  private func first(_ line: String, from start: Int) -> Int? {
    var lines = Lines(bytes, start)
    var place = start
    while let next = lines.next() {
      if next == line { return place }
      // An object begins where the table says; a trailer follows the table.
      guard line == "trailer" else { return nil }
      place = lines.place
    }
    return nil
  }

  private func number(after word: String, from start: Int) -> Int? {
    var lines = Lines(bytes, start)
    while let line = lines.next() { if line == word { return lines.next().flatMap { Int($0) } } }
    return nil
  }

  private func reference(_ key: String, in dictionary: String) -> Int? {
    let words = dictionary.split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(where: { $0 == key }), place + 3 < words.count,
      words[place + 3] == "R" || words[place + 3].hasPrefix("R")
    else { return nil }
    return Int(words[place + 1])
  }

  private func kids(of tree: String) -> [Int]? {
    let words = tree.split(whereSeparator: \.isWhitespace)
    guard let start = words.firstIndex(of: "["), let end = words.firstIndex(of: "]"), start < end else {
      return nil
    }
    let references = words[(start + 1)..<end]
    guard references.count % 3 == 0 else { return nil }
    var kids: [Int] = []
    for index in stride(from: references.startIndex, to: references.endIndex, by: 3) {
      guard let number = Int(references[index]), references[index + 2] == "R" else { return nil }
      kids.append(number)
    }
    return kids
  }

  /// The lines of a file from a place on. A line that is longer than any in a table or a page ends them.
  private struct Lines {
    private let bytes: [UInt8]
    private(set) var place: Int

    init(_ bytes: [UInt8], _ place: Int) { (self.bytes, self.place) = (bytes, place) }

    mutating func next() -> String? {
      guard bytes.indices.contains(place) else { return nil }
      let end = bytes[place...].prefix(1 << 16).firstIndex(of: 0x0A) ?? min(place + 1 << 16, bytes.endIndex)
      let line = bytes[place..<end]
      place = end + 1
      return String(decoding: line, as: UTF8.self)
    }
  }
}
