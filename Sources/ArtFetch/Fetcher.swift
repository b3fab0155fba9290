// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CCurl
import Glibc

/// Fetches one body, a hop at a time, and trusts nobody on the way.
///
/// Every hop is checked by itself: its scheme, its host, all addresses that the host has, and the one that is really
/// connected to. See docs/decisions/0018-fetching.md.
public struct Fetcher {
  /// Bytes of all heads together.
  static let headLimit = 64 << 10

  private let request: WorkerRequest.Fetch
  /// Who finds addresses; a test has another.
  var resolver = Resolver.system
  /// A file of certificates; the environment's, as curl has it.
  var authorities = namedAuthorities
  /// Off where a test looks at what stands behind it.
  var pins = true

  /// What the environment names, as an absolute path, whatever becomes of the current folder.
  private static let namedAuthorities = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { Environment[$0] }
    .first.map { FilePath.resolvedIfThere($0) ?? $0 }

  /// Has the libraries open what they would open later, for a process that may not, and gives the paths of the certificates, which
  /// must stay readable.
  public static func prepare() -> [String] {
    _ = TransferSettings.isReady
    ccurl_prepare()
    let systems = [ccurl_authorities_file(), ccurl_authorities_folder()]
    return [namedAuthorities].compactMap(\.self) + systems.compactMap { $0.map { String(cString: $0) } }
  }

  /// For that request.
  package init(_ request: WorkerRequest.Fetch) { self.request = request }

  /// Fetches it, telling how far it is. Throws every reason but `tooManyPixels`.
  public func run(progress: (_ received: Int, _ total: Int?) -> Void) throws(Refusal) -> [UInt8] {
    guard TransferSettings.isReady else { throw Refusal(.refused, "libcurl cannot be used") }
    let result = withoutActuallyEscaping(progress) { progress in
      Result { () throws(Refusal) in try follow(progress) }
    }
    return try result.get()
  }

  private func follow(_ progress: @escaping (Int, Int?) -> Void) throws(Refusal) -> [UInt8] {
    var target = try Target(request.url)
    var journey = RedirectChain(
      typed: request.isUserInitiated ? target : nil,
      deadline: .now + .milliseconds(request.limits.total.milliseconds)
    )
    var redirects = 0
    var headRoom = Self.headLimit
    while true {
      let transfer = Transfer(
        to: target, by: try journey.route(to: target, for: request, resolver), limit: request.limits.bytes,
        headRoom: headRoom, before: journey.deadline, progress: progress)
      let settings = TransferSettings(
        connect: request.limits.connect.milliseconds, total: try journey.left(target),
        authorities: authorities,
        pins: pins)
      switch try transfer.run(settings) {
      case .body(let body): return body
      case .redirect(let location):
        guard redirects < request.limits.redirects else {
          throw Refusal(.redirects, "\(target.place) leads on after \(redirects) redirects")
        }
        redirects += 1
        headRoom = transfer.headRoom
        target = try target.following(location)
      }
    }
  }
}

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
