// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

/// What users and programs do to a file while a stream edits it.
enum MovedFile: String, CaseIterable {
  case renamed, replaced
  case copiedOver = "copied over"
  case copiedBeside = "copied beside"
  case deleted
  case backupMovedBack = "backup moved back"
  case backupCopiedBack = "backup copied back"
  case readOnly = "made read-only"
  case folderGone = "folder gone"
  case diskFull = "disk full"

  /// Whether the file is overwritten in place: a refresh or a save may find it empty.
  var isWrittenInPlace: Bool { self == .copiedOver || self == .backupCopiedBack }
  /// Whether the document stays at its path and can be written.
  var isHarmless: Bool { [.copiedBeside, .backupMovedBack, .backupCopiedBack].contains(self) }
}

/// A document that is moved, and the files that must not be written to.
final class MovedCase {
  let stream: StreamCase
  let kind: MovedFile
  /// Runs a program as a user to whom permissions apply, where that matters.
  let wrapper: [String]
  private let folder: String
  private let stranger: [UInt8]
  private let backup: [UInt8]
  /// The document as it was when it was moved.
  private var old: [UInt8] = []
  private var untouched: [String: [UInt8]] = [:]
  private var isMounted = false

  init?(_ kind: MovedFile) throws {
    self.kind = kind
    // The document has many pages, of which a save writes only some.
    stream = try StreamCase(emojis: 400)
    folder = stream.space["documents"]
    backup = try bytes(stream.file.path)
    let other = try stream.space.document("stranger.emojiart", seed: 2)
    try other.fill(emojis: 500, edits: 3, seed: 8)
    stranger = try bytes(other.path)
    wrapper = kind == .readOnly && getuid() == 0 ? MovedCase.unprivileged : []
    if kind == .diskFull, try !mount() { return nil }
    try stream.file.add("🍀", seed: 5)
    if !wrapper.isEmpty {
      mkdir(stream.state, 0o700)
      for path in ["", "documents", "documents/bees.emojiart", "state"].map({ stream.space[$0] }) {
        try #require(chown(path, 65534, 65534) == 0)
      }
    }
  }

  deinit { if isMounted { _ = try? run("umount", ["-l", folder]) } }

  private static let unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// Mounts a small file system for the document. False where none can be mounted.
  private func mount() throws -> Bool {
    let document = try bytes(stream.file.path)
    guard try run("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]).status == 0 else {
      return false
    }
    isMounted = true
    try write(document, to: stream.file.path)
    return true
  }

  private var moved: String { folder + "/moved.emojiart" }
  private var copy: String { folder + "/copy.emojiart" }
  private var filler: String { folder + "/filler" }

  func move() throws {
    let path = stream.file.path
    old = try bytes(path)
    switch kind {
    case .renamed: try #require(rename(path, moved) == 0)
    case .replaced: try put(stranger, at: path)
    case .copiedOver: try write(stranger, to: path)
    case .copiedBeside: try write(old, to: copy)
    case .deleted: try #require(unlink(path) == 0)
    case .backupMovedBack: try put(backup, at: path)
    case .backupCopiedBack: try write(backup, to: path)
    case .readOnly: try #require(chmod(path, 0o444) == 0 && chmod(folder, 0o555) == 0)
    case .folderGone: try #require(rename(folder, folder + "-elsewhere") == 0)
    case .diskFull: try fill()
    }
    switch kind {
    case .replaced, .copiedOver: untouched = [path: stranger]
    case .copiedBeside: untouched = [copy: old]
    default: break
    }
  }

  /// Puts the document back as it was.
  func comeBack() throws {
    let path = stream.file.path
    untouched[path] = nil
    switch kind {
    case .renamed: try #require(rename(moved, path) == 0)
    case .replaced, .copiedOver, .deleted: try put(old, at: path)
    case .copiedBeside, .backupMovedBack, .backupCopiedBack: break
    case .readOnly: try #require(chmod(path, 0o644) == 0 && chmod(folder, 0o755) == 0)
    case .folderGone: try #require(rename(folder + "-elsewhere", folder) == 0)
    case .diskFull: try #require(unlink(filler) == 0)
    }
  }

  /// The present path of the document; nil when it is nowhere.
  var home: String? {
    switch kind {
    case .renamed: moved
    case .replaced, .copiedOver, .deleted: nil
    case .copiedBeside, .backupMovedBack, .backupCopiedBack, .readOnly, .diskFull: stream.file.path
    case .folderGone: folder + "-elsewhere/bees.emojiart"
    }
  }

  /// Puts a file at a path, in the place of another one.
  private func put(_ bytes: [UInt8], at path: String) throws {
    try write(bytes, to: path + ".new")
    try #require(rename(path + ".new", path) == 0)
  }

  private func fill() throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: 1 << 12)
    while Glibc.write(file, zeros, zeros.count) > 0 {}
    try #require(errno == ENOSPC)
  }

  /// The files that were written to although they are not the document.
  var violated: [String] {
    get throws { try untouched.filter { try bytes($0.key) != $0.value }.map(\.key) }
  }

  /// Runs the program on the present files.
  func command(_ words: [String]) throws -> Ended {
    let all = wrapper + [emojiart] + words
    return try run("env", all, environment: stream.environment)
  }

  /// The numbers of the edits in orphaned journals that the document does not hold.
  func inJournals() throws -> [Int] {
    try stream.journals.peek().flatMap { try $0.contents().entries.map(\.id.sequence) }
  }

  /// What the document shows, wherever it is.
  func shown() throws -> StreamCase.Places? {
    try home.flatMap { StreamCase.Places(in: try DocumentFile($0).read()) }
  }

  /// What the document may show in the end. The last edits move an emoji by a distance: a stream that has noticed the backup before
  /// them moves it from the place in the backup, and a stream that has not from the place that it knows.
  func results(_ phase: MovedPhase, sent: Int) -> [StreamCase.Places] {
    let isBackup = kind == .backupMovedBack || kind == .backupCopiedBack
    return [StreamCase.Places(after: 1...sent)]
      + (isBackup && phase == .after ? [StreamCase.Places(after: phase.unsaved)] : [])
  }
}
