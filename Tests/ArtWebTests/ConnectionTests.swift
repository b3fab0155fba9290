// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWorkspace
  import Foundation
  import NIOCore
  import NIOEmbedded
  import TestSupport
  import Testing

  @testable import emojiart_studio

  /// What the server reads of a connection, without a socket, and with clocks that only the test moves.
  @Suite("Connections of the studio", .timeLimit(.minutes(10))) struct ConnectionTests {
    // MARK: Heads

    @Test("H11 a connection ends whose head does not come in 5 seconds, however many bytes come meanwhile")
    func lateHead() async throws {
      try await StudioRoom.with { room in
        let (silent, slow) = (try await room.connect(), try await room.connect())
        try await slow.send("GET / HTTP/1.1\r\n")
        for second in 0..<4 {
          await room.pass(.seconds(1))
          try await slow.send("X-\(second): 1\r\n")
        }
        await room.pass(.milliseconds(999))
        #expect(silent.isOpen && slow.isOpen)
        await room.pass(.milliseconds(1))
        #expect(!silent.isOpen && !slow.isOpen)
      }
    }

    @Test("H11 a connection without a request is closed after 60 seconds, and each later head has 5 seconds")
    func pauses() async throws {
      try await StudioRoom.with { room in
        let (connection, slow) = (try await room.connect(), try await room.connect())
        for each in [connection, slow] {
          try await each.send(room.head("GET / HTTP/1.1"))
          #expect(try await each.answer().status == 200)
        }
        await room.pass(.seconds(59))
        try await connection.send(room.head("GET /main.js HTTP/1.1"))
        #expect(try await connection.answer().status == 200)
        try await slow.send("GET / HTTP/1.1\r\n")
        await room.pass(.milliseconds(4_999))
        #expect(connection.isOpen && slow.isOpen)
        await room.pass(.milliseconds(1))
        #expect(connection.isOpen && !slow.isOpen)
        await room.pass(.seconds(55))
        #expect(!connection.isOpen)
      }
    }

    @Test("H11 a body may pause for 30 seconds and take 2 minutes, and is refused then")
    func lateBody() async throws {
      try await StudioRoom.with { room in
        let (silent, slow) = (try await room.connect(), try await room.connect())
        let begin = String(room.post("/session", String(repeating: "x", count: 200)).dropLast(200))
        for connection in [silent, slow] { try await connection.send(begin) }
        await room.pass(.milliseconds(29_999))
        #expect(silent.isOpen)
        try await slow.send("x")
        await room.pass(.milliseconds(1))
        #expect(try await silent.answer().status == 408)
        try await silent.waitForEnd()
        for _ in 0..<3 {
          await room.pass(.seconds(29))
          #expect(slow.isOpen)
          try await slow.send("x")
        }
        await room.pass(.milliseconds(2_999))
        #expect(slow.isOpen)
        await room.pass(.milliseconds(1))
        #expect(try await slow.answer().status == 408)
        try await slow.waitForEnd()
      }
    }

    @Test("H11 a body that is too long is refused by its head, and its sender gets the answer")
    func longBody() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        let request = room.post("/session", String(repeating: "x", count: (4 << 10) + 1))
        try await connection.send(request.prefix { $0 != "x" })
        #expect(try await connection.answer().status == 413)
        #expect(connection.isOpen, "what its sender sends meanwhile takes no answer away")
        try await connection.send(String(repeating: "x", count: 4 << 10))
        #expect(connection.isOpen && room.waiting == 0)
        try await connection.send("x")
        try await connection.waitForEnd()
        let silent = try await room.connect()
        try await silent.send(request.prefix { $0 != "x" })
        #expect(try await silent.answer().status == 413)
        await room.pass(.seconds(5))
        #expect(!silent.isOpen)
      }
    }

    @Test("H15 what waits of all connections together has one bound: bodies, answers and messages")
    func waiting() async throws {
      try await StudioRoom.with(waiting: 10_000) { room in
        let (first, second) = (try await room.connect(), try await room.connect())
        let long = String(repeating: "x", count: 4_000)
        for (connection, count) in [(first, 3_999), (second, 3_999)] {
          try await connection.send(room.post("/session", long).dropLast(4_000) + long.prefix(count))
        }
        #expect(room.waiting == 7_998)
        // An answer, and a third body.
        let third = try await room.connect()
        try await third.send(room.head("GET /main.js HTTP/1.1"))
        #expect(try await third.answer().status == 503)
        let fourth = try await room.connect()
        try await fourth.send(room.post("/session", long))
        #expect(try await fourth.answer().status == 503)
        // A message of a page, of which the end does not come.
        let page = try await room.connect()
        try await page.becomeSocket()
        try await page.send(Array(Frame.bytes(.text, String(repeating: "x", count: 3_000)).prefix(2_900)))
        #expect(!page.isOpen)
        for connection in [first, second] {
          try await connection.send("x")
          #expect(try await connection.answer().status == 400)
        }
        try await until("nothing that waits") { room.waiting == 0 }
      }
    }

    @Test("H11 a head has at most 16 KiB, that of a WebSocket, too")
    func longHead() async throws {
      try await StudioRoom.with { room in
        for isUpgrade in [false, true] {
          let line = isUpgrade ? room.upgrade : room.head("GET / HTTP/1.1")
          let size = line.utf8.count - "GET  HTTP/1.1\r\n\r\n".utf8.count
          for more in [0, 1] {
            let connection = try await room.connect()
            let filler = String(repeating: "x", count: 16_384 - size - "X-Long: \r\n".utf8.count + more)
            try await connection.send(line.dropLast() + "X-Long: \(filler)\r\n\r\n")
            let status = try await connection.answer().status
            #expect(status == (more == 1 ? 431 : isUpgrade ? 101 : 200))
            if more == 1 { try await connection.waitForEnd() }
          }
        }
      }
    }

    @Test(
      "H11 what is no request, and an upgrade that is refused, are answered like all others, and end the connection"
    )
    func noRequest() async throws {
      try await StudioRoom.with { room in
        let refused: [(request: String, status: Int)] = [
          (
            room.head("GET / HTTP/1.1").replacing("Host: ", with: "Host: evil.").dropLast(2)
              + "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n", 421
          ),
          ("nonsense\r\n\r\n", 400), ("get / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
          ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
          ("GET / HTTP/9\r\n\r\n", 400), (String(repeating: "x", count: 1 << 17), 400),
          (room.upgrade.replacing("Origin: http:", with: "Origin: https:"), 403),
          (room.upgrade.replacing("Host: ", with: "Host: evil."), 421),
          (room.upgrade.replacing("emojiart-1", with: "emojiart-2"), 426),
          (room.upgrade.replacing("Version: 13", with: "Version: 8"), 426),
          (room.upgrade.replacing("Sec-WebSocket-Key", with: "X-Key"), 426),
        ]
        for (request, status) in refused {
          let connection = try await room.connect()
          try await connection.send(request)
          let answer = try await connection.answer()
          #expect(answer.status == status, "\(request.prefix(200))")
          #expect(answer.faults == [], "\(request.prefix(200))")
          try await connection.waitForEnd()
        }
      }
    }

    @Test("H11 nothing is read of a connection after a request that was refused")
    func afterRefusal() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        let code = room.code()
        let trade = room.post("/session", #"{"code":"\#(code)"}"#)
        try await connection.send(room.head("GET /nothing HTTP/1.1") + trade)
        #expect(try await connection.answer().status == 404)
        try await connection.waitForEnd()
        let other = try await room.connect()
        try await other.send(trade)
        #expect(try await other.answer().status == 200, "the code was not used")
      }
    }

    // MARK: Launch codes

    @Test(
      "H2 the server takes a launch code once, and for a minute; after ten failures it takes none for a minute"
    )
    func codes() async throws {
      try await StudioRoom.with { (room) async throws in
        let (code, other) = (room.code(), room.code())
        room.clock.advance(by: .seconds(59))
        #expect(try await room.trade(code) == 200)
        #expect(try await room.trade(code) == 403)
        room.clock.advance(by: .seconds(1))
        #expect(try await room.trade(other) == 403)
        for _ in 0..<8 { #expect(try await room.trade("") == 403) }
        #expect(try await room.trade(room.code()) == 429)
        room.clock.advance(by: .seconds(60))
        #expect(try await room.trade(room.code()) == 200)
      }
    }

    // MARK: WebSockets

    @Test("H11 a page that does not prove its session in 5 seconds is closed")
    func lateProof() async throws {
      try await StudioRoom.with { room in
        let (silent, half) = (try await room.connect(), try await room.connect())
        let session = try room.session()
        await room.pass(.seconds(4))
        for connection in [silent, half] { try await connection.becomeSocket() }
        await room.pass(.seconds(4))
        // A message does not give it more time.
        try await half.say(session.hello)
        #expect(try await half.message().contains("challenge"))
        #expect(silent.isOpen && half.isOpen)
        await room.pass(.milliseconds(999))
        #expect(silent.isOpen && half.isOpen)
        await room.pass(.milliseconds(1))
        #expect(!silent.isOpen && !half.isOpen)
      }
    }

    @Test("H11 a page that has not proved its session sends at most 4 KiB")
    func longProof() async throws {
      try await StudioRoom.with { room in
        let ping = Frame.bytes(.ping, String(repeating: "x", count: 122))
        #expect(ping.count == 128)
        let (pings, one, whole) = (
          try await room.connect(), try await room.connect(), try await room.connect()
        )
        for connection in [pings, one] { try await connection.becomeSocket() }
        for _ in 0..<32 { try await pings.send(ping) }
        #expect(pings.isOpen)
        try await pings.send([0x89])
        #expect(!pings.isOpen)
        // One message, in parts.
        let long = Frame.bytes(.text, String(repeating: "x", count: 4 << 10))
        try await one.send(Array(long.prefix(4 << 10)))
        #expect(one.isOpen)
        try await one.send(Array(long.dropFirst(4 << 10)))
        #expect(!one.isOpen)
        // One read with the request.
        try await whole.send(
          Array(room.upgrade.utf8) + Frame.bytes(.text, String(repeating: "x", count: 4_097)))
        #expect(try await whole.answer().status == 101)
        #expect(try await whole.closingCode() == 1009)
        try await whole.waitForEnd()
      }
    }

    @Test("H11 a page that has proved its session is closed only if it does not answer three pings")
    func admitted() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        try await connection.prove(try room.session())
        for _ in 0..<(60 * 4) {
          await room.pass(.seconds(15))
          try await connection.answerPing()
        }
        #expect(connection.isOpen)
        // More than a page may send before.
        try await connection.send(Frame.bytes(.ping, "") + Frame.bytes(.ping, ""))
        for _ in 0..<100 { try await connection.send(Frame.bytes(.pong, String(repeating: "x", count: 120))) }
        #expect(connection.isOpen)
        await room.pass(.seconds(15 * 3))
        #expect(connection.isOpen)
        await room.pass(.seconds(15))
        #expect(!connection.isOpen)
      }
    }

    @Test("H15 of the pings of a page that reads nothing only the last one is answered, when it reads again")
    func unreadPings() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        try await connection.prove(try room.session())
        try await connection.setReading(false)
        for number in 0..<100 { try await connection.send(Frame.bytes(.ping, "\(number)")) }
        #expect(try await connection.rest().isEmpty)
        try await connection.setReading(true)
        #expect(try await connection.rest().map(\.text) == ["99"])
        try await connection.send(Frame.bytes(.ping, "again"))
        #expect(try await connection.rest().map(\.text) == ["again"])
        // One that never reads again is closed.
        try await connection.setReading(false)
        await room.pass(.seconds(30))
        #expect(!connection.isOpen)
        #expect(room.waiting == 0)
      }
    }

    @Test("H11 pings that a page cannot have answered, because its request is performed, do not close it")
    func longRequest() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        try await connection.prove(try room.session())
        try await connection.beginLongRequest()
        for _ in 0..<20 { await room.pass(.seconds(15)) }
        #expect(connection.isOpen)
        try await connection.endLongRequest()
        for _ in 0..<3 { await room.pass(.seconds(15)) }
        #expect(connection.isOpen)
        await room.pass(.seconds(15))
        #expect(!connection.isOpen)
      }
    }

    @Test("H14 a page whose session is revoked is told so and closed, and its session is known no more")
    func revoked() async throws {
      try await StudioRoom.with { room in
        let (session, other) = (try room.session(), try room.session())
        let connections = [try await room.connect(), try await room.connect()]
        for (connection, session) in zip(connections, [session, other]) {
          try await connection.becomeSocket()
          try await connection.prove(session)
        }
        #expect(room.sessions.map(\.id) == [session.id, other.id])
        #expect(room.sessions.map(\.isConnected) == [true, true])
        #expect(room.revoke(session.id) == 1 && room.revoke(session.id) == 0)
        #expect(try await connections[0].message().contains(#""status":401"#))
        #expect(try await connections[0].closingCode() == 1008)
        try await connections[0].waitForEnd()
        #expect(connections[1].isOpen && room.sessions.map(\.id) == [other.id])
        let again = try await room.connect()
        try await again.becomeSocket()
        try await again.say(session.hello)
        #expect(try await again.message().contains(#""status":401"#))
        #expect(room.kept.value.withLock(\.last)?.map(\.id) == [other.id])
      }
    }

    @Test("H14 the use of a session by a page that stays connected is kept each day, for a later server")
    func usedByPings() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        try await connection.prove(try room.session())
        for day in 1...3 {
          try await until("the record of day \(day)") { room.kept.value.withLock(\.count) == day }
          for _ in 0..<24 {
            room.clock.advance(by: .seconds(3_600))
            await room.pass(.seconds(15))
            try await connection.send(Frame.bytes(.pong, ""))
          }
        }
        try await until("the last record") { room.kept.value.withLock(\.count) == 4 }
        let used = room.kept.value.withLock(\.self).map { $0.map(\.used) }
        #expect(used == [[0], [86_400], [2 * 86_400], [3 * 86_400]])
      }
    }

    @Test(
      "H20 a folder that is renamed keeps its identity, and another one at its path or with its numbers has another"
    )
    func folderIdentity() {
      let (file, born) = (FileIdentity(device: 1, inode: 2), timespec(tv_sec: 3, tv_nsec: 4))
      let identity = StudioServer.identity(file, born: born, at: "/art")
      #expect(StudioServer.identity(file, born: born, at: "/moved") == identity)
      let others = [
        StudioServer.identity(file, born: timespec(tv_sec: 3, tv_nsec: 5), at: "/art"),
        StudioServer.identity(FileIdentity(device: 1, inode: 3), born: born, at: "/art"),
        StudioServer.identity(FileIdentity(device: 2, inode: 2), born: born, at: "/art"),
        // Where nothing says when it was made.
        StudioServer.identity(file, born: nil, at: "/art"),
        StudioServer.identity(file, born: nil, at: "/moved"),
      ]
      #expect(Set(others + [identity]).count == others.count + 1)
    }

    @Test("H14 a page whose session is over is told so and closed at its next ping")
    func over() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        try await connection.prove(try room.session())
        room.clock.advance(by: .seconds(30 * 86_400))
        await room.pass(.seconds(15))
        #expect(try await connection.message().contains(#""status":401"#))
        #expect(try await connection.closingCode() == 1008)
        try await connection.waitForEnd()
      }
    }

    @Test(
      "H3 at a former server's address are the page's files only: no code, no session and no ticket is taken")
    func formerPort() async throws {
      try await StudioRoom.with { room in
        let session = try room.session()
        let page = try await room.connect(toFormer: true)
        try await page.send(room.atFormer(room.head("GET / HTTP/1.1")))
        #expect(try await page.answer().status == 200)
        let code = room.code()
        let trade = room.post("/session", #"{"code":"\#(code)"}"#)
        try await page.send(room.atFormer(trade))
        #expect(try await page.answer().status == 403)
        let socket = try await room.connect(toFormer: true)
        try await socket.becomeSocket()
        try await socket.say(session.hello)
        #expect(try await socket.message().contains(#""status":401"#))
        #expect(try await socket.closingCode() == 1008)
        #expect(try await room.trade(code) == 200, "the code was not used")
        // The ticket of a page that is connected at the other port.
        let own = try await room.connect()
        try await own.becomeSocket()
        let ticket = try await own.prove(session)
        let other = try await room.connect(toFormer: true)
        try await other.send(
          room.atFormer(
            room.head("GET /thumbnail?document=bees.emojiart&side=192 HTTP/1.1").dropLast()
              + "Authorization: Bearer \(ticket)\r\n\r\n"))
        #expect(try await other.answer().status == 401)
      }
    }

    @Test("H14 a request whose body ends after its session was revoked does nothing")
    func revokedBody() async throws {
      try await StudioRoom.with { room in
        let session = try room.session()
        let page = try await room.connect()
        try await page.becomeSocket()
        let ticket = try await page.prove(session)
        let body = #"{"canvas":{"height":9,"width":9},"emojis":[]}"#
        func upload() async throws -> Wire {
          let connection = try await room.connect()
          let head = room.post("/upload?name=late", body).replacing(
            "application/json", with: "application/octet-stream\r\nAuthorization: Bearer \(ticket)")
          try await connection.send(head.dropLast(1))
          return connection
        }
        let (early, late) = (try await upload(), try await upload())
        try await early.send("}")
        let made = try await early.answer()
        #expect(made.status == 200, "the control")
        #expect(room.revoke(session.id) == 1)
        try await late.send("}")
        #expect(try await late.answer().status == 401)
        #expect(try room.documents() == ["late.emojiart"])
      }
    }

    @Test("H14 of what waits when a session is revoked nothing is begun, and its page is told")
    func revokedMeanwhile() async throws {
      for isRevoked in [false, true] {
        try await StudioRoom.with { room in
          let (session, page) = (try room.session(), try await room.connect())
          try await page.becomeSocket()
          let ticket = try await page.prove(session)
          let held = try await page.holdAnswers()
          try await page.send(
            Frame.bytes(.text, #"{"show":true,"tag":"1"}"#)
              + Frame.bytes(.text, #"{"documents":{"makeFolder":"posters"},"tag":"2"}"#))
          try await until("the first answer") { held.text.contains(#""tag":"1""#) }
          if isRevoked {
            #expect(room.revoke(session.id) == 1)
            // Its page is told behind that answer.
            try await until("the end of the session") { held.text.contains(#""status":401"#) }
          }
          try await held.release()
          if isRevoked {
            try await page.waitForEnd()
            let texts = try await page.rest().filter { $0.kind == .text }.map(\.text)
            #expect(texts.count == 2 && texts.last?.contains(#""status":401"#) == true, "\(texts)")
          } else {
            #expect(try await page.message().contains(#""tag":"1""#))
            #expect(try await page.message().contains(#""tag":"2""#), "the control")
            try await page.send(Frame.bytes(.connectionClose, ""))
          }
          try await until("the page to go") { !room.hasPage(ticket) }
          #expect(try room.documents() == (isRevoked ? [] : ["posters"]))
        }
      }
    }

    @Test(
      "H14 if no record can be written, the kept one is removed only with a session that was revoked, and a fault is one that stays in it"
    )
    func revokedWithoutRoom() async throws {
      try await StudioRoom.with { room in
        func setFaults(writing: Bool, removing: Bool) {
          room.fault.value.withLock { $0 = writing ? ArtError(.diskFull, "no room") : nil }
          room.faultOfRemoving.value.withLock { $0 = removing ? ArtError(.notPermitted, "read only") : nil }
        }
        func removed() -> Int { room.removed.value.withLock(\.self) }
        let (first, second) = (try room.session(), try room.session())
        room.keepSessions()
        #expect(room.faultOfRevoking(first) == nil)
        setFaults(writing: true, removing: true)
        room.keepSessions()
        let unkept = try room.session()
        #expect(room.faultOfRevoking(unkept) == nil, "the record does not have it")
        #expect(room.faultOfRevoking(second)?.code == .notPermitted)
        setFaults(writing: false, removing: false)
        let third = try room.session()
        room.keepSessions()
        setFaults(writing: true, removing: false)
        room.keepSessions()
        #expect(removed() == 0)
        #expect(room.faultOfRevoking(third) == nil && removed() == 1)
        let last = try room.session()
        #expect(room.faultOfRevoking(last) == nil && removed() == 1)
      }
    }

    @Test("H11 nothing is read of a page after it was refused")
    func refused() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        let session = try room.session()
        try await connection.send(
          Frame.bytes(.text, #"{"open":"bees.emojiart","tag":"1"}"#) + Frame.bytes(.text, session.hello))
        #expect(try await connection.message().contains(#""status":401"#))
        #expect(try await connection.closingCode() == 1008)
        try await connection.waitForEnd()
      }
    }

    @Test("H11 a page whose proof comes in one read with what is no frame is not admitted")
    func brokenProof() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        try await connection.becomeSocket()
        let session = try room.session()
        try await connection.say(session.hello)
        let answer = try await connection.answer(to: connection.message(), of: session)
        try await connection.send(
          Frame.bytes(.text, answer) + [0x81, 0xFF] + [UInt8](repeating: 0xFF, count: 12))
        try await connection.waitForEnd()
        let frames = try await connection.rest()
        #expect(frames.map(\.kind) == [.connectionClose], "\(frames.map(\.text))")
      }
    }

    @Test("H11 frames that are no messages end the connection")
    func frames() async throws {
      try await StudioRoom.with { room in
        let long = String(repeating: "x", count: 200)
        let wrong: [(name: String, frames: [UInt8])] = [
          ("a reserved bit", [0xC1, 0x80, 0, 0, 0, 0]), ("another one", [0xA1, 0x80, 0, 0, 0, 0]),
          ("the third one, in a ping", [0x99, 0x80, 0, 0, 0, 0]), ("binary", Frame.bytes(.binary, "x")),
          ("continuation", Frame.bytes(.continuation, "x")),
          ("close", Frame.bytes(.connectionClose, "")), ("an unknown kind", [0x83, 0x80, 0, 0, 0, 0]),
          ("a text without a mask", [0x81, 0x01, 0x20]), ("a ping without a mask", [0x89, 0x00]),
          ("a long ping", Frame.bytes(.ping, long)), ("half a ping", [0x09, 0x80, 0, 0, 0, 0]),
          ("two first parts", [0x01, 0x81, 0, 0, 0, 0, 0x20, 0x01, 0x81, 0, 0, 0, 0, 0x20]),
          ("an empty part", [0x01, 0x80, 0, 0, 0, 0]),
          (
            "65 parts",
            [0x01, 0x81, 0, 0, 0, 0, 0x20] + (0..<64).flatMap { _ in [0, 0x81, 0, 0, 0, 0, 0x20] as [UInt8] }
          ),
          ("a length above 8 MiB", [0x81, 0xFF, 0, 0, 0, 0, 0, 0x80, 0, 1, 0, 0, 0, 0]),
          ("the greatest length", [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
        ]
        for (name, frames) in wrong {
          let connection = try await room.connect()
          try await connection.becomeSocket()
          try await connection.prove(try room.session())
          try await connection.send(frames)
          #expect(!connection.isOpen, "\(name)")
        }
      }
    }

    @Test("H11 the law of the fuzzer of frames holds for messages, for what is none, and for broken frames")
    func law() {
      let texts = [
        #"{"hello":{"nonce":"0123456789abcdef","session":"0123456789abcdef"}}"#,
        #"{"answer":{"client":"0123456789ab","name":"Ada","proof":"00"}}"#,
        #"{"open":"bees.emojiart","tag":"1"}"#, #"{"find":{"limit":60,"words":"bee"},"tag":"2"}"#,
        #"{"documents":{"makeFolder":"../x"},"tag":"3"}"#, #"{"documents":{"list":""},"tag":"4"}"#,
        #"{"presence":{"ids":["0000000a"]}}"#, "[]", "",
      ]
      let whole = texts.flatMap { Frame.bytes(.text, $0) }
      for input in texts.map({ Frame.bytes(.text, $0) }) + [
        whole, [0xC1, 0x80, 0, 0, 0, 0], Array(whole.dropLast()),
      ] {
        #expect(input.withUnsafeBufferPointer { fuzz($0.baseAddress, $0.count) } == 0)
      }
    }

    // MARK: The server's life

    @Test("H10 a server that opened a browser ends a minute after its last link or page, and others do not")
    func idle() async throws {
      for opens in [true, false] {
        try await StudioRoom.with(opens: opens) { room in
          let ends = { room.ends.value.withLock(\.self) }
          func sleepers(_ count: Int) async throws {
            if opens { try await room.clock.sleepers(count) } else { #expect(room.clock.asleep == 0) }
          }
          _ = room.link()
          try await sleepers(1)
          room.clock.advance(by: .seconds(59))
          _ = room.link()
          try await sleepers(2)
          // The first link is of no account any more, and a page has come by the second one.
          room.clock.advance(by: .seconds(1))
          let page = try await room.connect()
          try await page.becomeSocket()
          room.clock.advance(by: .seconds(59))
          try await until("the minutes of both links") { room.clock.asleep == 0 }
          #expect(ends() == 0)
          try await page.send(Frame.bytes(.connectionClose, ""))
          try await page.waitForEnd()
          try await sleepers(1)
          room.clock.advance(by: .seconds(60))
          if opens { try await until("the end") { ends() == 1 } } else { #expect(ends() == 0) }
        }
      }
    }

    @Test("H9 the last record of the sessions that is kept has all of them, however many are made at once")
    func records() async throws {
      try await StudioRoom.with { room in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<100 {
            group.addTask {
              _ = try room.session()
              room.keepSessions()
            }
          }
          try await group.waitForAll()
        }
        let kept = room.kept.value.withLock(\.self)
        #expect(kept.count == 100 && kept.last?.count == 100)
        for (former, next) in zip(kept, kept.dropFirst()) { #expect(former.count <= next.count) }
      }
    }
  }
#endif
