// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What a server of a folder keeps for the next one, and for programs that look for it: its address and, if its sockets can outlive it, the
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

  /// Where a server is: a name that only it has, and its port on loopback. Browsers resolve every name below `localhost` to this machine, and
  /// the name and the port are an origin there: RFC 6761, section 6.3.
  package struct Host: Sendable, Hashable {
    /// What all names end with, so that the pages of two servers are of one *site*: a link may lead from one to the other.
    private static let ending = ".emojiart.localhost"
    /// The digits before that.
    private static let digits = 20

    /// The name.
    package let name: String
    /// The port.
    package let port: Int

    /// With a new name of 80 bits. `random` gives that many random bytes.
    package init(at port: Int, random: (Int) -> [UInt8]) {
      let digits = Array("0123456789abcdef".utf8)
      let bytes = random(Self.digits / 2).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      (name, self.port) = (String(decoding: bytes, as: UTF8.self) + Self.ending, port)
    }

    /// Nil unless they can be those of a server.
    package init?(name: String, port: Int) {
      let digits = name.utf8.prefix(Self.digits)
      guard name.hasSuffix(Self.ending), name.utf8.count == Self.digits + Self.ending.utf8.count,
        digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
        (1...65_535).contains(port)
      else { return nil }
      (self.name, self.port) = (name, port)
    }
  }

  /// The most hosts of a record. `FormerHosts` has more.
  package static let mostHosts = 5

  /// The folder that is served, for display.
  package var folder: String
  /// The host of the last server, and those of its predecessors.
  package var hosts: [Host]
  /// The last server's sockets, if they were handed to it and can be handed to the next one.
  package var sockets: [Socket]
  /// The sessions, the one that was used last at the end. Without sockets there are none.
  package var sessions: [SessionKey]

  /// A record with these values.
  package init(folder: String, hosts: [Host], sockets: [Socket] = [], sessions: [SessionKey] = []) {
    (self.folder, self.hosts, self.sockets, self.sessions) = (folder, hosts, sockets, sessions)
  }

  /// Whether the last server had the very same sockets.
  package func hasSockets(_ others: [Socket]) -> Bool {
    !others.isEmpty && sockets.count == others.count && zip(sockets, others).allSatisfy { $0.isSame(as: $1) }
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
      json.key("hosts")
      json.array { json in
        for host in hosts { json.object { host.write(to: &$0) } }
      }
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
      json.key("sockets")
      json.array { json in for socket in sockets { socket.write(to: &json) } }
    }
    json.endLine()
    return json.bytes
  }

  /// Parses a record. Throws `badJSON`.
  init(json: [UInt8]) throws(ArtError) {
    var record = ServerRecord(folder: "", hosts: [])
    try json.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          switch key {
          case "folder": record.folder = try reader.string()
          case "hosts":
            try reader.array { (reader) throws(ArtError) in
              record.hosts.append(
                try Host(from: &reader) { (_, reader) throws(ArtError) in try reader.skip() })
            }
          case "sessions":
            try reader.array { (reader) throws(ArtError) in
              record.sessions.append(try SessionKey(from: &reader))
            }
          case "sockets":
            try reader.array { (reader) throws(ArtError) in record.sockets.append(try Socket(from: &reader)) }
          default: try reader.skip()
          }
        }
      }
    }
    guard (1...Self.mostHosts).contains(record.hosts.count) else {
      throw ArtError(.badJSON, "a server's record with \(record.hosts.count) hosts")
    }
    guard !record.sockets.isEmpty || record.sessions.isEmpty else {
      throw ArtError(.badJSON, "a server's record with sessions of no socket")
    }
    self = record
  }
}

extension ServerRecord.Host {
  /// Writes the members of an object.
  func write(to json: inout JSONWriter) {
    json.key("name")
    json.string(name)
    json.key("port")
    json.integer(port)
  }

  /// Reads an object. `other` reads the members that are none of a host.
  init(
    from reader: inout JSONReader, other: (String, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    var (name, port): (String?, Int?) = (nil, nil)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "name": name = try reader.string()
      case "port": port = try reader.integer()
      default: try other(key, &reader)
      }
    }
    guard let name, let port, let host = Self(name: name, port: port) else {
      throw reader.error("a host that is none")
    }
    self = host
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
  package convenience init(of folder: String) throws(ArtError) {
    try self.init(of: folder, in: Self.folder())
  }

  /// The place in a private folder.
  init(of folder: String, in place: String) throws(ArtError) {
    guard let identity = FileIdentity(at: folder) else { throw .system("look at", folder) }
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

  /// Replaces the record. If that fails, the old one stays.
  package func write(_ record: ServerRecord) throws(ArtError) {
    try file.update { _ in (record.json, ()) }
  }

  /// Removes the record, which needs no room.
  package func removeRecord() throws(ArtError) {
    guard unlink(file.path) == 0 || errno == ENOENT else { throw .system("remove", file.path) }
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
