// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import TestSupport
import Testing

@testable import ArtWorker

@Suite("What a worker says", .timeLimit(.minutes(10))) struct BackgroundDialogueTests {
  private static let program = HelperProgram(path: "/somewhere/emojiart-worker")

  /// What a program may say next; the letters are those of the words below.
  private static let sayings: [(letter: Character, line: String)] = [
    ("h", #"{"hello":3}"#), ("H", #"{"hello":7}"#), ("p", #"{"progress":{"received":1,"total":2}}"#),
    ("b", #"{"body":2}"#), ("B", #"{"body":99999999}"#),
    ("r", #"{"refused":{"detail":"why","isTransient":false,"reason":"tls"}}"#),
    ("i", #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":1,"width":2}}}"#),
    ("I", #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":0,"width":2}}}"#),
    ("x", "nonsense"),
  ]

  private static let likely = sayings.filter { "pbri".contains($0.letter) }

  private static let ends: [HelperEnd] = [
    HelperEnd(.exit(0), errors: ""), HelperEnd(.exit(0), errors: ""),
    HelperEnd(.exit(1), errors: ""),
    HelperEnd(.exit(-1), errors: ""), HelperEnd(.signal(SIGKILL), errors: ""),
    HelperEnd(.exit(0), errors: "", isCutOff: true), HelperEnd(.stopped, errors: ""),
  ]

  /// Says so many things and ends; gives the word that was said and what it came to.
  private static func run(
    _ request: WorkerRequest, _ generator: inout SplitMix64
  ) -> (
    word: String, end: HelperEnd, outcome: Result<BackgroundDialogue.Answer, BackgroundFailure>, kills: Bool
  ) {
    var exchange = BackgroundDialogue(request, with: program)
    var word = ""
    var kills = false
    for place in 0...generator.below(6) {
      // What is said well is rare among random words.
      let isLikely = !generator.oneIn(8)
      let saying =
        place == 0 && isLikely
        ? sayings[0]
        : isLikely ? likely[generator.below(likely.count)] : sayings[generator.below(sayings.count)]
      word.append(saying.letter)
      let effect = exchange.receive(line: Array(saying.line.utf8))
      if case .receiveBytes(let count) = effect {
        _ = exchange.receive(bytes: [UInt8](repeating: 0, count: count))
      }
      if effect == .kill { kills = true }
      if kills { break }
    }
    let end = ends[generator.below(ends.count)]
    return (word, end, exchange.outcome(of: end), kills)
  }

  @Test("B15 of all that a worker may say only what was agreed on is believed, and only when it ends well")
  func random() throws {
    var generator = SplitMix64(seed: 40)
    let fetch = WorkerRequest.fetch(WorkerRequest.Fetch(url: "http://a.test", isUserInitiated: false))
    let cases: [(WorkerRequest, Regex<Substring>, Regex<Substring>)] = [
      (fetch, /hp*b/, /hp*r/), (.decode(bytes: 2, PictureLimits()), /hi/, /hr/),
    ]
    var counts = [0, 0, 0, 0]
    for round in 0..<20_000 {
      let (request, taken, refused) = cases[round % 2]
      let (word, end, outcome, kills) = Self.run(request, &generator)
      let endedWell = [HelperEnd.Cause.exit(0), .exit(-1)].contains(end.cause) && !end.isCutOff
      let isTaken = word.wholeMatch(of: taken) != nil
      let isRefused = word.wholeMatch(of: refused) != nil
      let fits =
        switch outcome {
        case .success: isTaken && endedWell && !kills
        case .failure(.refused(let refusal)):
          isRefused && endedWell && !kills && refusal == Refusal(.tls, "why", isTransient: false)
        case .failure(.failed(let error)):
          !((isTaken || isRefused) && endedWell) && error.code == .unavailable
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
    #expect(counts.allSatisfy { $0 > 300 }, "all of them are met")
  }
}
