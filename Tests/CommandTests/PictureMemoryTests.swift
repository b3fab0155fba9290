// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The memory for large pictures")
struct PictureMemoryTests {
  /// Prints the peak memory of `background`, in kB, when its edit is in the file. The command cannot write its result, and blocks
  /// there.
  private static let script = """
    picture-server --while $$ --folder . >url &
    awaiting http url
    url=$(cat url)
    dot 60 40 >small.png
    padded small.png 20971520 >large.png
    mkfifo full
    exec 3<>full
    python3 -c 'import os; os.set_blocking(3, False); os.write(3, bytes(65536)); os.set_blocking(3, True)'
    peak() {
      emojiart new "$1" >/dev/null
      emojiart background "$1" "$2" >&3 <"${3:-/dev/null}" &
      tries=0
      until emojiart history "$1" | grep -q 'set the background'; do
        tries=$((tries + 1))
        [ $tries -le 10000 ] || exit 1
        sleep 0.02
      done
      echo "$1 $(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/$!/status)"
      kill $!
    }
    peak small "$url/files/small.png"
    peak fetched "$url/files/large.png"
    peak path large.png
    peak stdin - large.png
    """

  @Test("20 MiB are fetched, read and stored with less than 64 MB more than a small picture")
  func peak() async throws {
    let run = try CommandRun(limit: 600)
    let output = try await run.output(of: Self.script)
    try run.remove()
    var peaks: [String: Int] = [:]
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { peaks[String(words[0])] = Int(words[1]) }
    }
    let base = try #require(peaks["small"])
    print("memory of background: \(base) kB with a small picture")
    for name in ["fetched", "path", "stdin"] {
      let peak = try #require(peaks[name])
      print("memory of background: \(peak - base) kB more with 20 MiB, \(name)")
      #expect(peak - base < 64_000, "\(name)")
      // Bytes that were not read cost nothing: a lower value would be a measurement of something else.
      #expect(peak - base > 20_000, "\(name)")
    }
  }

  /// Prints the size of a document with three pictures of 15 MiB, and the peak memory of a merge with its copy, both in bytes.
  private static let merge = """
    dot 60 40 >small.png
    emojiart new m >/dev/null
    for number in 1 2 3; do
      padded small.png 15728640 $number >large.png
      emojiart background m ./large.png >/dev/null
    done
    cp m.emojiart n.emojiart
    emojiart add m 🐝 >/dev/null
    emojiart add n 🌸 >/dev/null
    stat -c %s m.emojiart
    python3 - <<'END'
    import resource, subprocess
    subprocess.run(["emojiart", "merge", "m", "n"], check=True, stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
    END
    """

  @Test("a merge of two large documents takes at most three times the size of one")
  func merge() async throws {
    let run = try CommandRun(limit: 600)
    let figures = try await run.output(of: Self.merge).split(separator: "\n").compactMap { Int($0) }
    try run.remove()
    try #require(figures.count == 2)
    let (size, peak) = (figures[0], figures[1])
    print("memory of merge: \(peak) bytes for a document of \(size) bytes")
    #expect(size > 40_000_000)
    #expect(peak <= 3 * size)
    // The pictures of one copy are in memory: a lower value would be a measurement of something else.
    #expect(peak > size)
  }
}
