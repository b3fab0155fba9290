// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtStore

@Suite("What a server keeps for the next one") struct ServerRecordTests {
  @Test("H9 a record is read as it was written, also one with members of a later version")
  func record() throws {
    let key = ServerRecord.SessionKey(id: "a1", key: [UInt8](0..<32), made: 1, used: 2)
    let sockets = [1, 5].map { ServerRecord.Socket(cookie: $0, inode: 2, boot: 3) }
    let hosts = [8_080, 1].map { ServerRecord.Host(at: $0) { [UInt8](repeating: 0xA1, count: $0) } }
    for record in [
      ServerRecord(folder: "/srv/art", hosts: hosts, sockets: sockets, sessions: [key]),
      ServerRecord(folder: "/srv/art", hosts: [hosts[0]]),
    ] {
      #expect(try ServerRecord(json: record.json) == record)
      let text = String(decoding: record.json, as: UTF8.self)
      let later = text.replacingOccurrences(of: #"{"folder""#, with: #"{"more":[1],"folder""#)
      #expect(try ServerRecord(json: Array(later.utf8)) == record)
    }
    let whole = String(
      decoding: ServerRecord(folder: "", hosts: [hosts[1]], sockets: [sockets[0]], sessions: [key]).json,
      as: UTF8.self)
    let socketText = #"{"boot":3,"cookie":1,"inode":2}"#
    #expect(whole.contains(socketText))
    for wrong in [
      "", "{}", whole.replacingOccurrences(of: #""port":1"#, with: #""port":0"#),
      whole.replacingOccurrences(of: #""a1a1"#, with: #""A1a1"#),
      whole.replacingOccurrences(of: ".emojiart.localhost", with: ".example.org"),
      String(
        decoding: ServerRecord(folder: "", hosts: Array(repeating: hosts[0], count: 6)).json, as: UTF8.self),
      whole.replacingOccurrences(of: socketText, with: ""),
      whole.replacingOccurrences(of: #","made":1"#, with: ""),
      whole.replacingOccurrences(of: "[0,1,", with: "[0,"),
    ] {
      #expect(throws: ArtError.self, "\(wrong)") { try ServerRecord(json: Array(wrong.utf8)) }
    }
  }

  @Test("H3 a socket is the same one only with its numbers, in the same boot of the machine")
  func socket() {
    let socket = ServerRecord.Socket(cookie: 1, inode: 2, boot: 1_000)
    let others = [
      (ServerRecord.Socket(cookie: 1, inode: 2, boot: 1_005), true),
      (ServerRecord.Socket(cookie: 1, inode: 2, boot: 1_006), false),
      (ServerRecord.Socket(cookie: 1, inode: 2, boot: .min), false),
      (ServerRecord.Socket(cookie: 2, inode: 2, boot: 1_000), false),
      (ServerRecord.Socket(cookie: 1, inode: 3, boot: 1_000), false),
    ]
    for (other, isSame) in others {
      #expect(socket.isSame(as: other) == isSame && other.isSame(as: socket) == isSame)
    }
  }

  @Test("H14 a record that cannot be replaced stays as it was, and can be removed without room")
  func noRoom() throws {
    let runtime = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-run.\(UUID())").path
    try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: runtime) } }
    let place = try ServerPlace(of: runtime, in: runtime)
    let host = ServerRecord.Host(at: 1) { [UInt8](repeating: 1, count: $0) }
    let socket = ServerRecord.Socket(cookie: 1, inode: 2, boot: 3)
    let key = ServerRecord.SessionKey(id: "a1", key: [UInt8](0..<32), made: 1, used: 2)
    try place.write(ServerRecord(folder: "a", hosts: [host], sockets: [socket], sessions: [key]))
    #expect(try place.record()?.sessions == [key])
    // A folder at the path of the new record is in the way, as a full disk would be.
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: runtime).first { $0.hasSuffix(".json") })
    try FileManager.default.createDirectory(
      atPath: "\(runtime)/\(name).new", withIntermediateDirectories: false)
    #expect(throws: ArtError.self) { try place.write(ServerRecord(folder: "a", hosts: [host])) }
    #expect(try place.record()?.sessions == [key])
    for _ in 0..<2 { try place.removeRecord() }
    #expect(try place.record() == nil)
  }

  @Test(
    "H23 the addresses of servers are kept for their folder and their user only, the newest 64 of a folder")
  func formerHosts() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-hosts.\(UUID())").path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: place) } }
    let (known, file) = (FormerHosts(in: place), place + "/studio-hosts")
    #expect(try known.read(of: "a").isEmpty)
    let hosts = (1...70).map { port in
      ServerRecord.Host(at: port) { [UInt8](repeating: UInt8(port), count: $0) }
    }
    for host in hosts {
      try known.add(host, of: "a")
      if host.port <= 2 { try known.add(host, of: "b") }
    }
    #expect(try FormerHosts(in: place).read(of: "a") == hosts.suffix(64).reversed())
    #expect(try known.read(of: "b") == [hosts[1], hosts[0]])
    // A server with the sockets of the former one has its address.
    try known.add(hosts[68], of: "a")
    #expect(try known.read(of: "a").prefix(3).map(\.port) == [69, 70, 68])
    #expect(try known.read(of: "a").count == 64)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // Many folders.
    func entry(_ folder: String) -> String { #"{"folder":"\#(folder)","name":"\#(hosts[0].name)","port":1}"# }
    let many = "[" + (1...1_024).map { entry("folder \($0)") }.joined(separator: ",") + "]"
    try Data(many.utf8).write(to: URL(fileURLWithPath: file))
    #expect(try known.read(of: "folder 1024") == [hosts[0]])
    try known.add(hosts[0], of: "a")
    #expect(try known.read(of: "folder 1024").isEmpty && known.read(of: "folder 1023") == [hosts[0]])
    #expect(try known.read(of: "a") == [hosts[0]])
    // What is there may be anybody's.
    let whole = try String(contentsOfFile: file, encoding: .utf8)
    for wrong in [
      "", "{}", "[1]", whole.replacing(".emojiart.localhost", with: ".example.org"),
      whole.replacing(#""port":1}"#, with: #""port":0}"#), String(repeating: " ", count: 1 << 20),
      whole.replacing("folder 1023", with: String(repeating: "x", count: 65)),
    ] {
      try Data(wrong.utf8).write(to: URL(fileURLWithPath: file))
      #expect(try known.read(of: "a").isEmpty, "\(wrong.prefix(80))")
    }
    try known.add(hosts[0], of: "a")
    #expect(try known.read(of: "a") == [hosts[0]])
  }

  @Test("H9 the folder of records is for its user only, also one that others could look into")
  func folder() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-records.\(UUID())")
      .path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: place) } }
    for mode in [nil, 0o755, 0o700] as [mode_t?] {
      if let mode { chmod(place, mode) }
      #expect(try ServerPlace.privateFolder(place) == place)
      let attributes = try FileManager.default.attributesOfItem(atPath: place)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    // One that others may write to has been made by nobody knows whom.
    chmod(place, 0o777)
    #expect(throws: ArtError.self) { try ServerPlace.privateFolder(place) }
  }

  @Test("H22 preferences of pages are kept for the next server, for their user only, and within bounds")
  func preferences() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-choices.\(UUID())")
      .path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: place) } }
    let (preferences, file) = (PagePreferences(in: place), place + "/studio-preferences")
    #expect(try preferences.read().isEmpty)
    try preferences.set(["language": "de", "name": "Ada \u{1F41D}"])
    try PagePreferences(in: place).set(["language": "", "size": "640x480"])
    #expect(try preferences.read() == ["language": "", "name": "Ada \u{1F41D}", "size": "640x480"])
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let many = Dictionary(uniqueKeysWithValues: (0..<14).map { ("\($0)", "x") })
    for tooMuch in [
      many, ["": "x"], [String(repeating: "n", count: 33): "x"], ["x": String(repeating: "v", count: 257)],
    ] {
      #expect(throws: ArtError.self) { try preferences.set(tooMuch) }
      #expect(try preferences.read() == ["language": "", "name": "Ada \u{1F41D}", "size": "640x480"])
    }
    // What is there may be anybody's: nothing is believed that could not have been kept.
    for wrong in [
      "", "[]", "{\"a\":1}", "{\"a\":\"\(String(repeating: "v", count: 257))\"}",
      String(repeating: " ", count: 1 << 16),
    ] {
      try Data(wrong.utf8).write(to: URL(fileURLWithPath: file))
      #expect(try preferences.read().isEmpty)
    }
    try preferences.set(["tone": "\u{1F3FB}"])
    #expect(try preferences.read() == ["tone": "\u{1F3FB}"])
  }

  @Test("H21 the secret of a user for pages is made once, for that user only, and anew if it is none")
  func secret() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-secret.\(UUID())")
      .path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: place) } }
    let file = place + "/studio-secret"
    var drawn: UInt8 = 0
    func read() throws -> [UInt8] {
      try PageSecret.read(in: place) { count in
        drawn += 1
        return [UInt8](repeating: drawn, count: count)
      }
    }
    let first = try read()
    #expect(first == [UInt8](repeating: 1, count: 32))
    #expect(try read() == first)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    for wrong in [Data(), Data([1, 2, 3]), Data(count: 4_096)] {
      try wrong.write(to: URL(fileURLWithPath: file))
      let next = try read()
      #expect(next.count == 32 && next != first)
      #expect(try read() == next)
    }
    // A link of somebody else is not followed.
    try FileManager.default.removeItem(atPath: file)
    let other = place + "/other"
    try Data(count: 32).write(to: URL(fileURLWithPath: other))
    symlink(other, file)
    #expect(try read() != [UInt8](repeating: 0, count: 32))
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data(count: 32))
  }
}
