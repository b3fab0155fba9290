// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The use of each page of a file: every page belongs to exactly one b-tree, chain of overflow pages, or the
/// free list.
///
/// No sum of a document covers the free list, and a save writes over the pages in it. SQLite's
/// `integrity_check` skips it if the newest object of the schema is a view, as in a document. So it is
/// compared here with the pages in use. The bytes are those of the last commit; an open transaction is not
/// included.
///
/// Source: https://www.sqlite.org/fileformat.html, sections 1.3 to 1.8.
struct PageMap {
  /// Fills the buffer with the bytes at an offset.
  typealias Read = (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws(ArtError) -> Void

  private enum Failure: Error {
    /// The structure is invalid.
    case fault(String)
    /// The file cannot be read.
    case unreadable(ArtError)
  }

  /// The use of a page, with the numbers of an auto-vacuum file's pointer map.
  private enum Use: UInt8 {
    case root = 1
    case free = 2
    case firstOverflow = 3
    case overflow = 4
    case node = 5
  }

  private let read: Read
  private let pageSize: Int
  /// The bytes of a page that SQLite uses.
  private let usable: Int
  private let pageCount: Int
  private let isAutoVacuum: Bool
  private var isUsed: [Bool]
  /// In an auto-vacuum file: the use of each page, and the page that points to it.
  private var owners: [UInt32: (use: Use, owner: UInt32)] = [:]
  private var page: [UInt8]

  /// The fault in the structure of a connection's file; nil if it is valid. The schema must have been read
  /// before.
  static func fault(in connection: Connection) throws(ArtError) -> String? {
    guard let roots = connection.roots else { return "its free list begins with a page of its tables" }
    return try fault(roots: roots, size: try connection.size) { (buffer, offset) throws(ArtError) in
      try connection.read(into: buffer, at: offset)
    }
  }

  /// Throws `damaged` if the structure is invalid.
  static func verify(_ connection: Connection) throws(ArtError) {
    if let fault = try fault(in: connection) { throw .damaged(connection.name, fault) }
  }

  /// The fault in the structure of a file of that many bytes; nil if it is valid.
  static func fault(roots: [Int], size: Int, read: @escaping Read) throws(ArtError) -> String? {
    do throws(Failure) {
      var map = try PageMap(size: size, read: read)
      try map.walkFreeList()
      for root in [1] + roots { try map.walkTree(root) }
      try map.compare()
      return nil
    } catch {
      switch error {
      case .fault(let fault): return fault
      case .unreadable(let error): throw error
      }
    }
  }

  private init(size: Int, read: @escaping Read) throws(Failure) {
    self.read = read
    page = [UInt8](repeating: 0, count: FileHeader.length)
    guard size >= FileHeader.length else { throw .fault("it ends within its header") }
    try Self.fill(&page, FileHeader.length, from: 0, read)
    let stored = Int(page[16]) << 8 | Int(page[17])
    pageSize = stored == 1 ? 65_536 : stored
    usable = pageSize - Int(page[20])
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, usable >= 480 else {
      throw .fault("its pages cannot be \(pageSize) bytes long")
    }
    let whole = size / pageSize
    // The count in the header is valid only if the program that wrote last knows this field.
    let isCounted = page[24..<28] == page[92..<96]
    let counted = page.withUnsafeBytes { Int(Self.number($0, at: 28)) }
    pageCount = isCounted && counted > 0 ? counted : whole
    guard pageCount <= whole else { throw .fault("pages are missing at its end") }
    isAutoVacuum = page[52..<56].contains { $0 != 0 }
    isUsed = [Bool](repeating: false, count: pageCount + 1)
  }

  // MARK: Pages

  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func fill(
    _ page: inout [UInt8], _ count: Int, from offset: Int, _ read: Read
  ) throws(Failure) {
    var failure: ArtError?
    page.withUnsafeMutableBytes { buffer in
      do throws(ArtError) {
        try read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw .unreadable(failure) }
  }

  /// Records the use of a page. Throws if it is used already, or does not exist.
  private mutating func use(_ number: UInt32, as use: Use, of owner: UInt32) throws(Failure) {
    guard number >= 1, number <= pageCount else {
      throw .fault("a page \(number) is named, and there is none")
    }
    guard !isUsed[Int(number)] else { throw .fault("page \(number) is used twice") }
    isUsed[Int(number)] = true
    if isAutoVacuum { owners[number] = (use, owner) }
  }

  private mutating func load(_ number: UInt32, bytes count: Int? = nil) throws(Failure) {
    let count = count ?? pageSize
    if page.count != pageSize { page = [UInt8](repeating: 0, count: pageSize) }
    let offset = (Int(number) - 1) * pageSize
    try Self.fill(&page, count, from: offset, read)
  }

  // MARK: The free list

  private mutating func walkFreeList() throws(Failure) {
    try load(1, bytes: FileHeader.length)
    let expected = page.withUnsafeBytes { Int(Self.number($0, at: 36)) }
    var trunk = page.withUnsafeBytes { Self.number($0, at: 32) }
    var found = 0
    while trunk != 0 {
      try use(trunk, as: .free, of: 0)
      try load(trunk)
      let (next, count) = page.withUnsafeBytes { (Self.number($0, at: 0), Int(Self.number($0, at: 4))) }
      guard count <= usable / 4 - 2 else { throw .fault("page \(trunk) is no page of the free list") }
      for index in 0..<count {
        let leaf = page.withUnsafeBytes { Self.number($0, at: 8 + 4 * index) }
        try use(leaf, as: .free, of: 0)
      }
      found += 1 + count
      trunk = next
    }
    guard found == expected else {
      throw .fault("its free list has \(found) pages where \(expected) should be")
    }
  }

  // MARK: Trees

  /// Walks the tree of a table or an index, and the overflow pages of its cells.
  private mutating func walkTree(_ root: Int) throws(Failure) {
    guard let root = UInt32(exactly: root) else { throw .fault("a table cannot begin with page \(root)") }
    try use(root, as: .root, of: 0)
    var left = [root]
    var isIndex: Bool?
    while let number = left.popLast() {
      try load(number)
      guard let node = Node(page, number, usable: usable) else {
        throw .fault("page \(number) is no page of a table")
      }
      guard isIndex ?? node.isIndex == node.isIndex else {
        throw .fault("page \(number) is one of another table")
      }
      isIndex = node.isIndex
      for child in node.children {
        try use(child, as: .node, of: number)
        left.append(child)
      }
      for chain in node.chains { try walkChain(from: chain.first, count: chain.count, of: number) }
    }
  }

  private mutating func walkChain(from first: UInt32, count: Int, of node: UInt32) throws(Failure) {
    var (number, owner, use) = (first, node, Use.firstOverflow)
    for index in 0..<count {
      try self.use(number, as: use, of: owner)
      guard index + 1 < count else { return }
      try load(number, bytes: 4)
      (owner, use) = (number, .overflow)
      number = page.withUnsafeBytes { Self.number($0, at: 0) }
    }
  }

  // MARK: The comparison

  private mutating func compare() throws(Failure) {
    if isAutoVacuum { try comparePointers() }
    guard let lost = isUsed.dropFirst().firstIndex(of: false) else { return }
    throw .fault("page \(lost) belongs to nothing")
  }

  /// Compares the pointer map of an auto-vacuum file, by which SQLite moves pages. Each of its pages has
  /// entries of 5 bytes for the pages after it.
  private mutating func comparePointers() throws(Failure) {
    let entries = usable / 5
    for map in stride(from: 2, through: pageCount, by: entries + 1) {
      let number = UInt32(map)
      guard !isUsed[map] else { throw .fault("page \(number) is used twice") }
      isUsed[map] = true
      try load(number)
      for index in 0..<entries where map + 1 + index <= pageCount {
        guard let owner = owners[UInt32(map + 1 + index)] else { continue }
        let (use, page) = page.withUnsafeBytes { ($0[5 * index], Self.number($0, at: 5 * index + 1)) }
        guard use == owner.use.rawValue, page == owner.owner else {
          throw .fault("the pointer map is wrong about page \(map + 1 + index)")
        }
      }
    }
  }
}

/// The pages that a page of a b-tree points to.
private struct Node {
  let isIndex: Bool
  let children: [UInt32]
  /// Chains of overflow pages.
  let chains: [(first: UInt32, count: Int)]

  /// Nil if the page is no valid page of a b-tree.
  init?(_ page: [UInt8], _ number: UInt32, usable: Int) {
    let start = number == 1 ? FileHeader.length : 0
    let flags = page[start]
    guard [0x02, 0x05, 0x0A, 0x0D].contains(flags) else { return nil }
    isIndex = flags == 0x02 || flags == 0x0A
    let isLeaf = flags & 0x08 != 0
    var children: [UInt32] = []
    var chains: [(first: UInt32, count: Int)] = []
    let isIndex = isIndex
    let isWhole = page.withUnsafeBytes { page -> Bool in
      func number(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      }
      let count = Int(page[start + 3]) << 8 | Int(page[start + 4])
      let pointers = start + (isLeaf ? 8 : 12)
      guard pointers + 2 * count <= usable else { return false }
      if !isLeaf { children.append(number(start + 8)) }
      for index in 0..<count {
        var cell = Int(page[pointers + 2 * index]) << 8 | Int(page[pointers + 2 * index + 1])
        guard cell >= pointers + 2 * count, cell <= usable - 4 else { return false }
        if !isLeaf {
          children.append(number(cell))
          cell += 4
        }
        // A cell on an inner page of a table has no content.
        if !isLeaf, !isIndex { continue }
        guard let (length, next) = Self.varint(page, at: cell, end: usable), length >= 0,
          length <= Format.largestFile
        else { return false }
        cell = next
        if !isIndex {
          guard let (_, next) = Self.varint(page, at: cell, end: usable) else { return false }
          cell = next
        }
        let local = Self.local(length, isIndex: isIndex, usable: usable)
        guard local < length else { continue }
        guard local <= usable - 4 - cell else { return false }
        chains.append((number(cell + local), (length - local + usable - 5) / (usable - 4)))
      }
      return true
    }
    guard isWhole else { return nil }
    self.children = children
    self.chains = chains
  }

  /// The number of bytes, of a content of that length, that are on the page itself.
  private static func local(_ length: Int, isIndex: Bool, usable: Int) -> Int {
    let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
    guard length > most else { return length }
    let least = (usable - 12) * 32 / 255 - 23
    let wanted = least + (length - least) % (usable - 4)
    return wanted <= most ? wanted : least
  }

  /// A number of 1 to 9 bytes, and the offset after it; nil if it does not end.
  private static func varint(_ page: UnsafeRawBufferPointer, at offset: Int, end: Int) -> (
    value: Int, next: Int
  )? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset + index < end else { return nil }
      let byte = page[offset + index]
      if index == 8 {
        value = value << 8 | UInt64(byte)
      } else {
        value = value << 7 | UInt64(byte & 0x7F)
        if byte >= 0x80 { continue }
      }
      return (Int(truncatingIfNeeded: value), offset + index + 1)
    }
    return nil
  }
}

