// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The operations of programs on the files of one folder: every write, sync and change of a name in order, and the answers that say
/// "saved".
///
/// A file has a number, and names that may change; names are paths in the folder. Descriptors are followed from the call that
/// opened them. `SimulatedDisk.whole` must give the present folder at the end, which shows that the recording is complete.
struct Recording {
  enum Event {
    case write(Int, at: Int, [UInt8])
    case resize(Int, to: Int)
    /// The bytes of the file that were written before this number of events are durable.
    case sync(Int, events: Int)
    case link(String, Int)
    case unlink(String)
    case rename(String, to: String)
    /// The same for the names in a folder.
    case syncFolder(String, events: Int)
    /// The program wrote this line, which says that something is saved.
    case answer(String)
  }

  let root: String
  /// The durable files at the beginning.
  let start: [String: [UInt8]]
  var events: [Event] = []
  /// Each file's size as the programs see it.
  private var sizes: [Int] = []
  private var names: [String: Int] = [:]
  private var folders: Set<String> = [""]

  private enum Descriptor {
    case file(Int, place: Int, appends: Bool)
    case folder(String)
  }

  /// Begins with the present files of the folder.
  init(of root: String) throws {
    self.root = root
    start = try Self.files(in: root)
    for name in start.keys {
      var folder = Self.folder(of: name)
      while folders.insert(folder).inserted { folder = Self.folder(of: folder) }
    }
    for (name, bytes) in start.sorted(by: { $0.key < $1.key }) {
      names[name] = sizes.count
      sizes.append(bytes.count)
    }
  }

  /// The same recording without syncs.
  var withoutSyncs: Recording {
    var copy = self
    copy.events.removeAll {
      switch $0 {
      case .sync, .syncFolder: true
      default: false
      }
    }
    return copy
  }

