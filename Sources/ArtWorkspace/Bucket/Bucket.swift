// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorker
import Glibc
import Synchronization

/// Why a request to a store was not done.
enum BucketFailure: Error {
  /// It may work when it is tried again, after that time if the store says so: another client was faster, the store is busy, or there was no
  /// answer; then it is not known whether the request was done.
  case again(ArtError, after: Duration?)
  /// It does not work.
  case failed(ArtError)
}

/// The documents in a bucket of an S3-compatible store. Each is one object.
///
/// Each write of an object has a condition: the object has not changed since it was read. So clients need no locks.
final class Bucket: Sendable {
  /// Under which condition an object is written.
  enum Condition: Equatable {
    /// There is none of that name.
    case absent
    /// It is still the one with that entity tag.
    case unchanged(String)
  }

  /// An object and its bytes.
  struct Object {
    let etag: String
    let bytes: [UInt8]
  }

  /// Sends a request to the store, with the most bytes of the response's body.
  typealias Exchange =
    @Sendable (_ request: StoreRequest, _ limit: Int) async throws(BackgroundFailure) -> StoreResponse

  /// The most bytes of an answer that is no document.
  private static let mostBytes = 16 << 20
  /// The most bytes of a document.
  private static let largestDocument = 256 << 20
  /// The most objects of a listing, of whatever names, and the most pages of it in a row that have none.
  private static let (mostObjects, mostEmptyPages) = (250_000, 100)
  /// How many objects a page counts for at least: a store gives up to 1,000 in a page.
  private static let leastOfPage = 250
  /// The most probes of killed clients that are removed in one run.
  private static let mostProbes = 100

  /// Where the documents are.
  let location: BucketLocation
  private let settings: BucketSettings
  private let endpoint: StoreEndpoint
  private let exchange: Exchange
  private let now: @Sendable () -> Int
  private let state = Mutex(State())

  private struct State {
    /// Milliseconds that the store's clock is ahead of this machine's.
    var offset = 0
    /// Whether the store wants entity tags without quotes in conditions, as Ceph does.
    var isUnquoted = false
  }

  /// A bucket. `now` is the time in milliseconds since 1970. Throws `badValue` for a bad endpoint.
  init(
    _ location: BucketLocation, _ settings: BucketSettings, now: @escaping @Sendable () -> Int,
    exchange: @escaping Exchange
  ) throws(ArtError) {
    self.location = location
    self.settings = settings
    self.exchange = exchange
    self.now = now
    endpoint = try StoreEndpoint(settings.endpoint, region: settings.region, bucket: location.bucket)
  }

  /// The whole name of the place, with the store's address.
  var place: String { "\(endpoint.scheme)\(endpoint.host)\(endpoint.path)/\(location.prefix)" }

  // MARK: Objects

  /// What a bucket has directly below the prefix.
  struct Listing {
    /// A document's object.
    struct Entry {
      let etag: String
      /// Its bytes, as the store says.
      let size: Int
    }

    /// By the names of the documents.
    var documents: [FilePath: Entry] = [:]
    /// The probes that killed clients have left.
    var oldProbes: [String] = []
    /// How many names end like those of documents and are not carried, and the first of these.
    var leftOut: (count: Int, first: String)?
  }

