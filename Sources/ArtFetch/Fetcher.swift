// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CCurl
import Glibc

/// Fetches one body, hop by hop, and trusts no server.
///
/// Each hop is checked: its scheme, its host, all addresses of the host, and the address of the actual
/// connection. See docs/decisions/0018-fetching.md.
public struct Fetcher {
  /// The most bytes of all response heads together.
  static let headLimit = 64 << 10

  private let request: WorkerRequest.Fetch
  /// Looks names up; replaced by tests.
  var resolver = Resolver.system
  /// A file of trusted certificates: the one in the environment, as for curl.
  var authorities = namedAuthorities
  /// Whether libcurl gets the checked addresses; a test of the later check of the connection turns it off.
  var pinsAddresses = true

  /// The file that the environment names, as an absolute path that does not depend on the current folder.
  static let namedAuthorities = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { Environment[$0] }
    .first.map { FilePath.resolvedIfThere($0) ?? $0 }

  /// Makes the libraries open what they would open later, for a process that is about to enter the sandbox.
  /// Returns the paths of the certificates, which must stay readable.
  public static func prepare() -> [String] {
    _ = TransferSettings.isReady
    ccurl_prepare()
    let systems = [ccurl_authorities_file(), ccurl_authorities_folder()]
    return [namedAuthorities].compactMap(\.self) + systems.compactMap { $0.map { String(cString: $0) } }
  }

  /// Creates a fetcher for one request.
  package init(_ request: WorkerRequest.Fetch) { self.request = request }

  /// Fetches, and reports the progress. Throws every reason but `tooManyPixels`.
  public func run(
    progress: @escaping (_ received: Int, _ total: Int?) -> Void
  ) throws(Refusal) -> [UInt8] {
    guard TransferSettings.isReady else { throw Refusal(.refused, "libcurl cannot be used") }
    return try follow(progress)
  }

  private func follow(_ progress: @escaping (Int, Int?) -> Void) throws(Refusal) -> [UInt8] {
    var target = try Target(request.url)
    var chain = RedirectChain(
      userTarget: request.isUserInitiated ? target : nil,
      deadline: .now + .milliseconds(request.limits.total.milliseconds)
    )
    var redirects = 0
    var headBytesLeft = Self.headLimit
    while true {
      let transfer = Transfer(
        to: target, by: try chain.nextHop(to: target, for: request, resolver), limit: request.limits.bytes,
        headBytesLeft: headBytesLeft, before: chain.deadline, progress: progress)
      let settings = TransferSettings(
        connect: request.limits.connect.milliseconds, total: try chain.millisecondsLeft(target),
        authorities: authorities,
        pinsAddresses: pinsAddresses)
      switch try transfer.run(settings) {
      case .body(let body): return body
      case .redirect(let location):
        guard redirects < request.limits.redirects else {
          throw Refusal(.redirects, "\(target.place) leads on after \(redirects) redirects")
        }
        redirects += 1
        headBytesLeft = transfer.headBytesLeft
        target = try target.following(location)
      }
    }
  }
}

// MARK: - Proxies

/// A proxy from the user's settings.
struct Proxy: Hashable, Sendable {
  /// The URL for libcurl; may contain credentials.
  let url: String
  let host: String
  let port: Int

  /// Parses a setting: a URL, or a host and port. Throws `scheme` for a proxy that does not speak HTTP,
  /// `badURL` for an invalid one.
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
      // libcurl's default for a proxy, except that of https.
      self.port = try parts.port() ?? (scheme == .https ? 443 : 1080)
    } catch {
      throw Refusal(.badURL, "the proxy that is set cannot be read: \(error.detail)")
    }
    url = text
  }
}

extension ProxySettings {
  /// The proxy for a target; nil where there is none. Throws as `Proxy.init` does.
  func proxy(for target: Target) throws(Refusal) -> Proxy? {
    let setting = target.scheme == .https ? https : http
    guard let setting, !setting.isEmpty, !excepts(target.host) else { return nil }
    return try Proxy(setting)
  }

  /// Whether a host is reached without a proxy: a listed name or a subdomain of one, a listed address or one in
  /// a listed network.
  func excepts(_ host: String) -> Bool {
    let host = String(Target.undotted(host.lowercased()))
    let entries = (none ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
    return entries.contains { entry in
      if entry == "*" { return true }
      if let address = Address(host) { return Self.lists(address, String(entry)) }
      let name = Target.undotted(entry.drop { $0 == "." }.lowercased())
      return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
    }
  }

  private static func lists(_ address: Address, _ entry: String) -> Bool {
    let parts = entry.filter { $0 != "[" && $0 != "]" }.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let listed = Address(String(first)) else { return false }
    guard parts.count == 2 else { return listed == address }
    guard let bits = Int(parts[1]), bits >= 0, bits <= listed.bytes.count * 8 else { return false }
    return AddressRange(listed.bytes, bits, length: listed.bytes.count, "").contains(address)
  }
}
