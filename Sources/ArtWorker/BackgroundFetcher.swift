// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

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
      url: request.url.string, isUserInitiated: request.isUserInitiated, allowsPrivate: request.allowsPrivate,
      proxies: request.isUserInitiated ? request.proxies : ProxySettings(), limits: fetchLimits)
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

/// A background that is to be fetched.
public struct BackgroundRequest: Sendable, Hashable {
  /// From where.
  public var url: BackgroundURL
  /// Whether a person typed it: then its host may have any address, and its proxies are used.
  public var isUserInitiated: Bool
  /// Whether any address may be fetched from.
  public var allowsPrivate: Bool
  /// A person's proxies; not used for what nobody typed.
  public var proxies: ProxySettings

  /// A request.
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
  /// It was refused.
  case refused(Refusal)
  /// The helper program is missing, is another version's, or ended before its answer: the picture is not to blame.
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

/// What this program and a helper program say to each other about one request.
///
/// ```
///   greeting --hello--> asked --body(n)--> receiving(n) --n bytes--.
///                       |   ^ |                                    v
///                       '---' '------- picture, refused ------> answered --it ends well--> believed
///                     progress
/// ```
/// Anything else leads to `broken`, from where nothing leads. An answer is believed when the program has ended well after it:
/// what says two things, or cannot end, is not to be relied on.
struct BackgroundDialogue: HelperDialogue {
  /// What a request comes to.
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

  /// What pictures are, by their bytes.
  private static let mediaTypes = Set(PictureKind.allCases.map(\.mediaType))

  static var cancelled: BackgroundFailure { .cancelled }

  private let request: WorkerRequest
  private let path: String
  private var state = State.greeting

  /// Nothing has been said yet.
  init(_ request: WorkerRequest, with program: HelperProgram) {
    self.request = request
    path = program.path
  }

  /// Hears a line.
  mutating func heard(line: [UInt8]) -> DialogueEffect<FetchProgress> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return breaks(.nonsense(path, error.message))
    }
    switch (state, reply) {
    case (.greeting, .hello(WorkerRequest.version)):
      state = .asked
      return .ask
    case (.greeting, .hello(let version)): return breaks(.otherVersion(path, version))
    case (.asked, .refused(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, _): return answer(reply)
    default: return breaks(.nonsense(path, "a \(reply.name) out of turn"))
    }
  }

  /// Hears raw bytes.
  mutating func heard(bytes: [UInt8]) -> DialogueEffect<FetchProgress> {
    guard case .receiving(bytes.count) = state else { return breaks(.nonsense(path, "bytes out of turn")) }
    state = .answered(.success(.body(bytes)))
    return .nothing
  }

  private mutating func answer(_ reply: WorkerReply) -> DialogueEffect<FetchProgress> {
    switch (request, reply) {
    case (.fetch, .progress(let received, let total)):
      return .tell(FetchProgress(received: received, total: total))
    case (.fetch(let fetch), .body(let count)):
      guard count <= fetch.limits.bytes else {
        return breaks(.nonsense(path, "a body of \(count) bytes where \(fetch.limits.bytes) may be"))
      }
      state = .receiving(count)
      return .take(count)
    case (.decode(_, let limits), .picture(let mediaType, let size, let isAnimated)):
      guard Self.mediaTypes.contains(mediaType), size.fits(limits) else {
        return breaks(
          .nonsense(path, "a picture \"\(mediaType.prefix(40))\" of \(size.width)x\(size.height)"))
      }
      state = .answered(.success(.picture(mediaType: mediaType, size: size, isAnimated: isAnimated)))
      return .nothing
    default: return breaks(.nonsense(path, "a \(reply.name) that was not asked for"))
    }
  }

  private mutating func breaks(_ error: ArtError) -> DialogueEffect<FetchProgress> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  /// What it came to, by how the program ended.
  func outcome(of end: HelperEnd) -> Result<Answer, BackgroundFailure> {
    if case .broken(let error) = state { return .failure(.failed(error)) }
    if case .answered(let answer) = state, end.isGood {
      return answer.mapError(BackgroundFailure.refused)
    }
    switch state {
    case .asked, .receiving:
      if let refusal = Refusal(of: end, of: request) { return .failure(.refused(refusal)) }
    default: break
    }
    return .failure(.failed(.ended(path, end)))
  }

  /// What it came to when the program was killed because its time was up.
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
  /// What is refused when the program that fetched or decoded it came to that end; nil where it is not to blame.
  fileprivate init?(of end: HelperEnd, of request: WorkerRequest) {
    guard case .signal(let number) = end.cause else { return nil }
    let isPicture = if case .decode = request { true } else { false }
    if number == SIGSYS {
      // What a program does that strangers have taken over.
      let (reason, what) = isPicture ? (Reason.notAnImage, "decoding") : (.notAllowed, "fetching")
      self.init(reason, "\(what) it tried what the sandbox of emojiart-worker forbids, and was ended")
    } else if !isPicture {
      return nil
    } else if number == SIGXCPU {
      let seconds = BackgroundFetcher.lookSeconds
      self.init(
        .notAnImage, "decoding it takes more than \(seconds) s; save it in another format, or smaller")
    } else if end.lacksMemory {
      self.init(
        .tooManyPixels,
        "decoding it takes more than \(BackgroundFetcher.memory >> 20) MB of memory; make it smaller")
    } else {
      return nil
    }
  }
}
