// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorker

/// What each kind of worker is asked, so that the stranger's code runs.
enum SandboxCase: String, CaseIterable, CustomTestStringConvertible {
  case decode, decodeThreads, draw, fetch

  var testDescription: String { rawValue }

  var verb: WorkerVerb {
    switch self {
    case .decode: .decode([.png])
    case .decodeThreads: .decode([.avif])
    case .draw: .draw(font: EmojiFont.find(nil), [.png])
    case .fetch: .fetch
    }
  }

  func input() throws -> [UInt8] {
    switch self {
    case .decode: try Self.decode("sign.png")
    case .decodeThreads: try Self.decode("sign.avif")
    case .draw:
      try Self.draw(.png(try PixelSize(width: 4, height: 3)), picture: "sign.png")
    case .fetch:
      WorkerRequest.fetch(
        WorkerRequest.Fetch(url: "http://127.0.0.1:1/", isUserInitiated: true, limits: FetchLimits())
      ).line
    }
  }

  static func picture(_ name: String) throws -> [UInt8] {
    let images = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/images")
    return Array(try Data(contentsOf: images.appendingPathComponent(name)))
  }

  static func decode(_ name: String) throws -> [UInt8] {
    let bytes = try picture(name)
    return WorkerRequest.decode(bytes: bytes.count, PictureLimits()).line + bytes
  }

  static func draw(_ format: Drawing.Format, picture name: String?) throws -> [UInt8] {
    let canvas = try Canvas(width: 40, height: 30)
    // The font has the first one, and lacks a part of the second.
    let labels = try ["🐝", "🐝漢"].map {
      DrawingScene.Label(
        text: try EmojiText($0), position: try Point(x: 20, y: 15), size: try FontSize(typed: "16"))
    }
    let drawing = Drawing(
      scene: DrawingScene(canvas: canvas, labels: labels, picture: try name.map(picture)),
      region: CanvasRect(canvas),
      format: format, font: nil)
    var sent: [UInt8] = []
    try drawing.send { (bytes) throws(ArtError) in sent += bytes }
    return sent
  }

  /// What the verb is for.
  var purposes: Set<String> {
    self == .fetch ? ["connect_by_tcp", "send_by_udp", "make_a_tcp6_socket", "look_at_key"] : []
  }
}