  /// All files of a folder, by their paths in it.
  static func files(in root: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
      if isThere, !isFolder.boolValue { found[name] = try bytes("\(root)/\(name)") }
    }
    return found
  }

  /// Runs a program to its end. A line on its stdout for which `saves` is true is the answer that its operations so far are saved.
  mutating func record(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    saves: (String) -> Bool = { _ in true }
  ) throws {
    try take(TracedCall.of(program, arguments, environment: environment), saves: saves)
  }

  /// Adds the calls of programs that have ended.
  mutating func take(_ calls: [TracedCall], saves: (String) -> Bool = { _ in true }) throws {
    // By process, because each has its own numbers. No process passes a descriptor on.
    var descriptors: [String: [Int: Descriptor]] = [:]
    // The unfinished line of each process.
    var answers: [String: String] = [:]
    // The number of events after each number of calls.
    var marks = [events.count]
    for call in calls {
      if call.isAnswer {
        let answer = try answers[call.process, default: ""] + call.path(1)
        var lines = answer.components(separatedBy: "\n")
        answers[call.process] = lines.removeLast()
        if let line = lines.last(where: saves) { events.append(.answer(line)) }
      } else {
        try take(call, &descriptors[call.process, default: [:]], marks[call.began])
      }
      marks.append(events.count)
    }
  }

  /// The paths of the descriptors that were opened last.
  private var paths: [Int: String] = [:]

  private mutating func take(
    _ call: TracedCall, _ descriptors: inout [Int: Descriptor], _ began: Int
  ) throws {
    switch call.name {
    case "open", "creat": try open(call, path: 0, &descriptors)
    case "openat", "openat2": try open(call, path: 1, &descriptors)
    case "mkdir", "mkdirat":
      if let name = name(try call.path(call.name == "mkdir" ? 0 : 1)) { folders.insert(name) }
    case "unlink": try unlink(call.path(0))
    case "unlinkat":
      guard call.arguments[2] == "0" else { return }
      let path = try call.path(1)
      guard let number = Int(call.arguments[0]), !path.hasPrefix("/") else { return try unlink(path) }
      // In a folder that is held open.
      if let folder = paths[number] { try unlink("\(folder)/\(path)") }
    case "rename": try rename(call.path(0), to: call.path(1))
    case "renameat", "renameat2": try rename(call.path(1), to: call.path(3))
    case "link": try link(call.path(0), as: call.path(1), descriptors)
    case "linkat": try link(call.path(1), as: call.path(3), descriptors)
    case "truncate": if name(try call.path(0)) != nil { throw unknown(call) }
    default: try take(call, on: call.number(0), &descriptors, began)
    }
  }

  /// A call on a descriptor.
  private mutating func take(
    _ call: TracedCall, on number: Int, _ descriptors: inout [Int: Descriptor], _ began: Int
  ) throws {
    guard let descriptor = descriptors[number] else { return }
    switch (call.name, descriptor) {
    case ("close", _): descriptors[number] = nil
    case ("dup", _), ("dup2", _), ("dup3", _): descriptors[call.result] = descriptor
    case ("lseek", .file(let file, _, let appends)):
      descriptors[number] = .file(file, place: call.result, appends: appends)
    case ("write", .file(let file, let place, let appends)):
      let place = appends ? sizes[file] : place
      write(file, Array(try call.bytes(1).prefix(call.result)), at: place)
      descriptors[number] = .file(file, place: place + call.result, appends: appends)
    case ("pwrite64", .file(let file, _, _)):
      write(file, Array(try call.bytes(1).prefix(call.result)), at: try call.number(3))
    case ("ftruncate", .file(let file, _, _)): resize(file, to: try call.number(1))
    case ("fallocate", .file(let file, _, _)) where call.arguments[1] == "0":
      resize(file, to: max(sizes[file], try call.number(2) + call.number(3)))
    case ("fsync", .file(let file, _, _)), ("fdatasync", .file(let file, _, _)):
      events.append(.sync(file, events: began))
    case ("fsync", .folder(let name)), ("fdatasync", .folder(let name)):
      events.append(.syncFolder(name, events: began))
    default: throw unknown(call)
    }
  }

  private mutating func open(
    _ call: TracedCall, path index: Int, _ descriptors: inout [Int: Descriptor]
  ) throws {
    descriptors[call.result] = nil
    paths[call.result] = try call.path(index)
    guard let name = name(try call.path(index)) else { return }
    // openat2 has them in a structure: `{flags=O_RDWR|O_CREAT, mode=0600, …}`.
    let words = call.arguments[index + 1].replacingOccurrences(of: "{flags=", with: "")
    let flags = call.name == "creat" ? ["O_CREAT", "O_TRUNC"] : words.components(separatedBy: "|")
    if folders.contains(name), !flags.contains("O_TMPFILE") {
      return descriptors[call.result] = .folder(name)
    }
    let file: Int
    if let known = names[name], !folders.contains(name) {
      file = known
      if flags.contains("O_TRUNC") { resize(file, to: 0) }
    } else {
      guard flags.contains("O_CREAT") || flags.contains("O_TMPFILE") else { throw unknown(call) }
      file = sizes.count
      sizes.append(0)
      if !flags.contains("O_TMPFILE") { link(name, file) }
    }
    descriptors[call.result] = .file(file, place: 0, appends: flags.contains("O_APPEND"))
  }

  private mutating func write(_ file: Int, _ bytes: [UInt8], at place: Int) {
    events.append(.write(file, at: place, bytes))
    sizes[file] = max(sizes[file], place + bytes.count)
  }

  private mutating func resize(_ file: Int, to size: Int) {
    guard sizes[file] != size else { return }
    events.append(.resize(file, to: size))
    sizes[file] = size
  }

  private mutating func link(_ name: String, _ file: Int) {
    events.append(.link(name, file))
    names[name] = file
  }

  private mutating func link(_ source: String, as path: String, _ descriptors: [Int: Descriptor]) throws {
    guard let name = name(path) else { return }
    let opened = "/proc/self/fd/"
    if source.hasPrefix(opened), let number = Int(source.dropFirst(opened.count)),
      case .file(let file, _, _) = descriptors[number]
    {
      return link(name, file)
    }
    guard let file = self.name(source).flatMap({ names[$0] }) else {
      throw TraceError(what: "a link to \(source)")
    }
    link(name, file)
  }

  private mutating func unlink(_ path: String) throws {
    guard let name = name(path) else { return }
    guard names.removeValue(forKey: name) != nil else { throw TraceError(what: "unlink of \(path)") }
    events.append(.unlink(name))
  }

  private mutating func rename(_ path: String, to other: String) throws {
    guard let (old, new) = name(path).flatMap({ old in name(other).map { (old, $0) } }) else {
      guard name(path) == nil, name(other) == nil else {
        throw TraceError(what: "a rename out of the folder")
      }
      return
    }
    guard let file = names.removeValue(forKey: old) else { throw TraceError(what: "rename of \(path)") }
    guard Self.folder(of: old) == Self.folder(of: new) else {
      throw TraceError(what: "a rename of \(path) to \(other)")
    }
    names[new] = file
    events.append(.rename(old, to: new))
  }

  /// The folder of a name.
  static func folder(of name: String) -> String {
    name.components(separatedBy: "/").dropLast().joined(separator: "/")
  }

  /// The path in the folder; nil for a path outside it.
  private func name(_ path: String) -> String? {
    if path == root { return "" }
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : nil
  }

  private func unknown(_ call: TracedCall) -> TraceError {
    TraceError(
      what: "cannot follow \(call.name)(\(call.arguments.map { $0.prefix(80) }.joined(separator: ", ")))")
  }
}