  /// Lists the bucket. Throws `tooLarge` for a listing that does not end.
  func list() async throws(BucketFailure) -> Listing {
    var found = Listing()
    var next: String?
    var tokens: Set<String> = []
    var (objects, emptyPages) = (0, 0)
    repeat {
      var query = [
        (name: "delimiter", value: "/"), (name: "encoding-type", value: "url"),
        (name: "list-type", value: "2"), (name: "prefix", value: location.prefix),
      ]
      if let next { query.append((name: "continuation-token", value: next)) }
      let response = try await send(.get, nil, query: query)
      guard response.status == 200 else { throw failure(response, of: nil) }
      let page: BucketPage
      do throws(ArtError) { page = try BucketPage(response.body) } catch { throw .failed(error) }
      for object in page.objects where object.key.utf8.starts(with: location.prefix.utf8) {
        let name = String(decoding: object.key.utf8.dropFirst(location.prefix.utf8.count), as: UTF8.self)
        if isOldProbe(name) {
          if found.oldProbes.count < Self.mostProbes { found.oldProbes.append(name) }
        } else if DocumentName.hasEnding(name), ConflictCopy.document(of: name) == nil {
          guard Self.carries(name) else {
            found.leftOut = ((found.leftOut?.count ?? 0) + 1, found.leftOut?.first ?? name)
            continue
          }
          found.documents[FilePath(name)] = Listing.Entry(etag: object.etag, size: object.size)
        }
      }
      next = page.next
      objects += max(page.objects.count, Self.leastOfPage)
      emptyPages = page.objects.isEmpty ? emptyPages + 1 : 0
      // A store that goes round in circles, or never ends.
      guard objects <= Self.mostObjects, emptyPages <= Self.mostEmptyPages,
        next.map({ tokens.insert($0).inserted }) ?? true
      else {
        throw .failed(
          ArtError(
            .tooLarge,
            "the listing of \(location.text) does not end, or has more than \(Self.mostObjects) objects; give documents a prefix of their own",
            about: location.text))
      }
    } while next != nil
    return found
  }

  /// Whether documents of this name are carried, from a folder to a bucket and back: a plain name, which is not hidden, and not that of a
  /// conflict copy, which is merged where it is. Of the signs that are not shown it may have the zero width non-joiner, which some scripts need.
  static func carries(_ name: String) -> Bool {
    DocumentName.hasEnding(name) && DocumentName.isValid(name) && ConflictCopy.document(of: name) == nil
      && name.utf8.count <= 255 && !FilePath(name).hasSlash && name.utf8.first != UInt8(ascii: ".")
      && !name.unicodeScalars.contains { $0.isInvisibleSign && $0 != zeroWidthNonJoiner }
      && !DocumentName.withoutEnding(name).unicodeScalars.allSatisfy {
        $0.isInvisibleSign || $0 == "\u{200D}"
      }
  }

  /// The object of a document; nil if there is none.
  func get(_ name: String) async throws(BucketFailure) -> Object? {
    let response = try await send(.get, name)
    if isMissing(response) { return nil }
    guard response.status == 200, let etag = response.fields["etag"] else {
      throw failure(response, of: name)
    }
    return Object(etag: etag, bytes: response.body)
  }

  /// The name of the state that an object has, as the client said that wrote it; nil if there is no object, or no name.
  func state(of name: String) async throws(BucketFailure) -> String? {
    let response = try await send(.head, name)
    if response.status == 404 { return nil }
    guard response.status == 200 else { throw failure(response, of: name) }
    return response.fields["x-amz-meta-emojiart-state"]
  }

  /// Writes an object, and returns its entity tag; nil if the store does not tell it. `state` names the document's state.
  func put(
    _ name: String, _ bytes: [UInt8], if condition: Condition, state: String
  ) async throws(BucketFailure) -> String? {
    let isUnquoted = self.state.withLock(\.isUnquoted)
    let response = try await put(name, bytes, condition, state, isUnquoted: isUnquoted)
    guard response.status == 200 else { throw failure(response, of: name) }
    return response.fields["etag"]
  }

  private func put(
    _ name: String, _ bytes: [UInt8], _ condition: Condition, _ state: String?, isUnquoted: Bool
  ) async throws(BucketFailure) -> StoreResponse {
    var fields = [StoreRequest.HeaderField("content-type", "application/vnd.emojiart")]
    switch condition {
    case .absent: fields.append(StoreRequest.HeaderField("if-none-match", "*"))
    case .unchanged(let etag):
      fields.append(
        StoreRequest.HeaderField("if-match", isUnquoted ? etag.filter { $0 != "\"" } : etag))
    }
    if let state { fields.append(StoreRequest.HeaderField("x-amz-meta-emojiart-state", state)) }
    return try await send(.put, name, fields: fields, body: bytes)
  }

  // MARK: The probe

