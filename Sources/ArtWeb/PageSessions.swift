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
///                                            (until 7 days unused, 30 days old, or revoked)
///
/// Only the digest of a token is kept. It is the key of both proofs, so a token is sent once, when it is made. Times are durations since an
/// arbitrary start.
public struct PageSessions: Sendable {
  /// A page's session.
  public struct Session: Hashable, Sendable {
    /// Its public name.
    public let id: String
    /// The digest of its token.
    public let key: [UInt8]
    /// When it was made.
    public let made: Duration
    /// When a page used it last.
    public internal(set) var used: Duration

    /// A session of a former server.
    public init(id: String, key: [UInt8], made: Duration, used: Duration) {
      (self.id, self.key, self.made, self.used) = (id, key, made, used)
    }

    /// Whether it has ended by itself. One of the future is of another boot of the machine.
    func isOver(at now: Duration) -> Bool {
      now >= used + PageSessions.idleLife || now >= made + PageSessions.life || made > now || used > now
    }
  }

  /// How long a launch code is valid.
  public static let codeLife = Duration.seconds(60)
  /// How long a session lives that no page uses, and how long at most.
  public static let (idleLife, life) = (Duration.seconds(7 * 86_400), Duration.seconds(30 * 86_400))
  /// The most launch codes, sessions and failures that are remembered.
  static let (codes, sessions, failures) = (64, 256, 10)
  /// How long a failure counts.
  static let failureLife = Duration.seconds(60)
  /// The bytes of a nonce in characters, at most.
  static let nonceLength = 16...128

  private let secrets: WebSecrets
  private var waiting: [(code: String, until: Duration)] = []
  /// The sessions, from the one that was used the longest time ago.
  private var sessions: [Session]
  /// The sessions of the connected pages, by their tickets.
  private var tickets: [String: String] = [:]
  private var failed: [Duration] = []

  /// Continues the sessions of a former server, in the order of `kept`.
  public init(_ secrets: WebSecrets, sessions: [Session] = []) {
    (self.secrets, self.sessions) = (secrets, sessions)
  }

  /// The sessions for a later server, the one that was used last at the end.
  public mutating func kept(at now: Duration) -> [Session] {
    removeOld(at: now)
    return sessions
  }

  /// Whether a page of a session is connected.
  public func isConnected(_ session: String) -> Bool { tickets.values.contains(session) }

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
    removeOld(at: now)
    sessions.append(Session(id: id, key: secrets.digest(token), made: now, used: now))
    // There are fewer connections than sessions.
    if sessions.count > Self.sessions, let last = sessions.firstIndex(where: { !isConnected($0.id) }) {
      sessions.remove(at: last)
    }
    return (id, token)
  }

  /// A page's first message: the proof of the server, and a challenge for the page. Throws 401 for an unknown session, and for one that is
  /// over. That is no failure: a tab of a former server tries again and again, and must not lock out the others.
  public mutating func greet(
    session: String, nonce: String, at now: Duration
  ) throws(WebRefusal) -> (proof: String, challenge: String) {
    guard let key = key(of: session, at: now) else { throw .unknownSession }
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
    guard let key = key(of: session, at: now),
      Self.isEqual(hexadecimal(secrets.authenticate(key, "page:\(challenge)")), proof)
    else {
      try checkFailures(at: now)
      failed.append(now)
      throw WebRefusal(401, "the page cannot prove its session")
    }
    let ticket = hexadecimal(secrets.random(16))
    tickets[ticket] = session
    use(session, at: now)
    return ticket
  }

  /// Whether the page with a ticket may stay connected. It so uses its session.
  public mutating func stays(_ ticket: String, at now: Duration) -> Bool {
    guard let session = tickets[ticket], key(of: session, at: now) != nil else { return false }
    use(session, at: now)
    return true
  }

  /// Ends a session, or all of them, with their tickets. Returns their names.
  public mutating func revoke(_ id: String?) -> Set<String> {
    let ended = Set(sessions.map(\.id).filter { id == nil || $0 == id })
    sessions.removeAll { ended.contains($0.id) }
    tickets = tickets.filter { !ended.contains($0.value) }
    return ended
  }

  private func key(of session: String, at now: Duration) -> [UInt8]? {
    sessions.first { $0.id == session && !$0.isOver(at: now) }?.key
  }

  private mutating func use(_ session: String, at now: Duration) {
    guard let index = sessions.firstIndex(where: { $0.id == session }) else { return }
    var used = sessions.remove(at: index)
    used.used = now
    sessions.append(used)
  }

  private mutating func removeOld(at now: Duration) {
    let before = sessions.count
    sessions.removeAll { $0.isOver(at: now) }
    guard sessions.count < before else { return }
    let left = Set(sessions.map(\.id))
    tickets = tickets.filter { left.contains($0.value) }
  }

  /// Whether a connection has the ticket.
  public func isTicket(_ ticket: String) -> Bool { tickets[ticket] != nil }

  /// The session of the page with a ticket.
  public func session(of ticket: String) -> String? { tickets[ticket] }

  /// Ends the ticket of a connection.
  public mutating func end(_ ticket: String) { tickets[ticket] = nil }

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

extension WebRefusal {
  /// The refusal of a page whose session the server does not know, or does not know any more.
  static let unknownSession = WebRefusal(
    401, "this server does not know the session; open it by a new link")
  /// The end of a connected page whose session is over.
  static let endedSession = WebRefusal(401, "the session was ended; open the page by a new link")
}

/// Two digits for each byte.
public func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
