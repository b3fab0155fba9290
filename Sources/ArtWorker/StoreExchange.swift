// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Sends requests to object stores, each in a helper process of its own, which reads what the store sends.
///
/// The helper gets signed requests only: no key that signs them leaves this process.
package struct StoreClient: Sendable {
  /// Address space of a helper process, in bytes: a body, the response's body, and what reads them.
  private static let memory = 1_200 << 20
  private static let grace = Duration.seconds(5)

  private let helpers: HelperPrograms
  private let pool: HelperPool
  private let proxies: ProxySettings
  private let limits: FetchLimits
  private let clock: any Clock<Duration>

  /// A client. `limits` are those of each request; its `bytes` are those of a response's body.
  package init(
    helpers: HelperPrograms = .installed, proxies: ProxySettings = ProxySettings(),
    limits: FetchLimits = FetchLimits(bytes: 256 << 20, connect: .seconds(10), total: .seconds(300)),
    pool: HelperPool = .fetching, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.proxies = proxies
    self.limits = limits
    self.pool = pool
    self.clock = clock
  }

  /// Sends a request, and returns the response of at most `limit` bytes, whatever its status is. Throws why there is none; then it is not known whether the store has
  /// done what was asked for.
  package func send(
    _ request: StoreRequest, limit: Int? = nil
  ) async throws(BackgroundFailure) -> StoreResponse {
    var limits = limits
    if let limit { limits.bytes = min(limits.bytes, limit) }
    let program: HelperProgram
    do throws(ArtError) { program = try helpers.worker() } catch { throw .failed(error) }
    let seconds = Int(min(max(limits.total.components.seconds, 0), 86_400))
    let helper = HelperLimits(
      memory: Self.memory, processorSeconds: seconds + 5, line: WorkerReply.lineLimit, bytes: limits.bytes)
    let exchange = WorkerRequest.Exchange(request, proxies: proxies, limits: limits)
    let call = HelperCall(program, .store, helper, StoreDialogue(exchange, with: program)) {
      (send) throws(HelperFailure) in
      try send(WorkerRequest.exchange(exchange).line)
      try send(request.body)
    } _: { _ in
      true
    }
    let outcome = await pool.run { [clock, total = limits.total] in
      await call.answer(within: .total(total + Self.grace), on: clock)
    }
    guard let outcome else { throw .cancelled }
    return try outcome.get()
  }
}

// MARK: - The dialogue

/// The protocol of one request to a store.
///
/// ```
///   greeting --hello--> asked --exchanged(n)--> receiving(n) --n bytes--> answered --clean exit--> accepted
///                         '---- refused ------------------------------------^
/// ```
/// Anything else leads to `broken`, a final state.
struct StoreDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case receiving(StoreResponse, Int)
    case answered(Result<StoreResponse, Refusal>)
    case broken(ArtError)
  }

  static var cancelled: BackgroundFailure { .cancelled }

  let path: String
  private let limit: Int
  private var state = State.greeting

  /// Creates the protocol in its first state.
  init(_ exchange: WorkerRequest.Exchange, with program: HelperProgram) {
    path = program.path
    limit = exchange.limits.bytes
  }

  var isBeforeGreeting: Bool { if case .greeting = state { true } else { false } }

  mutating func greeted() { state = .asked }

  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<Void> {
    switch (state, reply) {
    case (.asked, .refused(let refusal)):
      state = .answered(.failure(refusal))
      return .nothing
    case (.asked, .exchanged(let status, let fields, let count)) where count <= limit:
      let response = StoreResponse(status: status, fields: fields)
      guard count > 0 else {
        state = .answered(.success(response))
        return .nothing
      }
      state = .receiving(response, count)
      return .receiveBytes(count)
    default: return fail(.outOfTurn(path, reply))
    }
  }

  mutating func receive(bytes: [UInt8]) -> DialogueEffect<Void> {
    guard case .receiving(var response, bytes.count) = state else {
      return fail(.nonsense(path, "bytes out of turn"))
    }
    response.body = bytes
    state = .answered(.success(response))
    return .nothing
  }

  mutating func fail(_ error: ArtError) -> DialogueEffect<Void> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<StoreResponse, BackgroundFailure> {
    if case .broken(let error) = state { return .failure(.failed(error)) }
    if case .answered(let answer) = state, end.exitedCleanly {
      return answer.mapError(BackgroundFailure.refused)
    }
    return .failure(.failed(.ended(path, end)))
  }

  func outcome(after deadline: Duration) -> BackgroundFailure {
    if case .broken(let error) = state { return .failed(error) }
    return .refused(Refusal(.timeout, "there was no answer within \(deadline.components.seconds) s"))
  }

  static func failed(_ error: ArtError) -> BackgroundFailure { .failed(error) }
}
