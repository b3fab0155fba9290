// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorker

/// The request to each kind of worker that makes the injected code run.
enum SandboxCase: String, CaseIterable, CustomTestStringConvertible {
  case decode, decodeAVIF, draw, fetch, measure, store

  var testDescription: String { rawValue }

  var verb: WorkerVerb {
    switch self {
    case .decode: .decode([.png])
    case .decodeAVIF: .decode([.avif])
    case .draw: .draw(Self.fonts, [.png])
    case .fetch: .fetch
    case .measure: .measure(Self.fonts)
    case .store: .store
    }
  }

  /// The fonts that are installed.
  static var fonts: FontPaths {
    FontPaths(colors: EmojiFont.find(nil), letterFolders: LetterFontFolders.find())
  }

  func input() throws -> [UInt8] {
    switch self {
    case .decode: try Self.decode("sign.png")
    case .decodeAVIF: try Self.decode("sign.avif")
    case .draw:
      try Self.draw(.png(try PixelSize(width: 4, height: 3)), picture: "sign.png")
    case .fetch:
      WorkerRequest.fetch(
        WorkerRequest.Fetch(url: "http://127.0.0.1:1/", isUserInitiated: true, limits: FetchLimits())
      ).line
    case .measure: WorkerRequest.measure(try Words("Hi שלום 🐝 สวัสดี")).line
    case .store:
      WorkerRequest.exchange(
        WorkerRequest.Exchange(
          StoreRequest(.get, "http://127.0.0.1:1/"), proxies: ProxySettings(), limits: FetchLimits())
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
    // The font has the first text, and lacks a part of the second one; letters are in the others.
    let words = EmojiText(try Words("Hi\nשלום"), box: try TextBox(width: 3, height: 3))
    let labels = try [EmojiText("🐝"), EmojiText("🐝\u{18B00}"), EmojiText("A🐝"), words].map {
      DrawingScene.Label(
        text: $0, position: try Point(x: 20, y: 15), size: try FontSize(typed: "16"))
    }
    let drawing = Drawing(
      scene: DrawingScene(canvas: canvas, labels: labels, picture: try name.map(picture)),
      region: CanvasRect(canvas),
      format: format, fonts: [])
    var sent: [UInt8] = []
    try drawing.send { (bytes) throws(ArtError) in sent += bytes }
    return sent
  }

  /// The attempts that the verb needs to succeed.
  var purposes: Set<String> {
    [.fetch, .store].contains(self)
      ? ["connect_by_tcp", "send_by_udp", "make_a_tcp6_socket", "look_at_key"] : []
  }
}

@Suite("The worker's sandbox", .timeLimit(.minutes(10))) struct SandboxTests {
  /// The outcome of each attempt, made on a target of its own, and the attempts that changed their target.
  private func tried(
    _ make: (String, IntruderTarget) throws -> Intruder.Outcome
  ) throws -> (outcomes: [String: Intruder.Outcome], changed: Set<String>) {
    var outcomes: [String: Intruder.Outcome] = [:]
    var changed: Set<String> = []
    for attempt in try Intruder.shared.attempts {
      let target = try IntruderTarget()
      outcomes[attempt] = try make(attempt, target)
      if try !target.isUnchanged() { changed.insert(attempt) }
    }
    return (outcomes, changed)
  }

  @Test("G1 without a sandbox injected code succeeds with at least 40 attempts")
  func control() throws {
    let (outcomes, changed) = try tried { try Intruder.shared.control($0, in: $1) }
    let failed = outcomes.filter { $0.value != .succeeded }
    print(
      "G1 control: \(outcomes.count - failed.count) of \(outcomes.count) succeed, \(changed.count) leave traces; "
        + "not here: \(failed.keys.sorted())")
    #expect(outcomes.count - failed.count >= 40)
    #expect(changed.count >= 10, "changes are noticed")
    #expect(!outcomes.values.contains { if case .unknown = $0 { true } else { false } }, "\(outcomes)")
  }

  @Test(
    "G1 injected code in the worker can do only what the worker's verb needs",
    arguments: SandboxCase.allCases)
  func attempts(_ which: SandboxCase) throws {
    let input = try which.input()
    let (outcomes, changed) = try tried {
      try Intruder.shared.attempt($0, in: $1, verb: which.verb, input: input)
    }
    let killed = outcomes.filter { $0.value == .killed(SIGSYS) }.count
    print("G1 \(which): \(killed) of \(outcomes.count) ended by the filter, \(outcomes.count - killed) not")
    let succeeded = Set(outcomes.filter { $0.value == .succeeded }.keys)
    #expect(succeeded == which.purposes)
    #expect(changed.isSubset(of: ["connect_by_tcp"]) && changed.isSubset(of: which.purposes))
    for (attempt, outcome) in outcomes where outcome != .succeeded && outcome != .killed(SIGSYS) {
      guard case .refused = outcome else {
        Issue.record("\(attempt): \(outcome)")
        continue
      }
    }
  }

  @Test("G5 without seccomp injected code in a decoder cannot open, write or execute a file")
  func landlockAlone() throws {
    guard try Self.ability(lacking: .nothing).landlock != nil else {
      return Skip("no Landlock")("G5 injected code without seccomp")
    }
    let input = try SandboxCase.decode.input()
    let (outcomes, changed) = try tried {
      try Intruder.shared.attempt(
        $0, in: $1, verb: SandboxCase.decode.verb, input: input, lacking: .seccomp)
    }
    let succeeded = Set(outcomes.filter { $0.value == .succeeded }.keys)
    print("G5 Landlock alone: \(succeeded.count) of \(outcomes.count) succeed: \(succeeded.sorted())")
    #expect(succeeded.isDisjoint(with: Self.aboutFiles) && succeeded.count >= 10, "the filter is off")
    #expect(
      changed.isSubset(of: ["change_permissions", "connect_by_path"]), "what Landlock does not restrict")
  }

  @Test("G5 without Landlock no attempt of injected code in a decoder succeeds")
  func seccompAlone() throws {
    let input = try SandboxCase.decode.input()
    let (outcomes, changed) = try tried {
      try Intruder.shared.attempt(
        $0, in: $1, verb: SandboxCase.decode.verb, input: input, lacking: .landlock)
    }
    #expect(!outcomes.values.contains(.succeeded) && changed.isEmpty, "\(outcomes)")
  }

  /// The attempts that Landlock prevents.
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

  /// The worker's report of what the system has.
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
    "G5 a worker on a system without Landlock, seccomp or both reports that, and decodes",
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

  @Test("emojiart asks the worker for the abilities of the system")
  func probe() async throws {
    #expect(try await SandboxProbe().ask() == Self.ability(lacking: .nothing))
    let missing = SandboxProbe(helpers: HelperPrograms(folders: []))
    let error = await #expect(throws: ArtError.self) { try await missing.ask() }
    #expect(error?.code == .unavailable)
    let other = try ScriptedWorker(script: "say '{\"hello\":8}'; read -r request")
    let wrong = await #expect(throws: ArtError.self) {
      try await SandboxProbe(helpers: other.helpers, clock: ManualClock()).ask()
    }
    #expect(wrong?.cause.contains("speaks version 8") == true)
    let silent = try ScriptedWorker(script: "say '{\"hello\":7}'")
    await #expect(throws: ArtError.self) {
      try await SandboxProbe(helpers: silent.helpers, clock: ManualClock()).ask()
    }
  }
}

