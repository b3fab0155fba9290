// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The activity of a process so far.
struct Activity: Equatable {
  /// The processor time of all threads, in ticks of 10 ms.
  let processorTime: Int
  /// The number of context switches of its first thread.
  private let switches: Int

  /// The activity of the process with this number.
  init(of process: Int32) throws {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")")
      .last?
      .split(separator: " ").map(String.init)
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    processorTime = try #require(Int(fields?[11] ?? "")) + #require(Int(fields?[12] ?? ""))
    switches = try status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
      .reduce(0) { try $0 + #require(Int($1.split(separator: "\t").last ?? "")) }
  }

  /// Whether its first thread has slept ever since. libdispatch has a thread that wakes once a second and so always uses some
  /// processor time.
  func isAsleep(since before: Activity) -> Bool { switches == before.switches }
}
