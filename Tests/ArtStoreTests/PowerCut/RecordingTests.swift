// SPDX-License-Identifier: Apache-2.0

import Testing

/// The owner of a descriptor's number when threads and processes open and close at the same time.
@Suite struct RecordingTests {
  /// As `strace -xx` prints it.
  private func path(_ path: String) -> String {
    "\"" + path.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
  }

  /// One thread opens `old`, and another closes it. Before that call ends, the first opens `new`, which gets the same number, and
  /// writes and syncs it.
  private func trace(_ root: String, between lines: [String]) -> String {
    let begin = [
      "100 openat(AT_FDCWD, \(path(root + "/old")), O_RDWR|O_CREAT, 0600) = 9",
      "100 clone3({flags=CLONE_VM|CLONE_THREAD, stack_size=0x7fff00}, 88 <unfinished ...>",
      "101 close(9 <unfinished ...>",
      "100 <... clone3 resumed> => {parent_tid=[101]}, 88) = 101",
      "100 openat(AT_FDCWD, \(path(root + "/new")), O_RDWR|O_CREAT, 0600) = 9",
      "101 <... close resumed>) = 0",
    ]
    let end = [
      "100 pwrite64(9, \(path("bees")), 4, 0) = 4", "100 fdatasync(9) = 0", "100 +++ exited with 0 +++",
    ]
    return (begin + lines + end).joined(separator: "\n")
  }

  private func syncs(_ lines: [String]) throws -> (count: Int, new: [UInt8]?) {
    let folder = try Workspace()
    var recording = try Recording(of: folder.path)
    try recording.take(TracedCall.parse(trace(folder.path, between: lines)))
    var disk = SimulatedDisk(recording.start)
    for event in recording.events { disk.apply(event) }
    let count = recording.events.count { if case .sync(1, _) = $0 { true } else { false } }
    return (count, disk.whole()["new"])
  }

  @Test("F15 a descriptor's number is free for another file before the call that closes it has ended")
  func threads() throws {
    let (count, new) = try syncs([])
    #expect(count == 1 && new == Array("bees".utf8))
  }

  @Test("F15 a call in which its thread is killed has no result")
  func killedThread() throws {
    for line in ["101 ???( <detached ...>", "101 pwrite64(9, \(path("ants")), 4, 0 <detached ...>"] {
      let (count, new) = try syncs([line])
      #expect(count == 1 && new == Array("bees".utf8), "\(line)")
    }
  }

  @Test("F15 descriptors of another process are not mixed with the document's")
  func processes() throws {
    let lines = ["200 openat(AT_FDCWD, \(path("/etc/passwd")), O_RDONLY) = 9", "200 close(9) = 0"]
    let (count, new) = try syncs(
      ["100 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 200"] + lines)
    #expect(count == 1 && new == Array("bees".utf8))
    // The control: the same calls of a thread would close the document's descriptor.
    let own = try syncs(lines.map { $0.replacing("200 ", with: "101 ") })
    #expect(own.count == 0 && own.new == [])
  }
}
