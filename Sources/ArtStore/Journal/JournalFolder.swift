// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Where the journals of unsaved edits lie: a file or two for each program that edits, or did and is gone.
public struct JournalFolder: Sendable, Hashable {
  /// The folder's path; it need not exist.
  public let path: String
  /// The machine that this program runs on; asked for only where there is a journal.
  var host: JournalHost { played ?? .current }
  /// What a test plays.
  private let played: JournalHost?

  /// A folder by its path.
  public init(_ path: String) { self.init(path, host: nil) }

  init(_ path: String, host: JournalHost?) {
    self.path = path
    played = host
  }

  /// `journal` in this machine's state folder. Throws `inputOutput` where no variable names one, `badValue` for a relative
  /// one, `notPermitted` for one that others may write to.
  public static func standard() throws(ArtError) -> JournalFolder {
    JournalFolder(try StateFolder.path() + "/journal")
  }

  /// The standard folder; nil where no variable names a state folder, so that no journal can be there. Throws as
  /// `standard` does, but for that.
  public static func known() throws(ArtError) -> JournalFolder? {
    try StateFolder.isNamed ? standard() : nil
  }

  /// Throws `notPermitted` where others may have put journals there: those are not restored in anybody's name. Root may look
  /// at what is in anybody's folder.
  func verify(isLooking: Bool = false) throws(ArtError) {
    try StateFolder.verify(path, acceptsOwner: isLooking && geteuid() == 0)
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The files of one journal.
  struct Files: Equatable {
    var hasLock = false
    /// The numbers of its segments, ascending.
    var segments: [Int] = []
  }

  /// The journals there, by their origins; empty where the folder is not there. What else lies there is passed over.
  func files() throws(ArtError) -> [Origin: Files] {
    var found: [Origin: Files] = [:]
    do throws(SystemError) {
      try FolderEntry.each(in: path) { entry in
        switch JournalName(entry.shownName) {
        case .lock(let origin): found[origin, default: Files()].hasLock = true
        case .segment(let origin, let number): found[origin, default: Files()].segments.append(number)
        case nil: break
        }
      }
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR else {
        throw ArtError(error, cannot: "look into", path)
      }
      return [:]
    }
    return found.mapValues { Files(hasLock: $0.hasLock, segments: $0.segments.sorted()) }
  }

  /// Unlinks segments in their order; one that is gone is no error.
  func unlinkSegments(_ numbers: [Int], of origin: Origin) throws(ArtError) {
    for number in numbers {
      let path = path(of: JournalFormat.segment(number, of: origin))
      guard unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
    }
  }
}
