// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
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

    @Test("H11 a connection whose head came stays open")
    func head() async throws {
      try await StudioRoom.with { room in
        let connection = try await room.connect()
        await room.pass(.seconds(4))
        try await connection.send(room.head("GET / HTTP/1.1"))
        #expect(try await connection.answer().status == 200)
        await room.pass(.hours(24))
        #expect(connection.isOpen)
        try await connection.send(room.head("GET /main.js HTTP/1.1"))
        #expect(try await connection.answer().status == 200)
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
          ("nonsense\r\n\r\n", 400), ("get / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
          ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
          ("GET / HTTP/9\r\n\r\n", 400), (String(repeating: "x", count: 1 << 17), 400),
          (room.upgrade.replacing("Origin: http:", with: "Origin: https:"), 403),
          (room.upgrade.replacing("Host: 127.0.0.1:", with: "Host: evil.example:"), 421),
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
          ("binary", Frame.bytes(.binary, "x")), ("continuation", Frame.bytes(.continuation, "x")),
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
