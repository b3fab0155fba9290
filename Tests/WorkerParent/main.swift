// SPDX-License-Identifier: Apache-2.0

// A program with workers, for tests that kill it or look at what it leaves:
//   WorkerParent keep SCRIPT     starts a shell with the script, and waits for ever
//   WorkerParent starts COUNT    starts that many, some of which fail or are dropped, and prints what is left of them
//   WorkerParent hear FILE       writes to the file what a worker makes of a line

import ArtProcess
import Dispatch
import Glibc
import Synchronization

let limits = WorkerLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 16)

/// Starts a shell with a script.
func start(_ script: String, line: @escaping @Sendable ([UInt8]) -> Void = { _ in }, end: DispatchSemaphore)
  throws
  -> Worker
{
  try Worker(
    starting: WorkerProgram(path: "/bin/sh"), arguments: ["-c", script], limits: limits, onLine: line,
    onEnd: { _ in end.signal() })
}

/// The entries of a folder of /proc/self.
func entries(_ name: String) -> Int {
  guard let folder = opendir("/proc/self/\(name)") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}

let isOver = DispatchSemaphore(value: 0)
switch CommandLine.arguments[1] {
case "keep":
  let worker = try start(CommandLine.arguments[2], end: isOver)
  withExtendedLifetime(worker) { while true { pause() } }

case "starts":
  // The first one brings what Swift and the library keep for good.
  try withExtendedLifetime(start("exit", end: isOver)) { isOver.wait() }
  let (descriptors, threads) = (entries("fd"), entries("task"))
  let missing = WorkerProgram(path: "/missing/program")
  for number in 0..<(Int(CommandLine.arguments[2]) ?? 0) {
    switch number % 5 {
    case 0: try withExtendedLifetime(start("echo; exit 1", end: isOver)) { isOver.wait() }
    case 1:
      let worker = try start("sleep 1000", end: isOver)
      worker.end()
      isOver.wait()
    case 2:
      _ = try start("sleep 1000", end: isOver)
      isOver.wait()
    case 3: try withExtendedLifetime(start("kill -STOP $$", end: isOver)) { isOver.wait() }
    default:
      let worker = try? Worker(starting: missing, limits: limits, onLine: { _ in }, onEnd: { _ in })
      precondition(worker == nil)
    }
  }
  print("descriptors", entries("fd") - descriptors)
  var status: Int32 = 0
  print("children", waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD ? 0 : 1)
  // A thread that has said the end may still be on its way out.
  while entries("task") > threads { sched_yield() }
  print("threads", max(entries("task") - threads, 0))

case "hear":
  let heard = Mutex<[UInt8]>([])
  let worker = try start(
    "read line; echo got $line", line: { line in heard.withLock { $0 += line } }, end: isOver)
  try worker.send(Array("it\n".utf8))
  isOver.wait()
  let file = open(CommandLine.arguments[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
  heard.withLock { _ = write(file, $0, $0.count) }

default: exit(64)
}
