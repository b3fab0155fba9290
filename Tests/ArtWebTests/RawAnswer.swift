// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An answer of HTTP as it came over a connection.
struct RawAnswer {
  let status: Int
  let fields: [(name: String, value: String)]
  let body: [UInt8]

  /// Takes an answer from the front of the bytes; nil if it is not whole. One to HEAD has no body.
  init?(from bytes: inout [UInt8], isHead: Bool = false) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        name: parts[0].lowercased(), value: parts.dropFirst().joined().trimmingCharacters(in: .whitespaces)
      )
    }
    let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
    let size = isHead || status == 304 || status == 101 ? 0 : length
    guard bytes.count - end.upperBound >= size else { return nil }
    (self.status, self.fields) = (status, fields)
    body = Array(bytes[end.upperBound..<(end.upperBound + size)])
    bytes.removeSubrange(..<(end.upperBound + size))
  }

  /// What every answer has, as ../docs/SECURITY.md promises it.
  private static let required = [
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer", "x-content-type-options": "nosniff", "x-frame-options": "DENY",
  ]

  /// Fields that are missing, wrong, or that no answer may have.
  var faults: [String] {
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    var faults = Self.required.filter { values($0.key) != [$0.value] }.map(\.key).sorted()
    let policy = values("content-security-policy")
    let isPage = policy.first?.contains("script-src 'self'") == true
    let isAsset = values("content-type").contains { type in
      ["text/html", "text/javascript", "text/css"].contains { type.hasPrefix($0) }
    }
    // The icon, or an export.
    let isVector = values("content-type") == ["image/svg+xml"]
    let directives =
      isPage
      ? ["default-src 'none'", "require-trusted-types-for 'script'"] : ["default-src 'none'", "sandbox"]
    if policy.count != 1 || !directives.allSatisfy(policy[0].contains) || policy[0].contains("unsafe") {
      faults.append("content-security-policy")
    }
    let caching = values("cache-control")
    if caching != [isAsset ? "no-cache" : "no-store"], !(isVector && caching == ["no-cache"]) {
      faults.append("cache-control")
    }
    let forbidden = ["access-control-", "set-cookie", "location", "server", "x-powered-by"]
    return faults + fields.map(\.name).filter { name in forbidden.contains { name.hasPrefix($0) } }
  }
}
