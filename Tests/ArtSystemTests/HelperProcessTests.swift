// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtSystem

@Suite("A helper process", .timeLimit(.minutes(10))) struct HelperProcessTests {
  private let recorded = RecordedOutput()

  @Test("B15 a program is found beside this one or in libexec, and only if it can be executed")
  func finding() throws {
    let scratch = try Scratch()
    for folder in ["bin", "bin/folder", "libexec", "libexec/emojiart"] {
      #expect(mkdir(scratch[folder], 0o700) == 0)
    }
    let helpers = HelperPrograms(besideProgramAt: scratch["bin/emojiart"])
    let find = { (name: String) -> String? in
      do throws(HelperFailure) { return try helpers.program(name).path } catch {
        #expect(error == .missing(name, folders: helpers.folders))
        return nil
      }
    }
    try scratch.write("libexec/emojiart/helper")
    #expect(find("helper") == scratch["bin/../libexec/emojiart/helper"])
    try scratch.write("bin/helper")
    #expect(find("helper") == scratch["bin/helper"])
    #expect(chmod(scratch["bin/helper"], 0o644) == 0)
    #expect(find("helper") == scratch["bin/../libexec/emojiart/helper"])
    #expect(find("folder") == nil && find("missing") == nil)
    #expect(symlink("../libexec/emojiart/helper", scratch["bin/linked"]) == 0)
    #expect(find("linked") == scratch["bin/linked"])
    #expect(try FileManager.default.isExecutableFile(atPath: built("emojiart-inotify").path))
  }

  @Test("B15 helper programs are searched in the given folders, and found at the given paths")
  func named() throws {
    let scratch = try Scratch()
    for folder in ["first", "second"] { #expect(mkdir(scratch[folder], 0o700) == 0) }
    try scratch.write("second/helper")
    var helpers = HelperPrograms(folders: [scratch["first"], scratch["second"]])
    #expect(try helpers.program("helper") == HelperProgram(name: "helper", path: scratch["second/helper"]))
    try scratch.write("first/helper")
    #expect(try helpers.program("helper").path == scratch["first/helper"])
    #expect(throws: HelperFailure.missing("other", folders: helpers.folders)) { try helpers.program("other") }
    helpers.paths["other"] = "/elsewhere/program"
    #expect(try helpers.program("other") == HelperProgram(name: "other", path: "/elsewhere/program"))
    #expect(HelperPrograms(besideProgramAt: nil).folders.isEmpty)
  }

  @Test("B15 the error of a program that cannot be started names it, and no line and no end is reported")
  func starting() throws {
    let scratch = try Scratch()
    try scratch.write("no-program", "neither a script nor a program")
    try scratch.write("not-mine")
    #expect(chmod(scratch["not-mine"], 0o600) == 0)
    for path in ["/missing/program", scratch["no-program"], scratch["not-mine"], scratch.path] {
      let error = #expect(throws: HelperFailure.self) { _ = try HelperProcess(path, [], recorded) }
      guard case .notStarted(let program, let cause) = error else { #expect(Bool(false)); return }
      #expect(program.path == path && cause.path == path && cause.number != 0)
    }
    #expect(recorded.lines.isEmpty && recorded.afterEnd == 0)
  }

  @Test(
    "the end of a worker is reported once, after its last line, with the last bytes of its stderr",
    arguments: [
      ("echo a; echo b; exit 3", HelperEnd.Cause.exit(3), ["a", "b"], ""),
      ("echo a; echo why >&2; kill -9 $$", .signal(SIGKILL), ["a"], "why\n"),
      ("echo a; kill -TERM $$", .signal(SIGTERM), ["a"], ""),
      ("echo a; kill -STOP $$; echo b", .stopped, ["a"], ""),
      ("echo a; printf %065537d 0; echo b; sleep 1000", .excessOutput, ["a"], ""),
      ("echo a; printf '%065537d\\nb\\n' 0; sleep 1000", .excessOutput, ["a"], ""),
      ("printf '%065536d\\n' 0 | tr 0 1", .exit(0), [String(repeating: "1", count: 65536)], ""),
      ("printf 'a\\n\\nb'", .exit(0), ["a", ""], ""),
      ("printf %020000d 7 >&2", .exit(0), [], String(repeating: "0", count: 16_383) + "7"),
      ("exec >&- 2>&-; sleep 0.01; exit 4", .exit(4), [], ""),
      // A process that the worker has started is killed with it, and does not delay the report of its end.
      ("sleep 1000 & echo a", .exit(0), ["a"], ""),
    ] as [(String, HelperEnd.Cause, [String], String)])
  func ends(_ script: String, _ cause: HelperEnd.Cause, _ lines: [String], _ errors: String) throws {
    let worker = try HelperProcess.shell(script, recorded)
    let end = try recorded.ended()
    #expect(end.cause == cause && end.errors == errors)
    #expect(end.isCutOff == script.hasSuffix("\\nb'"), "only this script ends within a line")
    #expect(recorded.lines == lines)
    worker.end()
    let error = #expect(throws: HelperFailure.self) { try worker.send("late") }
    #expect(error == .ended(HelperProgram(path: "/bin/sh")))
    #expect(recorded.afterEnd == 0)
  }

  @Test(
    "a process that has left the worker's group lives on, and does not delay the report of the worker's end")
  func leftGroup() throws {
    let scratch = try Scratch()
    try #require(mkfifo(scratch["go"], 0o600) == 0)
    // Opened for reading and writing, the FIFO does not wait. Its reader lives until something is written.
    let go = open(scratch["go"], O_RDWR | O_CLOEXEC)
    defer { close(go) }
    // The reader also holds the worker's stdout.
    let worker = try HelperProcess.shell(
      "exec 3>&1; { setsid sh -c 'echo $$; exec cat >&3 2>&3 <\(scratch["go"])' & } | { read id; echo $id; }",
      recorded)
    #expect(try recorded.ended().cause == .exit(0))
    let left = try #require(recorded.lines.first.flatMap { Int32($0) })
    #expect(recorded.lines.count == 1 && kill(left, 0) == 0, "the end is reported while that process lives")
    kill(left, SIGKILL)
    withExtendedLifetime(worker) {}
  }

  @Test("a watching helper that is killed or stopped is reported as ended")
  func helperEnds() throws {
    for (signal, cause) in [(SIGKILL, HelperEnd.Cause.signal(SIGKILL)), (SIGSTOP, .stopped)] {
      let recorded = RecordedOutput()
      let worker = try HelperProcess(built("emojiart-inotify").path, [], recorded)
      #expect(try recorded.next() == "emojiart-inotify 1")
      #expect(kill(worker.processID, signal) == 0)
      #expect(try recorded.ended().cause == cause)
    }
  }

  @Test("G7 a worker has the limits on memory, processor time and core files that it was given")
  func limits() throws {
    guard !AddressSanitizer.prevents("G7 the limits of a worker") else { return }
    let eater = RecordedOutput()
    // tail keeps a line in memory, and this line has no end.
    let worker = try HelperProcess(
      "/usr/bin/tail", ["/dev/zero"], eater, HelperLimits(memory: 64 << 20, processorSeconds: nil, line: 100))
    let end = try eater.ended()
    #expect(end.cause == .exit(1) && end.errors.contains("memory exhausted"))
    let burner = RecordedOutput()
    let other = try HelperProcess.shell(
      "while :; do :; done", burner, HelperLimits(memory: 64 << 20, processorSeconds: 1, line: 100))
    #expect(try burner.ended().cause == .signal(SIGXCPU))
    let third = try HelperProcess.shell(
      "ulimit -v; ulimit -t; ulimit -c; ulimit -Hc", recorded,
      HelperLimits(memory: 64 << 20, processorSeconds: 7, line: 100))
    _ = try recorded.ended()
    #expect(recorded.lines == ["65536", "7", "0", "0"])
    withExtendedLifetime((worker, other, third)) {}
  }

  @Test("G3 a worker inherits no descriptors, no signals and no process group")
  func inheritance() throws {
    let scratch = try Scratch()
    try scratch.write("open")
    let descriptor = fcntl(open(scratch["open"], O_RDONLY), F_DUPFD, 200)
    var blocked = sigset_t()
    var before = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    let ignoring = signal(SIGUSR2, SIG_IGN)
    let lister = RecordedOutput()
    let listing = try HelperProcess("/bin/ls", ["/proc/self/fd"], lister)
    // grep reads its own status: a shell blocks signals for a moment while it starts a program.
    let reader = RecordedOutput()
    let reading = try HelperProcess("/bin/grep", ["-E", "^Sig(Blk|Ign)", "/proc/self/status"], reader)
    let worker = try HelperProcess.shell("read end", recorded)
    signal(SIGUSR2, ignoring)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    close(descriptor)
    _ = try lister.ended()
    #expect(lister.lines == ["0", "1", "2", "3"], "the last descriptor is the listed folder")
    _ = try reader.ended()
    // Signals 32 and 33 belong to the C library: no program can set them, and `posix_spawn` leaves them ignored.
    let masks = reader.lines.map { line in
      line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }.map { $0 & ~(3 << 31) }
    }
    #expect(masks == [0, 0])
    withExtendedLifetime((listing, reading)) {}
    #expect(getpgid(worker.processID) == worker.processID && getpgrp() != worker.processID)
    try worker.send("end\n")
    _ = try recorded.ended()
  }

  @Test("G3 a worker has its standard streams even if this process has none")
  func withoutStreams() throws {
    let scratch = try Scratch()
    let parent = try OtherProcess(
      "/bin/sh",
      ["-c", "exec \"$1\" hear \"$2\" <&- >&- 2>&-", "sh", built("WorkerParent").path, scratch["heard"]])
    #expect(try parent.hasEnded && parent.process.terminationStatus == 0)
    #expect(try String(contentsOfFile: scratch["heard"], encoding: .utf8) == "got it\ncomplained\n")
  }
}
