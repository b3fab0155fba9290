// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

/// Sends one request to an object store. The user has named its address, so that may be any; redirects are responses like others.
package struct StoreExchanger {
  private let exchange: WorkerRequest.Exchange
  private let body: [UInt8]
  /// Looks names up; replaced by tests.
  var resolver = Resolver.system

  /// A request with its body.
  package init(_ exchange: WorkerRequest.Exchange, body: [UInt8]) {
    self.exchange = exchange
    self.body = body
  }

  /// Sends the request. Throws the reasons of a transfer.
  package func run() throws(Refusal) -> StoreResponse {
    guard TransferSettings.isReady else { throw Refusal(.refused, "libcurl cannot be used") }
    // Dots in a path are part of an object's name.
    let target = try Target(exchange.request.url, keepsDots: true)
    let fetch = WorkerRequest.Fetch(
      url: exchange.request.url, isUserInitiated: true, proxies: exchange.proxies, limits: exchange.limits)
    var chain = RedirectChain(
      userTarget: target, deadline: .now + .milliseconds(exchange.limits.total.milliseconds))
    var request = exchange.request
    request.body = body
    let transfer = Transfer(
      to: target, by: try chain.nextHop(to: target, for: fetch, resolver), sending: request,
      limit: exchange.limits.bytes, headBytesLeft: Fetcher.headLimit, before: chain.deadline
    ) { _, _ in
    }
    let settings = TransferSettings(
      connect: exchange.limits.connect.milliseconds, total: try chain.millisecondsLeft(target),
      authorities: Fetcher.namedAuthorities)
    guard case .body(let body) = try transfer.run(settings), var response = transfer.response else {
      throw Refusal(.status, "\(target.place) does not answer in HTTP")
    }
    if let (name, value) = response.fields.first(where: { $0.value.utf8.count > StoreResponse.fieldLimit }) {
      throw Refusal(
        .tooBig,
        "\(target.place) answers with \(value.utf8.count) bytes of \(name); at most \(StoreResponse.fieldLimit) are read"
      )
    }
    response.body = body
    return response
  }
}
