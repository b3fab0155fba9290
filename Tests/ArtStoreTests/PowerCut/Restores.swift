// SPDX-License-Identifier: Apache-2.0

@testable import ArtModel
@testable import ArtStore

/// What restoring the journals gives that are there after power cuts.
struct Restores {
  private(set) var journals = 0
  private(set) var damaged = 0
  /// The number of restored edits.
  private(set) var edits = 0

  /// Restores all journals of the remains, and counts those that are damaged.
  mutating func restore(_ remains: PowerCut.Remains, into file: DocumentFile) throws {
    var maker = try EditMaker(seed: UInt64(remains.number))
    for journal in try JournalFolder("\(remains.folder)/state/journal").lockOrphans() {
      journals += 1
      do throws(ArtError) {
        edits += try file.restore(journal, stamp: maker.stamp()).edits
      } catch {
        guard error.code == .damaged else { throw error }
        damaged += 1
      }
    }
  }
}
