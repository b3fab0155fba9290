// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

/// What is known on the way from hop to hop.
struct RedirectChain {
  /// The place that a person typed, if one did.
  let typed: Target?
  let deadline: ContinuousClock.Instant
  /// What names were found to be: they do not become another machine on the way.
  private var addresses: [String: [Address]] = [:]

  init(typed: Target?, deadline: ContinuousClock.Instant) {
    self.typed = typed
    self.deadline = deadline
  }

  /// Milliseconds until the deadline. Throws `timeout`.
  func left(_ target: Target) throws(Refusal) -> Int {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { throw Refusal(.timeout, "\(target.place) was not reached in time") }
    return left.milliseconds
  }

  /// Only the host that was typed is reached through the person's proxies, and may be anywhere. Throws `dns`, `timeout`,
  /// `notAllowed`, and what is wrong with a proxy.
  mutating func route(
    to target: Target, for request: WorkerRequest.Fetch, _ resolver: Resolver
  ) throws(Refusal) -> Hop {
    let isUserInitiated = typed.map(target.hasHost) ?? false
    if isUserInitiated, let proxy = try request.proxies.proxy(for: target) {
      return try route(proxy.host, proxy.port, resolver, proxy, isExempt: true)
    }
    let route = try route(
      target.host, target.port, resolver, isExempt: isUserInitiated || request.allowsPrivate)
    for address in route.addresses where !route.isExempt {
      if let purpose = address.specialPurpose { throw Refusal.special(target, address, purpose) }
    }
    return route
  }

  private mutating func route(
    _ host: String, _ port: Int, _ resolver: Resolver, _ proxy: Proxy? = nil, isExempt: Bool
  ) throws(Refusal) -> Hop {
    if let literal = Address(host) { return Hop(proxy: proxy, addresses: [literal], isExempt: isExempt) }
    let name = String(Target.undotted(host.lowercased()))
    if addresses[name] == nil { addresses[name] = try resolver.addresses(of: host, before: deadline) }
    return Hop(proxy: proxy, addresses: addresses[name] ?? [], isExempt: isExempt, name: (host, port))
  }
}

/// How a hop goes: to which addresses, and through which proxy.
struct Hop {
  /// The person's, for the host that the person typed.
  var proxy: Proxy?
  /// Those of the proxy, or of the host: nothing else is connected to.
  var addresses: [Address]
  /// Whether they may be special ones.
  var isExempt: Bool
  /// The name that they belong to, and the port; nil for an address that is written as one.
  var name: (host: String, port: Int)?

  /// The addresses as libcurl takes them for that name, which it then does not look up.
  var pin: String? {
    name.map { name in
      let texts = addresses.map { $0.bytes.count == 4 ? $0.text : "[\($0.text)]" }
      return "\(name.host):\(name.port):\(texts.joined(separator: ","))"
    }
  }
}

/// Where a hop goes, as libcurl itself reads the URL: what is checked is what is connected to.
struct Target: Sendable, Hashable {
  enum Scheme: String, Sendable {
    case http
    case https

    /// Where no port is given.
    var port: Int { self == .https ? 443 : 80 }
  }

  /// With its host in ASCII.
  let url: String
  let scheme: Scheme
  /// A name in lower case, or an address without brackets.
  let host: String
  let port: Int

  /// Throws `scheme` and `badURL`.
  init(_ url: String) throws(Refusal) {
    try self.init(URLParts(), url)
  }

  private init(_ parts: URLParts, _ location: String) throws(Refusal) {
    try Self.checkScheme(location)
    try parts.set(location)
    // A name that is written in ASCII may turn out to be an address.
    let ascii = try parts.asciiHost()
    if ascii != (try parts.get(CURLUPART_HOST)) { try parts.setHost(ascii) }
    let whole = URLParts()
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

  /// Where a redirect leads, which may be relative. Throws `scheme`, and `redirects` for what leads nowhere or from https
  /// to http.
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

  /// As people are told of it.
  var place: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return port == scheme.port ? host : "\(host):\(port)"
  }

  /// The address that the host is, where it is no name.
  var literal: Address? { Address(host) }

  /// Whether it is the same machine by its name: with or without the dot at its end.
  func hasHost(of other: Target) -> Bool { Self.undotted(host) == Self.undotted(other.host) }

  static func undotted(_ host: String) -> Substring { host.last == "." ? host.dropLast() : host[...] }

  /// Before libcurl, which knows many.
  private static func checkScheme(_ url: String) throws(Refusal) {
    guard let scheme = BackgroundURL.scheme(of: url), Scheme(rawValue: scheme) == nil else { return }
    throw Refusal(.scheme, "\(scheme.prefix(20)): is not fetched")
  }
}

/// A URL as libcurl reads it, in parts.
final class URLParts {
  private let handle = curl_url()

  deinit { curl_url_cleanup(handle) }

  /// Reads a URL; where there is one already, it may be relative to that. Throws `badURL`.
  func set(_ url: String, allowingUser: Bool = false) throws(Refusal) {
    let flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | (allowingUser ? 0 : CURLU_DISALLOW_USER)
    try check(curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)))
  }

  /// Has another host in it. Throws `badURL`.
  func setHost(_ host: String) throws(Refusal) {
    try check(curl_url_set(handle, CURLUPART_HOST, host, 0))
  }

  /// A part that must be there. Throws `badURL`.
  func get(_ part: CURLUPart) throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    return try taken(curl_url_get(handle, part, &text, 0), text)
  }

  /// The port, where one is given. Throws `badURL`.
  func port() throws(Refusal) -> Int? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, CURLUPART_PORT, &text, 0)
    if code == CURLUE_NO_PORT { return nil }
    return Int(try taken(code, text))
  }

  /// The host as servers of names know it. Throws `badURL`.
  func asciiHost() throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    let code = ccurl_ascii_host(handle, &text)
    // So libcurl 7.88 calls a name that has no form in ASCII, whatever is wrong with it.
    if code == CURLUE_OUT_OF_MEMORY { throw Refusal(.badURL, "the host's name is none that can be") }
    return try taken(code, text)
  }

  private func taken(_ code: CURLUcode, _ text: UnsafeMutablePointer<CChar>?) throws(Refusal) -> String {
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
