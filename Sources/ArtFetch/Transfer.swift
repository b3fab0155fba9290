// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl
import Glibc

/// One hop: a request and its response.
///
/// libcurl calls back during `run`, on the same thread.
final class Transfer {
  /// The result of a hop.
  enum Outcome {
    case body([UInt8])
    case redirect(String)
  }

  /// The least number of bytes, and the least time, between two reports of progress: each is a line of output,
  /// and a server may send a body byte by byte.
  static let reportStride = (bytes: 16 << 10, time: Duration.milliseconds(100))

  let target: Target
  let hop: Hop
  /// The request to a store; nil for a picture.
  let request: StoreRequest?
  private let limit: Int
  private let deadline: ContinuousClock.Instant
  private let progress: (Int, Int?) -> Void
  private var head = ResponseHead()
  private var verdict: ResponseHead.Verdict?
  /// The status and the fields of a store's response.
  private(set) var response: StoreResponse?
  private var body: [UInt8] = []
  private var lastReport: (received: Int, when: ContinuousClock.Instant)?
  /// Why the transfer was aborted.
  private var refusal: Refusal?
  /// The bytes of response heads that are still allowed.
  private(set) var headBytesLeft: Int

  /// Creates a hop.
  init(
    to target: Target, by hop: Hop, sending request: StoreRequest? = nil, limit: Int, headBytesLeft: Int,
    before deadline: ContinuousClock.Instant,
    progress: @escaping (Int, Int?) -> Void
  ) {
    self.target = target
    self.hop = hop
    self.request = request
    self.limit = limit
    self.headBytesLeft = headBytesLeft
    self.deadline = deadline
    self.progress = progress
  }

  /// Performs the hop.
  func run(_ settings: TransferSettings) throws(Refusal) -> Outcome {
    guard let handle = curl_easy_init() else { throw Refusal(.refused, "libcurl cannot be used") }
    defer { curl_easy_cleanup(handle) }
    var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = message.withUnsafeMutableBufferPointer { buffer in
      settings.perform(handle, self, buffer)
    }
    if let refusal { throw refusal }
    if case .redirect(let location) = verdict { return .redirect(location) }
    guard code == CURLE_OK else {
      throw Refusal(code, handle, to: self, settings, Self.text(message))
    }
    guard case .body(let total) = verdict else {
      throw Refusal(.status, "\(target.place) does not answer in HTTP")
    }
    if response != nil { return .body(body) }
    guard total == nil || total == body.count else { throw Refusal.cutShort(target, body.count, total) }
    if lastReport?.received != body.count { reportProgress(total, .now) }
    return .body(head.isCompressed ? try expanded() : body)
  }

  /// The body without its encoding; it may have as many bytes as an unencoded one.
  private func expanded() throws(Refusal) -> [UInt8] {
    var result = CCURL_DAMAGED
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { room, count in
      result = ccurl_expand(body, body.count, room.baseAddress, room.count, &count)
    }
    switch result {
    case CCURL_EXPANDED: return bytes
    case CCURL_TOO_LARGE: throw ResponseHead.tooBig(target.place, limit)
    default:
      throw Refusal(.encoding, "\(target.place) answers with a compressed body that cannot be expanded")
    }
  }

  private static func text(_ message: [CChar]) -> String {
    String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Bytes of the body received so far.
  var received: Int { body.count }

  /// The length of the body, if it is known.
  var total: Int? {
    if case .body(let total) = verdict { total } else { nil }
  }
}

// // MARK: - Callbacks of libcurl; false aborts the transfer
extension Transfer {
  /// A line of a head, or of a trailer.
  func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
    headBytesLeft -= line.count
    guard headBytesLeft >= 0 else {
      return refuse(Refusal(.tooBig, "\(target.place) answers with too much before the picture"))
    }
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if text.starts(with: "HTTP/".utf8) { verdict = nil }
    guard verdict == nil else { return true }
    guard text.isEmpty else {
      head.append(text)
      return true
    }
    do throws(Refusal) {
      if request != nil { return try receiveResponseHead() }
      let verdict = try head.verdict(from: target.place, limit: limit)
      switch verdict {
      case .interim: return true
      case .redirect:
        self.verdict = verdict
        return false
      case .body(let total):
        self.verdict = verdict
        body.reserveCapacity(total ?? 0)
        reportProgress(total, .now)
        return true
      }
    } catch {
      return refuse(error)
    }
  }

  private func receiveResponseHead() throws(Refusal) -> Bool {
    guard let head = try head.response(from: target.place, limit: limit) else { return true }
    response = StoreResponse(status: head.status, fields: head.fields)
    // libcurl compares the length of a body with the head's.
    verdict = .body(total: head.total)
    return true
  }

