// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// Whether a program carries a folder of documents between machines: by what such programs put into the folders that they carry, or because
/// the user has said so.
///
/// | program | what it puts into its folder |
/// |---|---|
/// | Syncthing | `.stfolder`; `.stignore` |
/// | Dropbox | the file `.dropbox`; `.dropbox.cache` |
/// | Nextcloud, ownCloud | `.sync_….db`, `._sync_….db`, `.nextcloudsync.log`, `.owncloudsync.log` |
///
/// Only what this user or root has put there counts. Sources: https://docs.syncthing.net/users/ignoring.html,
/// https://docs.syncthing.net/users/faq.html, https://help.dropbox.com/storage-space/cache-folder,
/// https://docs.nextcloud.com/desktop/latest/troubleshooting.html.
enum CarriedFolder {
  /// Whether a program carries the folder of a document. Throws what the list of the user's folders throws.
  static func isCarried(_ document: String) throws(ArtError) -> Bool {
    guard var folder = FilePath.resolvedIfThere(FilePath(document).folder) else { return false }
    let told = try CarriedFolderStore().folders()
    while true {
      if told.contains(where: { $0.utf8.elementsEqual(folder.utf8) }) || hasMark(folder) { return true }
      guard folder != "/" else { return false }
      folder = FilePath(folder).folder
    }
  }

  /// A folder that cannot be read has no marks.
  private static func hasMark(_ folder: String) -> Bool {
    var isMarked = false
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        guard !isMarked, entry.isHidden, let name = entry.name, isMark(name) else { return }
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0, status.st_uid == geteuid() || status.st_uid == 0
        else {
          return
        }
        // The folder `~/.dropbox` has the program's settings. It carries neither the home nor what is downloaded there.
        isMarked = name != ".dropbox" || status.st_mode & S_IFMT == S_IFREG
      }
    } catch {
      return false
    }
    return isMarked
  }

  static func isMark(_ name: String) -> Bool {
    switch name {
    case ".stfolder", ".stignore", ".dropbox", ".dropbox.cache", ".nextcloudsync.log", ".owncloudsync.log":
      true
    default: name.hasSuffix(".db") && (name.hasPrefix(".sync_") || name.hasPrefix("._sync_"))
    }
  }
}
