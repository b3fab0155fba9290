// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An address of the internet, as the bytes that are connected to; its spellings are many.
struct Address: Hashable, Sendable {
  /// 4 of them, or 16.
  let bytes: [UInt8]

  /// Nil for any other number of bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads an address as it stands in a URL, without brackets: four decimal numbers, or hexadecimal groups.
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

  /// As people write it.
  var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil
    else {
      return bytes.map { String($0, radix: 16) }.joined(separator: ":")
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Addresses that share their first bits.
struct AddressRange: Sendable {
  private let prefix: [UInt8]
  private let bits: Int
  private let length: Int
  /// What they are for, as the rest of "is ...".
  let purpose: String

  /// Of four bytes; those that are not given are 0.
  init(v4 prefix: [UInt8], _ bits: Int, _ purpose: String) {
    self.init(prefix, bits, length: 4, purpose)
  }

  /// Of eight groups; those that are not given are 0.
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
