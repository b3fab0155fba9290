// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import ArtWorkspace
import Glibc
import Synchronization

/// A signal that ends programs, which came while a picture was fetched: `Main` lets it do what it does, after whoever has something to
/// tell before that.
struct Interruption: Error { let number: Int32 }

/// Has pictures fetched and looked at while a command waits: tells on a terminal how far it is, and ends with nothing changed when
/// a signal says so, by an `Interruption`.
struct Transfer: PictureTransfer {
  private let fetcher = BackgroundFetcher()

  func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture {
    let held = SignalSource()
    defer { held.release() }
    let latest = Latest()
    let outcome = try Outcome.onThread { [fetcher] in
      await order.result(by: fetcher) { latest.set($0) }
    }
    var isFetch = false
    if case .fetch = order { isFetch = true }
    let line = isFetch && isatty(2) == 1 ? TransferLine(name: Self.name(document)) : nil
    return try wait(for: outcome, latest, line, held)
  }

  /// What the line on the terminal calls a document.
  private static func name(_ path: String) -> String {
    let name = FilePath(path).name
    let ending = DocumentFile.ending
    return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
  }

  private func wait(
    for outcome: Outcome<Result<CheckedPicture, BackgroundFailure>>, _ latest: Latest, _ line: TransferLine?,
    _ held: SignalSource
  ) throws -> CheckedPicture {
    var line = line
    let start = ContinuousClock.now
    while true {
      let result = outcome.wait(atMost: .milliseconds(100))
      if let number = held.next() {
        outcome.cancel()
        // Its helpers end with this process in any case.
        _ = outcome.wait(atMost: .seconds(1))
        Output.writeError(line?.clearing() ?? "")
        throw Interruption(number: number)
      }
      if let result {
        Output.writeError(line?.clearing() ?? "")
        return try result.picture
      }
      let drawing = line?.drawing(latest.value, at: ContinuousClock.now - start, columns: Self.columns)
      if let drawing { Output.writeError(drawing) }
    }
  }

  /// How many columns the terminal behind stderr has; 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// How far it was when somebody said so last.
  private final class Latest: Sendable {
    private let progress = Mutex<FetchProgress?>(nil)
    var value: FetchProgress? { progress.withLock { $0 } }
    func set(_ new: FetchProgress) { progress.withLock { $0 = new } }
  }
}
