// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWorkspace
  import Glibc
  import NIOCore
  import NIOPosix

  /// The socket by which other programs of the user ask a running server. It is in a private folder, and browsers cannot open such sockets.
  ///
  ///     program: link                      server: http://NAME:PORT/#c=CODE
  ///                                                the document that its pages open first, percent-encoded
  ///              sessions                          a line of JSON for each session
  ///              revoke ID, or revoke              how many sessions have ended, and why the next server may still know them
  enum ControlSocket {
    /// The most bytes of an answer: a link and the path of a document, of which each byte may become three; or all sessions.
    private static let limit = 256 + 3 * Int(PATH_MAX) + 64 << 10

    /// Answers programs. Throws `unavailable`.
    static func listen(
      at path: String, _ server: StudioServer, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> any Channel {
      // A killed server has left it.
      unlink(path)
      // The socket is for this user only. What other threads make meanwhile is so, too.
      let before = umask(0o077)
      defer { umask(before) }
      do {
        return try await ServerBootstrap(group: group)
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(ControlHandler(server))
            }
          }
          .bind(unixDomainSocketPath: path).get()
      } catch {
        throw ArtError(.unavailable, "no control socket at \(path): \(error)", about: path)
      }
    }

    /// Asks the running server; nil if none answers. Throws `unavailable` for a path that is too long.
    static func ask(_ request: StudioLaunch.Request, at path: String) throws(ArtError) -> String? {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw ArtError(SystemError("socket", ""), cannot: "make", "a socket") }
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let room = MemoryLayout.size(ofValue: address.sun_path) - 1
      guard path.utf8.count <= room else {
        throw ArtError(.unavailable, "the path of the control socket is too long: \(path)", about: path)
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isConnected else { return nil }
      var timeout = timeval(tv_sec: 5, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      let line = Array("\(request.text)\n".utf8)
      guard send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else { return nil }
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_WAITALL))
      // Without an answer, the server starts or ends.
      return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
  }

  /// What the running server of a folder answers to a program that asks for a link.
  struct RunningServer: Sendable, Hashable {
    /// The link with a new launch code.
    let link: String
    /// Its port on loopback.
    let port: Int
    /// The document that its pages open first, percent-encoded; empty for none.
    private let first: String

    private static let scheme = "http://"

    /// The answer of a server with this link.
    init(link: String, port: Int, first: String?) {
      (self.link, self.port, self.first) = (link, port, Self.encoded(first ?? ""))
    }

    /// Parses an answer; nil for one that is not whole.
    init?(answer: String) {
      let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix(Self.scheme),
        let port = lines[0].dropFirst(Self.scheme.count).prefix(while: { $0 != "/" }).split(separator: ":")
          .last
          .flatMap({ Int($0) })
      else { return nil }
      (link, self.port, first) = (String(lines[0]), port, String(lines[1]))
    }

    /// The answer as it is sent.
    var answer: String { "\(link)\n\(first)\n" }

    /// The link to a document. One that the server's pages open anyway is not named.
    func link(to document: String?) -> String {
      guard let name = document.map(Self.encoded), name != first else { return link }
      return "\(link)&d=\(name)"
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986.
    private static func encoded(_ text: String) -> String {
      text.utf8.reduce(into: "") { result, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "~"):
          result.unicodeScalars.append(Unicode.Scalar(byte))
        default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
      }
    }
  }

  /// Answers the one line of a program.
  private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let (life, longest) = (TimeAmount.seconds(5), 64)

    private let server: StudioServer
    private var line: [UInt8] = []
    private var deadline: Scheduled<Void>?

    init(_ server: StudioServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
      // Without an answer, the other program tries to become the next server.
      guard !server.isEnding else { return context.close(promise: nil) }
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: Self.life) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      line += unwrapInboundIn(data).readableBytesView
      guard line.last == UInt8(ascii: "\n") else {
        if line.count > Self.longest { context.close(promise: nil) }
        return
      }
      let channel = context.channel
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      guard !server.isEnding, let answer = StudioLaunch.Request(text).map(answer) else {
        return context.close(promise: nil)
      }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
        channel.close(promise: nil)
      }
    }

    private func answer(_ request: StudioLaunch.Request) -> String {
      switch request {
      case .link:
        RunningServer(link: server.link(), port: server.host.port, first: server.hub.first).answer
      // Without a session there is an answer, too.
      case .sessions: StudioSession.json(server.sessions()) + "\n"
      case .revoke(let session): Self.text(server.revoke(session))
      }
    }

    private static func text(_ revoked: (count: Int, fault: ArtError?)) -> String {
      "\(revoked.count)\(revoked.fault.map { " \($0.cause)" } ?? "")\n"
    }
  }
#endif
