// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Asks the helper program what the system has for its sandbox.
public struct SandboxProbe: Sendable {
  /// From its start to its end.
  static let deadline = Duration.seconds(10)

  private let helpers: HelperPrograms
  private let clock: any Clock<Duration>

  /// A probe, which looks for `emojiart-worker` there. The clock is that of its deadline.
  public init(
    helpers: HelperPrograms = .installed, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.helpers = helpers
    self.clock = clock
  }

  /// Asks it. Throws `unavailable` where the helper program is missing, is another version's, or gives no answer.
  public func ask() async throws(ArtError) -> SandboxAbility {
    let program = try helpers.worker()
    let limits = HelperLimits(
      memory: BackgroundFetcher.memory, processorSeconds: BackgroundFetcher.lookSeconds,
      line: WorkerReply.lineLimit)
    // It answers without a question, and ends.
    let call = HelperCall(program, .sandbox, limits, SandboxDialogue(with: program)) { _ in
    } _: { _ in
      true
    }
    return try await call.answer(within: .total(Self.deadline), on: clock).get()
  }
}

/// What this program and a helper program say to each other about the sandbox.
///
/// ```
///   greeting --hello--> asked --sandbox--> answered --it ends well--> believed
/// ```
/// Anything else leads to `broken`, from where nothing leads.
struct SandboxDialogue: HelperDialogue {
  private enum State {
    case greeting
    case asked
    case answered(SandboxAbility)
    case broken(ArtError)
  }

  static var cancelled: ArtError { ArtError(.unavailable, "asking for the sandbox was given up; try again") }

  private let path: String
  private var state = State.greeting

  /// Nothing has been said yet.
  init(with program: HelperProgram) { path = program.path }

  mutating func heard(line: [UInt8]) -> DialogueEffect<Void> {
    let reply: WorkerReply
    do throws(ArtError) { reply = try WorkerReply(line: line) } catch {
      return breaks(.nonsense(path, error.cause))
    }
    switch (state, reply) {
    case (.greeting, .hello(WorkerRequest.version)):
      state = .asked
      return .ask
    case (.greeting, .hello(let version)): return breaks(.otherVersion(path, version))
    case (.asked, .sandbox(let ability)):
      state = .answered(ability)
      return .nothing
    default: return breaks(.nonsense(path, "a \(reply.name) out of turn"))
    }
  }

  mutating func heard(bytes: [UInt8]) -> DialogueEffect<Void> { breaks(.nonsense(path, "bytes out of turn")) }

  private mutating func breaks(_ error: ArtError) -> DialogueEffect<Void> {
    state = .broken(error)
    return .kill
  }

  func outcome(of end: HelperEnd) -> Result<SandboxAbility, ArtError> {
    switch state {
    case .broken(let error): .failure(error)
    case .answered(let ability) where end.isGood: .success(ability)
    default: .failure(.ended(path, end))
    }
  }

  func outcome(after deadline: Duration) -> ArtError { .hangs(path, deadline.components.seconds) }

  static func failed(_ error: ArtError) -> ArtError { error }
}
