// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ArtWorker

@Suite("Dialogue of a drawing", .timeLimit(.minutes(10))) struct DrawingDialogueTests {
  private static let program = HelperProgram(path: "/somewhere/emojiart-worker")

  /// The lines that a worker may write; their letters spell the words below.
  private static let lines: [(letter: Character, line: String)] = [
    ("h", #"{"hello":7}"#), ("H", #"{"hello":8}"#), ("p", #"{"part":2}"#), ("P", #"{"part":99999999}"#),
    ("d", #"{"drawn":{"lacking":["🐝"],"lackingCount":1}}"#),
    ("n", #"{"notDrawn":{"detail":"why","reason":"noFont"}}"#),
    ("b", #"{"body":2}"#), ("r", #"{"refused":{"detail":"why","isTransient":false,"reason":"tls"}}"#),
    ("g", #"{"progress":{"received":1,"total":2}}"#), ("x", "nonsense"),
  ]

  private static let likely = lines.filter { "ppdn".contains($0.letter) }

  private static let ends: [HelperEnd] = [
    HelperEnd(.exit(0), errors: ""), HelperEnd(.exit(0), errors: ""),
    HelperEnd(.exit(1), errors: ""),
    HelperEnd(.exit(-1), errors: ""), HelperEnd(.signal(SIGKILL), errors: ""),
    HelperEnd(.exit(0), errors: "", isCutOff: true), HelperEnd(.stopped, errors: ""),
    HelperEnd(.signal(SIGXCPU), errors: ""), HelperEnd(.signal(SIGABRT), errors: "std::bad_alloc"),
    HelperEnd(.exit(1), errors: "std::bad_alloc"),
  ]

  private struct Run {
    var word = ""
    var parts = 0
    var kills = false
    var dialogue = DrawingDialogue(with: program, limit: 1 << 20)

    /// Passes a random sequence of lines.
    init(_ generator: inout SplitMix64) {
      for place in 0...generator.below(6) {
        let isLikely = !generator.oneIn(8)
        let line =
          place == 0 && isLikely
          ? lines[0]
          : isLikely ? likely[generator.below(likely.count)] : lines[generator.below(lines.count)]
        word.append(line.letter)
        let effect = dialogue.receive(line: Array(line.line.utf8))
        if case .receiveBytes(let count) = effect {
          guard case .report(let bytes) = dialogue.receive(bytes: Array(repeating: 7, count: count)),
            bytes == [7, 7]
          else {
            Issue.record("\(word): the part is not reported")
            break
          }
          parts += 1
        }
        kills = effect == .kill
        if kills { break }
      }
    }
  }

  @Test(
    "B15 of random replies to a drawing only a valid dialogue with a regular end is accepted"
  )
  func random() throws {
    var generator = SplitMix64(seed: 81)
    var counts = (drawn: 0, refused: 0, costly: 0, errors: 0, atOnce: 0)
    for _ in 0..<20_000 {
      let run = Run(&generator)
      let end = Self.ends[generator.below(Self.ends.count)]
      let outcome = run.dialogue.outcome(of: end)
      let endedWell = [HelperEnd.Cause.exit(0), .exit(-1)].contains(end.cause) && !end.isCutOff
      let isDrawn = run.word.wholeMatch(of: /hp*d/) != nil
      let isRefused = run.word.wholeMatch(of: /hp*n/) != nil
      let isCostly =
        run.word.wholeMatch(of: /hp*/) != nil && [.signal(SIGXCPU), .signal(SIGABRT)].contains(end.cause)
      let fits =
        switch outcome {
        case .success(let drawn):
          isDrawn && endedWell && !run.kills && drawn == Drawn(lacking: ["🐝"], lackingCount: 1)
        case .failure(.refused(DrawingRefusal(.noFont, "why"))): isRefused && endedWell && !run.kills
        case .failure(.refused(let refusal)):
          isCostly && refusal.reason == (end.cause == .signal(SIGXCPU) ? .tooLarge : .noMemory)
        case .failure(.failed(let error)):
          !((isDrawn || isRefused) && endedWell) && !isCostly && error.code == .unavailable
            && error.cause.contains(Self.program.path)
        case .failure(.cancelled): false
        }
      if !fits { Issue.record("\(run.word), then \(end): \(outcome)") }
      #expect(run.parts == (run.word.hasPrefix("h") ? run.word.dropFirst().prefix { $0 == "p" }.count : 0))
      switch outcome {
      case .success: counts.drawn += 1
      case .failure(.refused): if isCostly { counts.costly += 1 } else { counts.refused += 1 }
      default: if run.kills { counts.atOnce += 1 } else { counts.errors += 1 }
      }
    }
    print("B15 what a worker may say of a drawing: \(counts)")
    let all = [counts.drawn, counts.refused, counts.costly, counts.errors, counts.atOnce]
    #expect(all.allSatisfy { $0 > 300 }, "each outcome occurs")
  }

  @Test("B15 a file of three pages is drawn when the third is, and a page that fails ends it")
  func pages() throws {
    let drawn = Array(#"{"drawn":{"lacking":[],"lackingCount":0}}"#.utf8)
    let failed = Array(#"{"notDrawn":{"detail":"why","reason":"noFont"}}"#.utf8)
    let end = HelperEnd(.exit(0), errors: "")
    for count in 0...4 {
      for fails in [false, true] {
        let pages = Mutex(0)
        var dialogue = DrawingDialogue(with: Self.program, limit: 5, pages: 3) { _ in
          pages.withLock { $0 += 1 }
        }
        _ = dialogue.receive(line: Array(#"{"hello":7}"#.utf8))
        for _ in 0..<count { _ = dialogue.receive(line: drawn) }
        if fails { _ = dialogue.receive(line: failed) }
        #expect(pages.withLock { $0 } == min(count, 2))
        let outcome = dialogue.outcome(of: end)
        switch outcome {
        case .success: #expect(count == 3 && !fails)
        case .failure(.refused): #expect(count < 3 && fails)
        default: #expect((count < 3 && !fails) || count > 3 || (count == 3 && fails))
        }
      }
    }
  }

  @Test("B15 bytes that were not announced end the worker")
  func bytes() throws {
    for lines in [[], [#"{"hello":7}"#], [#"{"hello":7}"#, #"{"part":3}"#]] {
      var dialogue = DrawingDialogue(with: Self.program, limit: 1 << 20)
      for line in lines { _ = dialogue.receive(line: Array(line.utf8)) }
      #expect(dialogue.receive(bytes: [1, 2]) == .kill)
    }
  }

  @Test("G7 a drawing has at most 4 GiB, and a part that would exceed the limit is not read")
  func endless() throws {
    #expect(Renderer.resultLimit == 4 << 30)
    var dialogue = DrawingDialogue(with: Self.program, limit: 5)
    for (line, count) in [(#"{"hello":7}"#, 0), (#"{"part":2}"#, 2), (#"{"part":3}"#, 3)] {
      #expect(dialogue.receive(line: Array(line.utf8)) == (count == 0 ? .sendRequest : .receiveBytes(count)))
      let bytes = [UInt8](repeating: 7, count: count)
      if count > 0 { #expect(dialogue.receive(bytes: bytes) == .report(bytes)) }
    }
    var full = dialogue
    #expect(full.receive(line: Array(#"{"drawn":{"lacking":[],"lackingCount":0}}"#.utf8)) == .nothing)
    #expect(throws: Never.self) { try full.outcome(of: HelperEnd(.exit(0), errors: "")).get() }
    #expect(dialogue.receive(line: Array(#"{"part":1}"#.utf8)) == .kill)
    guard case .failure(.failed(let error)) = dialogue.outcome(of: HelperEnd(.exit(0), errors: "")) else {
      throw ArtError(.badJSON, "the drawing was accepted")
    }
    #expect(error.cause.contains("a drawing of more than 5 bytes"))
  }

  @Test("fonts for letters are looked for in every folder that is there, the user's first")
  func letterFolders() {
    let there: Set = ["/home/me/.fonts", "/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto"]
    let found = LetterFontFolders.find(
      environment: { $0 == "HOME" ? "/home/me" : nil }, isFolder: there.contains)
    #expect(
      found == ["/home/me/.fonts", "/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto"])
  }
}
