// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import Glibc
  import NIOCore
  import NIOPosix

  /// The socket by which other programs of the user ask a running server for a link. It is in a private folder, and browsers cannot open
  /// such sockets.
  ///
  ///     program: connects        server: http://127.0.0.1:PORT/#c=CODE, and closes
  enum ControlSocket {
    /// Answers every connection with a new link. Throws `unavailable`.
    static func listen(
      at path: String, _ server: StudioServer, _ group: MultiThreadedEventLoopGroup
    ) async throws(ArtError) -> any Channel {
      // A killed server has left it.
      unlink(path)
      do {
        return try await ServerBootstrap(group: group)
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(LinkHandler(server))
            }
          }
          .bind(unixDomainSocketPath: path).get()
      } catch {
        throw ArtError(.unavailable, "no control socket at \(path): \(error)", about: path)
      }
    }

    /// Asks for a link. Throws `unavailable` if no server answers.
    static func link(from path: String) throws(ArtError) -> String {
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
      var timeout = timeval(tv_sec: 5, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = isConnected ? recv(descriptor, &bytes, bytes.count, Int32(MSG_WAITALL)) : -1
      let link = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      guard link.hasPrefix("http://127.0.0.1:"), link.hasSuffix("\n") else {
        throw ArtError(.unavailable, "the server of this folder does not answer; try again")
      }
      return String(link.dropLast())
    }
  }

  /// Writes a link to whoever connects.
  private final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: StudioServer

    init(_ server: StudioServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: server.link() + "\n"))).whenComplete { _ in
        channel.close(promise: nil)
      }
    }
  }
#endif
