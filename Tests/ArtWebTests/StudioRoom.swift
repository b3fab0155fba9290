// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtWorkspace
  import Foundation
  import NIOCore
  import NIOEmbedded
  import Synchronization
  import TestSupport
  import Testing

  @testable import ArtWeb
  @testable import emojiart_studio

  /// A server of an empty folder whose connections have no sockets.
  struct StudioRoom {
    /// The time of codes and failures.
    let clock = ManualClock()
    /// The time of connections.
    private let loop = NIOAsyncTestingEventLoop()
    private let server: StudioServer
    /// The name and port of the server, and of a former one.
    private let (host, formerHost): (String, String)
    /// The sessions of the records that were kept, and how often the server was to end.
    let kept = Box<[[ServerRecord.SessionKey]]>([])
    let ends = Box(0)
    /// Why no record can be kept, why none can be removed, and how many were.
    let fault = Box<ArtError?>(nil)
    let faultOfRemoving = Box<ArtError?>(nil)
    let removed = Box(0)
    private let door: Door

    /// A value that is changed from several threads.
    final class Box<Value: Sendable>: Sendable {
      let value: Mutex<Value>
      init(_ value: Value) { self.value = Mutex(value) }
    }

    private init(_ folder: String, _ workspace: Workspace, opens: Bool, waiting: Int) {
      var launch = StudioLaunch(folder: folder)
      launch.opens = opens
      let former = ServerRecord.Host(at: 8080, random: WebSecrets.system.random)
      server = StudioServer(
        launch, workspace, port: 8080, sockets: [ServerRecord.Socket(cookie: 1, inode: 1, boot: 1)],
        after: ServerRecord(folder: folder, hosts: [former]), waiting: waiting, clock: clock,
        end: { [ends] in ends.value.withLock { $0 += 1 } }
      ) { [kept, fault, faultOfRemoving, removed] (record) throws(ArtError) in
        guard let record else {
          if let fault = faultOfRemoving.value.withLock({ $0 }) { throw fault }
          return removed.value.withLock { $0 += 1 }
        }
        if let fault = fault.value.withLock({ $0 }) { throw fault }
        // Other threads get their turns while a record is written, and not always as many.
        for _ in 0..<(record.sessions.count * 37 % 200) { sched_yield() }
        kept.value.withLock { $0.append(record.sessions) }
      }
      host = "\(server.host.name):8080"
      formerHost = "\(former.name):8080"
      door = Door(port: 8080, of: server.host, former: [former])
    }

    /// The documents and folders of its folder.
    func documents() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: server.launch.folder).filter { !$0.hasPrefix(".") }
    }

    /// Runs a test with such a server, which opens a browser or does not.
    static func with(
      opens: Bool = false, waiting: Int = WaitingBytes.limit, _ body: (StudioRoom) async throws -> Void
    ) async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-room.\(UUID())")
        .path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var settings = WorkspaceSettings()
      settings.pollBecause = "this test needs no watcher"
      let workspace = try await Workspace.open(folder, settings)
      let room = StudioRoom(folder, workspace, opens: opens, waiting: waiting)
      let failure: (any Error)?
      do {
        try await body(room)
        failure = nil
      } catch {
        failure = error
      }
      #expect(await workspace.close() == nil)
      await room.loop.shutdownGracefully()
      if let failure { throw failure }
    }

    /// Lets time pass for the connections.
    func pass(_ time: TimeAmount) async { await loop.advanceTime(by: time) }

    /// A connection that was just made; its WebSocket may be that of a page at a former server's address.
    func connect(toFormer isFormer: Bool = false) async throws -> Wire {
      let channel = NIOAsyncTestingChannel(loop: loop)
      try await loop.executeInContext { [server, door] in
        try Connection.addHandlers(to: channel, server, at: door)
      }
      try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/room")).get()
      return Wire(channel, isFormer ? atFormer(upgrade) : upgrade)
    }

    /// A request as the page at a former server's address sends it.
    func atFormer(_ request: some StringProtocol) -> String {
      String(request).replacing(host, with: formerHost)
    }

    /// A new link, as for a browser that the server opens.
    func link() -> String { server.link() }

    /// How many bytes wait in the server.
    var waiting: Int { server.waiting.all }

    /// The sessions that users see.
    var sessions: [StudioSession] { server.sessions() }

    /// Ends a session, or all.
    func revoke(_ session: String?) -> Int { server.revoke(session).count }

    /// Ends a session: why the next server may still know it.
    func faultOfRevoking(_ session: Session) -> ArtError? { server.revoke(session.id).fault }

    /// Whether the page with a ticket is there. When it has gone, all that it has sent is performed.
    func hasPage(_ ticket: String) -> Bool { server.hub.page(ticket) != nil }

    /// Keeps the sessions for a later server.
    func keepSessions() { server.keepSessions() }

    /// A new launch code.
    func code() -> String { server.withSessions { sessions, now in sessions.makeCode(at: now) } }

    /// Trades a launch code: the status of the answer.
    func trade(_ code: String) async throws -> Int {
      let connection = try await connect()
      try await connection.send(post("/session", #"{"code":"\#(code)"}"#))
      return try await connection.answer().status
    }

    /// A session of a page.
    func session() throws -> Session {
      let (id, token) = try server.withSessions { (sessions, now) throws(WebRefusal) in
        try sessions.trade(sessions.makeCode(at: now), at: now)
      }
      return Session(id: id, token: token)
    }

    /// The head of a request of the page itself, that begins with this line.
    func head(_ line: String) -> String {
      "\(line)\r\nHost: \(host)\r\nSec-Fetch-Site: same-origin\r\n\r\n"
    }

    /// A request with a body.
    func post(_ target: String, _ body: String) -> String {
      head("POST \(target) HTTP/1.1").dropLast()
        + "Origin: http://\(host)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The request for the WebSocket.
    var upgrade: String {
      """
      GET /live HTTP/1.1\r
      Host: \(host)\r
      Origin: http://\(host)\r
      Connection: Upgrade\r
      Upgrade: websocket\r
      Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Protocol: emojiart-1\r
      \r

      """
    }

    /// A session with its token.
    struct Session {
      let id: String
      let token: [UInt8]

      /// The page's first message.
      var hello: String { #"{"hello":{"nonce":"0123456789abcdef","session":"\#(id)"}}"# }

      /// The page's second message.
      func answer(to challenge: String) -> String {
        let key = WebSecrets.system.digest(token)
        let proof = hexadecimal(WebSecrets.system.authenticate(key, "page:\(challenge)"))
        return #"{"answer":{"client":"0123456789ab","name":"Ada","proof":"\#(proof)"}}"#
      }
    }
  }

  /// What the server has sent, and is not written yet.
  final class HeldAnswers: Sendable {
    private let writes = Mutex<[(NIOLoopBound<ChannelHandlerContext>, ByteBuffer, EventLoopPromise<Void>?)]?>(
      [])

    /// What is held: frames, of which no text is masked.
    var text: String {
      writes.withLock {
        String(decoding: ($0 ?? []).flatMap { Array($0.1.readableBytesView) }, as: UTF8.self)
      }
    }

    /// Writes all of it, and holds nothing more.
    func release() async throws {
      let held = writes.withLock { held in
        defer { held = nil }
        return held ?? []
      }
      for (context, bytes, promise) in held {
        try await context.eventLoop.submit {
          context.value.writeAndFlush(NIOAny(bytes), promise: promise)
        }.get()
      }
    }

    fileprivate func handler() -> some ChannelOutboundHandler & Sendable { Handler(self) }

    private final class Handler: ChannelOutboundHandler, Sendable {
      typealias OutboundIn = ByteBuffer
      private let held: HeldAnswers

      init(_ held: HeldAnswers) { self.held = held }

      func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let isHeld = held.writes.withLock { writes in
          guard writes != nil else { return false }
          writes?.append((bound, bytes, promise))
          return true
        }
        if !isHeld { context.write(data, promise: promise) }
      }
    }
  }

  /// The page's end of a connection without a socket.
  final class Wire {
    private let channel: NIOAsyncTestingChannel
    private let upgrade: String
    private var received: [UInt8] = []

    init(_ channel: NIOAsyncTestingChannel, _ upgrade: String) {
      (self.channel, self.upgrade) = (channel, upgrade)
    }

    /// Whether the server has not closed it.
    var isOpen: Bool { channel.isActive }

    func send(_ text: some StringProtocol) async throws { try await send(Array(text.utf8)) }
    func send(_ bytes: [UInt8]) async throws { try await channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// The page reads nothing, or reads again.
    func setReading(_ isReading: Bool) async throws {
      try await channel.testingEventLoop.executeInContext { [channel] in channel.isWritable = isReading }
      try await channel.testingEventLoop.executeInContext { [channel] in
        channel.pipeline.fireChannelWritabilityChanged()
      }
    }

    /// Holds what the server sends from now on.
    func holdAnswers() async throws -> HeldAnswers {
      let held = HeldAnswers()
      try await channel.pipeline.addHandler(held.handler(), position: .first).get()
      return held
    }

    /// Waits until the server closes it.
    func waitForEnd() async throws { try await channel.closeFuture.get() }

    private func more() async throws {
      received += try await channel.waitForOutboundWrite(as: ByteBuffer.self).readableBytesView
    }

    /// The next answer of HTTP.
    func answer() async throws -> RawAnswer {
      while true {
        if let answer = RawAnswer(from: &received) { return answer }
        try await more()
      }
    }

    // MARK: WebSockets

    /// Becomes a WebSocket.
    func becomeSocket() async throws {
      try await send(upgrade)
      #expect(try await answer().status == 101)
    }

    /// Sends a message.
    func say(_ text: String) async throws { try await send(Frame.bytes(.text, text)) }

    private func frame(_ kind: Frame.Kind) async throws -> Frame {
      while true {
        while let frame = Frame(from: &received) { if frame.kind == kind { return frame } }
        try await more()
      }
    }

    /// The server's next message.
    func message() async throws -> String { try await frame(.text).text }

    /// Sends a message that the server performs until `endLongRequest`.
    func beginLongRequest() async throws {
      try await withHandler { handler, _ in handler.batches = AsyncStream<[[UInt8]]>.makeStream().continuation
      }
      try await say("{}")
    }

    func endLongRequest() async throws { try await withHandler { handler, channel in handler.read(channel) } }

    private func withHandler(_ body: @escaping @Sendable (SocketHandler, any Channel) -> Void) async throws {
      try await channel.testingEventLoop.executeInContext { [channel] in
        body(try channel.pipeline.syncOperations.handler(type: SocketHandler.self), channel)
      }
    }

    /// Waits for a ping, and answers it.
    func answerPing() async throws {
      _ = try await frame(.ping)
      try await send(Frame.bytes(.pong, ""))
    }

    /// Waits for the closing frame: its code.
    func closingCode() async throws -> Int { try await frame(.connectionClose).code }

    /// The frames that were sent before the connection ended.
    func rest() async throws -> [Frame] {
      while let buffer = try await channel.readOutbound(as: ByteBuffer.self) {
        received += buffer.readableBytesView
      }
      var frames: [Frame] = []
      while let frame = Frame(from: &received) { frames.append(frame) }
      return frames
    }

    /// The proof that a challenge asks for.
    func answer(to challenged: String, of session: StudioRoom.Session) throws -> String {
      let challenge = try #require(challenged.firstMatch(of: /"challenge":"([0-9a-f]+)"/)).output.1
      return session.answer(to: String(challenge))
    }

    /// Proves a session, until it is welcome: its ticket.
    @discardableResult
    func prove(_ session: StudioRoom.Session) async throws -> String {
      try await say(session.hello)
      try await say(answer(to: message(), of: session))
      let welcome = try await message()
      return String(try #require(welcome.firstMatch(of: /"welcome".*"ticket":"([0-9a-f]+)"/)).output.1)
    }
  }
#endif
