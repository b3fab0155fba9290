// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtFetch

@Suite("Special addresses") struct AddressTests {
  /// The registries, written a second time: the first address of each block, the last one, and the neighbours on both sides, with
  /// `+` where that is public.
  /// https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry.xhtml
  /// https://www.iana.org/assignments/iana-ipv6-special-registry/iana-ipv6-special-registry.xhtml
  /// https://www.iana.org/assignments/ipv6-address-space/ipv6-address-space.xhtml
  private static let blocks = """
    0.0.0.0 0.255.255.255 +1.0.0.0
    +9.255.255.255 10.0.0.0 10.255.255.255 +11.0.0.0
    +100.63.255.255 100.64.0.0 100.127.255.255 +100.128.0.0
    +126.255.255.255 127.0.0.0 127.0.0.1 127.255.255.255 +128.0.0.0
    +169.253.255.255 169.254.0.0 169.254.169.254 169.254.255.255 +169.255.0.0
    +172.15.255.255 172.16.0.0 172.31.255.255 +172.32.0.0
    +191.255.255.255 192.0.0.0 192.0.0.255 +192.0.1.0
    +192.0.1.255 192.0.2.0 192.0.2.255 +192.0.3.0
    +192.31.195.255 192.31.196.0 192.31.196.255 +192.31.197.0
    +192.52.192.255 192.52.193.0 192.52.193.255 +192.52.194.0
    +192.88.98.255 192.88.99.0 192.88.99.255 +192.88.100.0
    +192.167.255.255 192.168.0.0 192.168.255.255 +192.169.0.0
    +192.175.47.255 192.175.48.0 192.175.48.255 +192.175.49.0
    +198.17.255.255 198.18.0.0 198.19.255.255 +198.20.0.0
    +198.51.99.255 198.51.100.0 198.51.100.255 +198.51.101.0
    +203.0.112.255 203.0.113.0 203.0.113.255 +203.0.114.0
    +223.255.255.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
    :: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:0.0.0.0 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:10.0.0.1 ::fffe:0:1
    64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 64:ff9b:2::
    100:: 100::ffff:ffff:ffff:ffff 100:0:0:1:: 100:0:0:2:: 1fff:ffff:: +2000:: +2000:ffff::
    2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:2:: 2001:3:: 2001:4:112:: 2001:20:: 2001:30::
    2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff +2001:200:: +2001:db7:ffff:: 2001:db8:: 2001:db8:ffff:: +2001:db9::
    +2001:ffff:: 2002:: 2002:7f00:1:: 2002:808:808:: 2002:ffff:: +2003::
    +2606:4700:4700::1111 +2620:4f:7fff:: 2620:4f:8000:: 2620:4f:8000:ffff:: +2620:4f:8001::
    +3ffe:ffff:: 3fff:: 3fff:fff:ffff:: +3fff:1000:: +3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
    4000:: 5eff:: 5f00:: 5f00:ffff:: 5f01:: fbff:: fc00:: fd00::1 fdff:ffff:: fe00:: fe80:: fe80::1 febf:ffff::
    fec0:: feff:ffff:: ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
    """

  @Test(
    "B9 all blocks of the registries, all forms that embed an IPv4 address and all unassigned blocks are special"
  )
  func registries() throws {
    let words = Self.blocks.split { $0 == " " || $0 == "\n" }
    var special = 0
    for word in words {
      let isPublic = word.first == "+"
      let address = try #require(Address(String(isPublic ? word.dropFirst() : word)), "\(word)")
      #expect((address.specialPurpose == nil) == isPublic, "\(word): \(address.specialPurpose ?? "public")")
      special += isPublic ? 0 : 1
    }
    #expect(special >= 80 && words.count - special >= 40)
    print("\(words.count) addresses, \(special) of them special")
  }

  @Test("B9 an address is compared by its bytes, and other spellings are not accepted")
  func bytes() throws {
    let mapped = try #require(Address("::FFFF:7F00:1"))
    #expect(
      mapped == Address("::ffff:127.0.0.1") && mapped.bytes.count == 16 && mapped.text == "::ffff:127.0.0.1")
    #expect(Address("127.0.0.1")?.bytes == [127, 0, 0, 1] && Address("127.0.0.1")?.text == "127.0.0.1")
    for text in ["", "127.1", "0x7f.0.0.1", "localhost", "[::1]", "::1%lo", "1.2.3.4.5", "1.2.3.256"] {
      #expect(Address(text) == nil, "\(text)")
    }
    #expect(Address(bytes: [1, 2, 3]) == nil && Address(bytes: []) == nil)
  }
}