@Suite("The state of a worker in its sandbox", .timeLimit(.minutes(10))) struct SandboxedWorkerTests {
  /// A worker that has greeted and waits for a request, started as emojiart starts it.
  private final class GreetedWorker {
    private let worker: HelperProcess
    var files: String { "/proc/\(worker.processID)" }

    init(_ verb: WorkerVerb) throws {
      let hasGreeted = DispatchSemaphore(value: 0)
      let limits = HelperLimits(memory: BackgroundFetcher.memory, processorSeconds: 10, line: 1 << 10)
      worker = try HelperProcess(
        starting: try HelperPrograms.installed.program("emojiart-worker"), arguments: verb.arguments,
        limits: limits, onLine: { _ in hasGreeted.signal() },
        // A worker that ends without a greeting has no files in /proc.
        onEnd: { _ in hasGreeted.signal() })
      try hasGreeted.wait(for: "the greeting of a worker")
    }

    func text(_ name: String) throws -> String {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(files)/\(name)"))
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// The words of a line of `status` or `limits` after its name.
    func line(_ name: String, of file: String) throws -> [String] {
      let line = try text(file).split(separator: "\n").first { $0.hasPrefix(name) }
      return try #require(line).dropFirst(name.count).split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }

  // Only root may read the files of a process that is not dumpable.

  @Test(
    "G3 a worker that has greeted can gain no rights, is filtered, has one thread, and runs in the root folder",
    arguments: SandboxCase.allCases)
  func status(_ which: SandboxCase) throws {
    guard isRoot(for: "G3 the state of a worker that has greeted: \(which)") else { return }
    let worker = try GreetedWorker(which.verb)
    #expect(try worker.line("NoNewPrivs:", of: "status") == ["1"])
    #expect(try worker.line("Seccomp:", of: "status") == ["2"])
    #expect(try worker.line("Threads:", of: "status") == ["1"])
    for kind in ["CapEff:", "CapPrm:", "CapInh:"] {
      #expect(try worker.line(kind, of: "status") == ["0000000000000000"])
    }
    #expect(try worker.line("Max file size", of: "limits").prefix(2) == ["0", "0"])
    #expect(try worker.line("Max core file size", of: "limits").prefix(2) == ["0", "0"])
    let files = which == .fetch ? "64" : which == .store ? "32" : "8"
    #expect(try worker.line("Max open files", of: "limits").prefix(2) == [files, files])
    let processes = try worker.line("Max processes", of: "limits").prefix(2)
    let beginsNone = [.decode, .decodeAVIF, .measure].contains(which)
    #expect((processes == ["0", "0"]) == beginsNone, "whether this worker may begin a thread")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(worker.files)/cwd") == "/")
  }

  @Test(
    "G3 a worker has no descriptors but its pipes and /dev/null",
    arguments: SandboxCase.allCases)
  func descriptors(_ which: SandboxCase) throws {
    guard isRoot(for: "G3 the descriptors of a worker: \(which)") else { return }
    let worker = try GreetedWorker(which.verb)
    let folder = "\(worker.files)/fd"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where Int(name) ?? 0 > 2 {
      let place = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      let standardError = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/2")
      #expect(place == "/dev/null" || place == standardError, "\(place)")
    }
  }

  @Test("G6 a worker has opened only the libraries of its kinds of pictures, and a font only to draw")
  func libraries() throws {
    guard isRoot(for: "G6 the libraries of a worker") else { return }
    func mapped(_ verb: WorkerVerb) throws -> (hasAVIF: Bool, hasFont: Bool) {
      let maps = try GreetedWorker(verb).text("maps")
      return (maps.contains("libavif.so"), maps.contains("NotoColorEmoji"))
    }
    let font = try #require(EmojiFont.find(nil).first)
    #expect(try mapped(.decode([])) == (false, false))
    #expect(try mapped(.decode([.png, .jpeg, .gif, .webp])) == (false, false))
    #expect(try mapped(.decode([.gif, .avif])) == (true, false))
    #expect(try mapped(.draw(FontPaths(colors: [font]), [])) == (false, true))
    #expect(try mapped(.draw(FontPaths(colors: [font]), [.avif])) == (true, true))
    #expect(try mapped(.fetch) == (false, false))
  }

  @Test(
    "G6 a picture of a kind that the worker was not started for is refused as one that cannot be decoded here"
  )
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
    let record =
      "tr '\\0' '\\n' </proc/$$/environ >>\"${0%/*}/environment\"; echo . >>\"${0%/*}/environment\""
    let worker = try ScriptedWorker(
      fetch: "\(record); \(ScriptedWorker.goodFetch)", decode: "\(record); \(ScriptedWorker.goodDecode)")
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
    #expect(lines.drop { $0 != "." }.allSatisfy { $0 == "." }, "a decoder gets no variables")
  }

  @Test("G2 a worker that the sandbox ends is one refused picture, fetch or drawing")
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
      format: .png(try PixelSize(width: 4, height: 3)), fonts: [])
    do throws(DrawingFailure) {
      _ = try await drawer.renderer.draw(drawing, limit: 100)
      Issue.record("the drawing succeeded")
    } catch {
      guard case .refused(let refusal) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(refusal.reason == .forbidden)
    }
  }

  @Test("G2 a worker that is ended for injected code is one refused picture, fetch or drawing for the caller")
  func refusedIntruders() async throws {
    let (target, intruder) = (try IntruderTarget(), try Intruder.shared)
    let variables = target.environment.merging([
      "INTRUDER_ATTEMPT": "execute", "LD_PRELOAD": intruder.library,
    ]) {
      $1
    }
    let exports = variables.map { "export \($0.key)='\($0.value)'\n" }.joined()
    let program = try HelperPrograms.installed.program("emojiart-worker").path
    let worker = try ScriptedWorker(script: "exec 9>&-\n\(exports)exec '\(program)' \"$@\"")
    var refusals: [Refusal?] = []
    do throws(BackgroundFailure) {
      _ = try await worker.fetcher.check(try! SandboxCase.picture("sign.png"))
    } catch { refusals.append(Result<CheckedPicture, BackgroundFailure>.failure(error).refusal) }
    let request = BackgroundRequest(try BackgroundURL("http://127.0.0.1:1/"), isUserInitiated: true)
    refusals.append(await worker.fetcher.fetch(request).result.refusal)
    #expect(refusals.map { $0?.reason } == [.notAnImage, .notAllowed])
    for refusal in refusals {
      #expect(refusal?.isTransient == false)
      #expect(refusal?.detail.contains("what the sandbox of emojiart-worker forbids") == true, "\(refusals)")
    }
    let canvas = try Canvas(width: 40, height: 30)
    let drawing = Drawing(
      scene: DrawingScene(canvas: canvas, labels: [], picture: try SandboxCase.picture("sign.png")),
      region: CanvasRect(canvas), format: .png(try PixelSize(width: 4, height: 3)), fonts: EmojiFont.find(nil)
    )
    guard case .refused(let refusal) = try await worker.renderer.failure(drawing).0 else {
      Issue.record("the drawing is not refused")
      return
    }
    #expect(refusal.reason == .forbidden)
    #expect(try target.isUnchanged())
  }

  @Test("G2 injected code in the decoder that writes a file is killed by SIGSYS and changes nothing")
  func injectedCode() throws {
    let target = try IntruderTarget()
    let outcome = try Intruder.shared.attempt(
      "append_to_bashrc", in: target, verb: SandboxCase.decode.verb, input: try SandboxCase.decode.input())
    #expect(outcome == .killed(SIGSYS))
    #expect(try target.isUnchanged())
  }

  @Test(
    "in its sandbox a worker draws every format with pictures of every kind, and texts that the font lacks"
  )
  func drawings() throws {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let size = try PixelSize(width: 80, height: 60)
    let formats: [Drawing.Format] = [
      .png(size), .jpeg(size, quality: 90), .webp(size, quality: 90), .pdf(size),
      .svg(size, embedsGlyphs: true), .svg(size, embedsGlyphs: false), .sixel(size),
      .symbols(columns: 20, rows: 10, .direct), .symbols(columns: 20, rows: 10, .indexed),
    ]
    let pictures: [(String, PictureKind)] = [
      ("sign.png", .png), ("sign.jpg", .jpeg), ("sign.gif", .gif), ("sign.webp", .webp), ("sign.avif", .avif),
    ]
    for format in formats {
      for (name, kind) in pictures {
        let output = try Intruder.output(
          of: worker, WorkerVerb.draw(SandboxCase.fonts, [kind]).arguments,
          input: try SandboxCase.draw(format, picture: name))
        let isDrawn = output.contains("{\"drawn\":{\"lacking\":[\"🐝\u{18B00}\"],\"lackingCount\":1}}")
        #expect(isDrawn, "\(format) \(name): \(output.suffix(300))")
      }
    }
  }

  @Test(
    "G9 a worker that cannot begin a thread draws all the same, and its refusal of a fetch names the limit")
  func withoutThreads() throws {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    let lacking = [try Intruder.shared.program, "lacking", Intruder.Lack.threads.rawValue, worker]
    let size = try PixelSize(width: 200, height: 150)
    let draw = WorkerVerb.draw(SandboxCase.fonts, [.png]).arguments
    for format in [Drawing.Format.png(size), .sixel(size), .symbols(columns: 40, rows: 15, .direct)] {
      let input = try SandboxCase.draw(format, picture: "sign.png")
      let expected = try Intruder.output(of: worker, draw, input: input)
      let drawn = try Intruder.output(of: lacking[0], lacking.dropFirst() + draw, input: input)
      #expect(expected.contains(#"{"drawn":{"#) && drawn.contains(#"{"drawn":{"#))
      // libchafa's palette depends on the number of threads.
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
