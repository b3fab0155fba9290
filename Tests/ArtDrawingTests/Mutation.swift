// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Pictures with random changes, the same ones for the same seed.
enum Mutation {
  /// One to four changes of one of the sources; half of the PNG files get valid sums again.
  static func any(of sources: [[UInt8]], using random: inout SplitMix64) -> [UInt8] {
    var bytes = sources[random.below(sources.count)]
    for _ in 0...[0, 0, 0, 1, 3][random.below(5)] where bytes.count > 8 { change(&bytes, sources, &random) }
    if random.oneIn(2) { correctSums(&bytes) }
    return bytes
  }

  private static func change(_ bytes: inout [UInt8], _ sources: [[UInt8]], _ random: inout SplitMix64) {
    let place = random.below(bytes.count)
    switch random.below(10) {
    case 0, 1: bytes[place] ^= 1 << random.below(8)
    case 2: bytes[place] = UInt8(random.below(256))
    case 3: bytes.removeLast(random.below(bytes.count))
    case 4: bytes.insert(contentsOf: (0...random.below(20)).map { _ in UInt8(random.below(256)) }, at: place)
    case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
    case 6:
      overwrite(
        &bytes, at: place,
        with: [[0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 0, 1]][random.below(4)])
    case 7: swapParts(&bytes, &random)
    case 8:
      // The beginning of one picture and the end of another.
      let other = sources[random.below(sources.count)]
      bytes.replaceSubrange(place..., with: other[random.below(other.count)...])
    default:
      // Two bytes near the beginning, where sizes are.
      overwrite(
        &bytes, at: min(place, random.below(64)), with: [UInt8(random.below(256)), UInt8(random.below(256))])
    }
  }

  private static func overwrite(_ bytes: inout [UInt8], at place: Int, with new: [UInt8]) {
    for (offset, byte) in new.enumerated() where place + offset < bytes.count { bytes[place + offset] = byte }
  }

  private static func swapParts(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let cuts = (0..<3).map { _ in random.below(bytes.count) }.sorted()
    bytes = Array(bytes[..<cuts[0]] + bytes[cuts[1]..<cuts[2]] + bytes[cuts[0]..<cuts[1]] + bytes[cuts[2]...])
  }

  /// Gives each chunk of a PNG file a valid sum, so that the decoder reads its content.
  private static func correctSums(_ bytes: inout [UInt8]) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return }
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 8 + length
      guard end + 4 <= bytes.count else { return }
      let sum = crc(bytes[offset + 4..<end])
      for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
      offset = end + 4
    }
  }

  /// CRC-32 as in PNG, annex D.
  static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
