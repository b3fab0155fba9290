// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtFetch

/// `Fixtures/bin/picture-server`, until it is gone.
final class PictureServer {
  private let process = Process()
  private let input = Pipe()
  /// Without a slash at its end.
  let url: String

  /// It could not be started.
  struct NotStarted: Error {}

  init(_ arguments: String...) throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    process.executableURL = root.appendingPathComponent("Fixtures/bin/picture-server")
    process.arguments = arguments
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    url = String(decoding: line, as: UTF8.self)
    guard url.hasPrefix("http") else { throw NotStarted() }
  }

  deinit {
    // It ends with its input, which is closed here once.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  var port: String { String(url.split(separator: ":").last ?? "") }

  /// What it answers there, as text; it does not count what asks for counts.
  func text(_ path: String) throws -> String {
    let fetcher = Fetcher(WorkerRequest.Fetch(url: "http://127.0.0.1:\(port)\(path)", isTyped: true))
    return String(decoding: try fetcher.run { _, _ in }, as: UTF8.self)
  }

  func number(_ path: String) throws -> Int {
    try #require(Int(try text(path).trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}

/// What came of a fetch.
enum Fetched: Equatable, CustomStringConvertible {
  case taken(Int)
  case refused(Refusal.Reason, isTransient: Bool, String)

  var reason: Refusal.Reason? {
    if case .refused(let reason, _, _) = self { reason } else { nil }
  }

  var detail: String {
    if case .refused(_, _, let detail) = self { detail } else { "" }
  }

  var description: String {
    switch self {
    case .taken(let count): "\(count) bytes"
    case .refused(let reason, let isTransient, let detail):
      "\(reason)\(isTransient ? " for now" : ""): \(detail)"
    }
  }
}

/// Fetches, with long patience for slow machines.
func fetch(
  _ url: String, isTyped: Bool = true, allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings(),
  limits: FetchLimits = FetchLimits(connect: .seconds(60), total: .seconds(120)),
  change: (inout Fetcher) -> Void = { _ in }, progress: (Int, Int?) -> Void = { _, _ in }
) -> Fetched {
  let request = WorkerRequest.Fetch(
    url: url, isTyped: isTyped, allowsPrivate: allowsPrivate, proxies: proxies, limits: limits)
  var fetcher = Fetcher(request)
  change(&fetcher)
  do throws(Refusal) {
    return .taken(try fetcher.run(progress: progress).count)
  } catch {
    return .refused(error.reason, isTransient: error.isTransient, error.detail)
  }
}
