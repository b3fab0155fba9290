// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc

/// Where a result is to be written, and what is there now.
struct FilePlace {
  /// What is at the path.
  enum Kind: Equatable {
    case stdout
    /// A pipe or a device.
    case stream
    /// Nothing.
    case new
    /// A file that the result takes the place of.
    case replacing(OldFile)
  }

  /// What files may be replaced.
  enum Replaceable {
    /// None.
    case nothing
    /// A PNG, SVG or PDF file.
    case pictures
    /// A page that `gallery` wrote.
    case galleries
    /// A document as JSON, of any of the formats that `export` writes; with our own ending where the app that reads it wants that.
    case exchanges(mayHaveOurEnding: Bool)
  }

  /// As a person gave it.
  let path: String
  /// Where the file will be: links are followed to what is replaced.
  let target: String
  let kind: Kind

  /// A new file, or `-`, stdout. Throws what a place must not be.
  init(new path: String) throws(ArtError) { try self.init(path, replacing: .nothing) }

  /// Looks what is there. Only a file of that kind, or an empty one, is replaced, never a document. Throws `badValue`, `exists`,
  /// `notPermitted`, `noSuchDocument`, `usage` for a terminal.
  init(_ path: String, replacing replaceable: Replaceable) throws(ArtError) {
    self.path = path
    guard path != "-" else {
      (target, kind) = (path, .stdout)
      try Self.checkTerminal(1, "stdout")
      return
    }
    guard !path.isEmpty else {
      throw ArtError(.badValue, "an empty name is no file; give one, or - for stdout")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .notSaved(as: path, errno) }
      guard lstat(path, &status) != 0 else { throw .notSaved(as: path, EEXIST) }
      try Self.checkName(path, path, replaceable)
      (target, kind) = (path, .new)
      return
    }
    if case .nothing = replaceable { throw .notSaved(as: path, EEXIST) }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFCHR: (target, kind) = (path, .stream)
    case S_IFREG:
      target = try Self.resolved(path)
      try Self.checkName(target, path, replaceable)
      guard access(target, W_OK) == 0 else { throw .notSaved(as: path, errno) }
      let old = try OldFile(target, path)
      try Self.check(old, at: target, replaceable, path)
      kind = .replacing(old)
    case S_IFDIR: throw ArtError(.exists, "\(path) is a folder; name a file in it")
    default: throw ArtError(.exists, "\(path) is no regular file; choose another name")
    }
  }

  /// Throws for a terminal, which shows no picture.
  static func checkTerminal(_ descriptor: Int32, _ name: String) throws(ArtError) {
    guard isatty(descriptor) == 1 else { return }
    throw ArtError(.usage, "\(name) is a terminal, which shows no picture; redirect it, or name a file")
  }

  /// Throws for the name of a document, or of what SQLite would take for a part of one.
  private static func checkName(
    _ target: String, _ path: String, _ replaceable: Replaceable
  ) throws(ArtError) {
    let name = PathParts(target).name.utf8
    guard !name.isEmpty else { throw .notSaved(as: path, ENOENT) }
    // By bytes: to Swift a character before the point may be one with it.
    let endings = replaceable.mayHaveOurEnding ? [] : [""]
    let own = (endings + ["-journal", "-wal", "-shm"]).map { (".emojiart" + $0).utf8 }
    guard !own.contains(where: { name.suffix($0.count).elementsEqual($0) }) else {
      throw ArtError(.badValue, "\(path) is, or leads to, what has a document's name; choose another one")
    }
  }

  private static func resolved(_ path: String) throws(ArtError) -> String {
    guard let real = realpath(path, nil) else { throw .notSaved(as: path, errno) }
    defer { free(real) }
    guard let target = String(validatingCString: real) else { throw .notSaved(as: path, EILSEQ) }
    return target
  }

  /// Throws where what is there must stay.
  private static func check(
    _ old: OldFile, at target: String, _ replaceable: Replaceable, _ path: String
  ) throws(ArtError) {
    let head = old.head
    guard head.isEmpty || replaceable.matches(head) && replaceable.matchesAll(of: target) else {
      let what = head.starts(with: "SQLite format 3".utf8) ? "a database" : "no \(replaceable.words)"
      throw ArtError(.exists, "\(path) exists already, and is \(what); choose another name")
    }
  }
}

extension FilePlace.Replaceable {
  fileprivate var mayHaveOurEnding: Bool {
    if case .exchanges(let may) = self { may } else { false }
  }

  fileprivate var words: String {
    switch self {
    case .nothing, .pictures: "PNG, SVG or PDF"
    case .galleries: "gallery"
    case .exchanges: "document as JSON"
    }
  }

  /// Whether all of a file is what may be replaced. Many programs' JSON begins as a document does, with an `image` or a `url`.
  fileprivate func matchesAll(of path: String) -> Bool {
    guard case .exchanges = self else { return true }
    do throws(ArtError) {
      _ = try SourceBytes(path, followsLinks: true).foreign()
      return true
    } catch {
      // What cannot be read as one is left alone, whatever the reason.
      return false
    }
  }

  /// Whether a file that begins so may be replaced.
  fileprivate func matches(_ head: [UInt8]) -> Bool {
    switch self {
    case .nothing: false
    case .pictures:
      head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: "%PDF-".utf8)
        || Self.isSVG(head)
    case .galleries: head.starts(with: GalleryPage.mark.utf8)
    case .exchanges: [.own, .course].contains(DocumentText(beginning: head))
    }
  }

  /// Whether `svg` is the first element; what may be before it is passed over. A page with a drawing in it is none.
  private static func isSVG(_ head: [UInt8]) -> Bool {
    guard head.first == UInt8(ascii: "<") else { return false }
    let blanks = [UInt8](" \t\r\n".utf8)
    var rest = head[...]
    let passed = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE svg", ">")]
    while let (_, end) = passed.first(where: { rest.starts(with: $0.0.utf8) }) {
      guard let range = rest.firstRange(of: [UInt8](end.utf8)) else { return false }
      rest = rest[range.upperBound...].drop(while: blanks.contains)
    }
    guard rest.starts(with: "<svg".utf8), let next = rest.dropFirst(4).first else { return false }
    return (blanks + [UInt8](">/".utf8)).contains(next)
  }
}
