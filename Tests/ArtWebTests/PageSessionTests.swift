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
        try sessions.greet(session: "stale", nonce: "0123456789abcdef")
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

  @Test("H3 a session that is used is forgotten last")
  mutating func order() throws {
    let first = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    let second = try sessions.trade(sessions.makeCode(at: .zero), at: .zero)
    _ = try greet(first.id, first.token, at: .zero)
    #expect(sessions.kept.map(\.id) == [second.id, first.id])
    for _ in 1..<PageSessions.sessions { _ = try sessions.trade(sessions.makeCode(at: .zero), at: .zero) }
    #expect(sessions.kept.count == PageSessions.sessions)
    #expect(sessions.kept.first?.id == first.id)
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
    #expect(!sessions.kept.contains { $0.key == session.token }, "a token itself is not kept")
    sessions = PageSessions(Self.secrets(), keys: sessions.kept)
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
