// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// A folder of documents that Syncthing carries, and what its settings must be so that no edit is lost.
///
/// - Journals and other files that belong to one machine are not carried: lines in `.stignore`.
/// - Conflict copies are all kept, and Syncthing keeps what it replaces and deletes: settings of the folder, set by Syncthing's own command.
public struct SyncthingFolder: Sendable {
  /// What became of the settings.
  public enum Outcome: Sendable, Equatable {
    /// The settings of the folder with that id were set.
    case set(id: String)
    /// No program `syncthing` was found.
    case missing
    /// Syncthing does not answer: it does not run, or its settings are elsewhere.
    case silent(String)
    /// Syncthing carries this folder with another one above it, and takes the settings of that one.
    case inside(String)
    /// Syncthing does not carry this folder.
    case unknown
  }

  /// What is not carried. `(?d)` lets Syncthing remove such a file with its folder.
  static let ignored = [
    "(?d)*.emojiart-journal", "(?d)*.emojiart-wal", "(?d)*.emojiart-shm", "(?d).*.merging",
  ]
  private static let limit = 1 << 20
  /// How long Syncthing may take to answer.
  private static let longestAnswer = DispatchTimeInterval.seconds(30)
  /// The variables of the environment by which Syncthing finds its settings.
  private static let variables = [
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "STHOMEDIR", "STCONFDIR", "STDATADIR",
  ]

  private let folder: FilePath
  private let program: HelperProgram?

  /// A folder. `path` are the folders in which `syncthing` is looked for, separated by colons. Throws `noSuchDocument` without such a folder.
  public init(_ folder: String, path: String) throws(ArtError) {
    guard let real = FilePath.resolvedIfThere(folder) else {
      throw ArtError(.noSuchDocument, "there is no folder \(folder)", about: folder)
    }
    self.folder = FilePath(real)
    let paths = path.split(separator: ":").map { "\($0)/syncthing" }
    program = paths.first { (path: String) in access(path, X_OK) == 0 }.map { HelperProgram(path: $0) }
  }

  /// Adds the lines that `.stignore` lacks, at its beginning: the first line that fits a file counts. Returns them. Throws what reading and
  /// writing throw.
  public func ignore() throws(ArtError) -> [String] {
    let file = ReplacedFile.shared("\(folder)/.stignore", limit: Self.limit)
    return try file.update { (before) throws(ArtError) in
      let lines = (before ?? []).split(separator: UInt8(ascii: "\n")).map {
        String(decoding: $0, as: UTF8.self)
      }
      let missing = Self.ignored.filter { !lines.contains($0) }
      guard !missing.isEmpty else { return (before, []) }
      return (missing.flatMap { Array("\($0)\n".utf8) } + (before ?? []), missing)
    }
  }

  /// Sets the folder's settings: all conflict copies are kept, and of each file that is replaced or deleted the last versions, unless another
  /// kind of versions is set. Throws `unavailable` if Syncthing refuses.
  public func set() throws(ArtError) -> Outcome {
    guard let program else { return .missing }
    let list = try run(program, ["folders", "list"])
    guard list.status == 0 else { return .silent(list.errors) }
    var paths: [String: FilePath] = [:]
    for id in list.lines {
      paths[id] = try value(program, id, ["path"]).flatMap { FilePath.resolvedIfThere($0) }.map {
        FilePath($0)
      }
    }
    for id in list.lines where paths[id] == folder {
      try set(program, id, ["max-conflicts", "set", "--", "-1"])
      if try value(program, id, ["versioning", "type"])?.isEmpty ?? true {
        try set(program, id, ["versioning", "type", "set", "simple"])
        try set(program, id, ["versioning", "params", "set", "keep", "5"])
      }
      return .set(id: id)
    }
    let above = paths.values.filter { folder.isWithin($0) }.map(\.string)
    return above.max { $0.utf8.count < $1.utf8.count }.map(Outcome.inside) ?? .unknown
  }

  private func value(_ program: HelperProgram, _ id: String, _ setting: [String]) throws(ArtError) -> String?
  {
    let found = try run(program, ["folders", id] + setting + ["get"])
    return found.status == 0 ? found.lines.first ?? "" : nil
  }

  private func set(_ program: HelperProgram, _ id: String, _ words: [String]) throws(ArtError) {
    let done = try run(program, ["folders", id] + words)
    guard done.status == 0 else {
      throw ArtError(.unavailable, "syncthing refuses `\(words.joined(separator: " "))`: \(done.errors)")
    }
  }

  /// Runs `syncthing cli config …`.
  private func run(
    _ program: HelperProgram, _ words: [String]
  ) throws(ArtError) -> (status: Int32, lines: [String], errors: String) {
    let lines = Mutex<[String]>([])
    let end = Mutex<HelperEnd?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let process: HelperProcess
    do throws(HelperFailure) {
      process = try HelperProcess(
        starting: program, arguments: ["cli", "config"] + words, variables: Self.variables,
        limits: HelperLimits(memory: 16 << 30, processorSeconds: 20, line: 1 << 16),
        onLine: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } },
        onEnd: {
          let ended = $0
          end.withLock { $0 = ended }
          isDone.signal()
        })
    } catch {
      throw ArtError(error)
    }
    process.endInput()
    if isDone.wait(timeout: .now() + Self.longestAnswer) == .timedOut {
      process.end()
      isDone.wait()
    }
    guard let ended = end.withLock(\.self), case .exit(let status) = ended.cause else {
      return (1, [], "it was ended")
    }
    return (status, lines.withLock(\.self), ended.errors.split(separator: "\n").last.map(String.init) ?? "")
  }
}
