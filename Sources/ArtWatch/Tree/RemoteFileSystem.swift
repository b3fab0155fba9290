// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// File systems whose changes come from other machines, too: inotify does not tell of these.
enum RemoteFileSystem {
  private static let names: Set<String> = [
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
    "ncp", "nfs", "nfs4", "ocfs2", "orangefs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
  ]

  /// Bytes of a list of mounts that are looked at: 100,000 lines.
  private static let mountsLimit = 16 << 20

  /// The name of the file system with that device number; nil for a local one. What cannot be found is taken for local.
  static func kind(of device: UInt) -> String? {
    do throws(SystemError) {
      guard let mounts = try SmallFile.read("/proc/self/mountinfo", limit: mountsLimit) else { return nil }
      return kind(of: device, in: String(decoding: mounts, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// The same, from the text of proc_pid_mountinfo(5).
  static func kind(of device: UInt, in mounts: String) -> String? {
    // gnu_dev_major(3), gnu_dev_minor(3)
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    let number = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == number, let dash = words.firstIndex(of: "-"),
        dash + 1 < words.count
      else { continue }
      let name = String(words[dash + 1])
      return names.contains(name) || name.hasPrefix("fuse") && name != "fuseblk" ? name : nil
    }
    return nil
  }
}
