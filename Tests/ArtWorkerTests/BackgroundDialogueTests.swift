// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import TestSupport
import Testing

@testable import ArtWorker

@Suite("Dialogue of a background request", .timeLimit(.minutes(10))) struct BackgroundDialogueTests {
  private static let program = HelperProgram(path: "/somewhere/emojiart-worker")

  /// The lines that a worker may write; their letters spell the words below.
  private static let lines: [(letter: Character, line: String)] = [
    ("h", #"{"hello":7}"#), ("H", #"{"hello":8}"#), ("p", #"{"progress":{"received":1,"total":2}}"#),
    ("b", #"{"body":2}"#), ("B", #"{"body":99999999}"#),
    ("r", #"{"refused":{"detail":"why","isTransient":false,"reason":"tls"}}"#),
    ("i", #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":1,"width":2}}}"#),
    ("I", #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":0,"width":2}}}"#),
    ("x", "nonsense"),
  ]

  private static let likely = lines.filter { "pbri".contains($0.letter) }

  private static let ends: [HelperEnd] = [
    HelperEnd(.exit(0), errors: ""), HelperEnd(.exit(0), errors: ""),
    HelperEnd(.exit(1), errors: ""),
    HelperEnd(.exit(-1), errors: ""), HelperEnd(.signal(SIGKILL), errors: ""),
    HelperEnd(.exit(0), errors: "", isCutOff: true), HelperEnd(.stopped, errors: ""),
  ]

  /// Passes a random sequence of lines and an end to a dialogue; gives the letters of the lines and the outcome.
  private static func run(
    _ request: WorkerRequest, _ generator: inout SplitMix64
  ) -> (
    word: String, end: HelperEnd, outcome: Result<BackgroundDialogue.Answer, BackgroundFailure>, kills: Bool
  ) {
    var dialogue = BackgroundDialogue(request, with: program)
    var word = ""
    var kills = false
    for place in 0...generator.below(6) {
      // Without this, a valid dialogue would be rare.
      let isLikely = !generator.oneIn(8)
      let line =
        place == 0 && isLikely
        ? lines[0]
        : isLikely ? likely[generator.below(likely.count)] : lines[generator.below(lines.count)]
      word.append(line.letter)
      let effect = dialogue.receive(line: Array(line.line.utf8))
      if case .receiveBytes(let count) = effect {
        _ = dialogue.receive(bytes: [UInt8](repeating: 0, count: count))
      }
      if effect == .kill { kills = true }
      if kills { break }
    }
    let end = ends[generator.below(ends.count)]
    return (word, end, dialogue.outcome(of: end), kills)
  }

  @Test("B15 of random replies of a worker only a valid dialogue with a regular end is accepted")
  func random() throws {
    var generator = SplitMix64(seed: 40)
    let fetch = WorkerRequest.fetch(WorkerRequest.Fetch(url: "http://a.test", isUserInitiated: false))
    let cases: [(WorkerRequest, Regex<Substring>, Regex<Substring>)] = [
      (fetch, /hp*b/, /hp*r/), (.decode(bytes: 2, PictureLimits()), /hi/, /hr/),
    ]
    var counts = [0, 0, 0, 0]
    for round in 0..<20_000 {
      let (request, accepted, refused) = cases[round % 2]
      let (word, end, outcome, kills) = Self.run(request, &generator)
      let endedWell = [HelperEnd.Cause.exit(0), .exit(-1)].contains(end.cause) && !end.isCutOff
      let isAccepted = word.wholeMatch(of: accepted) != nil
      let isRefused = word.wholeMatch(of: refused) != nil
      let fits =
        switch outcome {
        case .success: isAccepted && endedWell && !kills
        case .failure(.refused(let refusal)):
          isRefused && endedWell && !kills && refusal == Refusal(.tls, "why", isTransient: false)
        case .failure(.failed(let error)):
          !((isAccepted || isRefused) && endedWell) && error.code == .unavailable
            && error.cause.contains(Self.program.path)
        case .failure(.cancelled): false
        }
      if !fits { Issue.record("\(word), then \(end): \(outcome)") }
      switch outcome {
      case .success: counts[0] += 1
      case .failure(.refused): counts[1] += 1
      default: counts[kills ? 3 : 2] += 1
      }
    }
    print(
      "B15 what a worker may say: \(counts[0]) taken, \(counts[1]) refused, \(counts[2]) errors at the end, \(counts[3]) at once"
    )
    #expect(counts.allSatisfy { $0 > 300 }, "each outcome occurs")
  }
}
