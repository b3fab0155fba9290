// SPDX-License-Identifier: Apache-2.0

// A program with workers, for tests that kill it or check what it leaves:
//   WorkerParent keep SCRIPT     starts a shell with the script, and waits for ever
//   WorkerParent starts COUNT    starts that many, some of which fail or are released, and prints what is left of them
//   WorkerParent ignores A B     ignores SIGCHLD, starts a worker that leaves a process behind, which copies a word from one
//                                FIFO to the other, and prints how the worker ended and that word
//   WorkerParent hear FILE       writes the output of a process for one line to the file
//   WorkerParent link A B        writes `new` to the file A, gives it the name B, and prints the number of the error, 0 for none
//   WorkerParent race A B        the same, where that may take two steps
//   WorkerParent fetch PROGRAM   fetches a picture with that program, and ends when it has arrived
//   WorkerParent draw PROGRAM    makes a drawing with that program
//   WorkerParent measure A B     fetches a picture with each of the programs, and prints the peak of its memory after each, in KiB
//   WorkerParent measure-parts A B, measure-whole A B
//                                the same with a drawing that is passed on in parts, or held whole

import ArtModel
import ArtSystem
import ArtWorker
import CArtSystem
import Dispatch
import Glibc
import Synchronization

let limits = HelperLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 16)

/// Starts a shell with a script.
func start(_ script: String, end: DispatchSemaphore) throws -> HelperProcess {
  try HelperProcess(
    starting: HelperProgram(path: "/bin/sh"), arguments: ["-c", script], limits: limits, onLine: { _ in },
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

/// Fetches a picture.
func fetch(with path: String) {
  let isOver = DispatchSemaphore(value: 0)
  Task.detached {
    do throws(BackgroundFailure) {
      let url: BackgroundURL
      do throws(Refusal) { url = try BackgroundURL("http://picture.test/a.png") } catch {
        throw .refused(error)
      }
      let fetcher = BackgroundFetcher(
        helpers: HelperPrograms(folders: [], paths: ["emojiart-worker": path]),
        fetchLimits: FetchLimits(total: .seconds(60)))
      let picture = try await fetcher.fetch(BackgroundRequest(url, isUserInitiated: true)).picture
      precondition(picture.mediaType == "image/png")
    } catch {
      print(error)
      exit(1)
    }
    isOver.signal()
  }
  isOver.wait()
}

/// Makes a drawing, and receives it whole or in parts.
func draw(with path: String, isWhole: Bool) {
  let isOver = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      let canvas = Canvas.standard
      let drawing = Drawing(
        scene: DrawingScene(canvas: canvas, labels: [], picture: nil), region: CanvasRect(canvas),
        format: .png(try PixelSize(width: 1, height: 1)), fonts: [])
      let renderer = Renderer(helpers: HelperPrograms(folders: [], paths: ["emojiart-worker": path]))
      if isWhole {
        _ = try await renderer.draw(drawing, limit: .max)
      } else {
        _ = try await renderer.draw(drawing) { _ in true }
      }
    } catch {
      print(error)
      exit(1)
    }
    isOver.signal()
  }
  isOver.wait()
}

/// The peak of this process's memory, in KiB.
func peak() -> String {
  guard let file = fopen("/proc/self/status", "r") else { return "" }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, 256, file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix("VmHWM:") { return text.filter(\.isNumber) }
  }
  return ""
}

// This process ends by itself if the test that started it was killed.
alarm(300)

let isOver = DispatchSemaphore(value: 0)
switch CommandLine.arguments[1] {
case "keep":
  let worker = try start(CommandLine.arguments[2], end: isOver)
  withExtendedLifetime(worker) { while true { pause() } }

case "starts":
  // The first worker causes the memory and threads that Swift and the C library keep.
  try withExtendedLifetime(start("exit", end: isOver)) { isOver.wait() }
  let (descriptors, threads) = (entries("fd"), entries("task"))
  let missing = HelperProgram(path: "/missing/program")
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
      let worker = try? HelperProcess(starting: missing, limits: limits, onLine: { _ in }, onEnd: { _ in })
      precondition(worker == nil)
    }
  }
  print("descriptors", entries("fd") - descriptors)
  var status: Int32 = 0
  print("children", waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD ? 0 : 1)
  // A thread that has reported the end may not have ended yet.
  while entries("task") > threads { sched_yield() }
  print("threads", max(entries("task") - threads, 0))

case "ignores":
  signal(SIGCHLD, SIG_IGN)
  let how = Mutex<HelperEnd?>(nil)
  let (to, from) = (CommandLine.arguments[2], CommandLine.arguments[3])
  let script = "{ read word <\(to) && echo $word >\(from); } &"
  let worker = try HelperProcess(
    starting: HelperProgram(path: "/bin/sh"), arguments: ["-c", script], limits: limits, onLine: { _ in },
    onEnd: { end in
      how.withLock { $0 = end }
      isOver.signal()
    })
  withExtendedLifetime(worker) { isOver.wait() }
  print(how.withLock { $0?.cause == .exit(-1) } ? "nobody knows how" : "ended otherwise")
  // Opened for reading and writing, neither FIFO waits for its other end.
  let writing = open(to, O_RDWR | O_CLOEXEC)
  write(writing, "left alone\n", 11)
  var reading = pollfd(fd: open(from, O_RDWR | O_CLOEXEC), events: Int16(POLLIN), revents: 0)
  print(poll(&reading, 1, 60_000) == 1 ? "left alone" : "killed")

case "hear":
  // Started without HelperProcess, so that the pipes get the numbers of the standard streams.
  let script = "read line; echo got $line; echo complained >&2"
  var words = ["/bin/sh", "-c", script].map { (word: String) in strdup(word) } + [nil]
  var environment: [UnsafeMutablePointer<CChar>?] = [nil]
  var started = csystem_process()
  guard csystem_start("/bin/sh", &words, &environment, csystem_limits(), &started) == 0 else { exit(1) }
  write(started.input, "it\n", 3)
  let file = open(CommandLine.arguments[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
  var buffer = [UInt8](repeating: 0, count: 1 << 10)
  for stream in [started.output, started.errors] {
    while case let count = read(stream, &buffer, buffer.count), count > 0 { write(file, buffer, count) }
  }
  csystem_reap(started.process)

case "link", "rename":
  let (hidden, path) = (CommandLine.arguments[2], CommandLine.arguments[3])
  let file = try UnnamedFile(in: ".", mode: 0o600, else: hidden, allowsUnnamed: false)
  write(file.descriptor, "new", 3)
  do throws(SystemError) {
    if CommandLine.arguments[1] == "link" {
      try file.link(as: path)
    } else {
      try FilePath.rename(hidden, to: path)
    }
    print(0)
  } catch {
    print(error.number)
  }
  file.abandon()

case "fetch": fetch(with: CommandLine.arguments[2])

case "draw": draw(with: CommandLine.arguments[2], isWhole: false)

case "measure-parts", "measure-whole":
  for path in CommandLine.arguments[2...] {
    draw(with: path, isWhole: CommandLine.arguments[1] == "measure-whole")
    print(peak())
  }

case "measure":
  for path in CommandLine.arguments[2...] {
    fetch(with: path)
    print(peak())
  }

default: exit(64)
}
