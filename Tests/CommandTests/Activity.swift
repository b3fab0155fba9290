// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The activity of a process so far.
struct Activity {
  /// The processor time of all threads, in ticks of 10 ms.
  let processorTime: Int
  /// The number of context switches of each thread. A thread that sleeps has no new one. Those of libdispatch are left out: they
  /// wake once a second, begin and end as the system likes, and have `qos` in their names.
  private let switches: [Int32: Int]
  /// Whether none of these threads wants a processor. On a busy machine one that does may have no new switch for long.
  let isWaiting: Bool

  /// The activity of the process with this number.
  init(of process: Int32) throws {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")")
      .last?
      .split(separator: " ").map(String.init)
    processorTime = try #require(Int(fields?[11] ?? "")) + #require(Int(fields?[12] ?? ""))
    var (switches, isWaiting): ([Int32: Int], Bool) = ([:], true)
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
      let path = "/proc/\(process)/task/\(name)/status"
      // A thread that has ended meanwhile has no file.
      guard let id = Int32(name), let status = try? String(contentsOfFile: path, encoding: .utf8),
        status.split(separator: "\n").first?.contains("qos") == false
      else { continue }
      isWaiting = isWaiting && !status.contains("\nState:\tR")
      switches[id] = try status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
        .reduce(0) { try $0 + #require(Int($1.split(separator: "\t").last ?? "")) }
    }
    (self.switches, self.isWaiting) = (switches, isWaiting)
  }

  /// Whether all its threads have slept ever since. A thread that has begun since has not slept; one that has ended does not count.
  func isAsleep(since before: Activity) -> Bool {
    switches.allSatisfy { before.switches[$0.key] == $0.value }
  }
}
