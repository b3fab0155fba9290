// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A way to damage a file.
enum Damage: CaseIterable {
  case flipBits
  case overwrite
  case zeroRange
  case truncate
  case zeroPage
  case swapPages
  case copyPage
  /// Pages of an earlier save: their writes were lost.
  case stalePages
  /// Foreign bytes at the end of the file.
  case append

  func apply(to bytes: inout [UInt8], earlier: [UInt8], _ random: inout SplitMix64) {
    let pages = bytes.count / 4096
    switch self {
    case .flipBits:
      for _ in 0...random.below(8) { bytes[random.below(bytes.count)] ^= 1 << random.below(8) }
    case .overwrite:
      let start = random.below(bytes.count)
      for index in start..<min(bytes.count, start + 1 + random.below(600)) {
        bytes[index] = UInt8(random.below(256))
      }
    case .zeroRange:
      let start = random.below(bytes.count)
      for index in start..<min(bytes.count, start + 1 + random.below(2_000)) { bytes[index] = 0 }
    case .truncate: bytes.removeLast(1 + random.below(bytes.count - 1))
    case .zeroPage: bytes.replaceSubrange(page(random.below(pages)), with: repeatElement(0, count: 4096))
    case .swapPages:
      let (one, two) = (page(random.below(pages)), page(random.below(pages)))
      let first = Array(bytes[one])
      bytes.replaceSubrange(one, with: Array(bytes[two]))
      bytes.replaceSubrange(two, with: first)
    case .copyPage:
      let source = Array(bytes[page(random.below(pages))])
      bytes.replaceSubrange(page(random.below(pages)), with: source)
    case .stalePages:
      let changed = (0..<min(pages, earlier.count / 4096)).filter { bytes[page($0)] != earlier[page($0)] }
      for index in changed where random.below(2) == 0 {
        bytes.replaceSubrange(page(index), with: earlier[page(index)])
      }
    case .append:
      for _ in 0...random.below(5_000) { bytes.append(UInt8(random.below(256))) }
    }
  }

  private func page(_ index: Int) -> Range<Int> { index * 4096..<(index + 1) * 4096 }
}
