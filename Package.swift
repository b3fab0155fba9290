// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Warnings are errors where EMOJIART_STRICT is set, as scripts/test and scripts/dev do; not for others, whose compiler may know more warnings.
let isStrict = Context.environment["EMOJIART_STRICT"] != nil
let settings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []
// What most tests spend their time in is optimised in a debug build, too; its assertions stay. See docs/decisions/0087-faster-tests.md.
let optimized = settings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

let studio = TargetDependencyCondition.when(traits: ["Studio"])

let package = Package(
  name: "emojiart",
  products: [
    .library(name: "ArtDocument", targets: ["ArtModel", "ArtStore", "ArtDocument"]),
    .library(
      name: "ArtWorkspace",
      targets: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtWorker", "ArtExchange", "ArtNames", "ArtWorkspace",
      ]),
    .library(
      name: "ArtProtocol",
      targets: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtWorker", "ArtExchange", "ArtNames", "ArtWorkspace",
        "ArtProtocol",
      ]),
    .library(name: "ArtExchange", targets: ["ArtModel", "ArtExchange"]),
    .library(name: "ArtWorker", targets: ["ArtModel", "ArtWorker"]),
    .executable(name: "emojiart", targets: ["emojiart"]),
    // The programs that the libraries start: see `HelperPrograms`.
    .executable(name: "emojiart-inotify", targets: ["emojiart-inotify"]),
    .executable(name: "emojiart-worker", targets: ["emojiart-worker"]),
    .executable(name: "emojiart-studio", targets: ["emojiart-studio"]),
  ],
  traits: [
    .trait(name: "Studio", description: "Builds emojiart-studio, the server of the page, with swift-nio."),
    .default(enabledTraits: ["Studio"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(name: "CArtSystem"),
    .target(name: "ArtSystem", dependencies: ["CArtSystem"], swiftSettings: optimized),
    .target(name: "ArtModel", dependencies: ["ArtSystem"], swiftSettings: optimized),
    // SQLite's and xxHash's headers are where every compiler looks.
    .target(
      name: "CStore", dependencies: ["CArtSystem"],
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("xxhash")]),
    .target(
      name: "ArtStore", dependencies: ["ArtSystem", "ArtModel", "CStore"], swiftSettings: settings),
    .target(
      name: "ArtDocument", dependencies: ["ArtSystem", "ArtModel", "ArtStore"], swiftSettings: settings),
    .target(name: "ArtWatch", dependencies: ["ArtSystem", "ArtModel"], swiftSettings: settings),
    .target(name: "ArtWorker", dependencies: ["ArtSystem", "ArtModel"], swiftSettings: settings),
    .target(
      name: "ArtWorkspace",
      dependencies: [
        "ArtSystem", "ArtModel", "ArtStore", "ArtDocument", "ArtWatch", "ArtWorker", "ArtExchange",
        "ArtNames", "CSodium",
      ],
      swiftSettings: settings),
    .target(
      name: "ArtProtocol", dependencies: ["ArtModel", "ArtStore", "ArtDocument", "ArtWorkspace"],
      swiftSettings: settings),
    .target(name: "ArtExchange", dependencies: ["ArtModel"], swiftSettings: settings),
    // The tables stand beside the C that takes them in.
    .target(
      name: "CEmojiNames",
      exclude: ["", ".ar", ".de", ".es", ".fr", ".it", ".ja", ".pl", ".pt", ".ru", ".uk", ".zh"].flatMap {
        ["names\($0).tsv", "names\($0).tsv.license"]
      }),
    .target(name: "ArtNames", dependencies: ["ArtModel", "CEmojiNames"], swiftSettings: optimized),
    .systemLibrary(
      name: "CGraphics", pkgConfig: "gobject-2.0 cairo harfbuzz freetype2 chafa",
      providers: [
        .apt([
          "libcairo2-dev", "libharfbuzz-dev", "libfreetype-dev", "libchafa-dev",
        ])
      ]),
    // Loops over pixels are fast in a debug build, too. For Pango pkg-config says -pthread, which SwiftPM refuses: it is asked for glib's flags
    // only, which are those of CGraphics.
    .target(
      name: "CWorker", dependencies: ["CGraphics"],
      cSettings: [
        .unsafeFlags(
          ["-O2"] + ["pango-1.0", "fribidi"].map { "-I/usr/include/\($0)" })
      ],
      // Not the shared libjpeg, which has another name on Ubuntu than on Debian.
      linkerSettings: [":libjpeg.a", "lcms2", "m", "pango-1.0", "png16", "seccomp", "webp", "z"].map {
        .linkedLibrary($0)
      }),
    // By itself: what draws shall not link it, which takes address space.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("z")]),
    .target(
      name: "ArtFetch", dependencies: ["ArtSystem", "ArtModel", "CCurl"], swiftSettings: settings),
    .target(
      name: "ArtDrawing", dependencies: ["ArtSystem", "ArtModel", "CGraphics", "CWorker"],
      swiftSettings: settings),
    .executableTarget(
      name: "emojiart-worker", dependencies: ["ArtSystem", "ArtModel", "ArtFetch", "ArtDrawing", "CWorker"],
      swiftSettings: settings),
    // C, and GPL: a program of its own, without Swift's startup code and runtime in it.
    .executableTarget(
      name: "emojiart-inotify",
      linkerSettings: [
        .linkedLibrary("inotifytools"),
        .unsafeFlags(["-nostartfiles", "-static-stdlib", "-Xlinker", "--as-needed"]),
      ]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // The page stands beside the C that takes it in.
    .target(
      name: "CStudioPage", exclude: ["page", "package.json"], linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "ArtWeb",
      dependencies: ["ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "CStudioPage"],
      swiftSettings: settings),
    .executableTarget(
      name: "emojiart-studio",
      dependencies: [
        "ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "ArtWeb",
        .target(name: "CSodium", condition: studio),
        .product(name: "NIOCore", package: "swift-nio", condition: studio),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: studio),
        .product(name: "NIOPosix", package: "swift-nio", condition: studio),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: studio),
      ],
      swiftSettings: settings),
    .target(name: "ArtTerminal", dependencies: ["ArtSystem", "ArtModel"], swiftSettings: settings),
    .executableTarget(
      name: "emojiart",
      dependencies: [
        "ArtSystem", "ArtModel", "ArtWorkspace", "ArtProtocol", "ArtTerminal", "emojiart-inotify",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // The program that the tutorial of ArtWorkspace makes, as its last step shows it.
    .executableTarget(
      name: "FollowADocument", dependencies: ["ArtModel", "ArtDocument", "ArtWorkspace"],
      path: "Sources/ArtWorkspace/ArtWorkspace.docc/Resources",
      exclude: (1...3).map { "FollowADocument-\($0).swift" },
      swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: settings),
    .executableTarget(
      name: "WorkerParent", dependencies: ["ArtSystem", "ArtModel", "ArtWorker", "CArtSystem"],
      path: "Tests/WorkerParent",
      swiftSettings: settings),
    .testTarget(
      name: "ArtSystemTests",
      dependencies: ["ArtSystem", "ArtModel", "TestSupport", "emojiart-inotify", "WorkerParent"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtModelTests", dependencies: ["ArtSystem", "ArtModel", "TestSupport"], swiftSettings: settings),
    .executableTarget(
      name: "PictureWriter", dependencies: ["ArtModel", "ArtStore", "ArtDocument"],
      path: "Tests/PictureWriter",
      swiftSettings: settings),
    .executableTarget(
      name: "RevisionTimes", dependencies: ["ArtModel", "ArtStore", "ArtWorkspace"],
      path: "Tests/RevisionTimes",
      swiftSettings: settings),
    .testTarget(
      name: "ArtStoreTests",
      dependencies: ["ArtSystem", "ArtModel", "ArtStore", "CStore", "TestSupport", "PictureWriter"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtDocumentTests",
      dependencies: ["ArtModel", "ArtStore", "ArtDocument", "CStore", "TestSupport", "emojiart"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWatchTests",
      dependencies: ["ArtSystem", "ArtModel", "ArtWatch", "TestSupport", "emojiart-inotify"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtFetchTests", dependencies: ["ArtModel", "ArtFetch", "TestSupport", "emojiart-worker"],
      swiftSettings: settings),
    .executableTarget(
      name: "DrawingChild", dependencies: ["ArtModel", "ArtDrawing"], path: "Tests/DrawingChild",
      swiftSettings: settings),
    .testTarget(
      name: "ArtDrawingTests",
      dependencies: [
        "ArtModel", "ArtDrawing", "CGraphics", "CWorker", "TestSupport", "DrawingChild", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWorkerTests",
      dependencies: [
        "ArtSystem", "ArtModel", "ArtWorker", "TestSupport", "WorkerParent", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWorkspaceTests",
      dependencies: [
        "ArtSystem", "ArtModel", "ArtStore", "ArtDocument", "ArtWatch", "ArtWorker", "ArtExchange",
        "ArtNames",
        "ArtWorkspace", "CStore",
        "TestSupport", "emojiart-inotify", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtProtocolTests",
      dependencies: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtWorkspace", "ArtProtocol", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWebTests",
      dependencies: [
        "ArtModel", "ArtStore", "ArtSystem", "ArtDocument", "ArtWorkspace", "ArtProtocol", "ArtWeb",
        "TestSupport", "emojiart", "emojiart-studio", "emojiart-worker",
        .product(name: "NIOCore", package: "swift-nio", condition: studio),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: studio),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtExchangeTests", dependencies: ["ArtModel", "ArtExchange", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtNamesTests", dependencies: ["ArtModel", "ArtNames", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "emojiart", "emojiart-worker", "ArtModel", "ArtNames", "ArtTerminal", "ArtWorkspace", "ArtProtocol",
        "FollowADocument", "TestSupport",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
