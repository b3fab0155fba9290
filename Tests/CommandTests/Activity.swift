// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The activity of a process so far.
struct Activity {
  /// The processor time of all threads, in ticks of 10 ms.
  let processorTime: Int
  /// The number of context switches of each thread. A thread that sleeps has no new one.
  private let switches: [Int32: Int]
  private let first: Int32

  /// The activity of the process with this number.
  init(of process: Int32) throws {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")")
      .last?
      .split(separator: " ").map(String.init)
    processorTime = try #require(Int(fields?[11] ?? "")) + #require(Int(fields?[12] ?? ""))
    var switches: [Int32: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
      let path = "/proc/\(process)/task/\(name)/status"
      // A thread that has ended meanwhile has no file.
      guard let id = Int32(name), let status = try? String(contentsOfFile: path, encoding: .utf8) else {
        continue
      }
      switches[id] = try status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
        .reduce(0) { try $0 + #require(Int($1.split(separator: "\t").last ?? "")) }
    }
    (self.switches, first) = (switches, process)
  }

  /// Whether its first thread has slept ever since, and all other ones but for `others` of them. A thread that has begun since
  /// has not slept; one that has ended does not count.
  func isAsleep(since before: Activity, butFor others: Int = 0) -> Bool {
    switches[first] == before.switches[first]
      && switches.count { before.switches[$0.key] != $0.value } <= others
  }
}
