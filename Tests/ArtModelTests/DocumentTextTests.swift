// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Recognising documents in JSON") struct DocumentTextTests {
  @Test(
    "the kind of a JSON document is recognised by its first key",
    arguments: [
      (#"{"emojis":[]}"#, .course), ("\n { \"uniqueEmojiId\" : 3", .course),
      (#"{"background":{"blank":{}}"#, .course),
      (#"{"background":{"url":{"_0""#, .course), (#"{"background":"https:\/\/example.org"#, .course),
      (#"{"backgroundURL":"#, .course), (#"{"imageData":"iVBOR"#, .course), (#"{"url":null"#, .course),
      (#"{"background":null,"canvas":{"#, .own), (#"{"background":{"digest":"00"#, .own),
      (#"{"background":{"data":"iVBOR"#, .own), (#"{"background":null,"emojis":[]"#, .course),
      (#"{"name":"package"}"#, .otherJSON), ("[1,2]", .otherJSON), ("{", .otherJSON), ("{\"", .otherJSON),
      ("{}", .otherJSON), (#"{"emojis\"#, .otherJSON), ("emojis", nil), ("", nil), ("   ", nil),
      ("\u{FEFF}{}", nil),
    ] as [(String, DocumentText?)])
  func kinds(text: String, kind: DocumentText?) {
    #expect(DocumentText(beginning: Array(text.utf8)) == kind)
  }
}
