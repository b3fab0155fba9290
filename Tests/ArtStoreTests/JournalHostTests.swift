// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Journals of other machines") struct JournalHostTests {
  private let digest = String(repeating: "a", count: 32)
  private let other = String(repeating: "b", count: 32)

  private func home(
    _ machine: String? = String(repeating: "a", count: 32), boot: String? = String(repeating: "c", count: 32),
    namespace: Int? = 4
  ) -> JournalHome { JournalHome(machine: machine, boot: boot, namespace: namespace, processStart: 77) }

  /// A journal of the process 100, which began at 77 and has ended as far as its lock shows.
  private func sample(
    _ home: JournalHome? = nil, saved: Int = 0, sharesLocks: Bool = true
  ) throws -> JournalSample {
    let sample = try JournalSample()
    sample.folder = JournalFolder(
      sample.folder.path,
      host: JournalHost(
        home: home ?? self.home(), process: 100, processes: .these([:]), sharesLocks: sharesLocks))
    try sample.abandonJournal(after: 4, saved: saved)
    return sample
  }

  /// The same folder as another program sees it.
  private func folder(
    _ sample: JournalSample, _ home: JournalHome? = nil, processes: [Int: Int] = [:], sharesLocks: Bool = true
  ) -> JournalFolder {
    JournalFolder(
      sample.folder.path,
      host: JournalHost(
        home: home ?? self.home(), process: 200, processes: .these(processes), sharesLocks: sharesLocks))
  }

  @Test("K13 the ids of the machine and of its boot are the keyed hashes that systemd computes")
  func hashes() throws {
    #expect(
      KeyedDigest.sha256(Array("abc".utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
    #expect(KeyedDigest.sha256(long).prefix(4) == [0x41, 0xED, 0xEC, 0xE4])
    // RFC 4231, test case 2.
    let code = KeyedDigest.hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
    #expect(code.prefix(4) == [0x5B, 0xDC, 0xC1, 0x46] && code.suffix(2) == [0x38, 0x43])
    #expect(JournalHost.keyedHash(of: "") == nil && JournalHost.keyedHash(of: "uninitialized") == nil)
    #expect(JournalHost.keyedHash(of: String(repeating: "g", count: 32)) == nil)
    let id = "0123456789abcdef0123456789abcdef"
    let hidden = try #require(JournalHost.keyedHash(of: id))
    #expect(hidden != id && JournalHost.keyedHash(of: "01234567-89ab-cdef-0123-456789abcdef") == hidden)
    #expect(hidden == "bffd92c3f8204a698c8a03cbcd5baccb", "the hash of `systemd-id128 machine-id -a`")
  }

  @Test(
    "K13 a journal records the machine, boot, mount namespace and process that made it"
  )
  func journalHome() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 1)
    let head = try #require(try sample.lockedOrphan().head?.home)
    #expect(head == JournalHost.current.home)
    #expect(head.processStart == JournalHost.started(Int(getpid())) && head.processStart != nil)
    #expect(head.namespace != nil && head.boot?.count == 32)
    let raw = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #expect(head.boot != raw.filter { $0 != "-" && $0 != "\n" }, "the raw boot id is not recorded")
  }

  @Test("K13 a process that has ended and waits for its parent counts as ended")
  func ended() throws {
    var process: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(words[0]) }
    try #require(posix_spawn(&process, "/bin/true", nil, nil, &words, nil) == 0)
    // It stays a zombie until its parent waits for it.
    var info = siginfo_t()
    try #require(waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) == 0)
    #expect(JournalHost.started(Int(process)) == nil)
    #expect(waitpid(process, nil, 0) == process)
    #expect(JournalHost.started(Int(process)) == nil)
    #expect(JournalHost.started(0) == nil && JournalHost.started(-1) == nil)
  }

  @Test(
    "K3 the journal of a running program is not restored where its lock is not visible, and is when the program has ended"
  )
  func running() throws {
    let sample = try sample(sharesLocks: false)
    let live = folder(sample, processes: [100: 77], sharesLocks: false)
    #expect(try live.peek().isEmpty && live.lockOrphans().isEmpty)
    let found = try sample.file.journalsToRestore(in: live)
    #expect(found.own.isEmpty && found.kept.isEmpty)
    try live.removeEmptyJournals { _ in true }
    #expect(try sample.names.count == 2)
    // Another process with the same number.
    #expect(try folder(sample, processes: [100: 78], sharesLocks: false).lockOrphans().count == 1)
    // A process of the journal's own host relies on the lock.
    #expect(try sample.folder.lockOrphans().count == 1)
    // After the next boot numbers and times of processes do not count.
    let later = folder(sample, home(boot: other), processes: [100: 77], sharesLocks: false)
    #expect(try later.lockOrphans().count == 1)
  }

  @Test("K3 the lock file of a running program is not removed where its lock is not visible")
  func runningWithoutEdits() throws {
    let sample = try sample(saved: 4, sharesLocks: false)
    for name in try sample.names where name.hasSuffix(".journal") { unlink(sample.folder.path(of: name)) }
    let live = folder(sample, processes: [100: 77], sharesLocks: false)
    try live.removeEmptyJournals { _ in true }
    #expect(try live.lockOrphans().isEmpty && sample.names.count == 1)
    try write([], to: sample.lockPath)
    #expect(try live.lockOrphans().isEmpty)
    #expect(try sample.names.count == 1, "its program may be starting")
    #expect(try folder(sample).lockOrphans().isEmpty)
    #expect(try sample.names.isEmpty)
  }

  @Test("K13 a journal of another machine is kept and named, whatever document is at its path")
  func otherMachine() throws {
    let sample = try sample()
    for place in [home(other, boot: other), home(nil, boot: other), home(nil, boot: nil)] {
      let there = folder(sample, place)
      let found = try sample.file.journalsToRestore(in: there)
      #expect(found.own.isEmpty && found.kept.count == 1)
      #expect(found.kept.first?.remedy == .restoreElsewhere)
      #expect(found.kept.first?.code == .unavailable)
      let stranger = try sample.space.document("stranger.emojiart", seed: 60)
      #expect(try stranger.journalsToRestore(in: there).kept.isEmpty)
      unlink(stranger.path)
      let head = try #require(try there.peek().first?.head)
      var search = JournalSearch(for: [head], in: there)
      guard case .elsewhere = search.match(head) else {
        Issue.record("a journal of another machine is restored")
        continue
      }
      var asked = JournalSearch(for: [head], in: there, trustingElsewhere: true)
      #expect(asked.match(head) == .restore(try sample.file.locate().path))
    }
    // The same boot is the same machine, whatever machine id a container's file system has.
    #expect(try sample.file.journalsToRestore(in: folder(sample, home(other))).own.count == 1)
    #expect(try sample.file.journalsToRestore(in: folder(sample, home(boot: other))).own.count == 1)
  }

  @Test(
    "K13 a journal of another mount namespace is restored into the original file only, and not into a copy at its path"
  )
  func otherNamespace() throws {
    for boot in [home().boot, other] {
      let sample = try sample()
      let there = folder(sample, home(boot: boot, namespace: 5))
      #expect(try sample.file.journalsToRestore(in: there).own.count == 1)
      #expect(sample.file.journals(among: try there.peek()).own.count == 1)
      let copy = sample.space["copy"]
      try FileManager.default.copyItem(atPath: sample.file.path, toPath: copy)
      let original = sample.space["original"]
      try #require(rename(sample.file.path, original) == 0 && rename(copy, sample.file.path) == 0)
      let found = try sample.file.journalsToRestore(in: there)
      #expect(found.own.isEmpty && found.kept.count == 1)
      #expect(found.kept.first?.cause.contains("another container") == true)
      #expect(
        try sample.file.journalsToRestore(in: sample.folder).own.count == 1,
        "in its own namespace the path counts")
      try #require(rename(original, sample.space["original.emojiart"]) == 0)
      #expect(
        try DocumentFile(sample.space["original.emojiart"]).journalsToRestore(in: there).own.count == 1)
    }
  }

  @Test("K13 a journal of another mount namespace without visible locks is kept until the next boot")
  func otherNamespaceWithoutLocks() throws {
    let sample = try sample(sharesLocks: false)
    let there = folder(sample, home(namespace: 5), sharesLocks: false)
    #expect(try sample.file.journalsToRestore(in: there).own.isEmpty)
    #expect(try there.lockOrphans().first?.isEndKnown == false)
    let later = folder(sample, home(boot: other, namespace: 5), sharesLocks: false)
    #expect(try sample.file.journalsToRestore(in: later).own.count == 1)
  }

  @Test("K13 a journal of an older program has no home, and counts as one of this machine")
  func older() throws {
    let sample = try sample()
    for name in try sample.names {
      let path = sample.folder.path(of: name)
      let text = String(decoding: try bytes(path), as: UTF8.self)
      let lines = try text.split(separator: "\n").map { line -> String in
        let json = line.dropFirst(17).replacing(
          /"(boot|machine)":"[0-9a-f]*",|"(namespace|processStart)":[0-9]*,/, with: "")
        let sum = String(Array(json.utf8).withUnsafeBytes(JournalLines.sum(of:)), radix: 16)
        try #require(name.hasSuffix(".lock") || !json.contains("machine"))
        return String(repeating: "0", count: 16 - sum.count) + sum + " " + json + "\n"
      }
      try write(Array(lines.joined().utf8), to: path)
    }
    let there = folder(sample, home(other, boot: other, namespace: 9))
    #expect(try there.peek().first?.head?.home == nil)
    #expect(try sample.file.journalsToRestore(in: there).own.count == 1)
  }
}