@Suite("The worker's sandbox", .timeLimit(.minutes(10))) struct SandboxTests {
  /// The attempts that succeed, each made on a place of its own; and those after which the place was not as before.
  private func tried(
    _ make: (String, IntruderPlace) throws -> Intruder.Outcome
  ) throws -> (outcomes: [String: Intruder.Outcome], touched: Set<String>) {
    var outcomes: [String: Intruder.Outcome] = [:]
    var touched: Set<String> = []
    for attempt in try Intruder.shared.attempts {
      let place = try IntruderPlace()
      outcomes[attempt] = try make(attempt, place)
      if try !place.isUntouched() { touched.insert(attempt) }
    }
    return (outcomes, touched)
  }

  @Test("G1 without a sandbox a stranger's code can do at least 40 of the things that are tried")
  func control() throws {
    let (outcomes, touched) = try tried { try Intruder.shared.control($0, in: $1) }
    let failed = outcomes.filter { $0.value != .succeeded }
    print(
      "G1 control: \(outcomes.count - failed.count) of \(outcomes.count) succeed, \(touched.count) leave traces; "
        + "not here: \(failed.keys.sorted())")
    #expect(outcomes.count - failed.count >= 40)
    #expect(touched.count >= 10, "the check sees traces")
    #expect(!outcomes.values.contains { if case .unknown = $0 { true } else { false } }, "\(outcomes)")
  }

  @Test(
    "G1 a stranger's code in the worker can do nothing but what the worker is for",
    arguments: SandboxCase.allCases)
  func attempts(_ which: SandboxCase) throws {
    let input = try which.input()
    let (outcomes, touched) = try tried {
      try Intruder.shared.attempt($0, in: $1, verb: which.verb, input: input)
    }
    let killed = outcomes.filter { $0.value == .killed(SIGSYS) }.count
    print("G1 \(which): \(killed) of \(outcomes.count) ended by the filter, \(outcomes.count - killed) not")
    let succeeded = Set(outcomes.filter { $0.value == .succeeded }.keys)
    #expect(succeeded == which.purposes)
    #expect(touched.isSubset(of: ["connect_by_tcp"]) && touched.isSubset(of: which.purposes))
    for (attempt, outcome) in outcomes where outcome != .succeeded && outcome != .killed(SIGSYS) {
      guard case .refused = outcome else {
        Issue.record("\(attempt): \(outcome)")
        continue
      }
    }
  }

  @Test("G5 without seccomp a stranger's code in a decoder opens, writes and executes no file all the same")
  func landlockAlone() throws {
    guard try Self.ability(lacking: .nothing).landlock != nil else {
      return print("G5 no Landlock here: 0 attempts")
    }
    let input = try SandboxCase.decode.input()
    let (outcomes, touched) = try tried {
      try Intruder.shared.attempt(
        $0, in: $1, verb: SandboxCase.decode.verb, input: input, lacking: .seccomp)
    }
    let succeeded = Set(outcomes.filter { $0.value == .succeeded }.keys)
    print("G5 Landlock alone: \(succeeded.count) of \(outcomes.count) succeed: \(succeeded.sorted())")
    #expect(succeeded.isDisjoint(with: Self.aboutFiles) && succeeded.count >= 10, "the filter is off")
    #expect(touched.isSubset(of: ["change_permissions", "connect_by_path"]), "what Landlock does not know")
  }

  @Test("G5 without Landlock a stranger's code in a decoder can do nothing all the same")
  func seccompAlone() throws {
    let input = try SandboxCase.decode.input()
    let (outcomes, touched) = try tried {
      try Intruder.shared.attempt(
        $0, in: $1, verb: SandboxCase.decode.verb, input: input, lacking: .landlock)
    }
    #expect(!outcomes.values.contains(.succeeded) && touched.isEmpty, "\(outcomes)")
  }

  /// What Landlock keeps out.
  private static let aboutFiles: Set = [
    "read_key", "read_passwd", "read_own_environment", "read_parents_environment", "open_parents_memory",
    "open_parents_memory_to_write", "read_parents_memory_map", "list_home", "append_to_bashrc",
    "create_a_file",
    "make_an_unnamed_file", "remove_a_file", "rename_a_file", "make_a_symbolic_link", "make_a_hard_link",
    "make_a_folder", "truncate_a_file", "open_the_document", "open_a_device", "execute",
    "execute_by_descriptor",
    "execute_from_memory", "connect_by_tcp", "connect_by_abstract_name", "signal_the_parent",
    "trace_the_parent",
    "read_the_parents_memory", "write_the_parents_memory",
  ]

  /// What the worker says that the system has.
  private static func ability(lacking lack: Intruder.Lack) throws -> SandboxAbility {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let words = lack == .nothing ? [worker] : [try Intruder.shared.program, "lacking", lack.rawValue, worker]
    let output = try Intruder.output(of: words[0], words.dropFirst() + WorkerVerb.sandbox.arguments)
    let line = try #require(output.split(separator: "\n").last)
    guard case .sandbox(let ability) = try WorkerReply(line: Array(line.utf8)) else {
      Issue.record("\(output)")
      return SandboxAbility(landlock: nil, hasSeccomp: false)
    }
    return ability
  }

  @Test(
    "G5 a worker on a system without Landlock, seccomp or both says so, and decodes",
    arguments: Intruder.Lack.allCases)
  func lacking(_ lack: Intruder.Lack) throws {
    let (whole, ability) = (try Self.ability(lacking: .nothing), try Self.ability(lacking: lack))
    let hasNoLandlock = lack == .landlock || lack == .neither
    let hasNoSeccomp = lack == .seccomp || lack == .neither
    #expect(ability.landlock == (hasNoLandlock ? nil : whole.landlock))
    #expect(ability.hasSeccomp == (hasNoSeccomp ? false : whole.hasSeccomp))
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let words = lack == .nothing ? [worker] : [try Intruder.shared.program, "lacking", lack.rawValue, worker]
    let output = try Intruder.output(
      of: words[0], words.dropFirst() + WorkerVerb.decode([.webp]).arguments,
      input: try SandboxCase.decode("sign.webp"))
    #expect(output.contains(#"{"picture":{"#), "\(output)")
  }

  @Test("emojiart asks the worker what the system has")
  func probe() async throws {
    #expect(try await SandboxProbe().ask() == Self.ability(lacking: .nothing))
    let missing = SandboxProbe(helpers: HelperPrograms(folders: []))
    let error = await #expect(throws: ArtError.self) { try await missing.ask() }
    #expect(error?.code == .unavailable)
    let other = try ScriptedWorker(script: "say '{\"hello\":4}'; read -r request")
    let wrong = await #expect(throws: ArtError.self) {
      try await SandboxProbe(helpers: other.helpers, clock: ManualClock()).ask()
    }
    #expect(wrong?.cause.contains("speaks version 4") == true)
    let silent = try ScriptedWorker(script: "say '{\"hello\":3}'")
    await #expect(throws: ArtError.self) {
      try await SandboxProbe(helpers: silent.helpers, clock: ManualClock()).ask()
    }
  }
}

