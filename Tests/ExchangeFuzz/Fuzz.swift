// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import Glibc

// The entry point of libFuzzer, built by `scripts/dev fuzz` only, with the law that the tests check.

/// With EMOJIART_FUZZ_CONTROL in the environment it stops at any emoji that is left out: the fuzzer must find one.
private let isControl = getenv("EMOJIART_FUZZ_CONTROL") != nil

/// Checks an input of the fuzzer; a stop is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  // The dialect and the picture's size depend on the bytes alone, so that a finding can be repeated.
  let sum = bytes.reduce(UInt64(count)) { $0 &* 31 &+ UInt64($1) }
  var random = SplitMix64(seed: sum)
  do {
    let picture =
      random.oneIn(2) ? try Canvas(width: 1 + random.below(900), height: 1 + random.below(900)) : nil
    let law = ForeignLaw(picture: picture, dialect: Dialect.allCases[random.below(Dialect.allCases.count)])
    let outcome = try law.check(bytes, using: &random)
    if isControl, case .accepted(let art, let content, _) = outcome, art.emojisFound != content.emojiCount {
      stop("control: an emoji is left out")
    }
  } catch let broken as ForeignLaw.Broken {
    stop(broken.words)
  } catch {
    stop("\(error)")
  }
  return 0
}

private func stop(_ words: String) -> Never {
  let line = Array("fuzz: \(words)\n".utf8)
  _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  abort()
}
