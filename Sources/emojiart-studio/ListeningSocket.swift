// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWorkspace
  import Glibc

  /// A socket that listens at a port of 127.0.0.1: one that was handed over, or one of this program's own.
  struct ListeningSocket {
    let descriptor: Int32
    let port: Int

    /// Listens at a port; 0 stands for any.
    init(at port: Int) throws(SystemError) {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw SystemError("socket") }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      // Connections of a former server that are not forgotten yet do not hold the port; a listening server does.
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let isListening = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          // Two sockets can be bound to one port until one of them listens.
          Glibc.bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 64) == 0
        }
      }
      guard isListening, let port = Self.loopbackPort(of: descriptor) else {
        let error = SystemError("bind")
        close(descriptor)
        throw error
      }
      (self.descriptor, self.port) = (descriptor, port)
    }

    /// The one of these ports that is free first; none of `others` is taken for any free port.
    init(at port: Int?, avoiding others: [Int]) throws(ArtError) {
      do throws(SystemError) {
        if let port {
          self = try ListeningSocket(at: port)
          return
        }
        var refused: [Int32] = []
        defer { for descriptor in refused { close(descriptor) } }
        while true {
          let socket = try ListeningSocket(at: 0)
          // The refused ones stay taken meanwhile, so each port comes once.
          guard others.contains(socket.port) else {
            self = socket
            return
          }
          refused.append(socket.descriptor)
        }
      } catch {
        guard error.number == EADDRINUSE, let port else {
          throw ArtError(error, cannot: "listen at", port.map { "port \($0)" } ?? "127.0.0.1")
        }
        throw ArtError(
          .unavailable, "port \(port) is in use; choose another one with --port", about: "\(port)")
      }
    }

    /// The socket that the program's starter has handed over: systemd's way, sd_listen_fds(3). Nil for none. Throws `unavailable` for
    /// anything but one socket that listens at a port of 127.0.0.1. `first` is the descriptor of the first one.
    init?(handedTo process: pid_t, first: Int32 = 3) throws(ArtError) {
      defer { for name in ["LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID"] { unsetenv(name) } }
      guard let count = Environment["LISTEN_FDS"], Environment["LISTEN_PID"] == "\(process)" else {
        return nil
      }
      guard count == "1" else {
        throw ArtError(.unavailable, "one socket can be handed over, and LISTEN_FDS is \(count.prefix(20))")
      }
      guard Self.isOption(SO_ACCEPTCONN, 1, of: first),
        Self.isOption(SO_TYPE, Int32(SOCK_STREAM.rawValue), of: first),
        let port = Self.loopbackPort(of: first)
      else {
        throw ArtError(.unavailable, "the socket that was handed over does not listen at a port of 127.0.0.1")
      }
      // The programs that this one starts do not get it.
      guard fcntl(first, F_SETFD, FD_CLOEXEC) == 0 else {
        throw ArtError(SystemError("fcntl"), cannot: "use", "the socket that was handed over")
      }
      (descriptor, self.port) = (first, port)
    }

    /// Which socket it is; nil where the kernel does not say.
    var identity: ServerRecord.Socket? {
      var (cookie, size) = (UInt64(0), socklen_t(MemoryLayout<UInt64>.size))
      var status = stat()
      guard getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0,
        fstat(descriptor, &status) == 0
      else { return nil }
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return ServerRecord.Socket(
        cookie: Int(truncatingIfNeeded: cookie & (1 << 53 - 1)),
        inode: Int(truncatingIfNeeded: status.st_ino),
        boot: now.tv_sec - Self.secondsSinceBoot)
    }

    /// The time since the machine's boot, also that in which it slept.
    static var secondsSinceBoot: Int {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return time.tv_sec
    }

    private static func isOption(_ name: Int32, _ expected: Int32, of descriptor: Int32) -> Bool {
      var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 && value == expected
    }

    /// The port of a socket that is bound to 127.0.0.1; nil for any other descriptor.
    private static func loopbackPort(of descriptor: Int32) -> Int? {
      var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
      }
      guard isKnown, address.sin_family == sa_family_t(AF_INET),
        address.sin_addr.s_addr == INADDR_LOOPBACK.bigEndian
      else { return nil }
      return Int(in_port_t(bigEndian: address.sin_port))
    }
  }
#endif