  /// Tries on an object of its own whether the store checks conditions, and how it wants them. `name` is one that `probeName` gives, another one
  /// for each try; the caller removes the object. Throws if the store does not: there, clients would overwrite each other's edits.
  ///
  /// | request | a store that can be used answers |
  /// |---|---|
  /// | write it if there is none | 200 |
  /// | write it if there is none | 412 |
  /// | write it if it is another one | 412 |
  /// | write it if it is this one | 200, with the tag as it came or without its quotes |
  /// | read it | what was written last |
  ///
  /// Any other answer is a failure like that of any other request.
  func probe(_ name: String) async throws(BucketFailure) {
    func put(_ text: String, _ condition: Condition, isUnquoted: Bool = false) async throws(BucketFailure)
      -> StoreResponse
    { try await self.put(name, Array(text.utf8), condition, nil, isUnquoted: isUnquoted) }
    let first = try await put("1", .absent)
    if first.status == 501 { throw .failed(unusable("it has no conditions")) }
    guard first.status == 200, let etag = first.fields["etag"] else { throw failure(first, of: name) }
    try refused(await put("2", .absent), name, "it overwrites an object that should not be there")
    try refused(
      await put("3", .unchanged("\"0123456789abcdef0123456789abcdef\"")), name,
      "it overwrites an object that has changed")
    let quoted = try await put("4", .unchanged(etag))
    if quoted.status == 412 {
      let unquoted = try await put("4", .unchanged(etag), isUnquoted: true)
      if unquoted.status == 412 {
        throw .failed(unusable("it refuses to write an object that has not changed"))
      }
      guard unquoted.status == 200 else { throw failure(unquoted, of: name) }
      state.withLock { $0.isUnquoted = true }
    } else if quoted.status != 200 {
      throw failure(quoted, of: name)
    }
    guard try await get(name)?.bytes == Array("4".utf8) else {
      throw .failed(unusable("it does not give what was written last"))
    }
  }

  private func refused(_ response: StoreResponse, _ name: String, _ fault: String) throws(BucketFailure) {
    switch response.status {
    case 412: return
    case 200: throw .failed(unusable(fault))
    default: throw failure(response, of: name)
    }
  }

  private static let zeroWidthNonJoiner: Unicode.Scalar = "\u{200C}"
  private static let probes = ".emojiart-probe-"

  /// A name for a probe: it tells when it was made, so that what a killed client has left is removed one day.
  func probeName(_ mark: String) -> String {
    "\(Self.probes)\((now() + state.withLock(\.offset)) / 1000)-\(mark)"
  }

  /// Whether an object is a probe that no client uses any more.
  private func isOldProbe(_ name: String) -> Bool {
    // Of a probe's own letters only: a store can list any name, and this one is removed.
    guard name.hasPrefix(Self.probes), name.utf8.dropFirst(Self.probes.utf8.count).allSatisfy(Self.isOfProbe),
      let time = Int(name.dropFirst(Self.probes.count).prefix { $0 != "-" })
    else { return false }
    return (now() + state.withLock(\.offset)) / 1000 - time > 3_600
  }

