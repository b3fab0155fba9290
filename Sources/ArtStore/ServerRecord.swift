// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What a server of a folder keeps for the next one, and for programs that look for it: its ports and, if its socket can outlive it, the
/// keys of its pages' sessions.
///
///     $XDG_RUNTIME_DIR/emojiart/studio-DEVICE-INODE.json    this record; the numbers are those of the served folder
///     …/studio-DEVICE-INODE.lock                            locked by the running server
///     …/studio-DEVICE-INODE.socket                          the running server's control socket
///
/// Without `XDG_RUNTIME_DIR` the state folder has them. The folder has mode 0700, and its files 0600.
package struct ServerRecord: Sendable, Hashable {
  /// The key of a page's session. Times are seconds since the machine's boot.
  package struct SessionKey: Sendable, Hashable {
    /// The session's public name.
    package let id: String
    /// The digest of its token: 32 bytes.
    package let key: [UInt8]
    /// When it was made.
    package let made: Int
    /// When a page used it last.
    package let used: Int

    /// A key with its name and times.
    package init(id: String, key: [UInt8], made: Int, used: Int) {
      (self.id, self.key, self.made, self.used) = (id, key, made, used)
    }
  }

  /// Which socket of the machine a server listens at. The kernel gives no two sockets of a boot the same cookie: see SO_COOKIE.
  package struct Socket: Sendable, Hashable {
    private let cookie: Int
    private let inode: Int
    /// The time of the boot, in seconds since 1970 by the clock at the server's start.
    private let boot: Int

    /// A socket with these numbers.
    package init(cookie: Int, inode: Int, boot: Int) {
      (self.cookie, self.inode, self.boot) = (cookie, inode, boot)
    }

    /// Whether it is the same socket, which so was never anybody else's. A clock that was set meanwhile makes it another one.
    package func isSame(as other: Socket) -> Bool {
      let apart = boot.subtractingReportingOverflow(other.boot)
      return cookie == other.cookie && inode == other.inode && !apart.overflow
        && apart.partialValue.magnitude <= 5
    }
  }

  /// The most ports that are remembered.
  package static let mostPorts = 5

  /// The folder that is served, for display.
  package var folder: String
  /// The ports on 127.0.0.1: that of the last server, and those of its predecessors.
  package var ports: [Int]
  /// The last server's socket, if that was handed to it and can be handed to the next one.
  package var socket: Socket?
  /// The sessions, the one that was used last at the end. Without a socket there are none.
  package var sessions: [SessionKey]

  /// A record with these values.
  package init(folder: String, ports: [Int], socket: Socket? = nil, sessions: [SessionKey] = []) {
    (self.folder, self.ports, self.socket, self.sessions) = (folder, ports, socket, sessions)
  }
}

// MARK: - JSON

extension ServerRecord {
  /// The record as JSON.
  var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("folder")
      json.string(folder)
      json.key("ports")
      json.array { json in for port in ports { json.integer(port) } }
      json.key("sessions")
      json.array { json in
        for session in sessions {
          json.object { json in
            json.key("id")
            json.string(session.id)
            json.key("key")
            json.array { json in for byte in session.key { json.integer(Int(byte)) } }
            json.key("made")
            json.integer(session.made)
            json.key("used")
            json.integer(session.used)
          }
        }
      }
      if let socket {
        json.key("socket")
        socket.write(to: &json)
      }
    }
    json.endLine()
    return json.bytes
  }

  /// Parses a record. Throws `badJSON`.
  init(json: [UInt8]) throws(ArtError) {
    var record = ServerRecord(folder: "", ports: [])
    try json.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          switch key {
          case "folder": record.folder = try reader.string()
          case "ports":
            try reader.array { (reader) throws(ArtError) in record.ports.append(try reader.integer()) }
          case "sessions":
            try reader.array { (reader) throws(ArtError) in
              record.sessions.append(try SessionKey(from: &reader))
            }
          case "socket": record.socket = try Socket(from: &reader)
          default: try reader.skip()
          }
        }
      }
    }
    guard (1...Self.mostPorts).contains(record.ports.count),
      record.ports.allSatisfy({ (1...65_535).contains($0) })
    else { throw ArtError(.badJSON, "a server's record with the ports \(record.ports)") }
    guard record.socket != nil || record.sessions.isEmpty else {
      throw ArtError(.badJSON, "a server's record with sessions of no socket")
    }
    self = record
  }
}

