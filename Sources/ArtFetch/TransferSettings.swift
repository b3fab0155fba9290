// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl
import Glibc

/// What libcurl is told for a hop.
struct TransferSettings {
  /// Milliseconds until there must be a connection.
  var connect: Int
  /// Milliseconds until all must be there.
  var total: Int
  /// A file with the certificates of the authorities that are trusted; nil for the system's.
  var authorities: String?
  /// Whether libcurl is given the addresses that were looked up. A test of the check behind it leaves that off.
  var pins = true

  /// Once for the process, before the first handle.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Sets a handle up and lets it run.
  func perform(
    _ handle: UnsafeMutableRawPointer, _ transfer: Transfer, _ message: UnsafeMutableBufferPointer<CChar>
  ) -> CURLcode {
    let easy = EasyHandle(handle)
    let headers = SList(["Accept: image/*", "Accept-Encoding: identity"])
    let addresses = SList(pins ? [transfer.route.pin].compactMap { $0 } : [])
    easy.set(CURLOPT_URL, transfer.target.url)
    easy.set(CURLOPT_USERAGENT, "emojiart/\(Version.current)")
    easy.set(CURLOPT_HTTPHEADER, headers)
    easy.set(CURLOPT_RESOLVE, addresses)
    setLimits(easy)
    setTrust(easy)
    setProxy(easy, transfer.route.proxy)
    ccurl_set_error_buffer(handle, message.baseAddress)
    ccurl_set_callbacks(handle, takeHead, takeBody, openSocket, Unmanaged.passUnretained(transfer).toOpaque())
    guard easy.code == CURLE_OK else { return easy.code }
    return withExtendedLifetime((headers, addresses)) { curl_easy_perform(handle) }
  }

  /// Nothing that goes on by itself, and nothing that is decoded.
  private func setLimits(_ easy: EasyHandle) {
    easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    easy.set(CURLOPT_FOLLOWLOCATION, 0)
    easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    easy.set(CURLOPT_NOSIGNAL, 1)
    easy.set(CURLOPT_CONNECTTIMEOUT_MS, min(connect, total))
    easy.set(CURLOPT_TIMEOUT_MS, total)
    easy.set(CURLOPT_BUFFERSIZE, 65_536)
    easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
  }

  private func setTrust(_ easy: EasyHandle) {
    easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    guard let authorities else { return }
    easy.set(CURLOPT_CAINFO, authorities)
    easy.set(CURLOPT_CAPATH, nil)
  }

  /// Also where there is none: what is set is not looked up in the environment.
  private func setProxy(_ easy: EasyHandle, _ proxy: Proxy?) {
    easy.set(CURLOPT_PROXY, proxy?.url ?? "")
    easy.set(CURLOPT_NOPROXY, "")
    easy.set(CURLOPT_PRE_PROXY, "")
    easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    guard let authorities, proxy != nil else { return }
    easy.set(CURLOPT_PROXY_CAINFO, authorities)
    easy.set(CURLOPT_PROXY_CAPATH, nil)
  }
}

/// A handle of libcurl that is set up; `code` is the first error of that.
private final class EasyHandle {
  private let handle: UnsafeMutableRawPointer
  private(set) var code = CURLE_OK

  init(_ handle: UnsafeMutableRawPointer) { self.handle = handle }

  func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(handle, option, value)) }
  func set(_ option: CURLoption, _ value: String?) { note(ccurl_set_text(handle, option, value)) }
  func set(_ option: CURLoption, _ value: SList) { note(ccurl_set_list(handle, option, value.first)) }

  private func note(_ result: CURLcode) { if code == CURLE_OK { code = result } }
}

/// libcurl's list of texts.
private final class SList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ texts: [String]) {
    for text in texts { first = curl_slist_append(first, text) ?? first }
  }

  deinit { curl_slist_free_all(first) }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

// The size of an element is always 1.
private let takeHead: curl_write_callback = { bytes, _, count, context in
  guard let bytes, let context else { return 0 }
  return transfer(context).takeHead(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private let takeBody: curl_write_callback = { bytes, _, count, context in
  guard let bytes, let context else { return 0 }
  return transfer(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private let openSocket: curl_opensocket_callback = { context, _, wanted in
  guard let context, let wanted else { return -1 }
  var bytes = [UInt8](repeating: 0, count: 16)
  let count = Int(ccurl_address_bytes(wanted, &bytes))
  return transfer(context).mayConnect(to: Address(bytes: Array(bytes[..<count]))) ? ccurl_socket(wanted) : -1
}
