// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

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
