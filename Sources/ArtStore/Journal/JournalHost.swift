// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Where a program ran that wrote a journal: what tells whether its path, its lock and its process mean anything here.
public struct JournalHome: Sendable, Hashable {
  /// The machine: 32 hexadecimal digits made of its id; nil where it has none.
  public let machine: String?
  /// The machine's boot, likewise.
  public let boot: String?
  /// The number of the mount namespace, in which the journal's path is one.
  public let namespace: Int?
  /// When the process began, in clock ticks since the boot: with its number this names one process of a boot.
  public let processStart: Int?
}

/// The machine that this program runs on, as far as journals are concerned. A value, so that tests can be other machines.
public struct JournalHost: Sendable, Hashable {
  /// Which processes there are.
  enum Processes: Hashable {
    case system
    /// By their numbers, when they began.
    case these([Int: Int])
  }

  let home: JournalHome
  /// The number of this program's own process.
  let process: Int
  var processes = Processes.system
  /// Whether locks are seen by all programs of this kernel; nil has the file system of the journals asked.
  var sharesLocks: Bool?

  init(
    home: JournalHome, process: Int = Int(getpid()), processes: Processes = .system, sharesLocks: Bool? = nil
  ) {
    self.home = home
    self.process = process
    self.processes = processes
    self.sharesLocks = sharesLocks
  }

  /// This machine.
  public static let current = JournalHost(
    home: JournalHome(
      machine: identity(in: "/etc/machine-id"), boot: identity(in: "/proc/sys/kernel/random/boot_id"),
      namespace: namespace(at: "/proc/self/ns/mnt"), processStart: started(Int(getpid()))))
}

extension JournalHost {
  /// How far what a journal says of its program can be believed here.
  enum Relation: Equatable {
    /// Paths and locks mean the same as here.
    case here
    /// The same machine, where the journal's path may lead to another file.
    case otherNamespace
    /// Another machine, or it cannot be told that it is not.
    case otherMachine
  }

  /// A head of an older program tells nothing, and is taken for one of this machine.
  func relation(to head: JournalHead) -> Relation {
    guard let other = head.home else { return .here }
    let isSameKernel = other.boot == home.boot && (home.boot != nil || other.machine == home.machine)
    guard isSameKernel || home.machine != nil && other.machine == home.machine else { return .otherMachine }
    return other.namespace == home.namespace ? .here : .otherNamespace
  }

  /// What is known of the program of a journal.
  enum Program {
    /// A process of its number runs that began when it did.
    case running
    case ended
    /// A process of its number runs, of which the system shows no more: /proc may be mounted so.
    case hidden
    /// The head does not say when it began, or speaks of another machine.
    case unknown
  }

  /// Looks for the journal's program.
  func program(of head: JournalHead) -> Program {
    guard let other = head.home else { return .unknown }
    // No program outlives a boot of its machine.
    if let boot = home.boot, let otherBoot = other.boot, boot != otherBoot, let machine = home.machine,
      machine == other.machine
    {
      return .ended
    }
    guard let start = other.processStart, home.boot != nil, other.boot == home.boot else { return .unknown }
    switch processes {
    case .these(let all): return all[head.process] == start ? .running : .ended
    case .system: break
    }
    if let found = Self.started(head.process) { return found == start ? .running : .ended }
    return Self.isHidden(head.process) ? .hidden : .ended
  }

  /// Whether there is a process of that number of which /proc says nothing. One that has ended and only its parent does not know is
  /// shown, and is none.
  private static func isHidden(_ process: Int) -> Bool {
    guard let number = pid_t(exactly: process), number > 0, kill(number, 0) == 0 || errno == EPERM else {
      return false
    }
    return access("/proc/\(number)/stat", F_OK) != 0
  }

  /// Whether a lock that somebody on this kernel holds is seen in that folder. Of a file system on a network, or one that
  /// a program makes, nobody knows.
  func sharesLocks(in folder: String) -> Bool {
    if let sharesLocks { return sharesLocks }
    do throws(SystemError) {
      return try Self.localFileSystems.contains(FileSystem.kind(at: folder))
    } catch {
      return false
    }
  }

  /// `f_type` of file systems that keep `flock` in the kernel, by the file: statfs(2).
  private static let localFileSystems: Set<UInt32> = [
    0xEF53,  // ext2, ext3, ext4
    0x5846_5342,  // xfs
    0x9123_683E,  // btrfs
    0x0102_1994,  // tmpfs
    0x8584_58F6,  // ramfs
    0x794C_7630,  // overlayfs
    0x2FC1_2FC1,  // zfs
    0xF2F5_2010,  // f2fs
    0xCA45_1A4E,  // bcachefs
    0x3153_464A,  // jfs
    0x0000_4D44,  // vfat
    0x2011_BAB0,  // exfat
  ]
}

extension JournalHost {
  /// What emojiart's hashes of a machine's ids are keyed with: `systemd-id128 machine-id -a` gives the same for it.
  private static let application = "e7c1f1a95c0b4c7f9d2b61d3a4e85f10"

  /// The keyed hash of an id of 32 hexadecimal digits, hyphens passed over, as `sd_id128_get_machine_app_specific(3)` makes
  /// it; nil for what is no such id.
  static func keyedHash(of id: String) -> String? {
    guard let key = bytes(of: id), let application = bytes(of: application) else { return nil }
    var digest = Array(KeyedDigest.hmac(key: key, application).prefix(16))
    // The bits of a random UUID, as systemd sets them.
    digest[6] = digest[6] & 0x0F | 0x40
    digest[8] = digest[8] & 0x3F | 0x80
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(of id: String) -> [UInt8]? {
    let digits = id.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }

  /// Nil where there is no such file, or no id in it: containers have none, and a machine that boots for the first time.
  private static func identity(in path: String) -> String? {
    text(of: path).flatMap { keyedHash(of: String($0.prefix { !$0.isWhitespace })) }
  }

  /// The number of a mount namespace: since Linux 6.11 one that is given once in a boot, before that its inode, which the next
  /// namespace may be given when this one is gone. Nil where it cannot be told.
  private static func namespace(at path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // NS_GET_MNTNS_ID of linux/nsfs.h, which is newer than Debian's headers: _IOR(0xb7, 5, __u64).
    let request: UInt = 0x8008_B705
    var number: UInt64 = 0
    if ioctl(file, request, &number) == 0 { return Int(truncatingIfNeeded: number) }
    var status = stat()
    return fstat(file, &status) == 0 ? Int(truncatingIfNeeded: status.st_ino) : nil
  }

  /// When a process began, in clock ticks since the boot; nil when there is none of that number, or it has ended and only
  /// its parent does not know. Source: proc_pid_stat(5), fields 3 and 22.
  static func started(_ process: Int) -> Int? {
    guard process > 0, let text = text(of: "/proc/\(process)/stat"),
      // The name of the program, in parentheses, may hold any character.
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return Int(fields[19])
  }

  /// A small file of the system's; nil where it cannot be read, which is as if it were not there.
  private static func text(of path: String) -> String? {
    do throws(SystemError) {
      return try SmallFile.read(path, limit: 4_096).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}
