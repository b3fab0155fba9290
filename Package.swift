// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "emojiart",
  products: [
    .library(name: "ArtDocument", targets: ["ArtModel", "ArtStore", "ArtDocument"]),
    .executable(name: "emojiart", targets: ["emojiart"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .target(name: "ArtModel", swiftSettings: settings),
    .target(name: "ArtStore", dependencies: ["ArtModel", "CSQLite", "CXXHash"], swiftSettings: settings),
    .target(name: "ArtDocument", dependencies: ["ArtModel", "ArtStore"], swiftSettings: settings),
    .executableTarget(
      name: "emojiart",
      dependencies: [
        "ArtModel", "ArtStore", "ArtDocument",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    .testTarget(name: "ArtModelTests", dependencies: ["ArtModel"], swiftSettings: settings),
    .testTarget(
      name: "ArtStoreTests", dependencies: ["ArtModel", "ArtStore", "CSQLite"], swiftSettings: settings),
    .testTarget(
      name: "ArtDocumentTests", dependencies: ["ArtModel", "ArtStore", "ArtDocument", "CSQLite"],
      swiftSettings: settings),
    .testTarget(name: "CommandTests", dependencies: ["emojiart"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
