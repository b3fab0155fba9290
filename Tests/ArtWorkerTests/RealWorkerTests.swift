// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Foundation
import TestSupport
import Testing

@Suite("The worker and a server", .timeLimit(.minutes(10))) struct RealWorkerTests {
  private let server: PictureServer
  /// The worker has its own time limits; the clock of this process stands still.
  private let fetcher = BackgroundFetcher(fetchLimits: FetchLimits(total: .seconds(60)), clock: ManualClock())

  init() throws { server = try PictureServer() }

  @Test("B14 a picture is fetched from a server and decoded")
  func picture() async throws {
    let fetch = fetcher.fetch(
      BackgroundRequest(try BackgroundURL("\(server.url)/picture"), isUserInitiated: true))
    let picture = try await fetch.picture
    #expect(picture.mediaType == "image/png" && !picture.isAnimated)
    #expect(picture.size == (try Canvas(width: 1, height: 1)))
    var last: FetchProgress?
    for await progress in fetch.progress { last = progress }
    #expect(last.map { $0.received == picture.bytes.count } ?? true, "the last progress")
  }

  @Test("G7 the largest body is fetched and decoded within the limits, and one byte more is refused")
  func largest() async throws {
    let result = try await fetcher.result("\(server.url)/size/20971520")
    #expect(result.refusal?.reason == .notAnImage, "\(result)")
    let more = try await fetcher.result("\(server.url)/size/20971521")
    #expect(more.refusal?.reason == .tooBig, "\(more)")
  }

  @Test("B14 the worker's refusal of a fetch is the result, with its reason")
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
