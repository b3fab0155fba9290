// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtWeb
  import NIOCore
  import Synchronization

  /// How many bytes wait in the server, of all connections together: what was read and is not performed, and what is to be written and is not
  /// read.
  final class WaitingBytes: Sendable {
    /// The most bytes: the longest export and the longest file that becomes a document.
    static let limit = StudioBodies.exportBytes + Gate.documentBytes

    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int = limit) { self.limit = limit }

    /// Counts bytes that come to wait; false, and they are not counted, if there are too many then.
    func add(_ bytes: Int) -> Bool {
      count.withLock { count in
        guard bytes <= limit - count else { return false }
        count += bytes
        return true
      }
    }

    /// The bytes wait no more.
    func remove(_ bytes: Int) { count.withLock { $0 -= bytes } }

    /// How many wait.
    var all: Int { count.withLock(\.self) }
  }

  /// Ends a connection that takes too long, or whose page sends too much before it has proved its session.
  ///
  ///     head (5 s) ──a head──▶ body (30 s without a byte, 2 min) ──whole──▶ answering ──written──▶ idle (60 s) ──a byte──▶ head
  ///        └──upgraded──▶ proving (5 s, 4 KiB) ──admitted──▶ open
  ///
  /// It stays in front of what parses, so bytes count before they are one message.
  final class ConnectionLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// A body has not come in time. The connection's other handlers get it as an event.
    struct LateBody: Sendable {}

    /// How long a head, and a proof, may take.
    static let life = TimeAmount.seconds(5)
    /// How long a body may pause, and how long it may take.
    static let (bodyPause, bodyLife) = (TimeAmount.seconds(30), TimeAmount.seconds(120))
    /// How long a connection stays without a request.
    static let idleLife = TimeAmount.seconds(60)
    /// How long the rest of a refused body is read, so that its sender gets the answer.
    static let refusedLife = TimeAmount.seconds(5)
    /// The most bytes of a page that has not proved its session.
    static let proofBytes = 4 << 10

    private enum Phase {
      case head
      case body(end: NIODeadline)
      case answering
      case idle
      case proving(bytes: Int)
      case open
    }

    private let waiting: WaitingBytes
    private var phase = Phase.head
    private var deadline: Scheduled<Void>?
    /// The bytes of this connection that wait.
    private var held = 0
    /// Whether all bytes wait until `release`, as those of a page do.
    private var holdsAll = false

    init(_ waiting: WaitingBytes) { self.waiting = waiting }

    func channelActive(context: ChannelHandlerContext) {
      enter(.head, Self.life, context.channel)
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let count = unwrapInboundIn(data).readableBytes
      switch phase {
      case .idle: enter(.head, Self.life, context.channel)
      case .body(let end): wait(forBody: end, context.channel)
      case .proving(let bytes):
        guard count <= bytes else { return context.close(promise: nil) }
        phase = .proving(bytes: bytes - count)
      case .head, .answering, .open: break
      }
      guard !holdsAll || hold(count) else { return context.close(promise: nil) }
      context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      release(held)
      context.fireChannelInactive()
    }

    // MARK: What waits

    /// Counts bytes that wait; false if there are too many.
    func hold(_ count: Int) -> Bool {
      guard waiting.add(count) else { return false }
      held += count
      return true
    }

    /// These bytes wait no more.
    func release(_ count: Int) {
      let count = min(count, held)
      held -= count
      waiting.remove(count)
    }

    /// Nothing waits any more.
    func releaseAll() { release(held) }

    // MARK: Phases

    /// A head has come, and its body begins.
    func beginBody(_ channel: any Channel) { wait(forBody: channel.eventLoop.now + Self.bodyLife, channel) }

    /// The request is whole.
    func beginAnswer() {
      deadline?.cancel()
      phase = .answering
    }

    /// The answer is written.
    func beginIdle(_ channel: any Channel) { enter(.idle, Self.idleLife, channel) }

    /// A request was refused, and the rest of it is read.
    func beginEnd(_ channel: any Channel) { enter(.answering, Self.refusedLife, channel) }

    /// The connection has become a WebSocket.
    func beginProof(_ channel: any Channel) {
      holdsAll = true
      enter(.proving(bytes: Self.proofBytes), Self.life, channel)
    }

    /// The page is admitted.
    func admit() {
      deadline?.cancel()
      phase = .open
    }

    private func enter(_ phase: Phase, _ life: TimeAmount, _ channel: any Channel) {
      self.phase = phase
      deadline?.cancel()
      deadline = channel.eventLoop.scheduleTask(in: life) { channel.close(promise: nil) }
    }

    private func wait(forBody end: NIODeadline, _ channel: any Channel) {
      phase = .body(end: end)
      deadline?.cancel()
      deadline = channel.eventLoop.scheduleTask(deadline: min(channel.eventLoop.now + Self.bodyPause, end)) {
        channel.pipeline.fireUserInboundEventTriggered(LateBody())
      }
    }
  }
#endif
