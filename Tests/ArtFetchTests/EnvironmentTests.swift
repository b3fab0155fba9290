// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtFetch

@Suite("The environment of a fetch") struct EnvironmentTests {
  /// The last reply of `emojiart-worker` in an environment with these variables.
  private func answer(
    _ request: WorkerRequest.Fetch, _ variables: [String: String], in folder: String? = nil
  ) throws -> WorkerReply {
    let process = Process()
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    process.executableURL = program.appendingPathComponent("emojiart-worker")
    process.arguments = WorkerVerb.fetch.arguments
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let input = Pipe.unshared()
    let output = Pipe.unshared()
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    var writer = JSONWriter()
    WorkerRequest.fetch(request).write(to: &writer)
    try input.fileHandleForWriting.write(contentsOf: Data(writer.bytes + [0x0A]))
    try input.fileHandleForWriting.close()
    let lines = try #require(try output.fileHandleForReading.readToEnd()).split(separator: 0x0A)
    process.waitUntilExit()
    let replies = lines.compactMap { line in
      // The bytes of a body are no line.
      try? JSONReader.read(String(decoding: line, as: UTF8.self)) { (reader) throws(ArtError) in
        try WorkerReply(from: &reader)
      }
    }
    return try #require(replies.last)
  }

  @Test("B12 the certificate authorities that the environment names are trusted")
  func authorities() throws {
    let scratch = try ScratchFolder()
    let server = try PictureServer("--tls", "good", "--certificates", scratch.path)
    let request = WorkerRequest.Fetch(
      url: "\(server.url)/picture", isUserInitiated: true,
      limits: FetchLimits(connect: .seconds(60), total: .seconds(120)))
    let nothing = ["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": ""]
    for name in nothing.keys {
      let named = nothing.merging([name: scratch.path + "/ca.pem"]) { $1 }
      #expect(try answer(request, named) == .body(bytes: 70), "\(name)")
    }
    let relative = nothing.merging(["CURL_CA_BUNDLE": "ca.pem"]) { $1 }
    #expect(
      try answer(request, relative, in: scratch.path) == .body(bytes: 70),
      "a relative path begins at the worker's first folder")
    guard case .refused(let refusal) = try answer(request, nothing) else { throw PictureServer.Trouble() }
    // Only the authorities of the system are known.
    #expect(refusal.reason == .tls && refusal.detail.contains("not known here"), "\(refusal)")
  }

  @Test("B11 a worker uses the proxy settings of the request, and none of the environment")
  func proxies() throws {
    let server = try PictureServer()
    let proxy = try PictureServer("--proxy", "--to", server.port)
    let limits = FetchLimits(connect: .seconds(60), total: .seconds(120))
    let names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    let dead = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://127.0.0.1:1") })
    let plain = WorkerRequest.Fetch(url: "\(server.url)/picture", isUserInitiated: true, limits: limits)
    #expect(try answer(plain, dead) == .body(bytes: 70))
    let proxied = WorkerRequest.Fetch(
      url: "http://pictures.invalid/picture", isUserInitiated: true, proxies: ProxySettings(http: proxy.url),
      limits: limits)
    #expect(try answer(proxied, ["no_proxy": "*", "NO_PROXY": "*"]) == .body(bytes: 70))
  }

  @Test("B8 passwords in the user's .netrc are not sent")
  func passwords() throws {
    let server = try PictureServer()
    let scratch = try ScratchFolder()
    try Data("default login me password secret\n".utf8).write(
      to: URL(fileURLWithPath: scratch.path + "/.netrc"))
    let request = WorkerRequest.Fetch(
      url: "\(server.url)/picture", isUserInitiated: true,
      limits: FetchLimits(connect: .seconds(60), total: .seconds(120)))
    #expect(try answer(request, ["HOME": scratch.path]) == .body(bytes: 70))
    #expect(try !server.text("/heads").contains("Authorization"))
  }
}
