// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Where documents are in an S3-compatible store: `s3://BUCKET/PREFIX`. Each document is an object `PREFIX/bees.emojiart`.
public struct BucketLocation: Sendable, Equatable {
  /// The name of the bucket.
  public let bucket: String
  /// What the names of all objects begin with: empty, or with a slash at its end.
  public let prefix: String

  /// Reads `s3://bucket` or `s3://bucket/a/b`. Throws `badValue`.
  public init(_ text: String) throws(ArtError) {
    let start = "s3://"
    guard text.hasPrefix(start) else {
      throw ArtError(.badValue, "\"\(text)\" is no place in a store; give s3://BUCKET/PREFIX", about: text)
    }
    let parts = text.dropFirst(start.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(parts[0])
    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    let isName =
      (3...63).contains(bucket.utf8.count)
      && bucket.utf8.allSatisfy { byte in
        ".-".utf8.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
    guard isName else {
      throw ArtError(
        .badValue, "\"\(bucket)\" is no name of a bucket: 3 to 63 of a-z, 0-9, - and .", about: bucket)
    }
    let path = parts.count > 1 ? parts[1] : ""
    let names = path.split(separator: "/", omittingEmptySubsequences: true)
    guard names.allSatisfy({ $0 != "." && $0 != ".." && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } }),
      path.utf8.count <= 700
    else { throw ArtError(.badValue, "\"\(path)\" cannot be the beginning of names", about: text) }
    prefix = names.isEmpty ? "" : names.joined(separator: "/") + "/"
  }

  /// As it is written: `s3://bucket/a/b`.
  public var text: String { "s3://\(bucket)/\(prefix.dropLast())" }
}

/// The URL of a store, in the parts that a signature needs.
struct StoreEndpoint: Equatable {
  /// The scheme with `://`.
  let scheme: String
  /// The host, with its port unless that is the scheme's own; in lower case.
  let host: String
  /// The path of the bucket, encoded, without a slash at its end.
  let path: String

  /// The store of AWS in a region, or the one at a URL. Throws `badValue`.
  init(_ url: String?, region: String, bucket: String) throws(ArtError) {
    guard let url else {
      let store = "s3.\(region).amazonaws.com"
      let isHost = !bucket.contains(".")
      (scheme, host, path) = ("https://", isHost ? "\(bucket).\(store)" : store, isHost ? "" : "/\(bucket)")
      return
    }
    let bad = ArtError(
      // It may have a password in it.
      .badValue, "the address of the store is none that can be; give one such as https://s3.example.org")
    guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
      throw bad
    }
    let rest = url.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var host = rest[0].lowercased()
    let ownPort = scheme == "https://" ? ":443" : ":80"
    if host.hasSuffix(ownPort) { host = String(host.dropLast(ownPort.count)) }
    let isHost = host.utf8.allSatisfy { byte in
      "-._:[]".utf8.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard isHost, !host.isEmpty, !host.hasPrefix(":"),
      rest.count == 1 || rest[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#%".utf8.contains($0) })
    else { throw bad }
    let base = rest.count > 1 ? rest[1].split(separator: "/").map { "/\($0)" }.joined() : ""
    (self.scheme, self.host, path) = (scheme, host, "\(base)/\(bucket)")
  }
}
