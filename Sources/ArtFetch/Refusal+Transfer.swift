// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl

extension Refusal {
  /// What libcurl's error is for people.
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
      self.init(.tooBig, "\(place) answers with more than is taken")
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

  /// A body that is not as long as was said; without a `total`, one that does not say that it is over.
  static func cutShort(_ target: Target, _ received: Int, _ total: Int?) -> Refusal {
    let wanted = total.map { "\(received) bytes instead of \($0)" } ?? "\(received) bytes, and then nothing"
    return Refusal(.encoding, "\(target.place) answers with \(wanted)")
  }

  /// An address that is not fetched from.
  static func special(_ target: Target, _ address: Address, _ purpose: String) -> Refusal {
    let whose = target.literal == address ? address.text : "\(target.place) is at \(address.text), which"
    return Refusal(.notAllowed, "\(whose) is \(purpose); what nobody typed is not fetched from there")
  }

  private static func late(_ handle: UnsafeMutableRawPointer, _ transfer: Transfer) -> Refusal {
    let isConnected = ccurl_get_time(handle, CURLINFO_PRETRANSFER_TIME_T) > 0
    guard isConnected else { return Refusal(.timeout, "\(answerer(transfer)) does not answer") }
    guard transfer.received > 0 else {
      return Refusal(.timeout, "\(transfer.target.place) takes too long to answer")
    }
    return tooSlow(transfer.target, transfer.received)
  }

  /// A body that is not all there when it must be.
  static func tooSlow(_ target: Target, _ received: Int) -> Refusal {
    Refusal(.timeout, "\(target.place) is too slow: \(received) bytes had come")
  }

  /// Who is connected to.
  private static func answerer(_ transfer: Transfer) -> String {
    transfer.route.proxy.map { "the proxy \($0.host):\($0.port)" } ?? transfer.target.place
  }

  /// The numbers are OpenSSL's, of `X509_verify_cert_error_string`.
  private static func distrust(_ place: String, _ result: Int, _ words: String) -> String {
    switch result {
    case 10: "the certificate of \(place) has expired"
    case 9: "the certificate of \(place) is not valid yet"
    case 18, 19: "the certificate of \(place) is signed by nobody but itself"
    case 2, 20, 21: "the certificate of \(place) is of an authority that is not known here"
    // Names are compared by libcurl itself.
    case 0...1 where words.contains("match"): "the certificate of \(place) is another host's"
    default: "the certificate of \(place) cannot be trusted: \(words)"
    }
  }
}
