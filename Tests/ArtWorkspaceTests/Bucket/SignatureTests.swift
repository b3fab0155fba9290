// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtWorkspace

@Suite("Signatures of requests to a store") struct SignatureTests {
  /// A line of Fixtures/signatures/requests.jsonl.
  private struct Example: Decodable {
    let name, method, path, body, region, service, date, id, secret, canonical, signature: String
    let query, fields: [[String]]
    let token: String?

    static func all() throws -> [Example] {
      let file = URL(fileURLWithPath: #filePath).appendingPathComponent(
        "../../../../Fixtures/signatures/requests.jsonl"
      ).standardizedFileURL
      return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(Example.self, from: Data($0.utf8))
      }
    }

    /// The signature and the canonical form that this program makes.
    func signed() -> (canonical: String, signature: String?) {
      let host = fields.first { $0[0] == "host" }?[1] ?? ""
      let canonical = RequestSignature.Canonical(
        method, host: host, path: path, query: query.map { ($0[0], $0[1]) },
        fields: fields.filter { $0[0] != "host" }.map { StoreRequest.HeaderField($0[0], $0[1]) },
        bodyHash: body)
      let signature = RequestSignature(
        credentials: BucketCredentials(id: id, secret: secret, token: token), region: region, service: service
      )
      let text = signature.authorization(canonical, time: date)
      return (canonical.text, text.components(separatedBy: "Signature=").last)
    }
  }

  @Test("Y5 requests are signed as the published examples are, and as botocore signs them")
  func examples() throws {
    let examples = try Example.all()
    #expect(examples.count == 34 && examples.count { $0.name.hasPrefix("s3doc/") } == 4)
    for example in examples {
      let (canonical, signature) = example.signed()
      #expect(canonical == example.canonical, "\(example.name)")
      #expect(signature == example.signature, "\(example.name)")
    }
  }

  @Test("Y5 what is sent is what was signed: the date, the hash of the body, and the token")
  func whole() throws {
    let example = try #require(Example.all().first { $0.name == "own/put-key-emoji" })
    let signature = RequestSignature(
      credentials: BucketCredentials(id: example.id, secret: example.secret, token: nil),
      region: example.region)
    // 2026-01-02 03:04:05 UTC
    let fields = signature.fields(
      example.method, host: "127.0.0.1:9000", path: example.path, query: [], fields: [],
      body: Array("hello".utf8), date: 1_767_323_045_678)
    #expect(fields.map(\.name) == ["x-amz-content-sha256", "x-amz-date", "authorization"])
    #expect(fields[1].value == example.date && fields[0].value == example.body)
    #expect(fields[2].value.hasSuffix("Signature=\(example.signature)"))
    #expect(!fields.contains { $0.value.contains(example.secret) })
    let token = RequestSignature(
      credentials: BucketCredentials(id: "id", secret: "key", token: "token"), region: "us-east-1"
    ).fields("GET", host: "example.org", path: "/", query: [], fields: [], body: [], date: 0)
    #expect(token.contains(StoreRequest.HeaderField("x-amz-security-token", "token")))
    #expect(token.last?.value.contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token") == true)
  }
}
