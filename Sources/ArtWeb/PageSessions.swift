// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What the sessions need of a library of cryptography and of chance.
public struct WebSecrets: Sendable {
  /// The SHA-256 of bytes.
  public let digest: @Sendable ([UInt8]) -> [UInt8]
  /// The HMAC-SHA-256 of a text with a key.
  public let authenticate: @Sendable (_ key: [UInt8], _ text: String) -> [UInt8]
  /// That many cryptographically random bytes.
  public let random: @Sendable (Int) -> [UInt8]

  /// With these functions.
  public init(
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    authenticate: @escaping @Sendable (_ key: [UInt8], _ text: String) -> [UInt8],
    random: @escaping @Sendable (Int) -> [UInt8]
  ) {
    (self.digest, self.authenticate, self.random) = (digest, authenticate, random)
  }
}

/// Launch codes, sessions and tickets of one server.
///
///     code (128 bits, once, 60 s) ──trade──▶ session: id, token ──proofs──▶ ticket (until the connection ends)
///
/// Only the digest of a token is kept. It is the key of both proofs, so a token is sent once, when it is made. Times are durations since an
/// arbitrary start.
public struct PageSessions: Sendable {
  /// How long a launch code is valid.
  public static let codeLife = Duration.seconds(60)
  /// The most launch codes, sessions and failures that are remembered.
  static let (codes, sessions, failures) = (64, 256, 10)
  /// How long a failure counts.
  static let failureLife = Duration.seconds(60)
  /// The bytes of a nonce in characters, at most.
  static let nonceLength = 16...128

  private let secrets: WebSecrets
  private var waiting: [(code: String, until: Duration)] = []
  /// The digests of tokens by session, and the sessions from the one that was made or admitted the longest time ago.
  private var keys: [String: [UInt8]]
  private var order: [String]
  private var tickets: Set<String> = []
  private var failed: [Duration] = []

  /// Continues the sessions of a former server, in the order of `kept`.
  public init(_ secrets: WebSecrets, keys: [(id: String, key: [UInt8])] = []) {
    self.secrets = secrets
    self.keys = Dictionary(keys.map { ($0.id, $0.key) }, uniquingKeysWith: { _, last in last })
    order = keys.map(\.id)
  }

  /// The sessions for a later server, the one that was used last at the end.
  public var kept: [(id: String, key: [UInt8])] { order.compactMap { id in keys[id].map { (id, $0) } } }

  /// A new launch code.
  public mutating func makeCode(at now: Duration) -> String {
    waiting.removeAll { $0.until <= now }
    if waiting.count >= Self.codes { waiting.removeFirst() }
    let code = hexadecimal(secrets.random(16))
    waiting.append((code, now + Self.codeLife))
    return code
  }

  /// Trades a launch code for a session. Throws 403 for a code that is not valid, and 429 after too many such.
  public mutating func trade(
    _ code: String, at now: Duration
  ) throws(WebRefusal) -> (id: String, token: [UInt8]) {
    try checkFailures(at: now)
    waiting.removeAll { $0.until <= now }
    guard let index = waiting.firstIndex(where: { Self.isEqual($0.code, code) }) else {
      failed.append(now)
      throw WebRefusal(403, "the link was used already, or is too old; a new one is needed")
    }
    waiting.remove(at: index)
    let (id, token) = (hexadecimal(secrets.random(8)), secrets.random(32))
    keys[id] = secrets.digest(token)
    order.append(id)
    if order.count > Self.sessions { keys[order.removeFirst()] = nil }
    return (id, token)
  }

  /// A page's first message: the proof of the server, and a challenge for the page. Throws 401 for an unknown session. That is no failure:
  /// a tab of a former server tries again and again, and must not lock out the others.
  public func greet(
    session: String, nonce: String
  ) throws(WebRefusal) -> (proof: String, challenge: String) {
    guard let key = keys[session] else {
      throw WebRefusal(401, "this server does not know the session; open it by a new link")
    }
    guard Self.nonceLength.contains(nonce.utf8.count) else { throw WebRefusal(400, "a malformed nonce") }
    return (
      hexadecimal(secrets.authenticate(key, "server:\(nonce)")), hexadecimal(secrets.random(16))
    )
  }

  /// A page's answer to its challenge: the ticket of its connection. Throws 401 for a wrong proof, and 429 after too many such. A right proof
  /// is taken at any time.
  public mutating func admit(
    session: String, challenge: String, proof: String, at now: Duration
  ) throws(WebRefusal) -> String {
    guard let key = keys[session],
      Self.isEqual(hexadecimal(secrets.authenticate(key, "page:\(challenge)")), proof)
    else {
      try checkFailures(at: now)
      failed.append(now)
      throw WebRefusal(401, "the page cannot prove its session")
    }
    order.removeAll { $0 == session }
    order.append(session)
    let ticket = hexadecimal(secrets.random(16))
    tickets.insert(ticket)
    return ticket
  }

  /// Whether a connection has the ticket.
  public func isTicket(_ ticket: String) -> Bool { tickets.contains(ticket) }

  /// Ends the ticket of a connection.
  public mutating func end(_ ticket: String) { tickets.remove(ticket) }

  private mutating func checkFailures(at now: Duration) throws(WebRefusal) {
    failed.removeAll { $0 + Self.failureLife <= now }
    guard failed.count < Self.failures else { throw WebRefusal(429, "too many failures; wait a minute") }
  }

  /// Compares in a time that does not depend on where the texts differ.
  private static func isEqual(_ text: String, _ other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Two digits for each byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
