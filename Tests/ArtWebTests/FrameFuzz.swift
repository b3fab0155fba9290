// SPDX-License-Identifier: Apache-2.0

#if Studio || FUZZ
  import ArtModel
  import ArtWorkspace
  import Dispatch
  import Glibc
  import NIOCore
  import NIOEmbedded
  import Synchronization

  @testable import ArtWeb
  @testable import emojiart_studio

  #if canImport(TestSupport)
    import TestSupport
  #endif

  // The entry point of libFuzzer for `scripts/dev fuzz`, which compiles this file with FUZZ. The tests try a few inputs with it. An input is what a program sends after it has become a WebSocket: before it
  // has proved a session, or as a page that has. It goes through the handlers of the server itself, and its messages to a page of an empty
  // folder.

  /// With EMOJIART_FUZZ_CONTROL in the environment it stops at any search with another limit than that of the known one: the fuzzer must find
  /// one.
  private let isControl = getenv("EMOJIART_FUZZ_CONTROL") != nil

  /// The time of the server. A minute passes before each input, so that no input meets the failures of others.
  private let clock = MinuteClock()

  private final class MinuteClock: Clock {
    private let minutes = Mutex(0)
    private let start = ContinuousClock.now
    let minimumResolution = Duration.seconds(60)
    var now: ContinuousClock.Instant { start + .seconds(60 * minutes.withLock { $0 }) }

    func advance() { minutes.withLock { $0 += 1 } }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { stop("a wait") }
  }

  private let server: StudioServer = {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var settings = WorkspaceSettings()
    settings.pollBecause = "nothing changes in the folder"
    let workspace = wait { [settings] in try await Workspace.open(folder, settings) }
    return StudioServer(StudioLaunch(folder: folder), workspace, port: 8080, clock: clock) { _ in }
  }()

  private let upgrade = [
    "GET /live HTTP/1.1", "Host: \(server.host.name):8080", "Origin: http://\(server.host.name):8080",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Protocol: emojiart-1", "", "",
  ].joined(separator: "\r\n")

  /// Checks an input of the fuzzer; a stop is a finding.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // How it is tried depends on the bytes alone, so that a finding can be repeated.
    var random = SplitMix64(seed: bytes.reduce(UInt64(count)) { $0 &* 31 &+ UInt64($1) })
    clock.advance()
    do {
      try check(bytes, isAdmitted: random.oneIn(2), &random)
    } catch {
      stop("\(error)")
    }
    return 0
  }

  private func check(_ bytes: [UInt8], isAdmitted: Bool, _ random: inout SplitMix64) throws {
    let channel = EmbeddedChannel()
    try Connection.addHandlers(to: channel, server, at: Door(port: 8080, of: server.host, former: []))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
    try receive(Array(upgrade.utf8)[...], channel)
    guard String(decoding: try sent(channel), as: UTF8.self).hasPrefix("HTTP/1.1 101 ") else {
      stop("no WebSocket")
    }
    let (stream, batches) = AsyncStream<[[UInt8]]>.makeStream()
    if isAdmitted {
      // What the right proof does, which no fuzzer finds.
      try channel.pipeline.syncOperations.handler(type: ConnectionLimit.self).admit()
      try channel.pipeline.syncOperations.handler(type: SocketHandler.self).batches = batches
    }
    var rest = bytes[...]
    while channel.isActive, !rest.isEmpty {
      let part = random.oneIn(2) ? rest[...] : rest.prefix(1 + random.below(rest.count))
      rest = rest.dropFirst(part.count)
      try receive(part, channel)
    }
    // Deadlines pass: a page that has not proved its session is closed.
    channel.embeddedEventLoop.advanceTime(by: .seconds(5))
    if !isAdmitted, channel.isActive { stop("a page without a proof stays connected") }
    try checkFrames(sent(channel), isAdmitted: isAdmitted, isOpen: channel.isActive)
    _ = try channel.finish(acceptAlreadyClosed: true)
    batches.finish()
    if isAdmitted { try checkMessages(stream) }
  }

  private func receive(_ bytes: ArraySlice<UInt8>, _ channel: EmbeddedChannel) throws {
    try channel.writeInbound(ByteBuffer(bytes: bytes))
    channel.embeddedEventLoop.run()
  }

  /// All bytes that the server has sent.
  private func sent(_ channel: EmbeddedChannel) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    return bytes
  }

  /// What the server sends is whole frames: nothing but a challenge, a refusal, pongs, and one end.
  private func checkFrames(_ sent: [UInt8], isAdmitted: Bool, isOpen: Bool) throws {
    var bytes = sent
    var (isLast, isRefused) = (false, false)
    while let frame = Frame(from: &bytes) {
      // NIO's own handler of errors may end it a second time, for what comes later in the same read.
      if isLast, frame.kind != .connectionClose { stop("a frame after the end: \(sent)") }
      switch frame.kind {
      case .text:
        try read(frame.data)
        if isAdmitted || isRefused { stop("a message that nothing asked for: \(frame.text)") }
        isRefused = frame.text.hasPrefix(#"{"bye""#)
        if !isRefused, !frame.text.hasPrefix(#"{"challenge""#) { stop("without a proof: \(frame.text)") }
      case .pong: if frame.data.count > 125 { stop("a long pong") }
      case .connectionClose: isLast = true
      default: stop("a frame of another kind")
      }
    }
    if !bytes.isEmpty { stop("half a frame") }
    if isRefused, !isLast { stop("a refusal without an end") }
    if isLast, isOpen { stop("an end that leaves the connection open") }
  }

  /// Each message gets its one answer, and none says more than that.
  private func checkMessages(_ stream: AsyncStream<[[UInt8]]>) throws {
    let output = Output()
    let client = try DocumentClient()
    let frames = wait {
      let page = LivePage(client, of: server.hub, to: output)
      var frames: [[UInt8]] = []
      for await batch in stream {
        frames += batch
        await page.receive(batch)
      }
      await page.close()
      return frames
    }
    var expected: [String?] = []
    for frame in frames {
      do {
        let message = try PageMessage(frame)
        if isControl, case .find(_, let limit, _) = message.body, limit != 60 {
          stop("control: a limit of \(limit)")
        }
        if case .presence = message.body { continue }
        expected.append(message.tag?.text)
      } catch {
        expected.append(error.tag?.text)
      }
    }
    let answers = output.messages.withLock { $0 }
    guard answers.count == expected.count else {
      stop("\(answers.count) answers to \(expected.count) requests")
    }
    var texts: [String] = []
    for answer in answers {
      try read(answer)
      texts.append(String(decoding: answer, as: UTF8.self))
    }
    // What changes whole documents is answered when it is done.
    for tag in expected {
      guard let tag else { continue }
      let index = texts.firstIndex { $0.hasSuffix("\"tag\":\(tag)}") || $0.hasSuffix("\"tag\":\(tag)}\n") }
      guard let index else { stop("no answer with the tag \(tag): \(texts)") }
      texts.remove(at: index)
    }
  }

  /// Parses a message as JSON.
  private func read(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
      try JSONReader.read(buffer) { (reader) throws(ArtError) in try reader.skip() }
    }
  }

  /// Keeps what is sent to a page.
  private final class Output: PageOutput {
    let messages = Mutex<[[UInt8]]>([])

    var takesLossy: Bool { true }

    func send(_ message: [UInt8]) async { messages.withLock { $0.append(message) } }
    func sendLossy(_ message: [UInt8]) { stop("presence without a document") }
  }

  /// Runs work, and waits for it.
  private func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Value {
    let (done, result) = (DispatchSemaphore(value: 0), Result<Value>())
    Task {
      do {
        let value = try await work()
        result.value.withLock { $0 = value }
      } catch {
        stop("\(error)")
      }
      done.signal()
    }
    done.wait()
    guard let value = result.value.withLock({ $0 }) else { stop("no result") }
    return value
  }

  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private func stop(_ words: String) -> Never {
    let line = Array("fuzz: \(words)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    abort()
  }
#endif