  /// Bytes of the body.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .body(let total) = verdict else {
      return refuse(Refusal(.status, "\(target.place) does not answer in HTTP"))
    }
    guard bytes.count <= limit - body.count else { return refuse(ResponseHead.tooBig(target.place, limit)) }
    body.append(contentsOf: bytes)
    // libcurl checks its timeout only after many pieces, which may be of one byte each.
    let now = ContinuousClock.now
    guard now < deadline else { return refuse(.tooSlow(target, body.count)) }
    if let lastReport, body.count - lastReport.received < Self.reportStride.bytes,
      now - lastReport.when < Self.reportStride.time
    {
      return true
    }
    reportProgress(total, now)
    return true
  }

  private func reportProgress(_ total: Int?, _ now: ContinuousClock.Instant) {
    lastReport = (body.count, now)
    progress(body.count, total)
  }

  /// Whether libcurl may open a socket to that address, the one of the actual connection.
  func mayConnect(to address: Address?) -> Bool {
    guard let address, hop.addresses.contains(address) else {
      return refuse(
        Refusal(.notAllowed, "\(target.place) turned out to be at another address than was looked up"))
    }
    if !hop.isExempt, let purpose = address.specialPurpose {
      return refuse(Refusal.special(target, address, purpose))
    }
    return true
  }

  private func refuse(_ refusal: Refusal) -> Bool {
    self.refusal = refusal
    return false
  }
}

// MARK: - Options of libcurl

/// The options of libcurl for a hop.
struct TransferSettings {
  /// Milliseconds until the connection must be established.
  var connect: Int
  /// Milliseconds until the transfer must be complete.
  var total: Int
  /// A file of trusted certificates; nil for the system's.
  var authorities: String?
  /// Whether libcurl gets the checked addresses; a test of the later check of the connection turns it off.
  var pinsAddresses = true

  /// Initializes libcurl, once for the process and before the first handle.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Configures a handle and performs the transfer.
  func perform(
    _ handle: UnsafeMutableRawPointer, _ transfer: Transfer, _ message: UnsafeMutableBufferPointer<CChar>
  ) -> CURLcode {
    let easy = EasyHandle(handle)
    let headers = SList(transfer.request?.lines ?? ["Accept: image/*", "Accept-Encoding: identity"])
    let addresses = SList(pinsAddresses ? [transfer.hop.pin].compactMap { $0 } : [])
    easy.set(CURLOPT_URL, transfer.target.url)
    easy.set(CURLOPT_USERAGENT, EmojiArtVersion.userAgent)
    easy.set(CURLOPT_HTTPHEADER, headers)
    easy.set(CURLOPT_RESOLVE, addresses)
    setLimits(easy)
    setTrust(easy)
    setProxy(easy, transfer.hop.proxy)
    if let request = transfer.request { setMethod(easy, request.method) }
    ccurl_set_error_buffer(handle, message.baseAddress)
    ccurl_set_callbacks(
      handle, receiveHead, receiveBody, openSocket, Unmanaged.passUnretained(transfer).toOpaque())
    guard easy.code == CURLE_OK else { return easy.code }
    let body = transfer.request.flatMap { $0.method == .put ? $0.body : nil }
    return withExtendedLifetime((headers, addresses)) {
      guard let body else { return curl_easy_perform(handle) }
      return body.withUnsafeBytes { bytes in
        let code = ccurl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count))
        return code == CURLE_OK ? curl_easy_perform(handle) : code
      }
    }
  }

  private func setMethod(_ easy: EasyHandle, _ method: StoreRequest.Method) {
    // Dots in a path are part of an object's name.
    easy.set(CURLOPT_PATH_AS_IS, 1)
    switch method {
    case .get: break
    case .head: easy.set(CURLOPT_NOBODY, 1)
    case .put, .delete: easy.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
    }
  }

  /// No automatic redirects, and no decoding: libcurl does not count what it decodes.
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

  /// Set even without a proxy: otherwise libcurl reads the environment.
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

/// A handle of libcurl; `code` is the first error of setting an option.
private final class EasyHandle {
  private let handle: UnsafeMutableRawPointer
  private(set) var code = CURLE_OK

  init(_ handle: UnsafeMutableRawPointer) { self.handle = handle }

  func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(handle, option, value)) }
  func set(_ option: CURLoption, _ value: String?) { note(ccurl_set_text(handle, option, value)) }
  func set(_ option: CURLoption, _ value: SList) { note(ccurl_set_list(handle, option, value.first)) }

  private func note(_ result: CURLcode) { if code == CURLE_OK { code = result } }
}

/// libcurl's list of strings.
private final class SList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ texts: [String]) {
    for text in texts { first = curl_slist_append(first, text) ?? first }
  }

  deinit { curl_slist_free_all(first) }
}

extension StoreRequest {
  /// The lines of the head. A body is sent at once, without asking the store whether it wants it.
  fileprivate var lines: [String] {
    ["Accept: */*", "Accept-Encoding: identity", "Expect:"] + fields.map { "\($0.name): \($0.value)" }
  }
}

