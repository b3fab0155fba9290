// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CCurl
import Glibc

/// One hop: a request to one place, and its answer as far as it is wanted.
///
/// libcurl calls back from within `run`, on the same thread.
final class Transfer {
  /// What a hop ends with.
  enum Outcome {
    case body([UInt8])
    case redirect(String)
  }

  /// So many bytes, or so much time, lie between two times that it is told how far a body is: each is a line to somebody, and
  /// a server may send a body byte by byte.
  static let stride = (bytes: 16 << 10, time: Duration.milliseconds(100))

  let target: Target
  let route: Hop
  private let limit: Int
  private let deadline: ContinuousClock.Instant
  private let progress: (Int, Int?) -> Void
  private var head = ResponseHead()
  private var verdict: ResponseHead.Verdict?
  private var body: [UInt8] = []
  private var told: (received: Int, when: ContinuousClock.Instant)?
  /// Why it was broken off.
  private var refusal: Refusal?
  /// Bytes of heads that are still taken.
  private(set) var headRoom: Int

  /// A hop to that place.
  init(
    to target: Target, by route: Hop, limit: Int, headRoom: Int, before deadline: ContinuousClock.Instant,
    progress: @escaping (Int, Int?) -> Void
  ) {
    self.target = target
    self.route = route
    self.limit = limit
    self.headRoom = headRoom
    self.deadline = deadline
    self.progress = progress
  }

  /// Makes the hop. `connect` and `total` are how long that may take.
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
    guard total == nil || total == body.count else { throw Refusal.cutShort(target, body.count, total) }
    if told?.received != body.count { tell(total, .now) }
    return .body(body)
  }

  private static func text(_ message: [CChar]) -> String {
    String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// How much of the body has come.
  var received: Int { body.count }

  /// How much will come, if that is known.
  var total: Int? {
    if case .body(let total) = verdict { total } else { nil }
  }
}

// What libcurl asks; false breaks the transfer off.
extension Transfer {
  /// A line of a head, or after a body in chunks.
  func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
    headRoom -= line.count
    guard headRoom >= 0 else {
      return refuse(Refusal(.tooBig, "\(target.place) answers with too much before the picture"))
    }
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if text.starts(with: "HTTP/".utf8) { verdict = nil }
    guard verdict == nil else { return true }
    guard text.isEmpty else {
      head.take(text)
      return true
    }
    do throws(Refusal) {
      let verdict = try head.verdict(from: target.place, limit: limit)
      switch verdict {
      case .interim: return true
      case .redirect:
        self.verdict = verdict
        return false
      case .body(let total):
        self.verdict = verdict
        body.reserveCapacity(total ?? 0)
        tell(total, .now)
        return true
      }
    } catch {
      return refuse(error)
    }
  }

  /// Bytes of a body.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .body(let total) = verdict else {
      return refuse(Refusal(.status, "\(target.place) does not answer in HTTP"))
    }
    guard bytes.count <= limit - body.count else { return refuse(ResponseHead.tooBig(target.place, limit)) }
    body.append(contentsOf: bytes)
    // libcurl looks at the clock again only after many pieces, which may be of a byte each.
    let now = ContinuousClock.now
    guard now < deadline else { return refuse(.tooSlow(target, body.count)) }
    if let told, body.count - told.received < Self.stride.bytes, now - told.when < Self.stride.time {
      return true
    }
    tell(total, now)
    return true
  }

  private func tell(_ total: Int?, _ now: ContinuousClock.Instant) {
    told = (body.count, now)
    progress(body.count, total)
  }

  /// Whether a socket may be had for that address, which is the one that is really connected to.
  func mayConnect(to address: Address?) -> Bool {
    guard let address, route.addresses.contains(address) else {
      return refuse(
        Refusal(.notAllowed, "\(target.place) turned out to be at another address than was looked up"))
    }
    if !route.isExempt, let purpose = address.specialPurpose {
      return refuse(Refusal.special(target, address, purpose))
    }
    return true
  }

  private func refuse(_ refusal: Refusal) -> Bool {
    self.refusal = refusal
    return false
  }
}
