// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Fetches one body.
public struct Fetcher {
  /// For that request.
  public init(_ request: WorkerRequest.Fetch) {}

  /// Fetches it, telling how far it is.
  public func run(progress: (_ received: Int, _ total: Int?) -> Void) throws(Refusal) -> [UInt8] {
    // STUB
    throw Refusal(.refused, "nothing is fetched yet", isTransient: false)
  }
}
