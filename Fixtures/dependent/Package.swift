// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// A package that depends on the libraries by path, without the trait Studio and so without swift-nio. See scripts/devtools/check-dependent.

import PackageDescription

let package = Package(
  name: "dependent",
  dependencies: [.package(name: "emojiart", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "Dependent",
      dependencies: [
        "ArtDocument", "ArtExchange", "ArtProtocol", "ArtWorker", "ArtWorkspace", "emojiart-inotify",
        "emojiart-studio",
      ].map { .product(name: $0, package: "emojiart") })
  ]
)
