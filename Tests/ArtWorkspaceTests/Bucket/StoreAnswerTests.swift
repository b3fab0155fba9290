// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("What a store answers") struct StoreAnswerTests {
  private func page(_ text: String) throws(ArtError) -> BucketPage { try BucketPage(Array(text.utf8)) }

  private let listing = """
    <?xml version="1.0" encoding="UTF-8"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>posters</Name><Prefix>a/</Prefix>
    <IsTruncated>true</IsTruncated><NextContinuationToken>1&amp;=&#x2F;</NextContinuationToken>
    <Contents><Key>a/Gr%C3%BC%C3%9Fe+%26.emojiart</Key><ETag>&quot;abc&quot;</ETag><Size>7</Size><Owner><ID>x</ID></Owner></Contents>
    <Contents><Key>a/no-tag</Key><Size>7</Size></Contents><Empty/>
    <CommonPrefixes><Prefix>a/b/</Prefix></CommonPrefixes>
    <Contents><ETag>def</ETag><Key>a/%E0%80%zz%2</Key></Contents></ListBucketResult>
    """

  @Test("Y7 a listing is read with encoded names, escaped tags and the place of the next page")
  func listings() throws {
    let page = try page(listing)
    #expect(page.next == "1&=/")
    #expect(page.objects.first == BucketPage.Object(key: "a/Grüße &.emojiart", etag: "\"abc\"", size: 7))
    #expect(page.objects.count == 2 && page.objects.last?.etag == "def")
    let last = try self.page(
      "<R><IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken></R>")
    #expect(last.next == nil && last.objects.isEmpty)
  }

  @Test("Y7 an error is read by its code; what is no such XML is refused")
  func errors() throws {
    let error = Array("<Error><Code>NoSuchBucket</Code><Message>a &lt; b</Message></Error>".utf8)
    #expect(try StoreAnswer(error).text("Code") == "NoSuchBucket")
    #expect(try StoreAnswer(error).text("Message") == "a < b")
    #expect(try StoreAnswer([]).pieces.isEmpty)
    for bad in [
      "<a>", "<a></b>", "<a", "</a>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a>&b;</a>",
      "<a>&amp</a>",
      "<a>&#xD800;</a>", "<a>&#-1;</a>", String(repeating: "<a>", count: 17), "< a></ a>",
    ] { #expect(throws: ArtError.self, "\(bad)") { try StoreAnswer(Array(bad.utf8)) } }
  }

  @Test("Y7 whatever bytes a store sends, they are read or refused")
  func mutations() throws {
    let campaign = Campaign("store-answers", smoke: 2_000)
    let whole = Array(listing.utf8)
    var (read, refused) = (0, 0)
    for number in campaign.cases {
      var random = SplitMix64(seed: number)
      var bytes = whole
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
        default:
          bytes.insert(
            contentsOf: whole[place % whole.count..<min(whole.count, place % whole.count + random.below(40))],
            at: place)
        }
        if bytes.isEmpty { bytes = whole }
      }
      do throws(ArtError) {
        let page = try BucketPage(bytes)
        #expect(page.objects.count <= bytes.count)
        read += 1
      } catch {
        #expect(error.code == .badValue)
        refused += 1
      }
    }
    print("Y7 store answers: \(read + refused) mutations, \(read) read, \(refused) refused")
    #expect(read > 0 && refused > 0)
    campaign.report(tried: campaign.count)
  }
}