// MARK: - Callbacks in C

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

// The size of an element is always 1.
private let receiveHead: curl_write_callback = { bytes, _, count, context in
  guard let bytes, let context else { return 0 }
  return transfer(context).receiveHead(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private let receiveBody: curl_write_callback = { bytes, _, count, context in
  guard let bytes, let context else { return 0 }
  return transfer(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private let openSocket: curl_opensocket_callback = { context, _, wanted in
  guard let context, let wanted else { return -1 }
  var bytes = [UInt8](repeating: 0, count: 16)
  let count = Int(ccurl_address_bytes(wanted, &bytes))
  return transfer(context).mayConnect(to: Address(bytes: Array(bytes[..<count]))) ? ccurl_socket(wanted) : -1
}

// MARK: - Errors

extension Refusal {
  /// Translates an error of libcurl.
  init(
    _ code: CURLcode, _ handle: UnsafeMutableRawPointer, to transfer: Transfer, _ settings: TransferSettings,
    _ message: String
  ) {
    let place = transfer.target.place
    let words = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      self.init(.dns, "no address was found for \(place)")
    case CURLE_OPERATION_TIMEDOUT:
      self = .late(handle, transfer)
    case CURLE_PEER_FAILED_VERIFICATION:
      self.init(.tls, Self.distrust(place, ccurl_get_long(handle, CURLINFO_SSL_VERIFYRESULT), words))
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
      self.init(.tls, "there is no secure connection to \(place): \(words)")
    case CURLE_PARTIAL_FILE:
      self = .cutShort(transfer.target, transfer.received, transfer.total)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      self.init(.encoding, "\(place) answers with something that cannot be read: \(words)")
    case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
      self.init(.tooBig, "\(place) answers with more than is accepted")
    case CURLE_UNSUPPORTED_PROTOCOL:
      self.init(.status, "\(place) does not answer in HTTP")
    case CURLE_URL_MALFORMAT:
      self.init(.badURL, "the URL cannot be read: \(words)")
    case CURLE_COULDNT_CONNECT:
      self.init(.refused, "\(Self.answerer(transfer)) does not take connections")
    case CURLE_GOT_NOTHING:
      self.init(.refused, "\(Self.answerer(transfer)) answers nothing")
    default:
      self.init(.refused, "the connection to \(Self.answerer(transfer)) was lost: \(words)")
    }
  }

  /// A body of another length than announced; without a `total`, a body whose end is not marked.
  static func cutShort(_ target: Target, _ received: Int, _ total: Int?) -> Refusal {
    let wanted = total.map { "\(received) bytes instead of \($0)" } ?? "\(received) bytes, and then nothing"
    return Refusal(.encoding, "\(target.place) answers with \(wanted)")
  }

  /// An address that may not be fetched from.
  static func special(_ target: Target, _ address: Address, _ purpose: String) -> Refusal {
    let whose = target.literal == address ? address.text : "\(target.place) is at \(address.text), which"
    return Refusal(.notAllowed, "\(whose) is \(purpose); only a URL that you type is fetched from there")
  }

  private static func late(_ handle: UnsafeMutableRawPointer, _ transfer: Transfer) -> Refusal {
    let isConnected = ccurl_get_time(handle, CURLINFO_PRETRANSFER_TIME_T) > 0
    guard isConnected else { return Refusal(.timeout, "\(answerer(transfer)) does not answer") }
    guard transfer.received > 0 else {
      return Refusal(.timeout, "\(transfer.target.place) takes too long to answer")
    }
    return tooSlow(transfer.target, transfer.received)
  }

  /// A body that is incomplete at the deadline.
  static func tooSlow(_ target: Target, _ received: Int) -> Refusal {
    Refusal(.timeout, "\(target.place) is too slow: \(received) bytes had come")
  }

  /// The peer of the connection: the proxy or the target.
  private static func answerer(_ transfer: Transfer) -> String {
    transfer.hop.proxy.map { "the proxy \($0.host):\($0.port)" } ?? transfer.target.place
  }

  /// The numbers of OpenSSL's `X509_verify_cert_error_string`.
  private static func distrust(_ place: String, _ result: Int, _ words: String) -> String {
    switch result {
    case 10: "the certificate of \(place) has expired"
    case 9: "the certificate of \(place) is not valid yet"
    case 18: "the certificate of \(place) is self-signed"
    case 19: "the certificate of \(place) is signed by an authority that is not trusted here"
    case 2, 20, 21: "the certificate of \(place) is of an authority that is not known here"
    // libcurl itself compares names.
    case 0...1 where words.contains("match"): "the certificate of \(place) is another host's"
    default: "the certificate of \(place) cannot be trusted: \(words)"
    }
  }
}
