// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtStore

@Suite("What a server keeps for the next one") struct ServerRecordTests {
  @Test("H9 a record is read as it was written, also one with members of a later version")
  func record() throws {
    let key = ServerRecord.SessionKey(id: "a1", key: [UInt8](0..<32))
    let record = ServerRecord(folder: "/srv/art", port: 8_080, sessions: [key])
    #expect(try ServerRecord(json: record.json).json == record.json)
    let text = String(decoding: record.json, as: UTF8.self)
    let later = text.replacingOccurrences(of: #"{"folder""#, with: #"{"more":[1],"folder""#)
    #expect(try ServerRecord(json: Array(later.utf8)).json == record.json)
    for wrong in ["", "{}", #"{"port":0}"#, #"{"port":1,"sessions":[{"id":"a","key":[1]}]}"#] {
      #expect(throws: ArtError.self) { try ServerRecord(json: Array(wrong.utf8)) }
    }
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
