// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Testing

@Suite("The helper that watches") struct InotifyHelperTests {
  private let scratch: Scratch
  private let heard = Heard()
  private let worker: HelperProcess

  init() throws {
    scratch = try Scratch()
    worker = try HelperProcess(built("emojiart-inotify").path, [], heard)
    #expect(try heard.next() == "emojiart-inotify 1")
  }

  /// Watches a folder and gives the watch's number.
  private func watch(_ path: String, _ verb: String = "watch") throws -> Int {
    try worker.send("\(verb) \(path)\n")
    let answer = try heard.next().split(separator: " ")
    var status = stat()
    try #require(lstat(path, &status) == 0)
    try #require(answer.count == 4 && answer[0] == "watching")
    #expect(UInt(answer[2]) == UInt(status.st_dev) && UInt(answer[3]) == UInt(status.st_ino))
    return try #require(Int(answer[1]))
  }

  @Test("the helper tells what happens in a folder that it watches, and nothing that a reader does")
  func tells() throws {
    try scratch.write("old", "here before")
    #expect(try watch(scratch.path) == 1)
    let file = open(scratch["old"], O_RDONLY | O_CLOEXEC)
    var byte: UInt8 = 0
    #expect(read(file, &byte, 1) == 1)
    close(file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["old"])
    try scratch.write("a", "text")
    #expect(try heard.next() == "event 1 100 0 a", "the first event: reading made none")
    #expect(try heard.next() == "event 1 2 0 a")
    #expect(try heard.next() == "event 1 8 0 a")
    #expect(rename(scratch["a"], scratch["b"]) == 0)
    let (from, to) = (try heard.next().split(separator: " "), try heard.next().split(separator: " "))
    #expect(from[2] == "40" && from[4] == "a" && to[2] == "80" && to[4] == "b")
    #expect(from[3] == to[3] && from[3] != "0", "both ends of a move have one cookie")
    #expect(chmod(scratch["b"], 0o600) == 0)
    #expect(try heard.next() == "event 1 4 0 b")
    #expect(unlink(scratch["b"]) == 0)
    #expect(try heard.next() == "event 1 200 0 b")
    #expect(mkdir(scratch["below"], 0o700) == 0)
    #expect(try heard.next() == "event 1 40000100 0 below")
  }

  @Test("W10 names of any bytes go through a line and come back")
  func names() throws {
    let names: [[UInt8]] = [
      Array("with space".utf8), Array("two\nlines\r".utf8), Array("back\\x20slash\\".utf8),
      Array("\u{1b}[31m".utf8),
      Array("🐝".utf8), [0xff, 0xfe, 0x7f, 0x80], Array(1...31), [UInt8](repeating: 10, count: 255),
    ]
    let escaped = { (bytes: [UInt8]) -> [UInt8] in
      bytes.flatMap { byte -> [UInt8] in
        guard byte < 0x21 || byte == 0x7f || byte == 0x5c else { return [byte] }
        return Array("\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      }
    }
    for (number, name) in names.enumerated() {
      let path = Array(scratch.path.utf8) + [0x2f] + name
      #expect(mkdir((path + [0]).map(CChar.init(bitPattern:)), 0o700) == 0)
      try worker.send(Array("watch ".utf8) + escaped(path) + [10])
      #expect(try heard.next().hasPrefix("watching \(number + 1) "))
      let inner = path + [0x2f] + name + [0]
      #expect(mkdir(inner.map(CChar.init(bitPattern:)), 0o700) == 0)
      #expect(try heard.nextBytes() == Array("event \(number + 1) 40000100 0 ".utf8) + escaped(name))
    }
    print("W10 names of any bytes: \(names.count) names")
  }

  @Test("W11 a folder that is removed and made again is watched anew, and an ended watch is silent")
  func again() throws {
    for round in 0..<20 {
      #expect(mkdir(scratch["f"], 0o700) == 0)
      let wd = try watch(scratch["f"])
      #expect(wd == round + 1, "no number is used twice")
      #expect(mkdir(scratch["f/x"], 0o700) == 0)
      #expect(try heard.next() == "event \(wd) 40000100 0 x")
      #expect(rmdir(scratch["f/x"]) == 0)
      #expect(try heard.next() == "event \(wd) 40000200 0 x")
      if round % 2 == 0 {
        try worker.send("unwatch \(wd)\n")
        #expect(try heard.next() == "event \(wd) 8000 0 ")
        #expect(rmdir(scratch["f"]) == 0)
      } else {
        #expect(rmdir(scratch["f"]) == 0)
        #expect(try heard.next() == "event \(wd) 400 0 ")
        #expect(try heard.next() == "event \(wd) 8000 0 ")
      }
    }
    try worker.send("unwatch 1\nunwatch 2\nunwatch 99\n")
    #expect(try watch(scratch.path) == 21, "what is not watched can be let go of")
  }

  @Test("a guarded folder tells only what becomes of itself, and stays watched where it was watched")
  func guards() throws {
    #expect(mkdir(scratch["f"], 0o700) == 0 && mkdir(scratch["g"], 0o700) == 0)
    #expect(try watch(scratch["f"], "guard") == 1)
    #expect(try watch(scratch["g"], "watch") == 2)
    #expect(try watch(scratch["g"], "guard") == 2, "a folder has one watch")
    try scratch.write("f/unheard")
    try scratch.write("g/heard")
    #expect(try heard.next() == "event 2 100 0 heard")
    #expect(try heard.next() == "event 2 8 0 heard")
    #expect(rename(scratch["f"], scratch["h"]) == 0)
    #expect(try heard.next() == "event 1 800 0 ")
  }

  @Test("what cannot be watched is answered in its turn, and no link is followed")
  func refusals() throws {
    try scratch.write("file")
    #expect(mkdir(scratch["f"], 0o700) == 0)
    #expect(symlink(scratch["f"], scratch["link"]) == 0 && mkfifo(scratch["fifo"], 0o600) == 0)
    let commands = ["missing", "file", "link", "fifo", "f", "missing/f"].map { "watch \(scratch[$0])\n" }
      .joined()
    // However the bytes come: all at once, and one by one.
    try worker.send(commands)
    for byte in commands.utf8 { try worker.send([byte]) }
    for _ in 0..<2 {
      for error in [ENOENT, ENOTDIR, ENOTDIR, ENOTDIR] {
        #expect(try heard.next() == "failed watch \(error)")
      }
      #expect(try heard.next().hasPrefix("watching 1 "))
      #expect(try heard.next() == "failed watch \(ENOENT)")
    }
    try worker.send("watch /\(String(repeating: "\\x61", count: 4095))\n")
    #expect(try heard.next() == "failed watch \(ENAMETOOLONG)")
  }

  @Test(
    "what is no command ends the helper with a complaint",
    arguments: [
      "go\n", "watch\n", "watch \n", "watch relative\n", "watch /a b\n", "watch /a\\x0\n", "watch /a\\x00b\n",
      "watch /a\\x2G\n", "watch /a\\", "unwatch x\n", "unwatch -1\n", "unwatch 99999999999\n", "unwatch \n",
      "\n",
      "watch /\0\n", String(repeating: "a", count: 1 << 16),
      "watch /" + String(repeating: "b", count: 1 << 16),
    ])
  func badCommands(_ command: String) throws {
    // The one without a line break is half a command, until another half makes it a whole one.
    try worker.send(command.hasSuffix("\\") ? command + "\n" : command)
    let end = try heard.ended()
    #expect(end.cause == .exit(64))
    #expect(end.errors.hasPrefix("emojiart-inotify: "))
    #expect(heard.lines.count == 1)
  }
}
