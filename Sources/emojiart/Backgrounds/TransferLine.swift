// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import ArtWorker

/// The line on a terminal that tells how far a transfer is: `bees: 1.2 MB of 3.4 MB, 560 kB/s`.
///
/// Time comes in as a value, since the transfer began. In the first 200 ms there is no line, for what is over by then.
struct TransferLine {
  private let name: String
  private var samples: [(time: Duration, bytes: Int)] = []
  private var turns = 0
  private var width = 0

  init(name: String) { self.name = name }

  private static let timeout = Duration.milliseconds(200)
  private static let spinner = ["|", "/", "-", "\\"]
  /// Draws that the rate is the mean of.
  private static let memory = 20

  /// What the terminal gets: the line in the place of the one before. Nil while there is none.
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

  /// What takes the line away; empty where there is none.
  mutating func clearing() -> String {
    defer { width = 0 }
    return width == 0 ? "" : "\r" + "".padded(with: width) + "\r"
  }

  private mutating func note(_ progress: FetchProgress?, at time: Duration) {
    guard let progress else { return }
    samples.append((time, progress.received))
    if samples.count > Self.memory { samples.removeFirst() }
  }

  /// From the one that says most to the one that needs least.
  private func forms(_ progress: FetchProgress?) -> [String] {
    let spinner = Self.spinner[turns % Self.spinner.count]
    guard let progress, progress.received > 0 || progress.total != nil else {
      return ["\(safe(name)): \(spinner) connecting", "\(spinner) connecting", spinner]
    }
    let received = Self.size(progress.received)
    let amount = progress.total.map { "\(received) of \(Self.size($0))" } ?? "\(spinner) \(received)"
    return ["\(safe(name)): \(amount)\(rate)", "\(amount)\(rate)", amount, received]
  }

  /// `, 560 kB/s`, of the last draws; empty while nobody can tell.
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
  /// With so many spaces behind.
  fileprivate func padded(with spaces: Int) -> String { self + String(repeating: " ", count: max(spaces, 0)) }
}
