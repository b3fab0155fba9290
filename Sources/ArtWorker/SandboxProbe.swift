// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Asks the helper program which sandbox features the system has.
public struct SandboxProbe: Sendable {
  /// From the start of the process to its end.
  static let deadline = Duration.seconds(10)

  private let helpers: HelperPrograms
  private let clock: any Clock<Duration>

  /// Creates a probe; `emojiart-worker` is searched for at each call. `clock` measures the deadline.
  public init(
    helpers: HelperPrograms = .installed, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.clock = clock
  }

  /// Asks the helper program. Throws `unavailable` where it is missing, of another version, or does not answer.
  public func ask() async throws(ArtError) -> SandboxAbility {
    let program = try helpers.worker()
    let limits = HelperLimits(
      memory: BackgroundFetcher.memory, processorSeconds: BackgroundFetcher.decodeSeconds,
      line: WorkerReply.lineLimit)
    // The helper answers without a request, and ends.
    let call = HelperCall(program, .sandbox, limits, SandboxDialogue(with: program)) { _ in
    } _: { _ in
      true
    }
    return try await call.answer(within: .total(Self.deadline), on: clock).get()
  }
}

// MARK: - The dialogue

/// The protocol of the probe.
///
/// ```
///   greeting --hello--> asked --sandbox--> answered --clean exit--> accepted
/// ```
/// Anything else leads to `broken`, a final state.
struct SandboxDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case answered(SandboxAbility)
    case broken(ArtError)
  }

  static var cancelled: ArtError { ArtError(.unavailable, "asking for the sandbox was given up; try again") }

  let path: String
  private var state = State.greeting

  /// Creates the protocol in its first state.
  init(with program: HelperProgram) { path = program.path }

  var isBeforeGreeting: Bool { if case .greeting = state { true } else { false } }

  mutating func greeted() { state = .asked }

  mutating func receive(_ reply: WorkerReply) -> DialogueEffect<Void> {
    switch (state, reply) {
    case (.asked, .sandbox(let ability)):
      state = .answered(ability)
      return .nothing
    default: return fail(.outOfTurn(path, reply))
    }
  }

  mutating func receive(bytes: [UInt8]) -> DialogueEffect<Void> { fail(.nonsense(path, "bytes out of turn")) }

  mutating func fail(_ error: ArtError) -> DialogueEffect<Void> {
    if case .broken = state { return .kill }
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<SandboxAbility, ArtError> {
    switch state {
    case .broken(let error): .failure(error)
    case .answered(let ability) where end.exitedCleanly: .success(ability)
    default: .failure(.ended(path, end))
    }
  }

  func outcome(after deadline: Duration) -> ArtError { .hangs(path, deadline.components.seconds) }

  static func failed(_ error: ArtError) -> ArtError { error }
}
