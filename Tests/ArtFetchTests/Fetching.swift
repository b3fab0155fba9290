// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtFetch

extension PictureServer {
  /// The body at a path, as text; the server does not count the requests for its own counts.
  func text(_ path: String) throws -> String {
    let fetcher = Fetcher(WorkerRequest.Fetch(url: "http://127.0.0.1:\(port)\(path)", isUserInitiated: true))
    return String(decoding: try fetcher.run { _, _ in }, as: UTF8.self)
  }

  func number(_ path: String) throws -> Int {
    try #require(Int(try text(path).trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}

/// The result of a fetch.
enum Fetched: Equatable, CustomStringConvertible {
  case accepted(Int)
  case refused(Refusal.Reason, isTransient: Bool, String)

  var reason: Refusal.Reason? {
    if case .refused(let reason, _, _) = self { reason } else { nil }
  }

  var detail: String {
    if case .refused(_, _, let detail) = self { detail } else { "" }
  }

  var description: String {
    switch self {
    case .accepted(let count): "\(count) bytes"
    case .refused(let reason, let isTransient, let detail):
      "\(reason)\(isTransient ? " for now" : ""): \(detail)"
    }
  }
}

/// Fetches, with long timeouts for slow machines.
func fetch(
  _ url: String, isUserInitiated: Bool = true, allowsPrivate: Bool = false,
  proxies: ProxySettings = ProxySettings(),
  limits: FetchLimits = FetchLimits(connect: .seconds(60), total: .seconds(120)),
  change: (inout Fetcher) -> Void = { _ in }, progress: @escaping (Int, Int?) -> Void = { _, _ in }
) -> Fetched {
  let request = WorkerRequest.Fetch(
    url: url, isUserInitiated: isUserInitiated, allowsPrivate: allowsPrivate, proxies: proxies, limits: limits
  )
  var fetcher = Fetcher(request)
  change(&fetcher)
  do throws(Refusal) {
    return .accepted(try fetcher.run(progress: progress).count)
  } catch {
    return .refused(error.reason, isTransient: error.isTransient, error.detail)
  }
}
