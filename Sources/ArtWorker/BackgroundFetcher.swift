// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess

/// A background that is to be fetched.
public struct BackgroundRequest: Sendable, Hashable {
  /// From where.
  public var url: BackgroundURL
  /// Whether a person typed it: then its host may have any address, and its proxies are used.
  public var isTyped: Bool
  /// Whether any address may be fetched from.
  public var allowsPrivate: Bool
  /// A person's proxies.
  public var proxies: ProxySettings

  /// A request.
  public init(
    _ url: BackgroundURL, isTyped: Bool, allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings()
  ) {
    self.url = url
    self.isTyped = isTyped
    self.allowsPrivate = allowsPrivate
    self.proxies = proxies
  }
}

/// Why there is no picture.
public enum BackgroundFailure: Error, Sendable, Hashable {
  /// It was refused.
  case refused(Refusal)
  /// The helper program is missing, is another version's, or ended before its answer.
  case failed(ArtError)
  /// Somebody cancelled it.
  case cancelled
}

/// How far a transfer is.
public struct FetchProgress: Sendable, Hashable {
  /// Bytes that have come.
  public var received: Int
  /// Bytes that are expected; nil where the server does not say.
  public var total: Int?

  /// A progress.
  public init(received: Int, total: Int?) {
    self.received = received
    self.total = total
  }
}

/// Fetches pictures and has a look at them, each in a helper program of its own that is limited and that nothing is left
/// of. It has no state: any number of fetches run beside each other.
public struct BackgroundFetcher: Sendable {
  private let program: WorkerProgram?
  /// What a fetch may take.
  public let fetchLimits: FetchLimits
  /// What a picture may be.
  public let pictureLimits: PictureLimits

  /// A fetcher; `program` is the helper, and nil when it was not found.
  public init(
    program: WorkerProgram? = WorkerProgram.find("emojiart-worker"), fetchLimits: FetchLimits = FetchLimits(),
    pictureLimits: PictureLimits = PictureLimits()
  ) {
    self.program = program
    self.fetchLimits = fetchLimits
    self.pictureLimits = pictureLimits
  }

  /// Begins to fetch a picture and to have a look at it.
  public func fetch(_ request: BackgroundRequest) -> BackgroundFetch {
    // STUB
    BackgroundFetch()
  }

  /// Has a look at the bytes of a picture. When the task is cancelled, so is that.
  public func check(_ bytes: [UInt8]) async throws(BackgroundFailure) -> CheckedPicture {
    // STUB
    throw .cancelled
  }
}

/// A fetch that runs.
public final class BackgroundFetch: Sendable {
  init() {}

  /// How far it is, the latest first that was not taken; ends with the fetch. For one listener.
  public var progress: AsyncStream<FetchProgress> {
    // STUB
    AsyncStream { $0.finish() }
  }

  /// The picture, when it is there. Any number may wait; who is cancelled while it waits cancels the fetch.
  public var picture: CheckedPicture {
    get async throws(BackgroundFailure) {
      // STUB
      throw .cancelled
    }
  }

  /// Ends it; nothing of it is left.
  public func cancel() {}
}
