// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtModel
import Foundation
import TestSupport
import Testing

@Suite struct MutationTests {
  private struct Tally {
    var tried = 0
    var refused = 0
    var accepted: [OtherDecoder.Picture] = []
    var failures: [String] = []
  }

  @Test(
    "B3 pictures with random changes neither end nor hang the worker, and other decoders decode what it accepts"
  )
  func mutations() throws {
    let campaign = Campaign("pictures", smoke: 300)
    let count = campaign.count
    let decoder = try OtherDecoder()
    let sources = try PictureFixture.accepted.map { try $0.bytes }
    var tally = Tally()
    var worker = try DecodeWorker()
    // The other decoders run now and then, so that a long run does not fill the disk.
    var notDecoded: [String] = []
    var judged = 0
    for number in campaign.cases {
      var random = campaign.random(number)
      let bytes = Mutation.any(of: sources, using: &random)
      let answer = worker.ask(bytes)
      tally.tried += 1
      if let picture = answer.picture {
        tally.accepted.append(try decoder.write(bytes, picture.mediaType, picture.size))
      } else if answer.refusal != nil {
        tally.refused += 1
      } else {
        tally.failures.append("\(answer) by \(Data(bytes).base64EncodedString().prefix(4000))")
        worker = try DecodeWorker()
      }
      if tally.accepted.count == 500 || tally.tried == count {
        judged += tally.accepted.count
        notDecoded += try decoder.undecoded(tally.accepted)
        tally.accepted = []
      }
    }
    print(
      "B3 mutations: \(tally.tried) tried, \(tally.refused) refused, \(judged) accepted and decoded by others but for "
        + "\(notDecoded.count), \(tally.failures.count) crashes and hangs")
    campaign.report(tried: tally.tried)
    #expect(tally.failures.isEmpty)
    #expect(notDecoded.isEmpty, "\(notDecoded.prefix(5))")
    #expect(judged > count / 20 && tally.refused > count / 4)
  }

  @Test("B3 a control: the other decoders refuse broken pictures")
  func control() throws {
    let decoder = try OtherDecoder()
    let names = ["garbage.png", "garbage.jpg", "cut.png", "cut.webp", "cut.avif", "huge.jpg", "page.png"]
    let pictures = try names.map {
      let kind =
        $0.contains("webp") ? "webp" : $0.contains("avif") ? "avif" : $0.contains("png") ? "png" : "jpeg"
      return try decoder.write(
        try PictureFixture.bytes($0), "image/\(kind)", try Canvas(width: 24, height: 16))
    }
    #expect(try decoder.undecoded(pictures).count == names.count)
    let good = try decoder.write(
      try PictureFixture.bytes("sign.png"), "image/png", try Canvas(width: 24, height: 16))
    let other = try decoder.write(
      try PictureFixture.bytes("sign.png"), "image/png", try Canvas(width: 24, height: 17))
    #expect(try decoder.undecoded([good]).isEmpty)
    #expect(try decoder.undecoded([other]).count == 1)
  }
}
