// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A fetch that runs. It ends with this object, if not before.
public final class BackgroundFetch: Sendable {
  /// How far it is, the latest first that was not taken; ends with the fetch. For one listener.
  public let progress: AsyncStream<FetchProgress>
  private let task: Task<Result<CheckedPicture, BackgroundFailure>, Never>

  /// Begins the work, which is told where to say how far it is.
  init(
    _ work:
      @escaping @Sendable (_ tell: @escaping @Sendable (FetchProgress) -> Void) async -> Result<
        CheckedPicture, BackgroundFailure
      >
  ) {
    let (progress, listener) = AsyncStream.makeStream(
      of: FetchProgress.self, bufferingPolicy: .bufferingNewest(1))
    self.progress = progress
    task = Task {
      defer { listener.finish() }
      return await work { listener.yield($0) }
    }
  }

  deinit { task.cancel() }

  /// The picture, when it is there. Any number may wait; who is cancelled while it waits cancels the fetch. However it ends,
  /// no process of it is left by then.
  public var picture: CheckedPicture {
    get async throws(BackgroundFailure) {
      // Whoever keeps nothing but what comes of this waits for it none the less.
      defer { withExtendedLifetime(self) {} }
      let task = task
      return try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
  }

  /// Ends it; nothing of it is left. Does not wait for that: `picture` does.
  public func cancel() { task.cancel() }
}
