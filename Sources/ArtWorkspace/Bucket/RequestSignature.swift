// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CSodium
import Glibc

/// Signs requests to an S3-compatible store, by version 4 of AWS's signature: the path as it is, encoded once.
///
/// libcurl's own signature was measured against the published examples, and is wrong for queries and for some heads; see
/// `docs/decisions/0054-buckets.md`. Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
struct RequestSignature {
  let credentials: BucketCredentials
  /// Such as `eu-central-1`.
  let region: String
  /// `s3`; another one in published examples.
  var service = "s3"

  /// The fields to add to a request: the date, the hash of the body, the token if there is one, and `authorization`.
  ///
  /// - Parameters:
  ///   - host: The host, with its port unless that is the scheme's own.
  ///   - path: The path, encoded.
  ///   - query: Names and values, not encoded, each name once.
  ///   - fields: The other fields that are sent; all are signed.
  ///   - date: Milliseconds since 1970.
  func fields(
    _ method: String, host: String, path: String, query: [(name: String, value: String)],
    fields: [StoreRequest.HeaderField], body: [UInt8], date: Int
  ) -> [StoreRequest.HeaderField] {
    let time = Self.time(date)
    var added = [
      StoreRequest.HeaderField("x-amz-content-sha256", Self.hex(Self.sha256(body))),
      StoreRequest.HeaderField("x-amz-date", time),
    ]
    if let token = credentials.token {
      added.append(StoreRequest.HeaderField("x-amz-security-token", token))
    }
    let signed = fields + added
    let authorization = authorization(
      Canonical(method, host: host, path: path, query: query, fields: signed, bodyHash: added[0].value),
      time: time)
    return added + [StoreRequest.HeaderField("authorization", authorization)]
  }

  /// A request in the form that is signed.
  struct Canonical {
    let text: String
    let signedFields: String

    init(
      _ method: String, host: String, path: String, query: [(name: String, value: String)],
      fields: [StoreRequest.HeaderField], bodyHash: String
    ) {
      // By the bytes of the encoded names, and for one name by those of the values.
      let pairs = query.map { (Self.encoded($0.name), Self.encoded($0.value)) }.sorted { $0 < $1 }
      var values: [String: [String]] = ["host": [host]]
      for field in fields { values[field.name, default: []].append(Self.folded(field.value)) }
      let names = values.keys.sorted()
      signedFields = names.joined(separator: ";")
      let lines = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }.joined()
      text =
        "\(method)\n\(path)\n\(pairs.map { "\($0)=\($1)" }.joined(separator: "&"))\n\(lines)\n\(signedFields)\n\(bodyHash)"
    }

    /// A value without spaces around it, and with one where there are several.
    private static func folded(_ value: String) -> String {
      value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    /// Percent-encodes all but letters, digits, `-`, `.`, `_` and `~`.
    static func encoded(_ text: String, keepingSlashes keepsSlashes: Bool = false) -> String {
      var bytes: [UInt8] = []
      for byte in text.utf8 {
        let isPlain =
          "-._~".utf8.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || keepsSlashes && byte == UInt8(ascii: "/")
        if isPlain {
          bytes.append(byte)
        } else {
          bytes.append(UInt8(ascii: "%"))
          bytes += RequestSignature.hex([byte]).uppercased().utf8
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The value of the field `authorization`.
  func authorization(_ request: Canonical, time: String) -> String {
    let day = String(time.prefix(8))
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(Self.hex(Self.sha256(Array(request.text.utf8))))"
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [day, region, service, "aws4_request"] { key = Self.hmac(Array(part.utf8), key) }
    let signature = Self.hex(Self.hmac(Array(text.utf8), key))
    return
      "AWS4-HMAC-SHA256 Credential=\(credentials.id)/\(scope), SignedHeaders=\(request.signedFields), Signature=\(signature)"
  }

  // MARK: Hashes

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return hash
  }

  private static func hmac(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var hash = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    crypto_auth_hmacsha256_final(&state, &hash)
    return hash
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }.joined()
  }

  /// `20261126T014500Z`, from milliseconds since 1970.
  private static func time(_ milliseconds: Int) -> String {
    var time = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