extension ServerRecord.Socket {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("boot")
      json.integer(boot)
      json.key("cookie")
      json.integer(cookie)
      json.key("inode")
      json.integer(inode)
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var (boot, cookie, inode): (Int?, Int?, Int?) = (nil, nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "boot": boot = try reader.integer()
      case "cookie": cookie = try reader.integer()
      case "inode": inode = try reader.integer()
      default: try reader.skip()
      }
    }
    guard let boot, let cookie, let inode else { throw reader.error("a socket without its numbers") }
    self.init(cookie: cookie, inode: inode, boot: boot)
  }
}

extension ServerRecord.SessionKey {
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var (id, bytes, made, used): (String, [UInt8], Int?, Int?) = ("", [], nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "id": id = try reader.string()
      case "made": made = try reader.integer()
      case "used": used = try reader.integer()
      case "key":
        try reader.array { (reader) throws(ArtError) in
          guard let byte = UInt8(exactly: try reader.integer()) else {
            throw reader.error("a key that is none")
          }
          bytes.append(byte)
        }
      default: try reader.skip()
      }
    }
    guard bytes.count == 32 else { throw reader.error("a key of \(bytes.count) bytes") }
    guard let made, let used else { throw reader.error("a session without its times") }
    self.init(id: id, key: bytes, made: made, used: used)
  }
}

// MARK: - Files

/// The place of a folder's server: one running server at most has it.
package final class ServerPlace: Sendable {
  private static let limit = 1 << 20

  private let base: String
  /// The locked file; nil while another server has the place.
  private let descriptor: Int32?

  /// The place for the server of a folder. Throws what looking at the folder and creating the private folder throw.
  package init(of folder: String) throws(ArtError) {
    guard let identity = FileIdentity(at: folder) else { throw .system("look at", folder) }
    let place = try Self.folder()
    base = "\(place)/studio-\(identity.device)-\(identity.inode)"
    let file = open(base + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .system("open", base + ".lock") }
    if flock(file, LOCK_EX | LOCK_NB) == 0 {
      descriptor = file
    } else {
      let error = SystemError("flock", base + ".lock")
      close(file)
      guard error.number == EWOULDBLOCK else { throw ArtError(error, cannot: "lock", base + ".lock") }
      descriptor = nil
    }
  }

  deinit { if let descriptor { close(descriptor) } }

  /// Whether this program is the folder's server; otherwise another one is running.
  package var isOwn: Bool { descriptor != nil }

  /// The path of the control socket.
  package var socket: String { base + ".socket" }

  /// The record of the running server, or of the last one; nil without one, and for one that cannot be read.
  package func record() throws(ArtError) -> ServerRecord? {
    guard let bytes = try file.read() else { return nil }
    do throws(ArtError) { return try ServerRecord(json: bytes) } catch { return nil }
  }

  /// Replaces the record.
  package func write(_ record: ServerRecord) throws(ArtError) {
    try file.update { _ in (record.json, ()) }
  }

  private var file: ReplacedFile {
    ReplacedFile(path: base + ".json", limit: Self.limit, isDurable: false, isPrivate: true)
  }

  private static func folder() throws(ArtError) -> String {
    guard let runtime = XDGFolders().runtime else {
      return try privateFolder(StateFolder.create() + "/studio")
    }
    return try privateFolder(runtime + "/emojiart")
  }

  /// Makes a folder that only its user can look into, also one that is there already.
  static func privateFolder(_ folder: String) throws(ArtError) -> String {
    try StateFolder.makeFolders(folder)
    try StateFolder.verify(folder)
    guard chmod(folder, 0o700) == 0 else { throw .system("make private", folder) }
    return folder
  }
}
