// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtWeb
  import NIOCore
  import NIOWebSocket

  /// The WebSocket of one page.
  ///
  /// The handler reads again only when the messages of the last read are performed, so a page that sends faster than its document edits
  /// waits in its own browser.
  final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// How long a page has to read what is waiting for it, and to answer a ping.
    fileprivate static let slowLife = TimeAmount.seconds(30)
    private static let pause = TimeAmount.seconds(15)
    /// The most pings without an answer.
    private static let silentPings = 3

    private let server: StudioServer
    private let limit: OpeningLimit
    private var handshake = Handshake()
    private var inbox: [[UInt8]] = []
    /// Takes the messages of a page that is admitted.
    var batches: AsyncStream<[[UInt8]]>.Continuation?
    private var ticket: String?
    private var slow: Scheduled<Void>?
    private var pings: RepeatedTask?
    private var silent = 0
    /// Whether the connection ends: nothing more is read then.
    private var isEnding = false

    init(_ server: StudioServer, _ limit: OpeningLimit) { (self.server, self.limit) = (server, limit) }

    func handlerAdded(context: ChannelHandlerContext) {
      let channel = context.channel
      limit.beginProof(channel)
      guard server.add(channel) else { return close(context, .unexpectedServerError) }
      _ = channel.setOption(.autoRead, value: false)
      context.read()
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
      switch frame.opcode {
      case .text: inbox.append(Array(frame.unmaskedData.readableBytesView))
      case .ping:
        let answer = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
      case .pong: silent = 0
      case .connectionClose: close(context, .normalClosure)
      default: close(context, .unacceptableData)
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      let frames = inbox
      inbox = []
      if frames.isEmpty {
        context.read()
      } else if let batches {
        batches.yield(frames)
      } else {
        for frame in frames { greet(frame, context) }
        context.read()
      }
      context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      slow?.cancel()
      slow = nil
      guard !context.channel.isWritable else { return }
      let channel = context.channel
      slow = context.eventLoop.scheduleTask(in: Self.slowLife) { channel.close(promise: nil) }
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
      // What came in one read with the request was not counted.
      guard frame.count <= OpeningLimit.proofBytes else { return close(context, .messageTooLarge) }
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
        limit.lift()
        self.ticket = ticket
        begin(
          LivePage(server.named(client), of: server.hub, to: SocketOutput(channel: context.channel)), ticket,
          context)
      }
    }

    private func begin(_ page: LivePage, _ ticket: String, _ context: ChannelHandlerContext) {
      let (stream, batches) = AsyncStream<[[UInt8]]>.makeStream()
      self.batches = batches
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
          channel.read()
        }
        await page.close()
        server.hub.dismiss(ticket)
      }
    }

    private func ping(_ channel: any Channel) {
      silent += 1
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

  /// Ends a connection whose client sends a frame without a mask, as RFC 6455 asks for in section 5.1. It sees frames before they are joined.
  final class MaskCheck: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard unwrapInboundIn(data).maskKey != nil else {
        return context.fireErrorCaught(WebRefusal(400, "a frame without a mask"))
      }
      context.fireChannelRead(data)
    }
  }

  /// Sends to the WebSocket of a page.
  private struct SocketOutput: PageOutput {
    let channel: any Channel

    func send(_ message: [UInt8]) async {
      let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
      // Of a page that does not read, only one message waits here. The channel stays writable, so its own handler does not notice.
      let slow = channel.eventLoop.scheduleTask(in: SocketHandler.slowLife) { channel.close(promise: nil) }
      // A page that has gone gets nothing; its end is noticed elsewhere.
      do { try await channel.writeAndFlush(frame) } catch {}
      slow.cancel()
    }

    var takesLossy: Bool { channel.isWritable }

    func sendLossy(_ message: [UInt8]) {
      guard takesLossy else { return }
      channel.writeAndFlush(
        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message)), promise: nil)
    }
  }
#endif
