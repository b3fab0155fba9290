// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The real server with pages that are programs, the command, and kills.
@Suite("The studio's server", .serialized, .timeLimit(.minutes(10))) struct StudioServerTests {
  @Test("H6 H8 two pages and a command edit one document, and all end with what is in the file")
  func together() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let ada = try studio.page(server.link, client: "aaaaaaaaaaaa")
    let bob = try studio.page(try studio.link(), client: "bbbbbbbbbbbb")
    for page in [ada, bob] { try page.open() }
    let id = try #require(ada.ids.first)
    try ada.ask(#"{"edit":{"changes":[["move","\#(id)",1,2]],"name":"move"},"tag":"T"}"#)
    try bob.ask(#"{"edit":{"changes":[["resize","\#(id)",77]],"name":"resize"},"tag":"T"}"#)
    try studio.command(["rotate", studio.document, id, "--to", "30"])
    // Each page has heard of all three.
    for page in [ada, bob] {
      try page.wait(for: "all changes") { lines in
        ["\"x\":1", "\"size\":77", "\"rotation\":30"].allSatisfy { part in
          lines.contains { $0.contains(#"{"changed""#) && $0.contains(part) }
        }
      }
    }
    try ada.ask(#"{"save":true,"tag":"T"}"#)
    let shown = try studio.command(["show", studio.document, "--json"])
    for part in ["\"x\":1", "\"y\":2", "\"size\":77", "\"rotation\":30"] {
      #expect(shown.contains(part), "\(shown)")
    }
    // Undo is of one's own edits.
    try bob.ask(#"{"undo":1,"tag":"T"}"#)
    try bob.ask(#"{"save":true,"tag":"T"}"#)
    let undone = try studio.command(["show", studio.document, "--json"])
    #expect(undone.contains("\"x\":1") && undone.contains("\"size\":40"), "\(undone)")
    try server.end()
    #expect(try studio.journals().isEmpty)
  }

  @Test("H6 an edit that was answered outlives a kill of the server, and is made once when it is sent again")
  func killed() throws {
    let studio = try Studio()
    var server = try studio.serve()
    let session = studio.folder + "/session.json"
    var page = try studio.page(server.link, client: "cccccccccccc", session: session)
    try page.open()
    let rounds = 5
    for round in 1...rounds {
      let edit =
        #"{"edit":{"changes":[["add","0000000\#(round)","🐝",\#(round),1,40,\#(round * 10_000_000)]],"name":"add"},"since":\#(page.head),"tag":"edit-\#(round)"}"#
      try page.ask(edit, tag: "edit-\(round)")
      server.kill()
      server = try studio.serve()
      // The page continues its session with the server that was started again.
      page = try studio.page(server.link, client: "cccccccccccc", session: session)
      try page.open()
      #expect(page.ids.contains("0000000\(round)"), "the answered edit is there")
      let answer = try page.ask(edit, tag: "edit-\(round)")
      #expect(answer.contains("repeated"), "\(answer)")
    }
    try server.end()
    let shown = try studio.command(["show", studio.document, "--json"])
    for round in 1...rounds {
      #expect(shown.components(separatedBy: "0000000\(round)").count == 2, "\(shown)")
    }
    print("kills of the server: \(rounds), each answered edit was there once")
  }

  @Test("H9 a folder has one server, which a second one finds by every path of the folder")
  func one() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let origin = try #require(server.link.split(separator: "#").first)
    symlink(studio.art, studio.folder + "/link")
    for words in [["serve", studio.art], ["serve", studio.folder + "/link", "--link"]] {
      let link = try studio.command(words)
      #expect(link.hasPrefix(origin) && link != server.link)
    }
    try server.end()
    // The port and the sessions are kept; no server answers.
    #expect(throws: ProgramError.self) { try studio.command(["serve", studio.art, "--link"]) }
    let next = try studio.serve()
    #expect(next.link.hasPrefix(origin))
    try next.end()
  }

  @Test("H1 the server refuses what its gate refuses, and answers pages with a ticket")
  func requests() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "dddddddddddd")
    try page.open()
    let drawn = try page.http("GET", "/render?document=bees.emojiart&format=png")
    #expect(drawn.contains("\"status\": 200") && drawn.contains("image/png"), "\(drawn)")
    let glyphs = try page.http(
      "POST", "/glyphs", body: #"{"width":100,"height":100,"labels":[{"text":"🐝","x":50,"y":50,"size":64}]}"#)
    #expect(glyphs.contains("\"status\": 200") && glyphs.contains("image/png"), "\(glyphs)")
    let code = try page.http("POST", "/code")
    #expect(code.contains("\"status\": 200"), "\(code)")
    for (target, status) in [
      ("/render?document=../bees.emojiart&format=png", 400),
      ("/render?document=nothing.emojiart&format=png", 404),
      ("/picture?document=bees.emojiart", 404), ("/nothing", 404), ("/live", 403),
    ] {
      #expect(try page.http("GET", target).contains("\"status\": \(status)"), "\(target)")
    }
    let edit =
      #"{"edit":{"changes":[["add","0000000a","Hi",1,1,40,5,{"box":[1,1],"kind":"caption"}]],"name":"add"},"tag":"T"}"#
    #expect(try page.ask(edit).contains("were not measured"))
    let caption = try page.ask(#"{"caption":{"at":"top","size":30,"text":"Hi"},"tag":"T"}"#)
    #expect(caption.contains(#""ok""#), "\(caption)")
    try server.end()
  }

  @Test("H10 a signal ends the server after its pages are told and their edits are saved")
  func signal() throws {
    let studio = try Studio()
    let server = try studio.serve()
    let page = try studio.page(server.link, client: "eeeeeeeeeeee")
    try page.open()
    try page.ask(#"{"add":{"text":"🌻"},"tag":"T"}"#)
    try server.end()
    try page.wait(for: "the goodbye") { $0.contains { $0.contains(#""bye""#) } }
    #expect(try studio.command(["show", studio.document, "--json"]).contains("🌻"))
    #expect(try studio.journals().isEmpty)
  }
}
