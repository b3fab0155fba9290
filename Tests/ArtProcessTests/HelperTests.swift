// SPDX-License-Identifier: Apache-2.0

import ArtProcess
import Foundation
import Testing

@Suite("The helper that watches") struct HelperTests {
  @Test("W1 the helper tells what happens in a folder that it watches")
  func tells() throws {
    let program = try #require(WorkerProgram.find("emojiart-inotify"))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let heard = Heard()
    let worker = try Worker(program.path, [], .wide, heard)
    #expect(try heard.next() == "emojiart-inotify 1")
    try worker.send("watch \(folder)\n")
    #expect(try heard.next().hasPrefix("watching 1 "))
    close(open(folder + "/a", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
    #expect(try heard.next() == "event 1 100 0 a")
    worker.end()
    #expect(try heard.ended().cause == .signal(SIGKILL))
    #expect(heard.afterEnd == 0)
  }
}