@Suite("The state folder") struct StateFolderTests {
  @Test(
    "K6 a relative path is no state folder: it is refused, or ignored where the XDG specification says so"
  )
  func relative() throws {
    var variables = ["XDG_STATE_HOME": "x", "HOME": "/h"]
    #expect(try StateFolder.path { variables[$0] } == "/h/.local/state/emojiart")
    variables["HOME"] = "h"
    #expect(try StateFolder.path { variables[$0] } == nil)
    variables["EMOJIART_STATE"] = "state"
    let error = failure { try StateFolder.path { variables[$0] } }
    #expect(error?.code == .badValue && error?.cause.contains("EMOJIART_STATE") == true)
    variables["EMOJIART_STATE"] = "/s"
    #expect(try StateFolder.path { variables[$0] } == "/s")
  }

  @Test("K6 a folder that others own or may write to is not used, and no journal in it is restored")
  func others() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 3)
    let author = try Author(origin: sample.origin)
    for mode: mode_t in [0o770, 0o702, 0o777, 0o1777] {
      try #require(chmod(sample.folder.path, mode) == 0)
      let error = failure { try sample.file.restoreOrphans(in: sample.folder, by: { author }) { _ in } }
      #expect(error?.code == .notPermitted && error?.cause.contains("chmod go-w") == true)
      #expect(failure { try sample.folder.peek() }?.code == .notPermitted)
      #expect(failure { try sample.folder.lockOrphans() }?.code == .notPermitted)
      #expect(failure { try sample.journal() }?.code == .notPermitted)
    }
    for mode: mode_t in [0o700, 0o755] {
      try #require(chmod(sample.folder.path, mode) == 0)
      #expect(try sample.folder.peek().count == 1)
    }
    guard isRoot(for: "K6 a folder of journals of another user") else { return }
    try #require(chown(sample.folder.path, 65_534, 65_534) == 0)
    #expect(failure { try sample.folder.lockOrphans() }?.cause.contains("65534") == true)
    try #require(chown(sample.folder.path, 0, 0) == 0)
    #expect(try sample.folder.lockOrphans().count == 1)
  }

  @Test("K15 a reader works with any time of a file")
  func times() throws {
    for seconds in [1 << 60, -(1 << 60), .max, .min, 0] {
      let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
      #expect((time.milliseconds > 0) == (seconds >= 0))
    }
    #expect(timespec(tv_sec: 1_800_000_000, tv_nsec: 123_456_789).milliseconds == 1_800_000_000_123)
    #expect(timespec(tv_sec: -1, tv_nsec: 0).milliseconds == -1_000)
    let sample = try JournalSample()
    try sample.abandonJournal(after: 2)
    // The largest time that the file system keeps.
    let times = [timespec](repeating: timespec(tv_sec: 1 << 60, tv_nsec: 0), count: 2)
    for path in [sample.segment(), sample.lockPath, sample.file.path] {
      try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    }
    #expect(try sample.folder.peek().count == 1)
    #expect(try sample.lockedOrphan().contents().entries.count == 2)
  }
}
