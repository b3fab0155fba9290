// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// A signal that ends programs and arrived while a picture was fetched. `Main` raises it after the callers have
/// reported what they have to.
struct Interruption: Error { let number: Int32 }

/// Fetches and checks pictures while a command waits. It shows the progress on a terminal, and throws `Interruption`
/// on a signal, with nothing changed.
struct Transfer: PictureTransfer {
  private let fetcher = BackgroundFetcher()

  func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture {
    let signals = SignalSource()
    defer { signals.release() }
    let latest = Latest()
    let outcome = try Outcome.onThread { [fetcher] in
      await order.result(by: fetcher) { latest.set($0) }
    }
    var isFetch = false
    if case .fetch = order { isFetch = true }
    let line = isFetch && isatty(2) == 1 ? TransferLine(name: Self.name(document)) : nil
    return try wait(for: outcome, latest, line, signals)
  }

  /// The name of a document in the progress line.
  private static func name(_ path: String) -> String { DocumentView.title(of: path) }

  private func wait(
    for outcome: Outcome<Result<CheckedPicture, BackgroundFailure>>, _ latest: Latest, _ line: TransferLine?,
    _ signals: SignalSource
  ) throws -> CheckedPicture {
    var line = line
    let start = ContinuousClock.now
    while true {
      let result = outcome.wait(atMost: .milliseconds(100))
      if let number = signals.next() {
        outcome.cancel()
        // The helper processes end with this one in any case.
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

  /// The width of the terminal behind stderr; 80 if unknown.
  static var columns: Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The latest progress.
  private final class Latest: Sendable {
    private let progress = Mutex<FetchProgress?>(nil)
    var value: FetchProgress? { progress.withLock { $0 } }
    func set(_ new: FetchProgress) { progress.withLock { $0 = new } }
  }
}

// MARK: - Progress line

/// The progress line on a terminal: `bees: 1.2 MB of 3.4 MB, 560 kB/s`.
///
/// The time since the start of the transfer is a parameter. In the first 200 ms there is no line, so that short
/// transfers show none.
struct TransferLine {
  private let name: String
  private var samples: [(time: Duration, bytes: Int)] = []
  private var turns = 0
  private var width = 0

  init(name: String) { self.name = name }

  private static let timeout = Duration.milliseconds(200)
  private static let spinner = ["|", "/", "-", "\\"]
  /// The number of draws over which the rate is averaged.
  private static let memory = 20

  /// The bytes that replace the previous line. Nil while there is no line.
  mutating func drawing(_ progress: FetchProgress?, at time: Duration, columns: Int) -> String? {
    note(progress, at: time)
    guard time >= Self.timeout else { return nil }
    turns += 1
    let room = max(columns - 1, 0)
    let forms = forms(progress)
    let text = forms.first { Self.width($0) <= room } ?? String((forms.last ?? "").prefix(room))
    defer { width = Self.width(text) }
    return "\r" + text.padded(with: width - Self.width(text))
  }

  /// The bytes that remove the line; empty if there is none.
  mutating func clearing() -> String {
    defer { width = 0 }
    return width == 0 ? "" : "\r" + "".padded(with: width) + "\r"
  }

  private mutating func note(_ progress: FetchProgress?, at time: Duration) {
    guard let progress else { return }
    samples.append((time, progress.received))
    if samples.count > Self.memory { samples.removeFirst() }
  }

  /// The forms of the line, from the longest to the shortest.
  private func forms(_ progress: FetchProgress?) -> [String] {
    let spinner = Self.spinner[turns % Self.spinner.count]
    guard let progress, progress.received > 0 || progress.total != nil else {
      return ["\(safe(name)): \(spinner) connecting", "\(spinner) connecting", spinner]
    }
    let received = Self.size(progress.received)
    let amount = progress.total.map { "\(received) of \(Self.size($0))" } ?? "\(spinner) \(received)"
    return ["\(safe(name)): \(amount)\(rate)", "\(amount)\(rate)", amount, received]
  }

  /// `, 560 kB/s`, averaged over the last draws; empty while it is unknown.
  private var rate: String {
    guard let first = samples.first, let last = samples.last, first.bytes >= 0, last.bytes >= 0 else {
      return ""
    }
    let milliseconds = Int((last.time - first.time) / .milliseconds(1))
    let (thousands, isTooMuch) = (last.bytes - first.bytes).multipliedReportingOverflow(by: 1_000)
    guard milliseconds > 0, last.bytes >= first.bytes, !isTooMuch else { return "" }
    return ", \(Self.size(thousands / milliseconds))/s"
  }

  /// `999 B`, `560 kB`, `3.4 MB`.
  static func size(_ bytes: Int) -> String {
    if bytes < 1_000 { return "\(bytes) B" }
    if bytes < 1_000_000 { return "\(bytes / 1_000) kB" }
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }

  private static func width(_ text: String) -> Int { LineView.width(Array(text)[...]) }
}

extension String {
  /// The text padded with spaces on the right.
  fileprivate func padded(with spaces: Int) -> String { self + String(repeating: " ", count: max(spaces, 0)) }
}