  private static func isOfProbe(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// Removes an object that is no document.
  func remove(_ name: String) async throws(BucketFailure) {
    let response = try await send(.delete, name)
    guard [200, 204, 404].contains(response.status) else { throw failure(response, of: name) }
  }

  private func unusable(_ why: String) -> ArtError {
    ArtError(
      .unavailable,
      "the store at \(endpoint.host) cannot be used: \(why), so edits of several machines would be lost",
      about: location.text)
  }

  // MARK: Requests

  /// Sends a signed request. A store whose clock differs is asked again, with its own time.
  private func send(
    _ method: StoreRequest.Method, _ name: String?, query: [(name: String, value: String)] = [],
    fields: [StoreRequest.HeaderField] = [], body: [UInt8] = []
  ) async throws(BucketFailure) -> StoreResponse {
    let limit = method == .get && name != nil ? Self.largestDocument : Self.mostBytes
    let response = try await send(signed(method, name, query, fields, body), limit)
    guard response.status == 403, let date = response.fields["date"].flatMap(Self.time) else {
      return response
    }
    let offset = date - now()
    // AWS accepts 15 minutes.
    guard abs(offset - state.withLock(\.offset)) > 300_000 else { return response }
    state.withLock { $0.offset = offset }
    return try await send(signed(method, name, query, fields, body), limit)
  }

  private func send(_ request: StoreRequest, _ limit: Int) async throws(BucketFailure) -> StoreResponse {
    do throws(BackgroundFailure) { return try await exchange(request, limit) } catch {
      switch error {
      case .refused(let refusal):
        let problem = ArtError(
          .unavailable, "\(location.text) cannot be reached: \(refusal.detail)", about: location.text)
        switch refusal.reason {
        case .timeout, .refused, .dns, .encoding, .status: throw .again(problem, after: nil)
        default: throw .failed(problem)
        }
      case .failed(let error): throw .failed(error)
      case .cancelled: throw .failed(ArtError(.closed, "the exchange with \(location.text) was cancelled"))
      }
    }
  }

  private func signed(
    _ method: StoreRequest.Method, _ name: String?, _ query: [(name: String, value: String)],
    _ fields: [StoreRequest.HeaderField], _ body: [UInt8]
  ) -> StoreRequest {
    let key = name.map {
      "/" + RequestSignature.Canonical.encoded(location.prefix + $0, keepingSlashes: true)
    }
    let path = endpoint.path + (key ?? (endpoint.path.isEmpty ? "/" : ""))
    let added = RequestSignature(credentials: settings.credentials, region: settings.region).fields(
      method.rawValue, host: endpoint.host, path: path, query: query, fields: fields, body: body,
      date: now() + state.withLock(\.offset))
    let pairs = query.map {
      "\(RequestSignature.Canonical.encoded($0.name))=\(RequestSignature.Canonical.encoded($0.value))"
    }
    let url =
      endpoint.scheme + endpoint.host + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    return StoreRequest(method, url, fields: fields + added, body: body)
  }

  /// Milliseconds since 1970 of `Thu, 26 Nov 2026 01:45:00 GMT`.
  private static func time(_ text: String) -> Int? {
    let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 8, let day = Int32(words[1]), let month = months.firstIndex(of: String(words[2])),
      let year = Int32(words[3]), (1970...9_999).contains(year), let hour = Int32(words[4]),
      let minute = Int32(words[5]), let second = Int32(words[6])
    else { return nil }
    var parts = tm()
    (parts.tm_mday, parts.tm_mon, parts.tm_year) = (day, Int32(month), year - 1_900)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    return Int(timegm(&parts)) * 1000
  }

  // MARK: Failures

  /// Whether a response says that there is no object, and not that there is no bucket.
  private func isMissing(_ response: StoreResponse) -> Bool {
    response.status == 404 && Self.code(of: response) != "NoSuchBucket"
  }

  private static func code(of response: StoreResponse) -> String? {
    // An error is short; what is longer may be a document.
    guard response.body.count <= 1 << 16 else { return nil }
    do throws(ArtError) { return try StoreAnswer(response.body).text("Code") } catch { return nil }
  }

  private func failure(_ response: StoreResponse, of object: String?) -> BucketFailure {
    let isListing = object == nil
    let place = object.map { "s3://\(location.bucket)/\(location.prefix)\($0)" } ?? location.text
    let name = Self.code(of: response)
    let code = name.map { " (\($0.prefix(60)))" } ?? ""
    let wait = response.fields["retry-after"].flatMap(Int.init).map { Duration.seconds(min(max($0, 0), 60)) }
    func error(_ code: ArtError.Code, _ text: String) -> ArtError { ArtError(code, text, about: place) }
    switch response.status {
    case 404 where name == "NoSuchBucket" || isListing:
      return .failed(error(.noSuchDocument, "there is no bucket \(location.bucket)"))
    // Another client was faster, or the object has gone.
    case 412, 404, 409:
      return .again(error(.movedOn, "\(place) changes all the time"), after: nil)
    case 408, 429, 500...599:
      return .again(
        error(.unavailable, "the store answered \(response.status)\(code) for \(place)"), after: wait)
    case 301, 307:
      let region = response.fields["x-amz-bucket-region"] ?? "another one"
      return .failed(
        error(
          .badValue,
          "the bucket is in the region \(region.prefix(40)), not \(settings.region); set AWS_REGION"))
    case 401, 403:
      return .failed(error(.notPermitted, "the store does not permit this key to use \(place)\(code)"))
    default: return .failed(error(.unavailable, "the store answered \(response.status)\(code) for \(place)"))
    }
  }
}
