// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The machine and process that wrote a journal. They decide whether its path, its lock and its process id
/// mean anything here.
public struct JournalHome: Sendable, Hashable {
  /// A keyed hash of the machine's id, 32 hexadecimal digits; nil if it has none.
  public let machine: String?
  /// A keyed hash of the boot's id, likewise.
  public let boot: String?
  /// The number of the mount namespace in which the journal's path is valid.
  public let namespace: Int?
  /// When the process began, in clock ticks since the boot. With the process id it identifies a process of a
  /// boot.
  public let processStart: Int?
}

/// The machine that this program runs on, as far as journals are concerned. A value, so that tests can
/// simulate others.
public struct JournalHost: Sendable, Hashable {
  /// The processes that exist.
  enum Processes: Hashable {
    case system
    /// Only these: the start of each process, by its id.
    case these([Int: Int])
  }

  let home: JournalHome
  /// The process id of this program.
  let process: Int
  var processes = Processes.system
  /// Whether all programs of this kernel see each other's locks; nil asks the file system of the journals.
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

// MARK: - The program of a journal

extension JournalHost {
  /// How far the head of a journal applies here.
  enum Relation: Equatable {
    /// Its paths and locks mean the same here.
    case here
    /// The same machine, where the journal's path may lead to another file.
    case otherNamespace
    /// Another machine, or possibly one.
    case otherMachine
  }

  /// The relation to the journal's home. A head of an older version has none, and counts as of this machine.
  func relation(to head: JournalHead) -> Relation {
    guard let other = head.home else { return .here }
    let isSameKernel = other.boot == home.boot && (home.boot != nil || other.machine == home.machine)
    guard isSameKernel || home.machine != nil && other.machine == home.machine else { return .otherMachine }
    return other.namespace == home.namespace ? .here : .otherNamespace
  }

  /// The state of a journal's program, as far as known.
  enum Program {
    /// A process with its id and start time runs.
    case running
    case ended
    /// A process with its id runs, but /proc hides its start time.
    case hidden
    /// The head has no start time, or is of another machine.
    case unknown
  }

  /// The state of the journal's program.
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

  /// Whether a process with that id exists that /proc does not show. A zombie is shown.
  private static func isHidden(_ process: Int) -> Bool {
    guard let number = pid_t(exactly: process), number > 0, kill(number, 0) == 0 || errno == EPERM else {
      return false
    }
    return access("/proc/\(number)/stat", F_OK) != 0
  }

  /// Whether locks of other programs on this kernel are visible in that folder. Unknown file systems,
  /// networked ones and FUSE count as if not.
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

// MARK: - Reading the system

extension JournalHost {
  /// The application id in emojiart's hashes of machine ids: `systemd-id128 machine-id -a` gives the same
  /// hash for it.
  private static let application = "e7c1f1a95c0b4c7f9d2b61d3a4e85f10"

  /// The keyed hash of an id of 32 hexadecimal digits, with or without hyphens, as
  /// `sd_id128_get_machine_app_specific(3)` computes it; nil for anything else.
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

  /// The hashed id in a file; nil if there is none, as in containers or during a machine's first boot.
  private static func identity(in path: String) -> String? {
    text(of: path).flatMap { keyedHash(of: String($0.prefix { !$0.isWhitespace })) }
  }

  /// The number of a mount namespace; nil if it is unknown. Since Linux 6.11 the number is unique in a boot;
  /// before, it is the inode, which a later namespace may reuse.
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

  /// When a process began, in clock ticks since the boot; nil if there is none with that id, or it is a
  /// zombie. Source: proc_pid_stat(5), fields 3 and 22.
  static func started(_ process: Int) -> Int? {
    guard process > 0, let text = text(of: "/proc/\(process)/stat"),
      // The name of the program, in parentheses, may hold any character.
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return Int(fields[19])
  }

  /// The text of a small system file; nil if it cannot be read, which counts as missing.
  private static func text(of path: String) -> String? {
    do throws(SystemError) {
      return try SmallFile.read(path, limit: 4_096).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}
