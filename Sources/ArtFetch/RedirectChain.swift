// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

/// The state of a fetch across its redirects.
struct RedirectChain {
  /// The target of the URL that the user typed, if the request is user-initiated.
  let userTarget: Target?
  let deadline: ContinuousClock.Instant
  /// Resolved names. A name keeps its addresses for the whole fetch, so that it cannot be rebound to another
  /// machine.
  private var addresses: [String: [Address]] = [:]

  init(userTarget: Target?, deadline: ContinuousClock.Instant) {
    self.userTarget = userTarget
    self.deadline = deadline
  }

  /// Milliseconds until the deadline. Throws `timeout`.
  func millisecondsLeft(_ target: Target) throws(Refusal) -> Int {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { throw Refusal(.timeout, "\(target.place) was not reached in time") }
    return left.milliseconds
  }

  /// The next hop. Only the host that the user typed is reached through the user's proxies, and only its port that the user typed may have a
  /// special address: the other ports of a machine are other programs', and of other users. From `http` at its own port the same host's
  /// `https` is reached, too, which no ordinary user can serve. Throws `dns`, `timeout`, `notAllowed`, and the errors of a proxy.
  mutating func nextHop(
    to target: Target, for request: WorkerRequest.Fetch, _ resolver: Resolver
  ) throws(Refusal) -> Hop {
    let isUsersHost = userTarget.map(target.hasHost) ?? false
    if isUsersHost, let proxy = try request.proxies.proxy(for: target) {
      return try hop(proxy.host, proxy.port, resolver, proxy, isExempt: true)
    }
    let hop = try hop(
      target.host, target.port, resolver,
      isExempt: isUsersHost && (userTarget.map(target.isSameServer) ?? false) || request.allowsPrivate)
    for address in hop.addresses where !hop.isExempt {
      if let purpose = address.specialPurpose { throw Refusal.special(target, address, purpose) }
    }
    return hop
  }

  private mutating func hop(
    _ host: String, _ port: Int, _ resolver: Resolver, _ proxy: Proxy? = nil, isExempt: Bool
  ) throws(Refusal) -> Hop {
    if let literal = Address(host) { return Hop(proxy: proxy, addresses: [literal], isExempt: isExempt) }
    let name = String(Target.undotted(host.lowercased()))
    if addresses[name] == nil { addresses[name] = try resolver.addresses(of: host, before: deadline) }
    return Hop(proxy: proxy, addresses: addresses[name] ?? [], isExempt: isExempt, name: (host, port))
  }
}

// MARK: - Hop

/// One request of a fetch: to which addresses, and through which proxy.
struct Hop {
  /// The user's proxy, if the user typed the host.
  var proxy: Proxy?
  /// The addresses of the proxy or of the host; no other is connected to.
  var addresses: [Address]
  /// Whether special addresses are allowed.
  var isExempt: Bool
  /// The name of these addresses, and the port; nil for an address literal.
  var name: (host: String, port: Int)?

  /// The addresses in the form of CURLOPT_RESOLVE, so that libcurl does not look the name up.
  var pin: String? {
    name.map { name in
      let texts = addresses.map { $0.bytes.count == 4 ? $0.text : "[\($0.text)]" }
      return "\(name.host):\(name.port):\(texts.joined(separator: ","))"
    }
  }
}

// MARK: - Target

/// A URL as libcurl parses it, so that what is checked is what is connected to.
struct Target: Sendable, Hashable {
  enum Scheme: String, Sendable {
    case http
    case https

    /// The default port.
    var port: Int { self == .https ? 443 : 80 }
  }

  /// The URL with its host in ASCII.
  let url: String
  let scheme: Scheme
  /// A name in lower case, or an address without brackets.
  let host: String
  let port: Int

  /// Whether it has the port of another target, or is the secure one of the two servers at the ports of their schemes.
  func isSameServer(_ other: Target) -> Bool {
    port == other.port
      || scheme == .https && port == scheme.port && other.scheme == .http && other.port == other.scheme.port
  }

  /// `keepsDots` leaves `.` and `..` in the path as they are. Throws `scheme` and `badURL`.
  init(_ url: String, keepsDots: Bool = false) throws(Refusal) {
    try self.init(URLParts(keepsDots: keepsDots), url)
  }

