// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

/// A proxy that a person has set.
struct Proxy: Hashable, Sendable {
  /// As libcurl takes it; may hold a name and a password for it.
  let url: String
  let host: String
  let port: Int

  /// Reads a setting: a URL, or a host and port. Throws `scheme` for a proxy that speaks no HTTP, `badURL` for none.
  init(_ setting: String) throws(Refusal) {
    let text = setting.contains("://") ? setting : "http://\(setting)"
    let parts = URLParts()
    guard let scheme = BackgroundURL.scheme(of: text), let scheme = Target.Scheme(rawValue: scheme) else {
      throw Refusal(.scheme, "a proxy is set that is none of http: or https:")
    }
    do throws(Refusal) {
      try parts.set(text, allowingUser: true)
      let host = try parts.get(CURLUPART_HOST)
      self.host = host.first == "[" ? String(host.dropFirst().dropLast()) : host
      // libcurl's own for a proxy without one, except that of https.
      self.port = try parts.port() ?? (scheme == .https ? 443 : 1080)
    } catch {
      throw Refusal(.badURL, "the proxy that is set cannot be read: \(error.detail)")
    }
    url = text
  }
}

extension ProxySettings {
  /// The proxy for a place; nil where there is none. Throws what `Proxy.init` throws.
  func proxy(for target: Target) throws(Refusal) -> Proxy? {
    let setting = target.scheme == .https ? https : http
    guard let setting, !setting.isEmpty, !excepts(target.host) else { return nil }
    return try Proxy(setting)
  }

  /// Whether a host is reached without a proxy: a name that is listed or ends with a listed one, an address that is listed
  /// or in a listed network.
  func excepts(_ host: String) -> Bool {
    let host = String(Target.undotted(host.lowercased()))
    let words = (none ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
    return words.contains { word in
      if word == "*" { return true }
      if let address = Address(host) { return Self.lists(address, String(word)) }
      let name = Target.undotted(word.drop { $0 == "." }.lowercased())
      return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
    }
  }

  private static func lists(_ address: Address, _ word: String) -> Bool {
    let parts = word.filter { $0 != "[" && $0 != "]" }.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let listed = Address(String(first)) else { return false }
    guard parts.count == 2 else { return listed == address }
    guard let bits = Int(parts[1]), bits >= 0, bits <= listed.bytes.count * 8 else { return false }
    return AddressRange(listed.bytes, bits, length: listed.bytes.count, "").contains(address)
  }
}
