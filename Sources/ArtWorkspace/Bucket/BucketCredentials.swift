// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// The key with which requests to a store are signed.
struct BucketCredentials: Sendable, Equatable {
  /// The id of the key.
  let id: String
  /// The key. It never leaves this process, and is in no message.
  let secret: String
  /// The token of a session; nil for a key that lasts.
  let token: String?
}

/// How a store is reached, from where the programs of AWS look: variables of the environment, `~/.aws/config` and `~/.aws/credentials`.
///
/// | what | from the first that has it |
/// |---|---|
/// | key | `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN`; the profile in the credentials, then in the configuration |
/// | region | `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile; else `us-east-1` |
/// | endpoint | `--endpoint`, `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, the profile's services, the profile |
/// | profile | `AWS_PROFILE`, `AWS_DEFAULT_PROFILE`, `default` |
///
/// Source: https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html.
struct BucketSettings: Sendable {
  /// The key.
  let credentials: BucketCredentials
  /// The region.
  let region: String
  /// The URL of the store; nil for AWS itself.
  let endpoint: String?

  /// Reads the settings. `endpoint` is that of the command line. Throws `notPermitted` without a key, `badValue` for a bad profile or half a
  /// key, and what reading the files throws.
  init(
    endpoint: String? = nil, variable: (String) -> String? = { Environment[$0] }
  ) throws(ArtError) {
    func value(_ names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
    let home = variable("HOME") ?? ""
    let keys = try ProfileFile(
      value("AWS_SHARED_CREDENTIALS_FILE") ?? "\(home)/.aws/credentials", hasPrefix: false)
    let config = try ProfileFile(value("AWS_CONFIG_FILE") ?? "\(home)/.aws/config", hasPrefix: true)
    let named = value("AWS_PROFILE", "AWS_DEFAULT_PROFILE")
    let profile = named ?? "default"
    if let named, keys.profiles[named] == nil, config.profiles[named] == nil {
      throw ArtError(
        .badValue, "there is no profile \(named) in ~/.aws/config and ~/.aws/credentials", about: named)
    }
    let profiles = [keys.profiles[profile] ?? [:], config.profiles[profile] ?? [:]]
    func inProfile(_ name: String) -> String? { profiles.lazy.compactMap { $0[name] }.first { !$0.isEmpty } }
    credentials = try Self.credentials(
      (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"), value("AWS_SESSION_TOKEN")), profiles)
    region = value("AWS_REGION", "AWS_DEFAULT_REGION") ?? inProfile("region") ?? "us-east-1"
    let services = inProfile("services").flatMap { config.services[$0] }
    self.endpoint =
      endpoint ?? value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ?? services?["s3.endpoint_url"]
      ?? inProfile("endpoint_url")
    guard region.utf8.allSatisfy({ "-".utf8.contains($0) || Self.isLetterOrDigit($0) }) else {
      throw ArtError(.badValue, "\"\(region)\" is no region, such as eu-central-1", about: region)
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// One source supplies all parts of a key.
  private static func credentials(
    _ own: (id: String?, secret: String?, token: String?), _ profiles: [[String: String]]
  ) throws(ArtError) -> BucketCredentials {
    var sources = [own]
    for profile in profiles {
      sources.append(
        (profile["aws_access_key_id"], profile["aws_secret_access_key"], profile["aws_session_token"]))
    }
    for source in sources where source.id != nil || source.secret != nil {
      guard let id = source.id, let secret = source.secret, !id.isEmpty, !secret.isEmpty else {
        throw ArtError(.badValue, "of the store's key only the id or only the secret is set; set both")
      }
      guard
        [id, secret, source.token ?? ""].allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
      else { throw ArtError(.badValue, "the store's key has characters that no key has") }
      return BucketCredentials(id: id, secret: secret, token: source.token)
    }
    throw ArtError(
      .notPermitted,
      "there is no key for the store; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials"
    )
  }
}

/// A file of profiles, as the programs of AWS read it: sections with names and values, and values that are sections themselves, on lines that
/// begin with a space.
struct ProfileFile {
  private static let limit = 1 << 20

  /// The values of each profile.
  private(set) var profiles: [String: [String: String]] = [:]
  /// The values of each section of services: `s3.endpoint_url`.
  private(set) var services: [String: [String: String]] = [:]

  /// Reads a file; a missing one has nothing. In `config`, sections are called `profile NAME`. Throws what reading throws.
  init(_ path: String, hasPrefix: Bool) throws(ArtError) {
    // It may be a link to where somebody keeps all such files, and `/dev/null` stands for none.
    let place = FilePath.resolvedIfThere(path) ?? path
    let bytes = place == "/dev/null" ? [] : try PlainFile.read(place, limit: Self.limit) ?? []
    self.init(text: String(decoding: bytes, as: UTF8.self), hasPrefix: hasPrefix)
  }

  /// The same from the text of a file.
  init(text: String, hasPrefix: Bool) {
    var (section, kind): (String?, String) = (nil, "")
    var outer = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.trimmingSpaces
      guard let first = words.first, first != "#", first != ";" else { continue }
      if first == "[", let end = words.lastIndex(of: "]") {
        (kind, section) = Self.section(
          words[words.index(after: words.startIndex)..<end], hasPrefix: hasPrefix)
        outer = ""
        continue
      }
      guard let section, let equals = words.firstIndex(of: "=") else { continue }
      let (name, value) = (
        words[..<equals].trimmingSpaces.lowercased(),
        String(words[words.index(after: equals)...].trimmingSpaces)
      )
      let isInner = line.first?.isWhitespace ?? false
      if !isInner { outer = value.isEmpty ? name : "" }
      let key = isInner && !outer.isEmpty ? "\(outer).\(name)" : name
      if kind == "services" {
        services[section, default: [:]][key] = value
      } else {
        profiles[section, default: [:]][key] = value
      }
    }
  }

  private static func section(_ text: Substring, hasPrefix: Bool) -> (kind: String, name: String?) {
    let text = text.trimmingSpaces
    guard hasPrefix, text != "default" else { return ("profile", String(text)) }
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    guard parts.count == 2, ["profile", "services"].contains(parts[0]) else { return ("", nil) }
    return (String(parts[0]), String(parts[1].trimmingSpaces.filter { $0 != "\"" }))
  }
}

extension Substring {
  /// Without spaces and tabs at its ends.
  fileprivate var trimmingSpaces: Substring {
    let rest = drop { $0 == " " || $0 == "\t" }
    guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return rest.prefix(0) }
    return rest[...last]
  }
}
