// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtWorkspace

@Suite("How a store is found") struct BucketSettingsTests {
  private let folder: WatchedFolder

  init() throws { folder = try WatchedFolder() }

  private func settings(
    _ variables: [String: String], endpoint: String? = nil
  ) throws(ArtError) -> BucketSettings {
    try BucketSettings(endpoint: endpoint) { [folder] name in
      switch name {
      case "HOME": folder.path
      case "AWS_CONFIG_FILE": variables[name] ?? folder["config"]
      case "AWS_SHARED_CREDENTIALS_FILE": variables[name] ?? folder["credentials"]
      default: variables[name]
      }
    }
  }

  private func code(_ variables: [String: String]) -> ArtError.Code? {
    do throws(ArtError) { _ = try settings(variables) } catch { return error.code }
    return nil
  }

  private let own = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "KEY"]

  @Test(
    "Y6 a key comes from the variables, then from the credentials, then from the configuration, and whole from one of them"
  )
  func keys() throws {
    #expect(code([:]) == .notPermitted)
    #expect(code(["AWS_ACCESS_KEY_ID": "ID"]) == .badValue)
    #expect(code(["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "a b"]) == .badValue)
    try folder.overwrite("config", "[default]\naws_access_key_id=C\naws_secret_access_key = c=#;\n".utf8)
    #expect(try settings([:]).credentials == BucketCredentials(id: "C", secret: "c=#;", token: nil))
    try folder.overwrite(
      "credentials",
      "# all\n[default]\naws_access_key_id = D\naws_secret_access_key=d\naws_session_token = t\n[ada]\naws_access_key_id=A\naws_secret_access_key=a\n"
        .utf8)
    #expect(try settings([:]).credentials == BucketCredentials(id: "D", secret: "d", token: "t"))
    #expect(try settings(own).credentials == BucketCredentials(id: "ID", secret: "KEY", token: nil))
    #expect(try settings(["AWS_PROFILE": "ada"]).credentials.id == "A")
    #expect(code(["AWS_PROFILE": "ben"]) == .badValue)
    #expect(try settings(own.merging(["AWS_SESSION_TOKEN": "T"]) { $1 }).credentials.token == "T")
    try folder.overwrite("credentials", [UInt8](repeating: 10, count: 1 << 20 | 1))
    #expect(code(own) == .tooLarge)
  }

  @Test(
    "Y6 the region and the address of a store come from the command, the variables, and the profile with its services"
  )
  func places() throws {
    #expect(try settings(own).region == "us-east-1" && settings(own).endpoint == nil)
    try folder.overwrite(
      "config",
      """
      [default]
      region = eu-central-1
      endpoint_url = https://default.example.org
      [profile "a b"]
      services = mine
      region=eu-west-1
      [services mine]
      dynamodb =
        endpoint_url = https://other.example.org
      s3 =
        max_concurrent_requests = 20
        endpoint_url = https://s3.example.org
      """.utf8)
    let plain = try settings(own)
    #expect(plain.region == "eu-central-1" && plain.endpoint == "https://default.example.org")
    let profile = try settings(own.merging(["AWS_PROFILE": "a b"]) { $1 })
    #expect(profile.region == "eu-west-1" && profile.endpoint == "https://s3.example.org")
    let variables = own.merging(
      ["AWS_DEFAULT_REGION": "x", "AWS_REGION": "y", "AWS_ENDPOINT_URL": "u", "AWS_ENDPOINT_URL_S3": "v"]
    ) { $1 }
    #expect(try settings(variables).region == "y" && settings(variables).endpoint == "v")
    #expect(try settings(variables, endpoint: "w").endpoint == "w")
    #expect(code(own.merging(["AWS_REGION": "eu/../central"]) { $1 }) == .badValue)
  }

  @Test("Y6 a place in a store is a bucket and a beginning of names; anything else is refused")
  func locations() throws {
    #expect(try BucketLocation("s3://posters").prefix == "")
    let team = try BucketLocation("s3://posters.2026/a//b c/")
    #expect(
      team.bucket == "posters.2026" && team.prefix == "a/b c/" && team.text == "s3://posters.2026/a/b c")
    for bad in [
      "posters", "s3://", "s3://ab", "s3://Posters/a", "s3://posters/../x", "s3://posters/a/./b",
      "s3://po sters", "https://posters",
    ] {
      #expect(throws: ArtError.self, "\(bad)") { try BucketLocation(bad) }
    }
  }

  @Test("Y6 a store is AWS in a region, or at an address, with the bucket in its path")
  func endpoints() throws {
    func endpoint(_ url: String?, _ bucket: String = "posters") throws -> String {
      let endpoint = try StoreEndpoint(url, region: "eu-central-1", bucket: bucket)
      return endpoint.scheme + endpoint.host + endpoint.path
    }
    #expect(try endpoint(nil) == "https://posters.s3.eu-central-1.amazonaws.com")
    #expect(try endpoint(nil, "a.b") == "https://s3.eu-central-1.amazonaws.com/a.b")
    #expect(try endpoint("https://S3.example.org:443/") == "https://s3.example.org/posters")
    #expect(try endpoint("http://127.0.0.1:9000/base/") == "http://127.0.0.1:9000/base/posters")
    #expect(try endpoint("http://[::1]:80") == "http://[::1]/posters")
    for bad in [
      "s3.example.org", "ftp://x", "https://", "https://u:p@x", "https://x?y", "https://x/a%20b",
      "https:// x", "http://x\r\ny",
    ] {
      #expect(throws: ArtError.self, "\(bad)") { try endpoint(bad) }
    }
  }
}