// MARK: - The pages of `art` and of the schema

/// A row on a table's page.
///
/// Source: https://www.sqlite.org/fileformat.html, sections 1.6 and 2.1.
struct LeafPage {
  private let bytes: [UInt8]
  private var offset = 0
  private(set) var columns: [Column] = []

  enum Column {
    case null
    case integer(Int)
    case text(String)
  }

  /// Nil if the page is no table leaf with exactly one row that fits on it.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 12, bytes[0] == 0x0D, bytes[3] == 0, bytes[4] == 1 else { return nil }
    self.init(bytes, pointer: 8)
  }

  /// The number of the page that a table begins on, by the file's first page; nil if the schema does not fit on that page.
  static func root(of table: String, onFirst bytes: [UInt8]) -> Int? {
    let (start, head) = (FileHeader.length, 8)
    guard bytes.count == Format.pageSize, bytes[start] == 0x0D else { return nil }
    let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    guard start + head + 2 * count <= bytes.count else { return nil }
    for index in 0..<count {
      guard let row = LeafPage(bytes, pointer: start + head + 2 * index), row.columns.count == 5 else {
        return nil
      }
      guard row.columns[1].text == table, case .integer(let root) = row.columns[3] else { continue }
      return root
    }
    return nil
  }

  /// The row to whose cell the number at an offset leads; nil if it does not fit on the page.
  private init?(_ bytes: [UInt8], pointer: Int) {
    self.bytes = bytes
    offset = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
    guard let length = varint(), varint() != nil, length <= bytes.count - 35 else { return nil }
    let start = offset
    guard let headerLength = varint(), headerLength <= length, start + length <= bytes.count else {
      return nil
    }
    var kinds: [Int] = []
    while offset < start + headerLength {
      guard let kind = varint() else { return nil }
      kinds.append(kind)
    }
    guard offset == start + headerLength else { return nil }
    for kind in kinds {
      guard let column = column(kind, end: start + length) else { return nil }
      columns.append(column)
    }
  }

  private mutating func varint() -> Int? {
    var value = 0
    for _ in 0..<8 {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      value = value << 7 | Int(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func column(_ kind: Int, end: Int) -> Column? {
    switch kind {
    case 0: return .null
    case 1...6: return integer(bytes: [1, 2, 3, 4, 6, 8][kind - 1], end: end).map(Column.integer)
    case 8, 9: return .integer(kind - 8)
    case 13... where !kind.isMultiple(of: 2):
      let length = (kind - 13) / 2
      guard length <= end - offset else { return nil }
      defer { offset += length }
      return String(validating: bytes[offset..<offset + length], as: UTF8.self).map(Column.text)
    default: return nil
    }
  }

  private mutating func integer(bytes count: Int, end: Int) -> Int? {
    guard count <= end - offset else { return nil }
    defer { offset += count }
    let first = Int(Int8(bitPattern: bytes[offset]))
    return bytes[offset + 1..<offset + count].reduce(first) { $0 << 8 | Int($1) }
  }
}

extension ArtRow {
  /// The row on the page of `art`; nil if it is none, or does not match its sum.
  init?(onlyRowOf page: LeafPage) {
    let columns = page.columns
    guard columns.count == Self.columns, case .text(let id) = columns[1], case .text(let canvas) = columns[2],
      case .integer(let revision) = columns[5], case .integer(let emojiCount) = columns[7],
      case .integer(let logBytes) = columns[8], case .integer(let digest) = columns[9],
      case .integer(let sum) = columns[10]
    else { return nil }
    let stored = Stored(
      id: id, canvas: canvas, background: columns[3].text, pending: columns[4].text, revision: revision,
      head: columns[6].text, emojiCount: emojiCount, logBytes: logBytes, digest: digest, sum: sum)
    // An invalid row is read again through SQLite, which reports the fault.
    guard stored.sum == stored.expectedSum, let row = try? ArtRow(stored) else { return nil }
    self = row
  }
}

extension LeafPage.Column {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