  private init(_ parts: URLParts, _ location: String) throws(Refusal) {
    try Self.checkScheme(location)
    try parts.set(location)
    // A name, once in ASCII, may be an address.
    let ascii = try parts.asciiHost()
    if ascii != (try parts.get(CURLUPART_HOST)) { try parts.setHost(ascii) }
    let whole = URLParts(keepsDots: parts.keepsDots)
    try whole.set(try parts.get(CURLUPART_URL))
    let name = try whole.get(CURLUPART_SCHEME)
    guard let scheme = Scheme(rawValue: name.lowercased()) else {
      throw Refusal(.scheme, "\(name): is not fetched")
    }
    let host = try whole.get(CURLUPART_HOST).lowercased()
    self.url = try whole.get(CURLUPART_URL)
    self.scheme = scheme
    self.host = host.first == "[" ? String(host.dropFirst().dropLast()) : host
    port = try whole.port() ?? scheme.port
  }

  /// The target of a redirect, which may be relative. Throws `scheme`, and `redirects` for an invalid location
  /// or one from https to http.
  func following(_ location: String) throws(Refusal) -> Target {
    let parts = URLParts()
    try parts.set(url)
    let next: Target
    do throws(Refusal) {
      next = try Target(parts, location)
    } catch {
      guard error.reason == .badURL else {
        throw Refusal(error.reason, "\(place) leads elsewhere: \(error.detail)")
      }
      throw Refusal(.redirects, "\(place) leads nowhere: \(error.detail)")
    }
    guard scheme == .http || next.scheme == .https else {
      throw Refusal(.redirects, "\(place) leads from https to http")
    }
    return next
  }

  /// The host and a port that is not the default, for messages.
  var place: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == scheme.port ? host : "\(host):\(port)"
  }

  /// The address, where the host is a literal.
  var literal: Address? { Address(host) }

  /// Whether both have the same host; a trailing dot is ignored.
  func hasHost(of other: Target) -> Bool { Self.undotted(host) == Self.undotted(other.host) }

  static func undotted(_ host: String) -> Substring { host.last == "." ? host.dropLast() : host[...] }

  /// Checked before libcurl, which knows many schemes.
  private static func checkScheme(_ url: String) throws(Refusal) {
    guard let scheme = BackgroundURL.scheme(of: url), Scheme(rawValue: scheme) == nil else { return }
    throw Refusal(.scheme, "\(scheme.prefix(20)): is not fetched")
  }
}

// MARK: - Parts of a URL

/// A URL as libcurl parses it, in parts.
final class URLParts {
  private let handle = curl_url()
  /// Whether `.` and `..` in a path stay as they are.
  let keepsDots: Bool

  /// A URL without parts.
  init(keepsDots: Bool = false) { self.keepsDots = keepsDots }

  deinit { curl_url_cleanup(handle) }

  /// Parses a URL; relative to the current one, if there is one. Throws `badURL`.
  func set(_ url: String, allowingUser: Bool = false) throws(Refusal) {
    let flags =
      CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | (allowingUser ? 0 : CURLU_DISALLOW_USER)
      | (keepsDots ? CURLU_PATH_AS_IS : 0)
    try check(curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)))
  }

  /// Replaces the host. Throws `badURL`.
  func setHost(_ host: String) throws(Refusal) {
    try check(curl_url_set(handle, CURLUPART_HOST, host, 0))
  }

  /// A part that must be present. Throws `badURL`.
  func get(_ part: CURLUPart) throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    return try unwrap(curl_url_get(handle, part, &text, 0), text)
  }

  /// The port, if there is one. Throws `badURL`.
  func port() throws(Refusal) -> Int? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, CURLUPART_PORT, &text, 0)
    if code == CURLUE_NO_PORT { return nil }
    return Int(try unwrap(code, text))
  }

  /// The host in ASCII, as DNS needs it. Throws `badURL`.
  func asciiHost() throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    let code = ccurl_ascii_host(handle, &text)
    // libcurl 7.88 reports a name that has no ASCII form as this error, whatever the reason.
    if code == CURLUE_OUT_OF_MEMORY { throw Refusal(.badURL, "the host's name is none that can be") }
    return try unwrap(code, text)
  }

  private func unwrap(_ code: CURLUcode, _ text: UnsafeMutablePointer<CChar>?) throws(Refusal) -> String {
    defer { curl_free(text) }
    try check(code)
    guard let text else { throw Refusal(.badURL, "the URL cannot be read") }
    return String(cString: text)
  }

  private func check(_ code: CURLUcode) throws(Refusal) {
    switch code {
    case CURLUE_OK: return
    case CURLUE_NO_HOST: throw Refusal(.badURL, "there is no host")
    case CURLUE_USER_NOT_ALLOWED: throw Refusal(.badURL, "a URL with a user's name in it is not fetched")
    default: throw Refusal(.badURL, "the URL cannot be read: \(String(cString: curl_url_strerror(code)))")
    }
  }
}
