// SPDX-License-Identifier: Apache-2.0

/// Numbers of format 1, computed once by another implementation of FORMAT.md (Python with the `xxhash` package).
enum FrozenNumbers {
  static let schema: UInt = 7_320_132_135_237_648_882
  static let tableOnly: UInt = 0x30c6_7129_6218_8ac4
  static let allKinds: UInt = 0x1518_f254_241d_0f77
  static let picture = "11192220c86c5565b1266ecee4a63b8c"
}
