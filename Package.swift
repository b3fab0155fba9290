// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "emojiart",
  products: [
    .library(name: "ArtDocument", targets: ["ArtModel", "ArtStore", "ArtDocument"]),
    .library(
      name: "ArtWorkspace",
      targets: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtWorker", "ArtExchange", "ArtNames", "ArtWorkspace",
      ]),
    .library(name: "ArtExchange", targets: ["ArtModel", "ArtExchange"]),
    .library(name: "ArtWorker", targets: ["ArtModel", "ArtWorker"]),
    .executable(name: "emojiart", targets: ["emojiart"]),
  ],
  // Off for the static release of emojiart: what the worker links cannot be linked so.
  traits: [.default(enabledTraits: ["Worker"]), "Worker"],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CFileSystem"),
    .target(name: "CDocumentVFS", dependencies: ["CSQLite"]),
    .target(name: "ArtModel", swiftSettings: settings),
    .target(
      name: "ArtStore", dependencies: ["ArtModel", "CDocumentVFS", "CFileSystem", "CSQLite", "CXXHash"],
      swiftSettings: settings),
    .target(name: "ArtDocument", dependencies: ["ArtModel", "ArtStore"], swiftSettings: settings),
    .target(name: "CProcess"),
    .target(name: "ArtProcess", dependencies: ["ArtModel", "CProcess"], swiftSettings: settings),
    .target(name: "ArtWatch", dependencies: ["ArtModel", "ArtProcess"], swiftSettings: settings),
    .target(name: "ArtWorker", dependencies: ["ArtModel", "ArtProcess"], swiftSettings: settings),
    .target(
      name: "ArtWorkspace",
      dependencies: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtProcess", "ArtWatch", "ArtWorker", "ArtExchange",
        "ArtNames",
      ],
      swiftSettings: settings),
    .target(name: "ArtExchange", dependencies: ["ArtModel"], swiftSettings: settings),
    // The table stands beside the C that takes it in.
    .target(name: "CEmojiNames", exclude: ["names.tsv", "names.tsv.license"]),
    .target(name: "ArtNames", dependencies: ["ArtModel", "CEmojiNames"], swiftSettings: settings),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "ArtFetch", dependencies: ["ArtModel", "CCurl"], swiftSettings: settings),
    .systemLibrary(name: "CGLib", pkgConfig: "gobject-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
    // For gdk-pixbuf itself pkg-config says -pthread, which SwiftPM refuses: it is asked for glib's flags only.
    .target(
      name: "CPixbuf", dependencies: ["CGLib"],
      cSettings: [.unsafeFlags(["-I/usr/include/gdk-pixbuf-2.0"])],
      linkerSettings: [.linkedLibrary("gdk_pixbuf-2.0"), .linkedLibrary("z")]),
    .target(name: "ArtPicture", dependencies: ["ArtModel", "CPixbuf"], swiftSettings: settings),
    .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
    .systemLibrary(name: "CHarfBuzz", pkgConfig: "harfbuzz", providers: [.apt(["libharfbuzz-dev"])]),
    .systemLibrary(name: "CFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"])]),
    .systemLibrary(name: "CChafa", pkgConfig: "chafa", providers: [.apt(["libchafa-dev"])]),
    // Loops over pixels: fast in a debug build, too.
    .target(name: "CRaster", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CPNG", dependencies: ["CRaster"], linkerSettings: [.linkedLibrary("png16")]),
    .target(
      name: "ArtRender",
      dependencies: [
        "ArtModel", "ArtPicture", "CCairo", "CHarfBuzz", "CFreeType", "CChafa", "CPNG", "CRaster",
      ],
      swiftSettings: settings),
    .target(name: "CSandbox", linkerSettings: [.linkedLibrary("seccomp")]),
    .executableTarget(
      name: "emojiart-worker", dependencies: ["ArtModel", "ArtFetch", "ArtPicture", "ArtRender", "CSandbox"],
      swiftSettings: settings),
    // C, and GPL: a program of its own, without Swift's startup code and runtime in it.
    .executableTarget(
      name: "emojiart-inotify",
      linkerSettings: [
        .linkedLibrary("inotifytools"),
        .unsafeFlags(["-nostartfiles", "-static-stdlib", "-Xlinker", "--as-needed"]),
      ]),
    .target(name: "ArtTerminal", dependencies: ["ArtModel"], swiftSettings: settings),
    .target(name: "CArguments"),
    .executableTarget(
      name: "emojiart",
      dependencies: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtProcess", "ArtWorker", "ArtWorkspace", "ArtExchange",
        "ArtNames", "ArtTerminal", "CArguments", "emojiart-inotify",
        .target(name: "emojiart-worker", condition: .when(traits: ["Worker"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    .testTarget(
      name: "ArtModelTests", dependencies: ["ArtModel", "TestSupport"], swiftSettings: settings),
    .executableTarget(
      name: "PictureWriter", dependencies: ["ArtModel", "ArtStore", "ArtDocument"],
      path: "Tests/PictureWriter",
      swiftSettings: settings),
    .testTarget(
      name: "ArtStoreTests",
      dependencies: ["ArtModel", "ArtStore", "CDocumentVFS", "CSQLite", "TestSupport", "PictureWriter"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtDocumentTests",
      dependencies: ["ArtModel", "ArtStore", "ArtDocument", "CSQLite", "TestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "WorkerParent", dependencies: ["ArtModel", "ArtProcess", "ArtWorker", "CProcess"],
      path: "Tests/WorkerParent",
      swiftSettings: settings),
    .testTarget(
      name: "ArtProcessTests", dependencies: ["ArtModel", "ArtProcess", "emojiart-inotify", "WorkerParent"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWatchTests",
      dependencies: ["ArtModel", "ArtProcess", "ArtWatch", "TestSupport", "emojiart-inotify"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtFetchTests", dependencies: ["ArtModel", "ArtFetch", "TestSupport", "emojiart-worker"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtPictureTests", dependencies: ["ArtModel", "ArtPicture", "TestSupport", "emojiart-worker"],
      swiftSettings: settings),
    .executableTarget(
      name: "DrawingChild", dependencies: ["ArtModel", "ArtRender"], path: "Tests/DrawingChild",
      swiftSettings: settings),
    .testTarget(
      name: "ArtRenderTests",
      dependencies: [
        "ArtModel", "ArtPicture", "ArtRender", "TestSupport", "DrawingChild", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWorkerTests",
      dependencies: [
        "ArtModel", "ArtProcess", "ArtWorker", "TestSupport", "WorkerParent", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtWorkspaceTests",
      dependencies: [
        "ArtModel", "ArtStore", "ArtDocument", "ArtProcess", "ArtWatch", "ArtWorker", "ArtExchange",
        "ArtNames",
        "ArtWorkspace", "CSQLite",
        "TestSupport", "emojiart-inotify", "emojiart-worker",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArtExchangeTests", dependencies: ["ArtModel", "ArtExchange", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ArtNamesTests", dependencies: ["ArtModel", "ArtNames", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: ["emojiart", "ArtModel", "ArtTerminal", "ArtWorkspace", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
