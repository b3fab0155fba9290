// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// An internet address as its bytes, which unlike its text are unique.
struct Address: Hashable, Sendable {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  /// Nil for any other number of bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses an address as in a URL, without brackets: dotted decimal, or hexadecimal groups.
  init?(_ literal: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, literal, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  /// The usual notation.
  var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil
    else {
      return bytes.map { String($0, radix: 16) }.joined(separator: ":")
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

// MARK: - Ranges

/// Addresses with a common prefix.
struct AddressRange: Sendable {
  private let prefix: [UInt8]
  private let bits: Int
  private let length: Int
  /// The purpose, as the rest of a sentence: "is ...".
  let purpose: String

  /// A range of IPv4; missing bytes are 0.
  init(v4 prefix: [UInt8], _ bits: Int, _ purpose: String) {
    self.init(prefix, bits, length: 4, purpose)
  }

  /// A range of IPv6; missing groups are 0.
  init(v6 groups: [UInt16], _ bits: Int, _ purpose: String) {
    self.init(
      groups.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }, bits,
      length: 16, purpose)
  }

  init(_ prefix: [UInt8], _ bits: Int, length: Int, _ purpose: String) {
    self.prefix = Array((prefix + [UInt8](repeating: 0, count: 16)).prefix(length))
    self.bits = min(bits, length * 8)
    self.length = length
    self.purpose = purpose
  }

  func contains(_ address: Address) -> Bool {
    guard address.bytes.count == length else { return false }
    let whole = bits / 8
    guard address.bytes[..<whole] == prefix[..<whole] else { return false }
    let rest = bits % 8
    return rest == 0 || (address.bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
  }
}

// MARK: - Special addresses

extension Address {
  /// The purpose of a special address, as the rest of "is ..."; nil for a public one.
  ///
  /// After the registries of IANA, https://www.iana.org/assignments/iana-ipv4-special-registry and
  /// https://www.iana.org/assignments/iana-ipv6-special-registry, and the address spaces that they are part of.
  /// Every address that embeds an IPv4 address counts as special, and so does every unassigned one.
  var specialPurpose: String? {
    if bytes.count == 4 { return Self.special4.first { $0.contains(self) }?.purpose }
    if let range = Self.special6.first(where: { $0.contains(self) }) { return range.purpose }
    return Self.global6.contains(self) ? nil : "not assigned to any network"
  }

  private static let special4: [AddressRange] = [
    AddressRange(v4: [0], 8, "of this network"),  // RFC 791
    AddressRange(v4: [10], 8, "private"),  // RFC 1918
    AddressRange(v4: [100, 64], 10, "shared by a provider's customers"),  // RFC 6598
    AddressRange(v4: [127], 8, "this machine's own"),  // RFC 1122
    AddressRange(v4: [169, 254], 16, "link-local"),  // RFC 3927
    AddressRange(v4: [172, 16], 12, "private"),  // RFC 1918
    AddressRange(v4: [192, 0, 0], 24, "for protocols"),  // RFC 6890
    AddressRange(v4: [192, 0, 2], 24, "for documentation"),  // RFC 5737
    AddressRange(v4: [192, 31, 196], 24, "for protocols"),  // RFC 7535
    AddressRange(v4: [192, 52, 193], 24, "for protocols"),  // RFC 7450
    AddressRange(v4: [192, 88, 99], 24, "for protocols"),  // RFC 7526
    AddressRange(v4: [192, 168], 16, "private"),  // RFC 1918
    AddressRange(v4: [192, 175, 48], 24, "for protocols"),  // RFC 7534
    AddressRange(v4: [198, 18], 15, "for benchmarks"),  // RFC 2544
    AddressRange(v4: [198, 51, 100], 24, "for documentation"),  // RFC 5737
    AddressRange(v4: [203, 0, 113], 24, "for documentation"),  // RFC 5737
    AddressRange(v4: [224], 4, "for multicast"),  // RFC 5771
    AddressRange(v4: [240], 4, "reserved"),  // RFC 1112, RFC 919
  ]

  private static let special6: [AddressRange] = [
    AddressRange(v6: [0, 0, 0, 0, 0, 0, 0, 1], 128, "this machine's own"),  // RFC 4291
    AddressRange(v6: [0], 96, "an IPv4 address in another form"),  // RFC 4291: unspecified, compatible
    AddressRange(v6: [0, 0, 0, 0, 0, 0xFFFF], 96, "an IPv4 address in another form"),  // RFC 4291: mapped
    AddressRange(v6: [0, 0, 0, 0, 0xFFFF], 96, "an IPv4 address in another form"),  // RFC 2765: translated
    AddressRange(v6: [0x64, 0xFF9B], 96, "an IPv4 address in another form"),  // RFC 6052: NAT64
    AddressRange(v6: [0x64, 0xFF9B, 1], 48, "an IPv4 address in another form"),  // RFC 8215: NAT64
    AddressRange(v6: [0x100], 63, "for nothing that answers"),  // RFC 6666, RFC 9780
    AddressRange(v6: [0x2001], 32, "an IPv4 address in another form"),  // RFC 4380: Teredo
    AddressRange(v6: [0x2001], 23, "for protocols"),  // RFC 2928
    AddressRange(v6: [0x2001, 0xDB8], 32, "for documentation"),  // RFC 3849
    AddressRange(v6: [0x2002], 16, "an IPv4 address in another form"),  // RFC 3056: 6to4
    AddressRange(v6: [0x2620, 0x4F, 0x8000], 48, "for protocols"),  // RFC 7534
    AddressRange(v6: [0x3FFF], 20, "for documentation"),  // RFC 9637
    AddressRange(v6: [0x5F00], 16, "for segment routing"),  // RFC 9602
    AddressRange(v6: [0xFC00], 7, "private"),  // RFC 4193
    AddressRange(v6: [0xFE80], 10, "link-local"),  // RFC 4291
    AddressRange(v6: [0xFEC0], 10, "private"),  // RFC 3879
    AddressRange(v6: [0xFF00], 8, "for multicast"),  // RFC 4291
  ]

  /// RFC 4291: all global unicast addresses assigned so far.
  private static let global6 = AddressRange(v6: [0x2000], 3, "global")
}

// MARK: - Resolver

/// Looks names up with a deadline, which the system's own call does not have.
struct Resolver: Sendable {
  /// Returns all addresses of a name; may block for long.
  let lookUp: @Sendable (String) -> [Address]

  /// The system's resolver, however it is configured.
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

  /// The addresses of a host, at least one. Throws `dns`, `timeout` at the deadline, and `refused` where no
  /// thread can be started.
  func addresses(of host: String, before deadline: ContinuousClock.Instant) throws(Refusal) -> [Address] {
    let answer = Answer()
    let isThere = DispatchSemaphore(value: 0)
    // A thread that misses the deadline stays in its call until that returns, which does no harm. Dispatch is
    // not used: without a free thread it waits for ever, and it reads files that the worker may not open.
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
  /// Nil for an address of another family.
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

// MARK: - Time limits

extension Duration {
  /// Whole milliseconds, from 1 to an hour, the range of a timeout for libcurl and poll(2).
  var milliseconds: Int {
    let parts = min(max(self, .milliseconds(1)), .seconds(3600)).components
    return Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
  }
}
