// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Fetches and checks pictures, each in a resource-limited helper process of its own. Has no state: fetches are
/// independent of each other, and its pools limit how many run at once.
public struct BackgroundFetcher: Sendable {
  /// Address space of a helper process, in bytes.
  static let memory = 300 << 20
  /// Processor time for checking a picture, in seconds.
  static let decodeSeconds = 10
  /// Time for checking a picture, from the start of the helper process to its end.
  static let decodeDeadline = Duration.seconds(30)
  /// Time beyond the limit of a fetch, to start and end the process that enforces that limit.
  static let grace = Duration.seconds(2)

  private let helpers: HelperPrograms
  private let pool: HelperPool
  private let fetchPool: HelperPool
  private let clock: any Clock<Duration>
  /// Limits of a fetch.
  public let fetchLimits: FetchLimits
  /// Limits of a picture.
  public let pictureLimits: PictureLimits

  /// Creates a fetcher; `emojiart-worker` is searched for at each request. `pool` limits how many pictures are
  /// decoded at once, `fetchPool` how many are transferred. `clock` measures deadlines, from the start of a
  /// helper process.
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

  /// Starts to fetch and check a picture.
  public func fetch(_ request: BackgroundRequest) -> BackgroundFetch {
    BackgroundFetch { report in
      do throws(BackgroundFailure) {
        let body = try await body(request, report)
        return .success(try await check(body))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Checks the bytes of a picture. Cancelling the task cancels the check.
  public func check(_ bytes: [UInt8]) async throws(BackgroundFailure) -> CheckedPicture {
    guard bytes.count <= pictureLimits.bytes else {
      throw .refused(
        Refusal(.tooBig, "it has \(bytes.count) bytes, and at most \(pictureLimits.bytes) are accepted"))
    }
    let answer = try await call(
      .decode(PictureKind.ofBackground(bytes)), .decode(bytes: bytes.count, pictureLimits), bytes: bytes,
      within: Self.decodeDeadline, processorSeconds: Self.decodeSeconds)
    guard case .picture(let mediaType, let size, let isAnimated) = answer else {
      throw .failed(.nonsense(HelperPrograms.workerName, "another answer"))
    }
    return CheckedPicture(bytes: bytes, mediaType: mediaType, size: size, isAnimated: isAnimated)
  }

  /// Removes from a picture what it says of its maker: camera, place, times, names, texts, thumbnails. It looks the same. Checks the
  /// result as `check` does.
  public func anonymous(_ bytes: [UInt8]) async throws(BackgroundFailure) -> CheckedPicture {
    let answer = try await call(
      .decode([]), .anonymise(bytes: bytes.count), bytes: bytes, within: Self.decodeDeadline,
      processorSeconds: Self.decodeSeconds)
    guard case .body(let body) = answer else {
      throw .failed(.nonsense(HelperPrograms.workerName, "another answer"))
    }
    return try await check(body)
  }

  private func body(
    _ request: BackgroundRequest, _ report: @escaping @Sendable (FetchProgress) -> Void
  ) async throws(BackgroundFailure) -> [UInt8] {
    if request.url.isData { return try bytes(in: request.url) }
    let fetch = WorkerRequest.Fetch(
      url: request.url.string, isUserInitiated: request.isUserInitiated, allowsPrivate: request.allowsPrivate,
      proxies: request.isUserInitiated ? request.proxies : ProxySettings(), limits: fetchLimits)
    let seconds = Int(min(max(fetchLimits.total.components.seconds, 0), 86_400))
    let answer = try await call(
      .fetch, .fetch(fetch), within: fetchLimits.total + Self.grace, processorSeconds: seconds + 5, report)
    guard case .body(let bytes) = answer else {
      throw .failed(.nonsense(HelperPrograms.workerName, "another answer"))
    }
    return bytes
  }

  /// A data: URL is decoded here, without the process that has network access.
  private func bytes(in url: BackgroundURL) throws(BackgroundFailure) -> [UInt8] {
    do throws(Refusal) {
      return try DataURL.decode(url, limit: fetchLimits.bytes)
    } catch {
      throw .refused(error)
    }
  }

  /// Sends one request to one helper process.
  private func call(
    _ verb: WorkerVerb, _ request: WorkerRequest, bytes: [UInt8] = [], within deadline: Duration,
    processorSeconds: Int,
    _ report: @escaping @Sendable (FetchProgress) -> Void = { _ in }
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
      report($0)
      return true
    }
    let outcome = await (verb == .fetch ? fetchPool : pool).run { [clock] in
      await call.answer(within: .total(deadline), on: clock)
    }
    guard let outcome else { throw .cancelled }
    return try outcome.get()
  }
}

// MARK: - A running fetch

/// A fetch that runs. Releasing it cancels the fetch.
public final class BackgroundFetch: Sendable {
  /// The latest progress; ends with the fetch. For one listener; unread values are replaced by newer ones.
  public let progress: AsyncStream<FetchProgress>
  private let task: Task<Result<CheckedPicture, BackgroundFailure>, Never>

  /// Starts the work, which reports its progress to the closure that it receives.
  init(
    _ work:
      @escaping @Sendable (_ report: @escaping @Sendable (FetchProgress) -> Void) async -> Result<
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

  /// The picture. Any number of tasks may wait for it; cancelling one of them cancels the fetch. The helper
  /// process has ended on return or throw.
  public var picture: CheckedPicture {
    get async throws(BackgroundFailure) {
      // The fetch must outlive this call even if the caller keeps only its result.
      defer { withExtendedLifetime(self) {} }
      let task = task
      return try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
  }

  /// Cancels the fetch. Does not wait for its end; `picture` does.
  public func cancel() { task.cancel() }
}

// MARK: - Requests and results

/// A request for a background.
public struct BackgroundRequest: Sendable, Hashable {
  /// The URL to fetch.
  public var url: BackgroundURL
  /// Whether the user typed the URL just now. Its host may then have any address, and `proxies` are used; other
  /// URLs are untrusted.
  public var isUserInitiated: Bool
  /// Whether hosts with private addresses are allowed, too.
  public var allowsPrivate: Bool
  /// The user's proxies; ignored unless the request is user-initiated.
  public var proxies: ProxySettings

  /// Creates a request.
  public init(
    _ url: BackgroundURL, isUserInitiated: Bool, allowsPrivate: Bool = false,
    proxies: ProxySettings = ProxySettings()
  ) {
    self.url = url
    self.isUserInitiated = isUserInitiated
    self.allowsPrivate = allowsPrivate
    self.proxies = proxies
  }
}

/// Why there is no picture.
public enum BackgroundFailure: Error, Sendable, Hashable {
  /// The picture or its URL was refused.
  case refused(Refusal)
  /// The helper program is missing, of another version, or ended before its answer. The picture is not the
  /// cause.
  case failed(ArtError)
  /// The fetch was cancelled.
  case cancelled
}

/// The progress of a transfer.
public struct FetchProgress: Sendable, Hashable {
  /// Bytes received.
  public var received: Int
  /// Bytes expected; nil where the server does not say.
  public var total: Int?

  /// Creates a progress.
  public init(received: Int, total: Int?) {
    self.received = received
    self.total = total
  }
}

// MARK: - The dialogue

/// The protocol of one request to a helper process.
///
/// ```
///   greeting --hello--> asked --body(n)--> receiving(n) --n bytes--.
///   ^
///                                    v
///                       '---' '------- picture, refused ------> answered --clean exit--> accepted
///                     progress
/// ```
/// Anything else leads to `broken`, a final state. An answer is accepted only when the process exits cleanly
/// after it: a process that sends two answers, or does not end, is not reliable.
struct BackgroundDialogue: HelperDialogue {
  /// The result of a request.
  enum Answer: Sendable {
    case body([UInt8])
    case picture(mediaType: String, size: Canvas, isAnimated: Bool)
  }

  private enum State {
    case greeting
    case asked
    case receiving(Int)
    case answered(Result<Answer, Refusal>)
    case broken(ArtError)
  }

  /// The media types that the helper may answer.
  private static let mediaTypes = Set(PictureKind.allCases.map(\.mediaType))

  static var cancelled: BackgroundFailure { .cancelled }

  private let request: WorkerRequest
  let path: String
  private var state = State.greeting

  /// Creates the protocol in its first state.
  init(_ request: WorkerRequest, with program: HelperProgram) {
    self.request = request
    path = program.path
  }

  var isBeforeGreeting: Bool { if case .greeting = state { true } else { false } }

  mutating func greeted() { state = .asked }

  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<FetchProgress> {
    switch (state, reply) {
    case (.asked, .refused(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return answer(reply)
    default: return fail(.outOfTurn(path, reply))
    }
  }

  /// Receives raw bytes.
  mutating func receive(bytes: [UInt8]) -> DialogueEffect<FetchProgress> {
    guard case .receiving(bytes.count) = state else { return fail(.nonsense(path, "bytes out of turn")) }
    state = .answered(.success(.body(bytes)))
    return .nothing
  }

  private mutating func answer(_ reply: WorkerReply) -> DialogueEffect<FetchProgress> {
    switch (request, reply) {
    case (.fetch, .progress(let received, let total)):
      return .report(FetchProgress(received: received, total: total))
    case (.fetch(let fetch), .body(let count)):
      guard count <= fetch.limits.bytes else {
        return fail(.nonsense(path, "a body of \(count) bytes where \(fetch.limits.bytes) may be"))
      }
      state = .receiving(count)
      return .receiveBytes(count)
    case (.anonymise(let most), .body(let count)):
      // At most a directory with the orientation is added.
      guard count <= most + 64 else {
        return fail(.nonsense(path, "a body of \(count) bytes for one of \(most)"))
      }
      state = .receiving(count)
      return .receiveBytes(count)
    case (.decode(_, let limits), .picture(let mediaType, let size, let isAnimated)):
      guard Self.mediaTypes.contains(mediaType), size.fits(limits) else {
        return fail(
          .nonsense(path, "a picture \"\(mediaType.prefix(40))\" of \(size.width)x\(size.height)"))
      }
      state = .answered(.success(.picture(mediaType: mediaType, size: size, isAnimated: isAnimated)))
      return .nothing
    default: return fail(.nonsense(path, "a \(reply.name) that was not asked for"))
    }
  }

  mutating func fail(_ error: ArtError) -> DialogueEffect<FetchProgress> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  /// The result, after the process ended.
  func outcome(of end: HelperEnd) -> Result<Answer, BackgroundFailure> {
    if case .broken(let error) = state { return .failure(.failed(error)) }
    if case .answered(let answer) = state, end.exitedCleanly {
      return answer.mapError(BackgroundFailure.refused)
    }
    switch state {
    case .asked, .receiving:
      if let refusal = Refusal(of: end, of: request) { return .failure(.refused(refusal)) }
    default: break
    }
    return .failure(.failed(.ended(path, end)))
  }

  /// The failure, after the process was killed at its deadline.
  func outcome(after deadline: Duration) -> BackgroundFailure {
    let seconds = deadline.components.seconds
    switch (state, request) {
    case (.broken(let error), _): return .failed(error)
    case (.asked, .fetch), (.receiving, .fetch):
      return .refused(Refusal(.timeout, "there was no answer within \(seconds) s"))
    default: return .failed(.hangs(path, seconds))
    }
  }

  static func failed(_ error: ArtError) -> BackgroundFailure { .failed(error) }
}

extension Canvas {
  fileprivate func fits(_ limits: PictureLimits) -> Bool {
    // No overflow: both sides are at most 100,000.
    width <= limits.side && height <= limits.side && width * height <= limits.pixels
  }
}

extension Refusal {
  /// The refusal that a crash of the helper process stands for; nil where the picture is not the cause.
  fileprivate init?(of end: HelperEnd, of request: WorkerRequest) {
    guard case .signal(let number) = end.cause else { return nil }
    let isPicture =
      switch request {
      case .decode, .anonymise: true
      default: false
      }
    if number == SIGSYS {
      // A process that violates the sandbox may be under an attacker's control.
      let (reason, what) = isPicture ? (Reason.notAnImage, "decoding") : (.notAllowed, "fetching")
      self.init(reason, "\(what) it tried what the sandbox of emojiart-worker forbids, and was ended")
    } else if !isPicture {
      return nil
    } else if number == SIGXCPU {
      let seconds = BackgroundFetcher.decodeSeconds
      self.init(
        .notAnImage, "decoding it takes more than \(seconds) s; save it in another format, or smaller")
    } else if end.ranOutOfMemory {
      self.init(
        .tooManyPixels,
        "decoding it takes more than \(BackgroundFetcher.memory >> 20) MB of memory; make it smaller")
    } else {
      return nil
    }
  }
}
