// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWorkspace
  import Glibc

  /// Sockets that listen at a port of 127.0.0.1 and of ::1: those that were handed over, or this program's own.
  ///
  /// A browser takes either address for a name below `localhost`. At one that is free another user could listen, and would get the link's code. On a
  /// machine without IPv6 there is 127.0.0.1 only.
  struct ListeningSocket {
    /// How many ports are tried of which another program has one address.
    private static let tries = 64

    private enum Address: CaseIterable {
      case v4, v6

      var family: Int32 { self == .v4 ? AF_INET : AF_INET6 }
      /// As it is written before a port.
      var text: String { self == .v4 ? "127.0.0.1" : "[::1]" }
    }

    /// That of 127.0.0.1, and that of ::1.
    let descriptors: [Int32]
    let port: Int

    /// Listens at a port; 0 stands for any.
    init(at port: Int) throws(SystemError) {
      var refused: [Int32] = []
      // The refused ones stay taken meanwhile, so each port comes once.
      defer { for descriptor in refused { close(descriptor) } }
      for _ in 0..<Self.tries {
        let first = try Self.listen(at: .v4, port)
        do throws(SystemError) {
          guard let own = Self.place(of: first)?.port else { throw SystemError("getsockname") }
          let second = try Self.listenIfPresent(at: .v6, own)
          (descriptors, self.port) = ([first] + (second.map { [$0] } ?? []), own)
          return
        } catch {
          refused.append(first)
          guard port == 0, error.number == EADDRINUSE else { throw error }
        }
      }
      throw SystemError("bind", number: EADDRINUSE)
    }

    /// Nil on a machine without the address.
    private static func listenIfPresent(at address: Address, _ port: Int) throws(SystemError) -> Int32? {
      do throws(SystemError) { return try listen(at: address, port) } catch {
        guard error.number == EAFNOSUPPORT || error.number == EADDRNOTAVAIL else { throw error }
        return nil
      }
    }

    private static func listen(at place: Address, _ port: Int) throws(SystemError) -> Int32 {
      let descriptor = socket(
        place.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { throw SystemError("socket") }
      // Connections of a former server that are not forgotten yet do not hold the port; a listening server does.
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let number = in_port_t(truncatingIfNeeded: port).bigEndian
      // Two sockets can be bound to one port until one of them listens.
      let isListening: Bool
      switch place {
      case .v4:
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        isListening = bind(descriptor, to: &address) && Glibc.listen(descriptor, 64) == 0
      case .v6:
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = number
        address.sin6_addr = in6addr_loopback
        isListening = bind(descriptor, to: &address) && Glibc.listen(descriptor, 64) == 0
      }
      guard isListening else {
        let number = errno
        let error = SystemError("bind", "\(place.text):\(port)", number: number)
        close(descriptor)
        throw error
      }
      return descriptor
    }

    private static func bind<Address>(_ descriptor: Int32, to address: inout Address) -> Bool {
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        }
      }
    }

    /// The port that is asked for, or any free one.
    init(at port: Int?) throws(ArtError) {
      do throws(SystemError) { self = try ListeningSocket(at: port ?? 0) } catch {
        let address = port.flatMap { _ in error.path }
        guard error.number == EADDRINUSE, let port, let address else {
          throw ArtError(error, cannot: "listen at", address ?? "127.0.0.1")
        }
        throw ArtError(
          .unavailable, "\(address) is in use; choose another port with --port", about: "\(port)")
      }
    }

    /// The sockets that the program's starter has handed over: systemd's way, sd_listen_fds(3). Nil for none. Throws `unavailable` for anything but
    /// sockets that listen at one port of 127.0.0.1 and ::1. `first` is the descriptor of the first one.
    init?(handedTo process: pid_t, first: Int32 = 3) throws(ArtError) {
      defer { for name in ["LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID"] { unsetenv(name) } }
      guard let count = Environment["LISTEN_FDS"], Environment["LISTEN_PID"] == "\(process)" else {
        return nil
      }
      guard count == "1" || count == "2" else {
        throw ArtError(.unavailable, "two sockets can be handed over, and LISTEN_FDS is \(count.prefix(20))")
      }
      var found: [Address: Int32] = [:]
      var ports: Set<Int> = []
      for descriptor in count == "1" ? [first] : [first, first + 1] {
        guard Self.isOption(SO_ACCEPTCONN, 1, of: descriptor),
          Self.isOption(SO_TYPE, Int32(SOCK_STREAM.rawValue), of: descriptor),
          let (address, port) = Self.place(of: descriptor)
        else {
          throw ArtError(
            .unavailable, "a socket that was handed over does not listen at a port of 127.0.0.1 or [::1]")
        }
        found[address] = descriptor
        ports.insert(port)
        // The programs that this one starts do not get it.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
          throw ArtError(SystemError("fcntl"), cannot: "use", "the socket that was handed over")
        }
      }
      let descriptors = Address.allCases.compactMap { found[$0] }
      guard let port = ports.first, ports.count == 1, found[.v4] != nil,
        found[.v6] != nil || !Self.hasIPv6
      else {
        throw ArtError(
          .unavailable,
          "sockets at 127.0.0.1 and at [::1] are needed, at the same port; see emojiart-serve@.socket")
      }
      (self.descriptors, self.port) = (descriptors, port)
    }

    /// Whether the machine has ::1. What cannot be found out counts as there.
    private static var hasIPv6: Bool {
      do throws(SystemError) {
        guard let descriptor = try listenIfPresent(at: .v6, 0) else { return false }
        close(descriptor)
        return true
      } catch {
        return true
      }
    }

    /// Which sockets they are; none where the kernel does not say.
    var identities: [ServerRecord.Socket] {
      let all = descriptors.compactMap(Self.identity)
      return all.count == descriptors.count ? all : []
    }

    private static func identity(of descriptor: Int32) -> ServerRecord.Socket? {
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
        boot: now.tv_sec - secondsSinceBoot)
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

    /// The loopback address and the port that a socket is bound to; nil for any other descriptor.
    private static func place(of descriptor: Int32) -> (address: Address, port: Int)? {
      var (address, size) = (sockaddr_in6(), socklen_t(MemoryLayout<sockaddr_in6>.size))
      return withUnsafeMutablePointer(to: &address) { pointer in
        let isKnown = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &size) == 0
        }
        guard isKnown else { return nil }
        switch Int32(pointer.pointee.sin6_family) {
        case AF_INET6:
          let isLoopback = withUnsafeBytes(of: pointer.pointee.sin6_addr) { found in
            withUnsafeBytes(of: in6addr_loopback) { found.elementsEqual($0) }
          }
          return isLoopback ? (.v6, Int(in_port_t(bigEndian: pointer.pointee.sin6_port))) : nil
        case AF_INET:
          // It is the smaller of the two structures.
          return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
            guard pointer.pointee.sin_addr.s_addr == INADDR_LOOPBACK.bigEndian else { return nil }
            return (.v4, Int(in_port_t(bigEndian: pointer.pointee.sin_port)))
          }
        default: return nil
        }
      }
    }
  }
#endif
