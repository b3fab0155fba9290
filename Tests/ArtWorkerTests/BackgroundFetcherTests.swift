// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ArtWorker

extension BackgroundFetcher {
  /// The result of a fetch.
  func result(
    _ url: String = "http://picture.test/a.png", isUserInitiated: Bool = true,
    proxies: ProxySettings = ProxySettings()
  ) async throws -> Result<CheckedPicture, BackgroundFailure> {
    let fetch = fetch(
      BackgroundRequest(try BackgroundURL(url), isUserInitiated: isUserInitiated, proxies: proxies))
    return await fetch.result
  }
}

extension BackgroundFetch {
  /// The picture or the failure.
  var result: Result<CheckedPicture, BackgroundFailure> {
    get async {
      do throws(BackgroundFailure) {
        return .success(try await picture)
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Result<CheckedPicture, BackgroundFailure> {
  /// The refusal, if it is one.
  var refusal: Refusal? { if case .failure(.refused(let refusal)) = self { refusal } else { nil } }
  /// The error, if it is one.
  var error: ArtError? { if case .failure(.failed(let error)) = self { error } else { nil } }
}

@Suite("Fetching a background", .timeLimit(.minutes(10))) struct BackgroundFetcherTests {
  @Test("B14 one process fetches a picture and another one decodes it, and both end")
  func fetched() async throws {
    let worker = try ScriptedWorker()
    let result = try await worker.fetcher.result()
    let size = try Canvas(width: 7, height: 5)
    let picture = CheckedPicture(
      bytes: Array("abc".utf8), mediaType: "image/png", size: size, isAnimated: false)
    #expect(result == .success(picture))
    #expect(try await worker.hasEnded())
    let requests = try worker.lines("requests")
    #expect(requests.count == 2)
    #expect(requests.first?.contains(#""url":"http://picture.test/a.png"}}"#) == true)
    #expect(
      requests.last == #"{"decode":{"bytes":3,"limits":{"bytes":20971520,"pixels":24000000,"side":16384}}}"#)
  }

  @Test("B14 a picture given as bytes is checked by one process")
  func checked() async throws {
    let worker = try ScriptedWorker()
    let bytes = [UInt8](repeating: 7, count: 3 << 20)
    #expect(try await worker.fetcher.check(bytes).bytes == bytes)
    #expect(try worker.lines("requests").count == 1)
  }

  @Test(
    "B14 the refusal of a worker is the result, and a body that is too large is refused without a worker"
  )
  func refused() async throws {
    let dns = #"{"refused":{"detail":"no address for x","isTransient":true,"reason":"dns"}}"#
    let none = #"{"refused":{"detail":"none","isTransient":false,"reason":"notAnImage"}}"#
    let first = try ScriptedWorker(fetch: "say '\(dns)'")
    #expect(
      try await first.fetcher.result().refusal
        == Refusal(.dns, "no address for x"))
    #expect(try first.lines("requests").count == 1)
    let second = try ScriptedWorker(decode: "cat >/dev/null; say '\(none)'")
    #expect(
      try await second.fetcher.result().refusal == Refusal(.notAnImage, "none"))
    let third = BackgroundFetcher(
      helpers: HelperPrograms(folders: []), pictureLimits: PictureLimits(bytes: 10))
    await #expect(
      throws: BackgroundFailure.refused(Refusal(.tooBig, "it has 11 bytes, and at most 10 are accepted"))
    ) {
      try await third.check([UInt8](repeating: 0, count: 11))
    }
  }

  @Test("B11 the user's proxies are passed on for a user-initiated URL, and for no other one")
  func proxies() async throws {
    let worker = try ScriptedWorker()
    let fetcher = worker.fetcher
    let proxies = ProxySettings(http: "http://proxy.test:3128", https: "proxy.test", none: "*")
    for isUserInitiated in [true, false] {
      _ = try await fetcher.result(isUserInitiated: isUserInitiated, proxies: proxies)
    }
    let fetches = try worker.lines("requests").filter { $0.hasPrefix("{\"fetch\"") }
    #expect(fetches.count == 2)
    #expect(fetches.first?.contains(#""isTyped":true"#) == true)
    #expect(
      fetches.first?.contains(#""proxies":{"http":"http://proxy.test:3128","https":"proxy.test","none":"*"}"#)
        == true)
    #expect(fetches.last?.contains(#""isTyped":false"#) == true)
    #expect(fetches.last?.contains(#""proxies":{}"#) == true)
  }

  @Test(
    "the progress that has not been read is merged into the newest one, and the sequence ends with the fetch")
  func progress() async throws {
    let hasReported = Mutex(false)
    let fetch = BackgroundFetch { report in
      for received in 1...100 { report(FetchProgress(received: received, total: 100)) }
      hasReported.withLock { $0 = true }
      return .failure(.cancelled)
    }
    #expect(await fetch.result == .failure(.cancelled))
    #expect(hasReported.withLock { $0 })
    var all: [FetchProgress] = []
    for await progress in fetch.progress { all.append(progress) }
    #expect(all == [FetchProgress(received: 100, total: 100)])
  }

  @Test("progress is reported while the body arrives, also where its length is unknown")
  func progressMeanwhile() async throws {
    let worker = try ScriptedWorker(
      fetch: """
        say '{"progress":{"received":1}}'
        say '{"progress":{"received":2,"total":3}}'
        read -r go <"${0%/*}/go"
        \(ScriptedWorker.goodFetch)
        """)
    #expect(mkfifo("\(worker.path)/go", 0o600) == 0)
    // Opened for reading and writing, the FIFO does not wait for its other end.
    let go = open("\(worker.path)/go", O_RDWR | O_CLOEXEC)
    defer { close(go) }
    let url = try BackgroundURL("http://picture.test/a.png")
    let fetch = worker.fetcher.fetch(BackgroundRequest(url, isUserInitiated: true))
    var all: [FetchProgress] = []
    for await progress in fetch.progress {
      all.append(progress)
      if progress.received == 2 { #expect(write(go, "\n", 1) == 1) }
    }
    #expect(all.last == FetchProgress(received: 2, total: 3))
    #expect(all.count == 1 || all.first == FetchProgress(received: 1, total: nil))
    #expect(try await fetch.picture.bytes == Array("abc".utf8))
  }
}
