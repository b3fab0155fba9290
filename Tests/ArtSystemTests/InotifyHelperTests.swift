// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import Testing

@Suite("The watching helper", .timeLimit(.minutes(10))) struct InotifyHelperTests {
  private let scratch: Scratch
  private let recorded = RecordedOutput()
  private let worker: HelperProcess

  init() throws {
    scratch = try Scratch()
    worker = try HelperProcess(built("emojiart-inotify").path, [], recorded)
    #expect(try recorded.next() == "emojiart-inotify 1")
  }

  /// Watches a folder and gives the number of the watch.
  private func watch(_ path: String, _ verb: String = "watch") throws -> Int {
    try worker.send("\(verb) \(path)\n")
    let answer = try recorded.next().split(separator: " ")
    var status = stat()
    try #require(lstat(path, &status) == 0)
    try #require(answer.count == 4 && answer[0] == "watching")
    #expect(UInt(answer[2]) == UInt(status.st_dev) && UInt(answer[3]) == UInt(status.st_ino))
    return try #require(Int(answer[1]))
  }

  @Test("the helper reports each change in a watched folder, and no reading")
  func reports() throws {
    try scratch.write("old", "here before")
    #expect(try watch(scratch.path) == 1)
    let file = open(scratch["old"], O_RDONLY | O_CLOEXEC)
    var byte: UInt8 = 0
    #expect(read(file, &byte, 1) == 1)
    close(file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["old"])
    try scratch.write("a", "text")
    #expect(try recorded.next() == "event 1 100 0 a", "the first event: reading causes none")
    #expect(try recorded.next() == "event 1 2 0 a")
    #expect(try recorded.next() == "event 1 8 0 a")
    #expect(rename(scratch["a"], scratch["b"]) == 0)
    let (from, to) = (try recorded.next().split(separator: " "), try recorded.next().split(separator: " "))
    #expect(from[2] == "40" && from[4] == "a" && to[2] == "80" && to[4] == "b")
    #expect(from[3] == to[3] && from[3] != "0", "both ends of a move have one cookie")
    #expect(chmod(scratch["b"], 0o600) == 0)
    #expect(try recorded.next() == "event 1 4 0 b")
    #expect(unlink(scratch["b"]) == 0)
    #expect(try recorded.next() == "event 1 200 0 b")
    #expect(mkdir(scratch["below"], 0o700) == 0)
    #expect(try recorded.next() == "event 1 40000100 0 below")
  }

  @Test("W10 names of any bytes are read in commands and written in events as they are")
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
      #expect(try recorded.next().hasPrefix("watching \(number + 1) "))
      let inner = path + [0x2f] + name + [0]
      #expect(mkdir(inner.map(CChar.init(bitPattern:)), 0o700) == 0)
      #expect(try recorded.nextBytes() == Array("event \(number + 1) 40000100 0 ".utf8) + escaped(name))
    }
    print("W10 names of any bytes: \(names.count) names")
  }

  @Test(
    "W11 a folder that is removed and made again can be watched again, and a watch that has ended reports nothing more"
  )
  func again() throws {
    for round in 0..<20 {
      #expect(mkdir(scratch["f"], 0o700) == 0)
      let wd = try watch(scratch["f"])
      #expect(wd == round + 1, "no number is used twice")
      #expect(mkdir(scratch["f/x"], 0o700) == 0)
      #expect(try recorded.next() == "event \(wd) 40000100 0 x")
      #expect(rmdir(scratch["f/x"]) == 0)
      #expect(try recorded.next() == "event \(wd) 40000200 0 x")
      if round % 2 == 0 {
        try worker.send("unwatch \(wd)\n")
        #expect(try recorded.next() == "event \(wd) 8000 0 ")
        #expect(rmdir(scratch["f"]) == 0)
      } else {
        #expect(rmdir(scratch["f"]) == 0)
        #expect(try recorded.next() == "event \(wd) 400 0 ")
        #expect(try recorded.next() == "event \(wd) 8000 0 ")
      }
    }
    try worker.send("unwatch 1\nunwatch 2\nunwatch 99\n")
    #expect(try watch(scratch.path) == 21, "an unknown watch may be ended")
  }

  @Test(
    "a guarded folder reports only what happens to itself, and a folder that is also watched keeps its watch")
  func guards() throws {
    #expect(mkdir(scratch["f"], 0o700) == 0 && mkdir(scratch["g"], 0o700) == 0)
    #expect(try watch(scratch["f"], "guard") == 1)
    #expect(try watch(scratch["g"], "watch") == 2)
    #expect(try watch(scratch["g"], "guard") == 2, "a folder has one watch")
    try scratch.write("f/unheard")
    try scratch.write("g/heard")
    #expect(try recorded.next() == "event 2 100 0 heard")
    #expect(try recorded.next() == "event 2 8 0 heard")
    #expect(rename(scratch["f"], scratch["h"]) == 0)
    #expect(try recorded.next() == "event 1 800 0 ")
  }

  @Test("a path that cannot be watched is answered with its error, in order, and no link is followed")
  func refusals() throws {
    try scratch.write("file")
    #expect(mkdir(scratch["f"], 0o700) == 0)
    #expect(symlink(scratch["f"], scratch["link"]) == 0 && mkfifo(scratch["fifo"], 0o600) == 0)
    let commands = ["missing", "file", "link", "fifo", "f", "missing/f"].map { "watch \(scratch[$0])\n" }
      .joined()
    // The commands arrive at once, and then byte by byte.
    try worker.send(commands)
    for byte in commands.utf8 { try worker.send([byte]) }
    for _ in 0..<2 {
      for error in [ENOENT, ENOTDIR, ENOTDIR, ENOTDIR] {
        #expect(try recorded.next() == "failed watch \(error)")
      }
      #expect(try recorded.next().hasPrefix("watching 1 "))
      #expect(try recorded.next() == "failed watch \(ENOENT)")
    }
    try worker.send("watch /\(String(repeating: "\\x61", count: 4095))\n")
    #expect(try recorded.next() == "failed watch \(ENAMETOOLONG)")
  }

  @Test(
    "an invalid command ends the helper with status 64 and a message",
    arguments: [
      "go\n", "watch\n", "watch \n", "watch relative\n", "watch /a b\n", "watch /a\\x0\n", "watch /a\\x00b\n",
      "watch /a\\x2G\n", "watch /a\\", "unwatch x\n", "unwatch -1\n", "unwatch 99999999999\n", "unwatch \n",
      "\n",
      "watch /\0\n",
    ])
  func badCommands(_ command: String) throws {
    // A command without a line break is completed first.
    try worker.send(command.hasSuffix("\\") ? command + "\n" : command)
    try expectUsageError()
  }

  @Test("a command that is too long ends the helper, too", arguments: ["", "watch /"])
  func longCommands(_ start: String) throws {
    // More than a socket holds: the helper gives up before all of it is sent.
    #expect(throws: HelperFailure.self) { try worker.send(start + String(repeating: "a", count: 1 << 22)) }
    try expectUsageError()
  }

  private func expectUsageError() throws {
    let end = try recorded.ended()
    #expect(end.cause == .exit(64))
    #expect(end.errors.hasPrefix("emojiart-inotify: "))
    #expect(recorded.lines.count == 1)
  }
}