@Suite("A worker in its sandbox", .timeLimit(.minutes(10))) struct SandboxedWorkerTests {
  /// A worker that has greeted and waits for a request, started as emojiart starts it.
  private final class Greeted {
    private let worker: HelperProcess
    var files: String { "/proc/\(worker.processID)" }

    init(_ verb: WorkerVerb) throws {
      let hasGreeted = DispatchSemaphore(value: 0)
      let limits = HelperLimits(memory: BackgroundFetcher.memory, processorSeconds: 10, line: 1 << 10)
      worker = try HelperProcess(
        starting: try HelperPrograms.installed.program("emojiart-worker"), arguments: verb.arguments,
        limits: limits, onLine: { _ in hasGreeted.signal() },
        // One that ends without it is gone when it is looked into.
        onEnd: { _ in hasGreeted.signal() })
      hasGreeted.wait()
    }

    func text(_ name: String) throws -> String {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(files)/\(name)"))
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// The words of a line of `status` or `limits` behind its name.
    func line(_ name: String, of file: String) throws -> [String] {
      let line = try text(file).split(separator: "\n").first { $0.hasPrefix(name) }
      return try #require(line).dropFirst(name.count).split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }

  /// Whoever may look into a process that is not dumpable.
  private static let isRoot = geteuid() == 0

  @Test(
    "G3 a worker that has greeted has no rights to gain, is filtered, is one thread, and stands in the root folder",
    .enabled(if: isRoot, "only root can look into it"), arguments: SandboxCase.allCases)
  func status(_ which: SandboxCase) throws {
    let worker = try Greeted(which.verb)
    #expect(try worker.line("NoNewPrivs:", of: "status") == ["1"])
    #expect(try worker.line("Seccomp:", of: "status") == ["2"])
    #expect(try worker.line("Threads:", of: "status") == ["1"])
    for kind in ["CapEff:", "CapPrm:", "CapInh:"] {
      #expect(try worker.line(kind, of: "status") == ["0000000000000000"])
    }
    #expect(try worker.line("Max file size", of: "limits").prefix(2) == ["0", "0"])
    #expect(try worker.line("Max core file size", of: "limits").prefix(2) == ["0", "0"])
    let files = which == .fetch ? "64" : "8"
    #expect(try worker.line("Max open files", of: "limits").prefix(2) == [files, files])
    let processes = try worker.line("Max processes", of: "limits").prefix(2)
    #expect((processes == ["0", "0"]) == (which == .decode), "where no thread is begun")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(worker.files)/cwd") == "/")
  }

  @Test(
    "G3 a worker has no descriptors but its pipes, and what silences its libraries",
    .enabled(if: isRoot, "only root can look into it"), arguments: SandboxCase.allCases)
  func descriptors(_ which: SandboxCase) throws {
    let worker = try Greeted(which.verb)
    let folder = "\(worker.files)/fd"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where Int(name) ?? 0 > 2 {
      let place = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      let standardError = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/2")
      #expect(place == "/dev/null" || place == standardError, "\(place)")
    }
  }

  @Test(
    "G6 a worker has open the loaders of its kinds of pictures and no others, and a font only to draw",
    .enabled(if: isRoot, "only root can look into it"))
  func loaders() throws {
    func mapped(_ verb: WorkerVerb) throws -> (loaders: Set<String>, hasFont: Bool) {
      let maps = try Greeted(verb).text("maps")
      let loaders = ["gif", "webp", "avif"].filter { maps.contains("libpixbufloader-\($0).so") }
      return (Set(loaders), maps.contains("NotoColorEmoji"))
    }
    let font = try #require(EmojiFont.find(nil))
    #expect(try mapped(.decode([])) == ([], false))
    #expect(try mapped(.decode([.png])) == ([], false))
    #expect(try mapped(.decode([.webp])) == (["webp"], false))
    #expect(try mapped(.decode([.gif, .avif])) == (["gif", "avif"], false))
    #expect(try mapped(.draw(font: font, [])) == ([], true))
    #expect(try mapped(.draw(font: font, [.avif])) == (["avif"], true))
    #expect(try mapped(.fetch) == ([], false))
  }

  @Test(
    "G6 a picture of a kind that the worker was not started for is refused as if its loader were missing")
  func otherKind() throws {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    for (kinds, picture) in [([PictureKind.png], "sign.avif"), ([.avif], "sign.jpg"), ([.jpeg], "sign.png")] {
      let output = try Intruder.output(
        of: worker, WorkerVerb.decode(kinds).arguments, input: try SandboxCase.decode(picture))
      #expect(output.contains("cannot be decoded here"), "\(output)")
    }
  }

  @Test("G3 a worker gets the variables of the environment that its verb reads, and no others")
  func environment() async throws {
    let look = "tr '\\0' '\\n' </proc/$$/environ >>\"${0%/*}/environment\"; echo . >>\"${0%/*}/environment\""
    let worker = try ScriptedWorker(
      fetch: "\(look); \(ScriptedWorker.goodFetch)", decode: "\(look); \(ScriptedWorker.goodDecode)")
    let variables = [
      "HOME": "/home", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": "/tmp", "API_SECRET": "secret",
      "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
      "http_proxy": "http://proxy",
      "CURL_CA_BUNDLE": "/ca.pem", "SSL_CERT_FILE": "/cert.pem", "RES_OPTIONS": "timeout:1",
      "OPENSSL_CONF": "/o",
    ]
    _ = try Intruder.output(
      of: try HelperPrograms.installed.program("WorkerParent").path, ["fetch", worker.program.path],
      environment: variables)
    let lines = try worker.lines("environment")
    let fetch = Set(lines.prefix { $0 != "." })
    #expect(fetch == ["CURL_CA_BUNDLE=/ca.pem", "SSL_CERT_FILE=/cert.pem", "RES_OPTIONS=timeout:1"])
    #expect(lines.drop { $0 != "." }.allSatisfy { $0 == "." }, "a decoder gets none")
  }

  @Test("G2 what a sandbox ends is one refused picture, fetch or drawing, by name")
  func refusals() async throws {
    let broken = "cat >/dev/null; kill -SYS $$"
    let decoder = try ScriptedWorker(decode: broken)
    let decoding = try await decoder.fetcher.result()
    #expect(decoding.refusal?.reason == .notAnImage && decoding.refusal?.isTransient == false)
    #expect(decoding.refusal?.detail.contains("what the sandbox of emojiart-worker forbids") == true)
    let downloader = try ScriptedWorker(fetch: broken)
    let fetching = try await downloader.fetcher.result()
    #expect(fetching.refusal?.reason == .notAllowed && fetching.refusal?.isTransient == false)
    let drawer = try ScriptedWorker(draw: "kill -SYS $$")
    let canvas = try Canvas(width: 4, height: 3)
    let drawing = Drawing(
      scene: DrawingScene(canvas: canvas, labels: [], picture: nil), region: CanvasRect(canvas),
      format: .png(try PixelSize(width: 4, height: 3)), font: nil)
    do throws(DrawingFailure) {
      _ = try await drawer.renderer.draw(drawing, limit: 100)
      Issue.record("it was drawn")
    } catch {
      guard case .refused(let refusal) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(refusal.reason == .forbidden)
    }
  }

  @Test("G2 code of a stranger in the decoder is one refused picture for who asked")
  func wholeWay() throws {
    let place = try IntruderPlace()
    let outcome = try Intruder.shared.attempt(
      "append_to_bashrc", in: place, verb: SandboxCase.decode.verb, input: try SandboxCase.decode.input())
    #expect(outcome == .killed(SIGSYS))
    #expect(try place.isUntouched())
  }

  @Test(
    "in its sandbox a worker draws every format with pictures of every kind, and texts that the font lacks"
  )
  func drawings() throws {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let size = try PixelSize(width: 80, height: 60)
    let formats: [Drawing.Format] = [
      .png(size), .pdf(size), .svg(size, embedsGlyphs: true), .svg(size, embedsGlyphs: false), .sixel(size),
      .symbols(columns: 20, rows: 10, .direct), .symbols(columns: 20, rows: 10, .indexed),
    ]
    let pictures: [(String, PictureKind)] = [
      ("sign.png", .png), ("sign.jpg", .jpeg), ("sign.gif", .gif), ("sign.webp", .webp), ("sign.avif", .avif),
    ]
    for format in formats {
      for (name, kind) in pictures {
        let output = try Intruder.output(
          of: worker, WorkerVerb.draw(font: EmojiFont.find(nil), [kind]).arguments,
          input: try SandboxCase.draw(format, picture: name))
        let isDrawn = output.contains(#"{"drawn":{"lacking":["🐝漢"],"lackingCount":1}}"#)
        #expect(isDrawn, "\(format) \(name): \(output.suffix(300))")
      }
    }
  }

  @Test("G9 where no thread can be begun a worker draws all the same, and a fetch says what is lacking")
  func withoutThreads() throws {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let lacking = [try Intruder.shared.program, "lacking", Intruder.Lack.threads.rawValue, worker]
    let size = try PixelSize(width: 200, height: 150)
    let draw = WorkerVerb.draw(font: EmojiFont.find(nil), [.png]).arguments
    for format in [Drawing.Format.png(size), .sixel(size), .symbols(columns: 40, rows: 15, .direct)] {
      let input = try SandboxCase.draw(format, picture: "sign.png")
      let expected = try Intruder.output(of: worker, draw, input: input)
      let drawn = try Intruder.output(of: lacking[0], lacking.dropFirst() + draw, input: input)
      #expect(expected.contains(#"{"drawn":{"#) && drawn.contains(#"{"drawn":{"#))
      // libchafa's palette hangs on how many threads share the work.
      if case .sixel = format { continue }
      #expect(drawn == expected)
    }
    let fetch = WorkerRequest.Fetch(
      url: "http://pictures.invalid/", isUserInitiated: true, limits: FetchLimits(total: .seconds(60)))
    let output = try Intruder.output(
      of: lacking[0], lacking.dropFirst() + WorkerVerb.fetch.arguments, input: WorkerRequest.fetch(fetch).line
    )
    #expect(output.contains("no thread could be begun") && output.contains("ulimit -u"), "\(output)")
  }
}
