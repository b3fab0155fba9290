// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Glibc
import Testing

@testable import emojiart

@Suite("The words of the command background")
struct BackgroundWordsTests {
  private func action(_ words: [String]) -> Result<BackgroundAction, ArtError> {
    do {
      let command = try SetBackground.parse(["bees"] + words)
      return .success(try BackgroundAction(command))
    } catch let error as ArtError {
      return .failure(error)
    } catch {
      return .failure(ArtError(.usage, "the parser says: \(error)"))
    }
  }

  @Test("each form of the command is parsed")
  func forms() {
    let table: [([String], BackgroundAction)] = [
      ([], .show), (["x.png"], .set("x.png")), (["-"], .set("-")), (["http://a/b?c"], .set("http://a/b?c")),
      (["x.png", "--keep-canvas", "--forget-url", "--allow-private"], .set("x.png")), (["--clear"], .clear),
      (["--refresh"], .refresh), (["--refresh", "--forget-url", "--keep-canvas"], .refresh),
      (["--save-as", "x.png"], .saveAs("x.png")), (["--save-as", "-"], .saveAs("-")),
      (["http://a/b", "--later"], .later("http://a/b")), (["--fetch-pending"], .fetchPending),
      (["--fetch-pending", "--warn", "never", "--if-revision", "3"], .fetchPending),
      (["--forget-url"], .forgetURL),
    ]
    for (words, expected) in table { #expect(action(words) == .success(expected), "\(words)") }
  }

  @Test("options that contradict each other are a usage error")
  func contradictions() {
    let alone = [["--clear"], ["--refresh"], ["--save-as", "f"], ["x.png", "--later"], ["--fetch-pending"]]
    var tried = 0
    for (index, first) in alone.enumerated() {
      for second in alone[(index + 1)...] {
        tried += 1
        #expect(action(first + second).isUsage, "\(first + second)")
      }
    }
    let others = [
      ["x.png", "--clear"], ["x.png", "--refresh"], ["x.png", "--save-as", "f"],
      ["x.png", "--fetch-pending"],
      ["--later"], ["--keep-canvas"], ["--allow-private"], ["--warn", "once"], ["--suppress-warnings"],
      ["--if-revision", "1"], ["--save-as", "f", "--if-revision", "1"], ["--clear", "--keep-canvas"],
      ["--clear", "--forget-url"], ["x.png", "--later", "--forget-url"], ["--fetch-pending", "--forget-url"],
      ["x.png", "--later", "--keep-canvas"], ["--save-as", "f", "--warn", "never"],
    ]
    for words in others {
      tried += 1
      #expect(action(words).isUsage, "\(words)")
    }
    print("words of background: \(tried) contradictions")
  }

  @Test("a source is a URL, a path or stdin")
  func sources() throws {
    #expect(try PictureSource(argument: "-") == .descriptor(0, name: "stdin"))
    for path in ["a.png", "./a.png", "/a/b.png", "a b", "🐝.png"] {
      #expect(try PictureSource(argument: path) == .path(path))
    }
    #expect(
      try PictureSource(argument: "http://example.org/a.png")
        == .url(BackgroundURL("http://example.org/a.png")))
    for (text, path) in [
      ("file:///a/My%20Photo.png", "/a/My Photo.png"), ("'/a/b.png'", "/a/b.png"),
      ("\"a b.png\" ", "a b.png"),
    ] {
      #expect(try PictureSource(argument: text) == .path(path))
    }
    for text in ["www.example.org/a.png", "<https://www.example.org/a.png>"] {
      #expect(
        try PictureSource(argument: text) == .url(BackgroundURL("https://www.example.org/a.png")))
    }
    for url in ["ftp://example.org/a", "file://server/a.png", "file:a.png"] {
      #expect(throws: Refusal.self) { try PictureSource(argument: url) }
    }
  }

  @Test("the warning has its words and the name of its reason")
  func words() {
    #expect(
      RefusalMessages.message(Refusal(.dns, "no host is called nowhere.example"))
        == "Image transfer failed. Could not transfer the picture from its source. (dns: no host is called nowhere.example)"
    )
  }

  @Test("the question names its two answers, says that stopping lasts, and fits the terminal")
  func question() {
    for columns in [20, 40, 80, 160] {
      let text = RefusalMessages.question("bees.emojiart", columns: columns)
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        words
          == "Show this warning in the future? keep Keep warning stop Stop warning (lasting: for this document on this machine, until `emojiart warnings bees.emojiart --keep`) Type keep or stop:"
      )
      let wide = text.split(separator: "\n").filter { $0.count >= max(columns, 34) }
      #expect(wide == [], "\(columns) columns")
    }
    #expect(!RefusalMessages.question("b\u{1B}[2J", columns: 80).unicodeScalars.contains("\u{1B}"))
  }

  @Test("only an answer that begins the words for stopping stops the warning")
  func answers() {
    for answer in ["stop", "s", "STOP", " Stop  warning "] { #expect(RefusalMessages.isStop(answer)) }
    for answer in ["", "keep", "k", "y", "yes", "no", "st", "stopp", "Keep warning", "stop?"] {
      #expect(!RefusalMessages.isStop(answer), "\(answer)")
    }
  }
}

extension Result where Failure == ArtError {
  fileprivate var isUsage: Bool {
    if case .failure(let error) = self { error.code == .usage } else { false }
  }
}
