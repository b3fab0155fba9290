// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc
import Testing

@Suite("The wording of system errors") struct SystemWordsTests {
  @Test("the end of a helper process is worded for users")
  func words() {
    #expect(HelperEnd(.exit(1), errors: "first\nlast\n").text == "ended with status 1: last")
    let long = HelperEnd(.exit(1), errors: "first\n" + String(repeating: "x", count: 9_000))
    #expect(long.text == "ended with status 1: " + String(repeating: "x", count: 500))
    #expect(HelperEnd(.signal(SIGKILL), errors: "").text == "was ended by signal 9 (Killed)")
    let brokeOff = HelperEnd(.exit(0), errors: "why", isCutOff: true)
    #expect(brokeOff.text == "ended with status 0 in the middle of what it said: why")
    let causes: [HelperEnd.Cause] = [.exit(-1), .exit(0), .signal(1), .stopped, .excessOutput, .inputBlocked]
    #expect(Set(causes.map { HelperEnd($0, errors: "").text }).count == causes.count)
  }

  @Test("B15 a helper program that cannot be used is unavailable, and the error names it")
  func helpers() {
    let program = HelperProgram(path: "/somewhere/helper")
    let failures: [HelperFailure] = [
      .missing("helper", folders: ["/a", "/b"]),
      .missing("helper", folders: HelperPrograms.installed.folders),
      .notStarted(program, SystemError("execve", program.path, number: ENOENT)),
      .noThread(program, SystemError("pthread_create", number: EAGAIN)), .ended(program),
      .inputBlocked(program, .seconds(10)),
    ]
    let errors = failures.map { ArtError($0) }
    #expect(errors.allSatisfy { $0.code == .unavailable && $0.cause.contains("helper") })
    #expect(Set(errors.map(\.cause)).count == failures.count)
    #expect(errors[0].cause == "no helper in /a, nor in /b; install emojiart again")
    #expect(
      errors[2].cause == "cannot start /somewhere/helper: No such file or directory; install emojiart again"
    )
  }
}
