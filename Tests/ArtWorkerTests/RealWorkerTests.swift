// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Foundation
import TestSupport
import Testing

@Suite("The worker and a server", .timeLimit(.minutes(10))) struct RealWorkerTests {
  private let server: PictureServer
  /// The worker keeps to its time by itself; nobody outside is in a hurry.
  private let fetcher = BackgroundFetcher(fetchLimits: FetchLimits(total: .seconds(60)), clock: ManualClock())

  init() throws { server = try PictureServer() }

  @Test("B14 a picture comes from a server through both programs")
  func picture() async throws {
    let fetch = fetcher.fetch(
      BackgroundRequest(try BackgroundURL("\(server.url)/picture"), isUserInitiated: true))
    let picture = try await fetch.picture
    #expect(picture.mediaType == "image/png" && !picture.isAnimated)
    #expect(picture.size == (try Canvas(width: 1, height: 1)))
    var last: FetchProgress?
    for await progress in fetch.progress { last = progress }
    #expect(last.map { $0.received == picture.bytes.count } ?? true, "the last one that was told")
  }

  @Test("G7 the largest body comes through both programs within their limits, and one byte more is refused")
  func largest() async throws {
    let result = try await fetcher.result("\(server.url)/size/20971520")
    #expect(result.refusal?.reason == .notAnImage, "\(result)")
    let more = try await fetcher.result("\(server.url)/size/20971521")
    #expect(more.refusal?.reason == .tooBig, "\(more)")
  }

  @Test("B14 what the worker refuses of a server is refused with its reason")
  func refused() async throws {
    #expect(try await fetcher.result("\(server.url)/status/503").refusal?.isTransient == true)
    #expect(
      try await fetcher.result("\(server.url)/picture", isUserInitiated: false).refusal?.reason == .notAllowed
    )
    let short = BackgroundFetcher(
      fetchLimits: FetchLimits(total: .milliseconds(500)), clock: ManualClock())
    #expect(try await short.result("\(server.url)/slow/nothing").refusal?.reason == .timeout)
  }
}
