// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// A copy of a document that a program which carries files between machines has put beside it, because both machines had edited the document.
///
/// | program | name of the copy of `bees.emojiart` |
/// |---|---|
/// | Syncthing | `bees.sync-conflict-20261122-131350-GT4PTP5.emojiart` |
/// | Dropbox | `bees (Ada's conflicted copy 2026-11-22).emojiart` |
/// | Nextcloud | `bees (conflicted copy 2026-11-22 131350).emojiart` |
///
/// It is one only beside the document, if both have the same id, and if it is a regular file. Any user may have
/// made it. Sources:
/// https://docs.syncthing.net/users/syncing.html#conflicting-changes,
/// https://help.dropbox.com/organize/conflicted-copy,
/// https://docs.nextcloud.com/desktop/latest/conflicts.html.
public struct ConflictCopy: Sendable, Hashable {
  private let copyPath: FilePath
  private let documentPath: FilePath
  /// The path of the copy.
  public var path: String { copyPath.string }
  /// The path of the document.
  public var document: String { documentPath.string }

  /// The copy at a path; nil if there is none. Reads both files' ids. Errors of reading count as no copy: whoever uses the file meets them.
  public init?(_ path: String) {
    do throws(ArtError) {
      guard let copy = try Self.found(at: path) else { return nil }
      self = copy
    } catch {
      return nil
    }
  }

  /// The same. Throws `busy` and what else keeps the files from being compared.
  static func found(at path: String, timeout: Duration = .zero) throws(ArtError) -> ConflictCopy? {
    guard let document = document(of: path), isRegular(path), let id = try id(at: path, timeout),
      try id == Self.id(at: document, timeout)
    else { return nil }
    return ConflictCopy(path: path, document: document)
  }

  private init(path: String, document: String) {
    (copyPath, documentPath) = (FilePath(path), FilePath(document))
  }

  /// Whether it is a copy of the document at a path.
  func isCopy(of file: DocumentFile) -> Bool { documentPath == FilePath(file.path) }

  /// The path of the document of which a file with this path is a conflict copy by its name; nil if its name says nothing of the kind.
  public static func document(of path: String) -> String? {
    let (parts, ending) = (FilePath(path), DocumentFile.ending)
    guard parts.hasEnding(ending) else { return nil }
    var stem = Array(parts.name.utf8.dropLast(ending.utf8.count))
    let whole = stem.count
    // A copy of a copy belongs to the document, too.
    while let shorter = withoutMark(stem) { stem = shorter }
    guard stem.count < whole, !stem.isEmpty else { return nil }
    return parts.prefix + String(decoding: stem, as: UTF8.self) + ending
  }

  /// Nil for a file that is no whole document.
  private static func id(at path: String, _ timeout: Duration) throws(ArtError) -> DocumentID? {
    do throws(ArtError) { return try DocumentFile(path, timeout: timeout).base().id } catch {
      switch error.code {
      case .noSuchDocument, .notADocument, .damaged, .newerFormat, .tooLarge: return nil
      default: throw error
      }
    }
  }

  /// The name without what says that it is a conflict copy; nil if nothing says so.
  private static func withoutMark(_ stem: [UInt8]) -> [UInt8]? { syncthing(stem) ?? inParentheses(stem) }

  private static func syncthing(_ stem: [UInt8]) -> [UInt8]? {
    let mark = Array(".sync-conflict-".utf8)
    guard let start = lastIndex(of: mark, in: stem) else { return nil }
    let parts = stem[(start + mark.count)...].split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    // Before version 0.14.50 there was no id of the device.
    guard (2...3).contains(parts.count), parts[0].count == 8, parts[1].count == 6,
      parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
      parts.count == 2 || parts[2].count == 7 && parts[2].allSatisfy(isOfDevice)
    else { return nil }
    return Array(stem[..<start])
  }

  private static func inParentheses(_ stem: [UInt8]) -> [UInt8]? {
    guard stem.last == UInt8(ascii: ")"), let start = lastIndex(of: Array(" (".utf8), in: stem),
      lastIndex(of: Array("conflicted copy".utf8), in: Array(stem[start...])) != nil
    else { return nil }
    return Array(stem[..<start])
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isOfDevice(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || isDigit(byte)
  }

  private static func lastIndex(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= part.count else { return nil }
    return (0...(bytes.count - part.count)).last { bytes[$0...].starts(with: part) }
  }
}

extension ConflictCopy {
  /// The conflict copies beside a document, by their names: those that are merged without being named, and why others that have such names are
  /// not, or cannot be read. Throws as `FolderListing` does, and what reading the document throws.
  static func found(beside file: DocumentFile) throws(ArtError) -> (own: [ConflictCopy], kept: [ArtError]) {
    let parts = FilePath(file.path)
    var (own, kept): ([ConflictCopy], [ArtError]) = ([], [])
    for name in try FolderListing(of: parts.folder).names
    where document(of: parts.prefix + name).map({ FilePath($0) }) == FilePath(file.path) {
      var copy = DocumentFile(parts.prefix + name)
      copy.name = FilePath(file.name).prefix + name
      do throws(ArtError) {
        // A link may lead to a file that is to be public as little as another user's file is to be believed.
        if isRegular(copy.path), try copy.base().id != file.base().id { continue }
        if let why = try file.distrust(of: copy) {
          kept.append(why)
        } else {
          own.append(ConflictCopy(path: copy.path, document: file.path))
        }
      } catch {
        guard error.code != .noSuchDocument else { continue }
        // A file of another user must not make each later merge fail.
        kept.append(
          error.code == .notPermitted
            ? ArtError(error.code, error.cause, about: copy.name, remedy: .mergeCopy) : error)
      }
    }
    return (own, kept)
  }

  private static func isRegular(_ path: String) -> Bool {
    do throws(SystemError) { return try FileStatus(ofLinkAt: path).isRegularFile } catch { return false }
  }

  /// Throws `badValue` if the file is a conflict copy: those who have the document would not get an edit of it. Throws `busy` if that cannot be
  /// found out.
  static func refuseEdits(of file: DocumentFile) throws(ArtError) {
    guard try found(at: file.path, timeout: file.timeout) != nil, let document = document(of: file.name)
    else { return }
    throw ArtError(
      .badValue, "\(file.name) is a conflict copy of \(document), and is not edited", about: document,
      remedy: .merge)
  }
}
