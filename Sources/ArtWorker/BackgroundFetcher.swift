// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Fetches pictures and has a look at them, each in a helper program of its own that is limited and that nothing is left
/// of. It has no state: any number of fetches are asked for beside each other, and as many run at once as its pools have slots.
public struct BackgroundFetcher: Sendable {
  /// Bytes of address space of a helper program.
  static let memory = 300 << 20
  /// Seconds of processor time for having a look at a picture.
  static let lookSeconds = 10
  /// For having a look, from its start to its end.
  static let lookDeadline = Duration.seconds(30)
  /// What a fetch may take beyond its limit, for starting and ending the program that keeps to that limit.
  static let grace = Duration.seconds(2)

  private let helpers: HelperPrograms
  private let pool: HelperPool
  private let fetchPool: HelperPool
  private let clock: any Clock<Duration>
  /// What a fetch may take.
  public let fetchLimits: FetchLimits
  /// What a picture may be.
  public let pictureLimits: PictureLimits

  /// A fetcher, which looks for `emojiart-worker` there at each request. `pool` limits how many pictures are decoded at once,
  /// `fetchPool` how many are transferred. The clock is that of its deadlines, which count from the start of a helper program.
  public init(
    helpers: HelperPrograms = .installed, fetchLimits: FetchLimits = FetchLimits(),
    pictureLimits: PictureLimits = PictureLimits(), pool: HelperPool = .shared,
    fetchPool: HelperPool = .fetching, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.pool = pool
    self.fetchPool = fetchPool
    self.fetchLimits = fetchLimits
    self.pictureLimits = pictureLimits
    self.clock = clock
  }

  /// Begins to fetch a picture and to have a look at it.
  public func fetch(_ request: BackgroundRequest) -> BackgroundFetch {
    BackgroundFetch { tell in
      do throws(BackgroundFailure) {
        let body = try await body(request, tell)
        return .success(try await check(body))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Has a look at the bytes of a picture. When the task is cancelled, so is that.
  public func check(_ bytes: [UInt8]) async throws(BackgroundFailure) -> CheckedPicture {
    guard bytes.count <= pictureLimits.bytes else {
      throw .refused(
        Refusal(.tooBig, "it has \(bytes.count) bytes, and at most \(pictureLimits.bytes) are taken"))
    }
    let answer = try await call(
      .decode(PictureKind.ofBackground(bytes)), .decode(bytes: bytes.count, pictureLimits), bytes: bytes,
      within: Self.lookDeadline, processorSeconds: Self.lookSeconds)
    guard case .picture(let mediaType, let size, let isAnimated) = answer else {
      throw .failed(.nonsense(HelperPrograms.workerName, "another answer"))
    }
    return CheckedPicture(bytes: bytes, mediaType: mediaType, size: size, isAnimated: isAnimated)
  }

  private func body(
    _ request: BackgroundRequest, _ tell: @escaping @Sendable (FetchProgress) -> Void
  ) async throws(BackgroundFailure) -> [UInt8] {
    if request.url.isData { return try bytes(in: request.url) }
    let fetch = WorkerRequest.Fetch(
      url: request.url.string, isTyped: request.isTyped, allowsPrivate: request.allowsPrivate,
      proxies: request.isTyped ? request.proxies : ProxySettings(), limits: fetchLimits)
    let seconds = Int(min(max(fetchLimits.total.components.seconds, 0), 86_400))
    let answer = try await call(
      .fetch, .fetch(fetch), within: fetchLimits.total + Self.grace, processorSeconds: seconds + 5, tell)
    guard case .body(let bytes) = answer else {
      throw .failed(.nonsense(HelperPrograms.workerName, "another answer"))
    }
    return bytes
  }

  /// What such a URL has in it needs no network, and so no program that has one.
  private func bytes(in url: BackgroundURL) throws(BackgroundFailure) -> [UInt8] {
    do throws(Refusal) {
      return try DataURL.decode(url, limit: fetchLimits.bytes)
    } catch {
      throw .refused(error)
    }
  }

  /// One request to one helper program.
  private func call(
    _ verb: WorkerVerb, _ request: WorkerRequest, bytes: [UInt8] = [], within deadline: Duration,
    processorSeconds: Int,
    _ tell: @escaping @Sendable (FetchProgress) -> Void = { _ in }
  ) async throws(BackgroundFailure) -> BackgroundDialogue.Answer {
    let program: HelperProgram
    do throws(ArtError) { program = try helpers.worker() } catch { throw .failed(error) }
    let limits = HelperLimits(
      memory: Self.memory, processorSeconds: processorSeconds, line: WorkerReply.lineLimit,
      bytes: fetchLimits.bytes)
    let call = HelperCall(program, verb, limits, BackgroundDialogue(request, with: program)) {
      (send) throws(HelperFailure) in
      try send(request.line)
      try send(bytes)
    } _: {
      tell($0)
      return true
    }
    let outcome = await (verb == .fetch ? fetchPool : pool).run { [clock] in
      await call.answer(within: .total(deadline), on: clock)
    }
    guard let outcome else { throw .cancelled }
    return try outcome.get()
  }
}
