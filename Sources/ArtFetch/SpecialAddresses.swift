// SPDX-License-Identifier: Apache-2.0

extension Address {
  /// What it is when it is not one of the public internet, as the rest of "is ..."; nil for a public one.
  ///
  /// The registries of IANA: https://www.iana.org/assignments/iana-ipv4-special-registry,
  /// https://www.iana.org/assignments/iana-ipv6-special-registry, and the address spaces that they are part of. Special is
  /// also what wraps an IPv4 address, whichever that is, and all that is not assigned to anybody.
  var specialPurpose: String? {
    if bytes.count == 4 { return Self.special4.first { $0.contains(self) }?.purpose }
    if let range = Self.special6.first(where: { $0.contains(self) }) { return range.purpose }
    return Self.global6.contains(self) ? nil : "assigned to nobody"
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

  /// RFC 4291: all global unicast addresses until now.
  private static let global6 = AddressRange(v6: [0x2000], 3, "global")
}
