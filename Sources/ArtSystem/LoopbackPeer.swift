// SPDX-License-Identifier: Apache-2.0

import CArtSystem
import Glibc

/// The program at the other end of a connection within this machine.
package enum LoopbackPeer {
  /// The addresses that a peer may have, each for a connection to the same one. All of 127.0.0.0/8 can connect to the first one, and the same port
  /// of another address belongs to somebody else.
  private enum Address: String {
    case v4 = "127.0.0.1"
    case v6 = "::1"

    /// The kernel's list of connections.
    var list: String { self == .v4 ? "/proc/net/tcp" : "/proc/net/tcp6" }
    /// The address as the list has it.
    var listed: String { self == .v4 ? "0100007F" : "00000000000000000000000001000000" }
  }

  /// Whether the end of a connection to the port `port` of 127.0.0.1 or ::1 is at the same address and belongs to this user. `address` and `peer`
  /// are those of that end. False where it cannot be found out, and where an end has closed the connection.
  package static func isOwn(address: String, port peer: Int, at port: Int) -> Bool {
    guard let place = Address(rawValue: address), let end = UInt16(exactly: peer),
      let other = UInt16(exactly: port)
    else { return false }
    let answer = csystem_loopback_peer(end, other, place == .v6)
    return answer == csystem_peer_unknown
      ? isListed(peer, at: port, place) : answer == csystem_peer_own
  }

  /// The same by the kernel's list of all connections, which it needs milliseconds for: proc(5), `/proc/net/tcp`. It is for kernels without
  /// sock_diag(7).
  static func isListed(_ peer: Int, at port: Int, isV6: Bool = false) -> Bool {
    isListed(peer, at: port, isV6 ? .v6 : .v4)
  }

  private static func isListed(_ peer: Int, at port: Int, _ place: Address) -> Bool {
    var list: String?
    do throws(SystemError) { list = try SmallFile.text(place.list, limit: 64 << 20) } catch {
      // What cannot be read says nothing.
    }
    guard let list else { return false }
    let (from, to) = (text(peer, place), text(port, place))
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 7, fields[1] == from, fields[2] == to else { continue }
      // The list names no user, that is root, for the end of a connection that its program has closed already.
      return fields[3] == established && fields[7] == "\(getuid())"
    }
    return false
  }

  /// The state of a connection that both ends have open.
  private static let established = "01"

  /// A port as the list has it.
  private static func text(_ port: Int, _ place: Address) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return "\(place.listed):" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
