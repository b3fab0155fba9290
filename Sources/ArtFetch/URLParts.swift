// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

/// A URL as libcurl reads it, in parts.
final class URLParts {
  private let handle = curl_url()

  deinit { curl_url_cleanup(handle) }

  /// Reads a URL; where there is one already, it may be relative to that. Throws `badURL`.
  func set(_ url: String, allowingUser: Bool = false) throws(Refusal) {
    let flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | (allowingUser ? 0 : CURLU_DISALLOW_USER)
    try check(curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)))
  }

  /// Has another host in it. Throws `badURL`.
  func setHost(_ host: String) throws(Refusal) {
    try check(curl_url_set(handle, CURLUPART_HOST, host, 0))
  }

  /// A part that must be there. Throws `badURL`.
  func get(_ part: CURLUPart) throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    return try taken(curl_url_get(handle, part, &text, 0), text)
  }

  /// The port, where one is given. Throws `badURL`.
  func port() throws(Refusal) -> Int? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, CURLUPART_PORT, &text, 0)
    if code == CURLUE_NO_PORT { return nil }
    return Int(try taken(code, text))
  }

  /// The host as servers of names know it. Throws `badURL`.
  func asciiHost() throws(Refusal) -> String {
    var text: UnsafeMutablePointer<CChar>?
    let code = ccurl_ascii_host(handle, &text)
    // So libcurl 7.88 calls a name that has no form in ASCII, whatever is wrong with it.
    if code == CURLUE_OUT_OF_MEMORY { throw Refusal(.badURL, "the host's name is none that can be") }
    return try taken(code, text)
  }

  private func taken(_ code: CURLUcode, _ text: UnsafeMutablePointer<CChar>?) throws(Refusal) -> String {
    defer { curl_free(text) }
    try check(code)
    guard let text else { throw Refusal(.badURL, "the URL cannot be read") }
    return String(cString: text)
  }

  private func check(_ code: CURLUcode) throws(Refusal) {
    switch code {
    case CURLUE_OK: return
    case CURLUE_NO_HOST: throw Refusal(.badURL, "there is no host")
    case CURLUE_USER_NOT_ALLOWED: throw Refusal(.badURL, "a URL with a user's name in it is not fetched")
    default: throw Refusal(.badURL, "the URL cannot be read: \(String(cString: curl_url_strerror(code)))")
    }
  }
}
