// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtWeb
  import NIOCore
  import NIOWebSocket

  /// The WebSocket of one page.
  ///
  /// The handler reads again only when the messages of the last read are performed and what was sent is read, so a page that sends faster than
  /// its document edits, or than it reads, waits in its own browser.
  final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The session of the page has ended: an event for its handler.
    struct SessionEnded: Sendable {}

    /// How long a page has to read what is waiting for it, and to answer a ping.
    static let slowLife = TimeAmount.seconds(30)
    private static let pause = TimeAmount.seconds(15)
    /// The most pings without an answer.
    private static let silentPings = 3

    private let server: StudioServer
    /// Whether the page is at the address of a former server.
    private let isFormer: Bool
    private let limit: ConnectionLimit
    private var handshake = Handshake()
    private var inbox: [[UInt8]] = []
    /// Takes the messages of a page that is admitted.
    var batches: AsyncStream<[[UInt8]]>.Continuation?
    private var ticket: String?
    private var page: LivePage?
    private var slow: Scheduled<Void>?
    private var pings: RepeatedTask?
    private var silent = 0
    /// Whether what the page sends is read at the moment; its answers to pings are only heard then.
    private var isReading = false
    /// Whether it is to be read when the page has read more.
    private var isReadDue = false
    /// The last ping that has no answer, because the page does not read them.
    private var ping: ByteBuffer?
    /// Whether the connection ends: nothing more is read then.
    private var isEnding = false

    init(_ server: StudioServer, isFormer: Bool, _ limit: ConnectionLimit) {
      (self.server, self.isFormer, self.limit) = (server, isFormer, limit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      let channel = context.channel
      limit.beginProof(channel)
      guard server.add(channel) else { return close(context, .unexpectedServerError) }
      _ = channel.setOption(.autoRead, value: false)
      read(channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
      isEnding = true
      slow?.cancel()
      pings?.cancel()
      batches?.finish()
      if let ticket { server.withSessions { sessions, _ in sessions.end(ticket) } }
      server.remove(context.channel)
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !isEnding else { return }
      let frame = unwrapInboundIn(data)
      let data = frame.unmaskedData
      if frame.opcode == .text {
        inbox.append(Array(data.readableBytesView))
        return
      }
      limit.release(data.readableBytes)
      switch frame.opcode {
      case .ping: answer(ping: data, context)
      case .pong: silent = 0
      case .connectionClose: close(context, .normalClosure)
      default: close(context, .unacceptableData)
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      let frames = inbox
      inbox = []
      isReading = false
      if let batches, !frames.isEmpty {
        batches.yield(frames)
      } else {
        for frame in frames { greet(frame, context) }
        read(context.channel)
      }
      context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      slow?.cancel()
      slow = nil
      let channel = context.channel
      guard channel.isWritable else {
        slow = context.eventLoop.scheduleTask(in: Self.slowLife) { channel.close(promise: nil) }
        return
      }
      if let ping { answer(ping: ping, context) }
      if isReadDue { read(channel) }
    }

    /// Reads more, when the page has read what was sent.
    func read(_ channel: any Channel) {
      isReadDue = !channel.isWritable
      guard !isReadDue else { return }
      isReading = true
      channel.read()
    }

    /// Answers the last one of the pings that the page sends without reading: RFC 6455, section 5.5.3.
    private func answer(ping data: ByteBuffer, _ context: ChannelHandlerContext) {
      ping = context.channel.isWritable ? nil : data
      guard ping == nil else { return }
      context.writeAndFlush(
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: data)), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard event is SessionEnded else { return context.fireUserInboundEventTriggered(event) }
      page?.end()
      send(Handshake.ended, context)
      close(context, .policyViolation)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      isEnding = true
      context.close(promise: nil)
    }

    // MARK: Greeting

    private func greet(_ frame: [UInt8], _ context: ChannelHandlerContext) {
      guard !isEnding else { return }
      if let batches {
        batches.yield([frame])
        return
      }
      limit.release(frame.count)
      // What came in one read with the request was not counted.
      guard frame.count <= ConnectionLimit.proofBytes else { return close(context, .messageTooLarge) }
      guard !isFormer else {
        send(Handshake.unknown, context)
        return close(context, .policyViolation)
      }
      let effect = server.withSessions { [handshake] sessions, now in
        var handshake = handshake
        return (handshake.receive(frame, &sessions, at: now), handshake)
      }
      handshake = effect.1
      switch effect.0 {
      case .send(let message): send(message, context)
      case .refuse(let message):
        send(message, context)
        close(context, .policyViolation)
      case .admit(let client, let ticket):
        limit.admit()
        self.ticket = ticket
        server.admit(context.channel, ticket)
        begin(
          LivePage(
            server.named(client), of: server.hub,
            to: SocketOutput(channel: context.channel, waiting: server.waiting)), ticket, context)
      }
    }

    private func begin(_ page: LivePage, _ ticket: String, _ context: ChannelHandlerContext) {
      let (stream, batches) = AsyncStream<[[UInt8]]>.makeStream()
      (self.batches, self.page) = (batches, page)
      let server = server
      let channel = context.channel
      server.hub.admit(page, ticket)
      send(server.welcome(ticket), context)
      let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
      pings = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pause, delay: Self.pause) { _ in
        handler.value.ping(channel)
      }
      Task {
        for await frames in stream {
          await page.receive(frames)
          channel.eventLoop.execute {
            handler.value.limit.release(frames.reduce(0) { $0 + $1.count })
            handler.value.read(channel)
          }
        }
        await page.close()
        server.hub.dismiss(ticket)
      }
    }

    private func ping(_ channel: any Channel) {
      guard let ticket, server.stays(ticket) else {
        return channel.pipeline.fireUserInboundEventTriggered(SessionEnded())
      }
      if isReading { silent += 1 }
      guard silent <= Self.silentPings else { return channel.close(promise: nil) }
      channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()), promise: nil)
    }

    // MARK: Sending

    private func send(_ message: [UInt8], _ context: ChannelHandlerContext) {
      let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode) {
      isEnding = true
      var data = ByteBuffer()
      data.write(webSocketErrorCode: code)
      let channel = context.channel
      context.writeAndFlush(
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
      ).whenComplete { _ in channel.close(promise: nil) }
    }
  }

  /// Ends a connection whose client sends a frame without a mask, or with a bit that no extension was agreed for: RFC 6455, sections 5.1 and
  /// 5.2. It sees frames before they are joined.
  final class FrameCheck: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    private let limit: ConnectionLimit

    init(_ limit: ConnectionLimit) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      guard frame.maskKey != nil else {
        return context.fireErrorCaught(WebRefusal(400, "a frame without a mask"))
      }
      guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
        return context.fireErrorCaught(WebRefusal(400, "a frame with a reserved bit"))
      }
      // The head of the frame does not wait.
      let size = frame.data.readableBytes
      limit.release(6 + (size < 126 ? 0 : size < 1 << 16 ? 2 : 8))
      context.fireChannelRead(data)
    }
  }

  /// Sends to the WebSocket of a page.
  private struct SocketOutput: PageOutput {
    let channel: any Channel
    let waiting: WaitingBytes

    func send(_ message: [UInt8]) async {
      // A page that is closed connects anew, when less waits.
      guard waiting.add(message.count) else { return channel.close(promise: nil) }
      defer { waiting.remove(message.count) }
      let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
      // Of a page that does not read, only one message waits here. The channel stays writable, so its own handler does not notice.
      let slow = channel.eventLoop.scheduleTask(in: SocketHandler.slowLife) { channel.close(promise: nil) }
      let written: EventLoopFuture<Void> = channel.writeAndFlush(frame)
      // In the turn of the loop in which it is written.
      written.whenComplete { _ in slow.cancel() }
      // A page that has gone gets nothing; its end is noticed elsewhere.
      do { try await written.get() } catch {}
    }

    var takesLossy: Bool { channel.isWritable }

    func sendLossy(_ message: [UInt8]) {
      guard takesLossy else { return }
      channel.writeAndFlush(
        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message)), promise: nil)
    }
  }
#endif
