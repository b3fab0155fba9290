// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import TestSupport
import Testing

@testable import ArtWorker

@Suite("Exchanges with a store", .timeLimit(.minutes(10))) struct StoreClientTests {
  private func send(
    _ client: StoreClient, _ method: StoreRequest.Method, _ url: String, body: [UInt8] = []
  ) async -> Result<StoreResponse, BackgroundFailure> {
    do throws(BackgroundFailure) {
      return .success(
        try await client.send(
          StoreRequest(method, url, fields: [StoreRequest.HeaderField("if-match", "\"a\"")], body: body)))
    } catch {
      return .failure(error)
    }
  }

  @Test("Y7 a response has the status, the body and the fields that matter, whatever its status is")
  func responses() async throws {
    let server = try PictureServer(pictures: ["a b"])
    let client = StoreClient(limits: FetchLimits(bytes: 1_000, connect: .seconds(5), total: .seconds(20)))
    let found = try await send(client, .get, server.url + "/files/a%20b").get()
    #expect(found.status == 200 && found.body.starts(with: [0x89, 0x50]))
    #expect(try await send(client, .get, server.url + "/status/412").get().status == 412)
    let moved = try await send(client, .get, server.url + "/redirect/1").get()
    #expect((300...399).contains(moved.status), "a redirect is not followed")
    let head = try await send(client, .head, server.url + "/picture").get()
    #expect(head.body.isEmpty)
  }

  @Test(
    "Y7 a response that is too long, breaks off, or is no HTTP is refused, and so is a store that is not there",
    arguments: [
      "/size/1001", "/endless/chunks", "/length/long", "/reset/body", "/junk", "/encoding/gzip",
      "/flood/lines",
    ])
  func refusals(_ path: String) async throws {
    let server = try PictureServer()
    let client = StoreClient(limits: FetchLimits(bytes: 1_000, connect: .seconds(5), total: .seconds(20)))
    guard case .failure(.refused) = await send(client, .get, server.url + path) else {
      Issue.record("\(path) is accepted")
      return
    }
    guard case .failure(.refused(let refusal)) = await send(client, .put, "http://127.0.0.1:1/a", body: [1])
    else {
      Issue.record("nobody is at port 1")
      return
    }
    #expect(refusal.reason == .refused)
  }

  @Test("Y7 an answer of the helper counts only if it is agreed on, and the process ends cleanly after it")
  func dialogue() throws {
    let exchange = WorkerRequest.Exchange(
      StoreRequest(.get, "http://a"), proxies: ProxySettings(), limits: FetchLimits(bytes: 10))
    let clean = HelperEnd(.exit(0), errors: "")
    func outcome(
      _ lines: [String], bytes: [UInt8]? = nil, _ end: HelperEnd
    ) -> Result<StoreResponse, BackgroundFailure> {
      var dialogue = StoreDialogue(exchange, with: HelperProgram(path: "/somewhere/emojiart-worker"))
      for line in lines { _ = dialogue.receive(line: Array(line.utf8)) }
      if let bytes { _ = dialogue.receive(bytes: bytes) }
      return dialogue.outcome(of: end)
    }
    let (hello, empty, two) = (
      #"{"hello":7}"#, #"{"exchanged":{"bytes":0,"fields":{},"status":204}}"#,
      #"{"exchanged":{"bytes":2,"fields":{"etag":"e"},"status":200}}"#
    )
    #expect(try outcome([hello, empty], clean).get() == StoreResponse(status: 204))
    #expect(
      try outcome([hello, two], bytes: [1, 2], clean).get()
        == StoreResponse(status: 200, fields: ["etag": "e"], body: [1, 2]))
    let refused = #"{"refused":{"detail":"why","isTransient":false,"reason":"tls"}}"#
    guard case .failure(.refused) = outcome([hello, refused], clean) else {
      Issue.record("a refusal is lost")
      return
    }
    let long = #"{"exchanged":{"bytes":11,"fields":{},"status":200}}"#
    for (lines, bytes, end) in [
      ([hello, two], nil, clean), ([hello, two], [1], clean), ([hello, empty, empty], nil, clean),
      ([hello, empty], nil, HelperEnd(.signal(SIGKILL), errors: "")), ([hello, long], nil, clean),
      ([hello], nil, clean), ([hello, #"{"body":2}"#], nil, clean), ([empty], nil, clean),
      (["x"], nil, clean),
    ] as [([String], [UInt8]?, HelperEnd)] {
      guard case .failure(.failed) = outcome(lines, bytes: bytes, end) else {
        Issue.record("\(lines) counts")
        continue
      }
    }
  }
}
