// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// Finds the addresses of a name, and waits no longer than it may: the system's own call has no deadline.
struct Resolver: Sendable {
  /// All addresses of a name, none where it has none. May take long.
  let lookUp: @Sendable (String) -> [Address]

  /// The system's: its hosts file, its name servers, whatever it is set to.
  static let system = Resolver { name in
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    return sequence(first: found, next: { $0?.pointee.ai_next }).compactMap {
      $0.flatMap { Address($0.pointee) }
    }
  }

  /// The addresses of a host, at least one. Throws `dns`, `timeout` at the deadline, and `refused` where no thread can be begun.
  func addresses(of host: String, before deadline: ContinuousClock.Instant) throws(Refusal) -> [Address] {
    let answer = Answer()
    let isThere = DispatchSemaphore(value: 0)
    // A thread that is waited for no longer stays in its call until that ends, and hurts nobody.
    // Dispatch is not used: without a free thread it waits for ever, and it reads files that the worker may not open.
    do throws(SystemError) {
      try Threads.begin { [lookUp] in
        answer.addresses.withLock { $0 = lookUp(host) }
        isThere.signal()
      }
    } catch {
      throw Refusal(.refused, "no thread could be begun to find \(host): \(error.text); raise `ulimit -u`")
    }
    let timeout = ContinuousClock.now.duration(to: deadline).milliseconds
    guard isThere.wait(timeout: .now() + .milliseconds(timeout)) == .success else {
      throw Refusal(.timeout, "the name \(host) was not found in time")
    }
    let addresses = answer.addresses.withLock { $0 }
    guard !addresses.isEmpty else { throw Refusal(.dns, "no address was found for \(host)") }
    return addresses
  }

  private final class Answer: Sendable {
    let addresses = Mutex<[Address]>([])
  }
}

extension Address {
  /// Nil for one that is none of the internet's.
  fileprivate init?(_ info: addrinfo) {
    guard let address = info.ai_addr else { return nil }
    let raw = UnsafeRawPointer(address)
    switch info.ai_family {
    case AF_INET where info.ai_addrlen >= MemoryLayout<sockaddr_in>.size:
      self.init(bytes: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
    case AF_INET6 where info.ai_addrlen >= MemoryLayout<sockaddr_in6>.size:
      self.init(bytes: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default:
      return nil
    }
  }
}

extension Duration {
  /// Whole milliseconds, from 1 to an hour: what libcurl and the system take as a time to wait.
  var milliseconds: Int {
    let parts = min(max(self, .milliseconds(1)), .seconds(3600)).components
    return Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
  }
}
