// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorker

@Suite("A failing worker that fetches or decodes", .timeLimit(.minutes(10))) struct TroubleTests {
  /// A script, and a part of the error that it causes.
  typealias Case = (String, String)

  /// Checks that the error is one line: the program's path, this part, and what to do next.
  private func check(
    _ result: Result<CheckedPicture, BackgroundFailure>, _ worker: ScriptedWorker, _ part: String
  ) {
    let error = result.error
    #expect(error?.code == .unavailable, "\(result)")
    let message = error?.cause ?? ""
    #expect(message.hasPrefix("\(worker.program.path) ") && message.contains(part), "\(message)")
    #expect(!message.contains("\n"))
    #expect(message.hasSuffix("; install emojiart again") || message.hasSuffix("; try again"))
  }

  @Test("B15 a worker that is missing is one error that names it")
  func missing() async throws {
    let error = try await BackgroundFetcher(helpers: HelperPrograms(folders: [])).result().error
    #expect(error?.code == .unavailable)
    #expect(error?.cause.hasPrefix("no emojiart-worker beside this program") == true)
    #expect(error?.cause.hasSuffix("install the package, or build from source") == true)
  }

  @Test("B15 a worker that cannot be executed is one error that names it")
  func notExecutable() async throws {
    let worker = try ScriptedWorker()
    for path in ["\(worker.path)/script", "\(worker.path)/nothing", worker.path] {
      let error = try await BackgroundFetcher(helpers: .worker(at: path)).result().error
      #expect(error?.code == .unavailable)
      #expect(error?.cause.hasPrefix("cannot start \(path): ") == true)
      #expect(error?.cause.hasSuffix("install emojiart again") == true)
    }
  }

  private static let greetings: [Case] = [
    ("say '{\"hello\":0}'; read -r request", "speaks version 0, this one \(WorkerRequest.version)"),
    ("say '{\"hello\":8}'; read -r request", "speaks version 8"),
    ("say '{\"hello\":7,\"also\":1}'; forever", "two replies in one"),
    ("exit 0", "ended with status 0"),
    ("echo 'libcurl.so.4 is missing' >&2; exit 127", "ended with status 127: libcurl.so.4 is missing"),
    ("kill -KILL $$", "signal 9"),
    ("kill -SEGV $$", "signal 11"),
    ("kill -STOP $$; forever", "had been stopped"),
    ("say 'emojiart-inotify 1'; forever", "no object"),
    ("say ''; forever", "no object"),
    ("say '{\"hello\":1.5}'; forever", "not a whole one"),
    ("printf '\\377\\376\\n'; forever", "no object"),
    ("printf %070000d 0; forever", "wrote more than it may"),
    ("printf '{\"hello\":7}'", "in the middle of what it said"),
    ("say '{\"body\":3}'; printf abc; forever", "a body out of turn"),
    ("say '{\"hello\":7}'; say '{\"hello\":7}'; forever", "a hello that was not asked for"),
  ]

  @Test(
    "B15 a worker of another version, or one without a valid greeting, is one error that names it",
    arguments: greetings)
  func greeting(_ script: String, _ part: String) async throws {
    let worker = try ScriptedWorker(script: script)
    check(try await worker.fetcher.result(), worker, part)
    #expect(try await worker.hasEnded())
  }

  private static let fetches: [Case] = [
    ("exit 3", "ended with status 3"),
    ("echo first >&2; echo last >&2; exit 3", "ended with status 3: last;"),
    ("kill -KILL $$", "signal 9"),
    ("kill -XCPU $$", "signal 24"),
    ("echo failed to allocate >&2; kill -TRAP $$", "signal 5"),
    ("kill -STOP $$; forever", "had been stopped"),
    ("exec <&-; exit 0", "ended with status 0"),
    ("say nonsense; forever", "no object"),
    ("say '{}'; forever", "no reply"),
    ("say '{\"refused\":{\"detail\":\"\",\"isTransient\":true,\"reason\":\"mood\"}}'; forever", "no reason"),
    ("printf %070000d 0; forever", "wrote more than it may"),
    ("say '{\"body\":10}'; printf 12345", "in the middle of what it said"),
    ("say '{\"body\":10}'; printf 12345; kill -KILL $$", "signal 9 (Killed) in the middle"),
    ("say '{\"body\":3}'; say 12345; forever", "JSON with"),
    ("say '{\"body\":3}'; printf 12345", "in the middle of what it said"),
    ("say '{\"body\":-3}'; forever", "-3 bytes are out of bounds"),
    ("say '{\"body\":20971521}'; forever", "a body of 20971521 bytes"),
    ("say '{\"body\":9999999999}'; forever", "out of bounds"),
    ("say '{\"body\":99999999999999999999}'; forever", "not a whole one"),
    (
      "say '{\"body\":3}'; printf abc; say '{\"progress\":{\"received\":3}}'; forever",
      "a progress out of turn"
    ),
    ("say '{\"body\":0}'; say '{\"body\":0}'; forever", "a body out of turn"),
    ("say '{\"progress\":{\"received\":-1}}'; forever", "-1 bytes are out of bounds"),
    ("say '{\"progress\":{\"received\":1,\"total\":-1}}'; forever", "-1 bytes are out of bounds"),
    ("say '\(ScriptedWorker.picture)'; forever", "a picture that was not asked for"),
    ("say '{\"refused\":{\"detail\":\"\",\"isTransient\":true,\"reason\":\"dns\"}}'; exit 1", "status 1"),
    (
      "for i in 1 2; do say '{\"refused\":{\"detail\":\"\",\"isTransient\":true,\"reason\":\"dns\"}}'; done; forever",
      "a refusal out of turn"
    ),
    (ScriptedWorker.goodFetch + "; exit 1", "ended with status 1"),
    (ScriptedWorker.goodFetch + "; kill -KILL $$", "signal 9"),
    (ScriptedWorker.goodFetch + "; kill -STOP $$", "had been stopped"),
  ]

  @Test(
    "B15 a worker that ends, is killed or stopped, or writes invalid lines while it fetches is one error, and leaves no process",
    arguments: fetches)
  func fetching(_ script: String, _ part: String) async throws {
    let worker = try ScriptedWorker(fetch: script)
    check(try await worker.fetcher.result(), worker, part)
    #expect(try await worker.hasEnded())
    #expect(try worker.lines("requests").count == 1, "nothing was decoded")
  }

  private static func picture(_ mediaType: String, _ width: String, _ height: String) -> String {
    "cat >/dev/null; say '"
      + #"{"picture":{"isAnimated":false,"mediaType":"\#(mediaType)","size":{"height":\#(height),"width":\#(width)}}}"#
      + "'"
  }

  private static let decodes: [Case] = [
    ("exit 3", "ended with status 3"),
    ("kill -ABRT $$", "signal 6"),
    ("kill -SEGV $$", "signal 11"),
    ("kill -STOP $$; forever", "had been stopped"),
    ("say nonsense; forever", "no object"),
    ("say '{\"body\":3}'; printf abc; forever", "a body that was not asked for"),
    ("say '{\"progress\":{\"received\":3}}'; forever", "a progress that was not asked for"),
    (picture("image/png", "0", "0"), "no canvas"),
    (picture("image/png", "-1", "5"), "no canvas"),
    (picture("image/png", "16385", "5"), "of 16385x5"),
    (picture("image/png", "5000", "5000"), "of 5000x5000"),
    (picture("image/png", "9223372036854775807", "9223372036854775807"), "no canvas"),
    (picture("image/svg+xml", "7", "5"), "a picture \"image/svg+xml\""),
    (picture("", "7", "5"), "a picture \"\""),
    ("say '{\"picture\":{\"mediaType\":\"image/png\"}}'; forever", "without"),
    (ScriptedWorker.goodDecode + "; " + ScriptedWorker.goodDecode + "; forever", "a picture out of turn"),
    (ScriptedWorker.goodDecode + "; exit 1", "ended with status 1"),
    (ScriptedWorker.goodDecode + "; kill -SEGV $$", "signal 11"),
  ]

  @Test(
    "B15 a worker that ends, is killed or stopped, or writes invalid lines while it decodes is one error, and leaves no process",
    arguments: decodes)
  func decoding(_ script: String, _ part: String) async throws {
    let worker = try ScriptedWorker(decode: script)
    check(try await worker.fetcher.result(), worker, part)
    #expect(try await worker.hasEnded())
  }

  @Test("B15 a worker that does not read the picture is one error")
  func inputNotRead() async throws {
    let worker = try ScriptedWorker(decode: "exec <&-; forever")
    let fetcher = worker.fetcher
    do throws(BackgroundFailure) {
      _ = try await fetcher.check([UInt8](repeating: 0, count: 10 << 20))
      Issue.record("the picture was accepted")
    } catch {
      check(.failure(error), worker, "signal 9")
    }
    #expect(try await worker.hasEnded())
  }

  @Test("G7 a worker that is silent is killed after its timeout")
  func silent() async throws {
    for (name, script) in CancellingTests.stages {
      let worker = try ScriptedWorker(script: script)
      let clock = ManualClock()
      let fetcher = BackgroundFetcher(helpers: worker.helpers, clock: clock)
      let url = try BackgroundURL("http://picture.test/a.png")
      let fetch = fetcher.fetch(BackgroundRequest(url, isUserInitiated: true))
      try await worker.reaches("there")
      try await clock.sleepers(1)
      let isDecoding = name == "while it decodes"
      clock.advance(by: isDecoding ? .seconds(29) : .seconds(16))
      try await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      let result = await fetch.result
      if ["while it fetches", "in the middle of a body", "while something that it started runs"].contains(
        name)
      {
        #expect(result.refusal == Refusal(.timeout, "there was no answer within 17 s"), "\(name)")
      } else if name == "before it reads", result.refusal?.reason == .timeout {
        // The request had not been read yet.
      } else {
        check(result, worker, "gave no answer within \(isDecoding ? 30 : 17) s, and was killed")
      }
      #expect(try await worker.hasEnded())
    }
    print("G7 silent workers: \(CancellingTests.stages.count) stages")
  }

  @Test("G7 a picture that needs too much processor time or memory is refused")
  func costly() async throws {
    let burner = try ScriptedWorker(decode: "kill -XCPU $$")
    let time = try await burner.fetcher.result().refusal
    #expect(time?.reason == .notAnImage && time?.isTransient == false)
    let eater = try ScriptedWorker(
      decode: "echo 'GLib-ERROR: gmem.c:170: failed to allocate 800000000 bytes' >&2; kill -TRAP $$")
    let memory = try await eater.fetcher.result().refusal
    #expect(memory?.reason == .tooManyPixels && memory?.isTransient == false)
  }

  @Test("G7 a worker that fetches or decodes has 300 MB of memory and a limit on its processor time")
  func limits() async throws {
    let record = "(ulimit -v; ulimit -t) >>\"${0%/*}/limits\""
    let worker = try ScriptedWorker(
      fetch: "\(record); \(ScriptedWorker.goodFetch)", decode: "\(record); \(ScriptedWorker.goodDecode)")
    _ = try await worker.fetcher.result().get()
    #expect(try worker.lines("limits") == ["307200", "20", "307200", "10"])
  }
}
