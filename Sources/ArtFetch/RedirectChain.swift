// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
    let isTyped = typed.map(target.hasHost) ?? false
    if isTyped, let proxy = try request.proxies.proxy(for: target) {
      return try route(proxy.host, proxy.port, resolver, proxy, isExempt: true)
    }
    let route = try route(target.host, target.port, resolver, isExempt: isTyped || request.allowsPrivate)
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
