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
}
