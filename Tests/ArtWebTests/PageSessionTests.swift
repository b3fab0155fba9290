// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import Testing

@testable import ArtWeb

/// Launch codes, sessions and proofs, with a digest and a chance that can be looked through.
@Suite("Sessions of the studio's pages") struct PageSessionTests {
  private static func secrets() -> WebSecrets {
    WebSecrets(
      digest: { $0.reversed() + [1] },
      authenticate: { key, text in Array(text.utf8) + key },
      random: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      })
  }

  private var sessions = PageSessions(secrets())

  @Test("H2 a launch code is valid once, and for a minute")
  mutating func codes() throws {
    let code = sessions.makeCode(at: .zero)
    let other = sessions.makeCode(at: .zero)
    #expect(code.count == 32 && code != other)
    let session = try sessions.trade(code, at: .seconds(59))
    #expect(session.token.count == 32)
    #expect(throws: WebRefusal.self) { try sessions.trade(code, at: .seconds(59)) }
    #expect(throws: WebRefusal.self) { try sessions.trade(other, at: .seconds(60)) }
    #expect(throws: WebRefusal.self) { try sessions.trade("", at: .seconds(60)) }
  }

  @Test("H2 after ten failures nothing is taken for a minute")
  mutating func failures() throws {
    let code = sessions.makeCode(at: .zero)
    for _ in 0..<10 {
      #expect(throws: WebRefusal(403, "the link was used already, or is too old; a new one is needed")) {
        try sessions.trade("wrong", at: .seconds(1))
      }
    }
    #expect(throws: WebRefusal(429, "too many failures; wait a minute")) {
      try sessions.trade(code, at: .seconds(2))
    }
    let later = sessions.makeCode(at: .seconds(61))
    _ = try sessions.trade(later, at: .seconds(61))
  }

  @Test("H3 unknown sessions and wrong proofs keep no page out that can prove its own")
  mutating func stale() throws {
    let session = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    for _ in 0..<20 {
      #expect(throws: WebRefusal(401, "this server does not know the session; open it by a new link")) {
        try sessions.greet(session: "stale", nonce: "0123456789abcdef", at: .zero)
      }
    }
    // Unknown sessions are no failures, wrong proofs are.
    for count in 0..<20 {
      let refusal = #expect(throws: WebRefusal.self) {
        try sessions.admit(session: session.id, challenge: "x", proof: "wrong", at: .zero)
      }
      #expect(refusal?.status == (count < 10 ? 401 : 429))
    }
    guard case .admit = try greet(session.id, session.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
    let code = sessions.makeCode(at: .zero)
    #expect(throws: WebRefusal(429, "too many failures; wait a minute")) {
      try sessions.trade(code, at: .zero)
    }
  }

  @Test("H3 a session that is used is forgotten last, and one of a connected page is not")
  mutating func order() throws {
    let first = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let second = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let third = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    guard case .admit(_, let ticket) = try greet(first.id, first.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
    #expect(sessions.kept(at: .zero).map(\.id) == [second.id, third.id, first.id])
    sessions.end(ticket)
    guard case .admit = try greet(second.id, second.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
    for _ in 0..<PageSessions.sessions { _ = try sessions.trade(sessions.makeCode(at: .zero), at: .zero) }
    let kept = sessions.kept(at: .zero)
    #expect(kept.count == PageSessions.sessions)
    #expect(kept.first?.id == second.id)
  }

  @Test("H14 a session ends 7 days after its last use, and 30 days after it was made, used or not")
  mutating func ends() throws {
    let day = Duration.seconds(86_400)
    let unused = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let used = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    guard case .admit(_, let ticket) = try greet(used.id, used.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
    #expect(stays(ticket, at: day * 6))
    #expect(isRefused(unused.id, at: day * 7) && !isRefused(used.id, at: day * 7))
    #expect(sessions.kept(at: day * 7).map(\.id) == [used.id])
    for number in stride(from: 12, to: 30, by: 6) { #expect(stays(ticket, at: day * number)) }
    #expect(!stays(ticket, at: day * 30))
    #expect(isRefused(used.id, at: day * 30))
    #expect(sessions.kept(at: day * 30).isEmpty && !sessions.isTicket(ticket))
  }

  @Test("H14 a session that is revoked ends with the tickets of its pages, and others stay")
  mutating func revoked() throws {
    let one = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let other = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    guard case .admit(_, let ticket) = try greet(one.id, one.token, at: .zero),
      case .admit(_, let own) = try greet(other.id, other.token, at: .zero)
    else {
      Issue.record("not admitted")
      return
    }
    #expect(sessions.revoke("nothing").isEmpty)
    #expect(sessions.revoke(one.id) == [one.id])
    #expect(!sessions.isTicket(ticket) && !stays(ticket, at: .zero) && isRefused(one.id, at: .zero))
    #expect(sessions.isTicket(own) && sessions.isConnected(other.id))
    #expect(sessions.revoke(nil) == [other.id] && sessions.kept(at: .zero).isEmpty)
  }

  @Test("H14 a session whose times are of another boot is none")
  mutating func future() throws {
    let session = try sessions.trade(sessions.makeCode(at: .seconds(100)), at: .seconds(100))
    sessions = PageSessions(Self.secrets(), sessions: sessions.kept(at: .seconds(100)))
    #expect(isRefused(session.id, at: .seconds(99)) && !isRefused(session.id, at: .seconds(100)))
  }

  private mutating func stays(_ ticket: String, at now: Duration) -> Bool {
    sessions.stays(ticket, at: now)
  }

  private mutating func isRefused(_ session: String, at now: Duration) -> Bool {
    do throws(WebRefusal) {
      _ = try sessions.greet(session: session, nonce: "0123456789abcdef", at: now)
      return false
    } catch {
      return error.status == 401
    }
  }

  /// The two messages of a page that knows this token.
  private mutating func greet(_ session: String, _ token: [UInt8], at now: Duration) throws
    -> Handshake.Effect
  {
    var handshake = Handshake()
    let hello = #"{"hello":{"nonce":"0123456789abcdef","session":"\#(session)"}}"#
    guard case .send(let challenged) = handshake.receive(Array(hello.utf8), &sessions, at: now) else {
      return handshake.receive(Array(hello.utf8), &sessions, at: now)
    }
    var challenge = ""
    var proof = ""
    try challenged.withUnsafeBufferPointer { bytes in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "challenge" { challenge = try reader.string() } else { proof = try reader.string() }
        }
      }
    }
    let key: [UInt8] = token.reversed() + [1]
    #expect(proof == hexadecimal(Array("server:0123456789abcdef".utf8) + key), "the server proves itself")
    let own = hexadecimal(Array("page:\(challenge)".utf8) + key)
    let answer = #"{"answer":{"client":"0123456789ab","name":"Ada","proof":"\#(own)"}}"#
    return handshake.receive(Array(answer.utf8), &sessions, at: now)
  }

  @Test("H3 a page that knows its token is admitted, and its ticket ends with its connection")
  mutating func admitted() throws {
    let session = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    guard case .admit(let client, let ticket) = try greet(session.id, session.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
    #expect(client.author == "Ada")
    #expect(sessions.isTicket(ticket) && !sessions.isTicket("") && !sessions.isTicket(session.id))
    sessions.end(ticket)
    #expect(!sessions.isTicket(ticket))
  }

  @Test("H3 a server that was started again knows the sessions of the former one")
  mutating func restarted() throws {
    let session = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let kept = sessions.kept(at: .zero)
    #expect(!kept.contains { $0.key == session.token }, "a token itself is not kept")
    sessions = PageSessions(Self.secrets(), sessions: kept)
    guard case .admit = try greet(session.id, session.token, at: .zero) else {
      Issue.record("not admitted")
      return
    }
  }

  @Test("H3 a page is refused with a wrong token, for an unknown session, and out of turn")
  mutating func refused() throws {
    let session = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let frames = [
      #"{"answer":{"client":"0123456789ab","proof":"00"}}"#, #"{"open":"bees.emojiart","tag":1}"#, "", "[]",
      "nonsense",
      #"{"hello":{"nonce":"","session":"\#(session.id)"}}"#,
      #"{"hello":{"nonce":"0123456789abcdef","session":"x"}}"#,
      #"{"hello":{"nonce":"0123456789abcdef","session":"\#(session.id)","more":1}}"#,
    ]
    for frame in frames {
      var handshake = Handshake()
      guard case .refuse = handshake.receive(Array(frame.utf8), &sessions, at: .zero) else {
        Issue.record("not refused: \(frame)")
        continue
      }
    }
    var handshake = Handshake()
    let hello = #"{"hello":{"nonce":"0123456789abcdef","session":"\#(session.id)"}}"#
    _ = handshake.receive(Array(hello.utf8), &sessions, at: .zero)
    let wrong = #"{"answer":{"client":"0123456789ab","proof":"\#(String(repeating: "0", count: 64))"}}"#
    guard case .refuse = handshake.receive(Array(wrong.utf8), &sessions, at: .zero) else {
      Issue.record("a wrong proof is taken")
      return
    }
  }
}
