// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Files as a power cut may leave them.
///
/// A file has durable bytes, and writes and changes of size that no sync has covered yet; the folder has durable names,
/// and changes of names that no sync of the folder has covered yet. At a cut
///
/// - each unsynced write is done, missing or torn, independently of the others, so writes are reordered. In a torn write each
/// sector of 512 bytes is new, old, new up to some byte, new from some byte on, or garbage;
/// - the file's size has followed some first part of its unsynced changes, as a journalling file system keeps them. A write beyond
/// that size is lost, and bytes within the size without a write are zeros or garbage;
/// - each change of a name is done or missing, in order for one name, whatever the file's own sync did: after `fsync` of a new file
/// its bytes are durable, but its name only after `fsync` of the folder. A rename is one change of two names. Removed files stay as
/// long as their removal can be undone.
///
/// Durable bytes stay as they are: an interrupted write changes no byte outside its own range. That is the assumption "powersafe
/// overwrite", which SQLite makes by default and without which no journal page of less than a sector would be safe
/// (https://www.sqlite.org/psow.html). Sectors are neither atomic nor written from one end to the other, which SQLite does not need
/// either with its checksums in the journal, and files may grow before their new bytes are written
/// (https://www.sqlite.org/atomiccommit.html, sections 2.0 and 9). A successful sync is trusted: drives that lie and bits that rot
/// are the subjects of other harnesses. New folders are durable.
struct SimulatedDisk {
  private enum Change {
    case write(at: Int, [UInt8])
    case resize(Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [(event: Int, change: Change)] = []
  }

  private enum Naming {
    case link(String, Int)
    case unlink(String)
    case rename(String, String)

    var names: [String] {
      switch self {
      case .link(let name, _), .unlink(let name): [name]
      case .rename(let old, let new): [old, new]
      }
    }
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var pending: [(event: Int, naming: Naming)] = []
  private var count = 0

  init(_ start: [String: [UInt8]]) {
    for (name, bytes) in start.sorted(by: { $0.key < $1.key }) {
      names[name] = files.count
      files.append(File(durable: bytes))
    }
  }

  mutating func apply(_ event: Recording.Event) {
    switch event {
    case .write(let file, let place, let bytes): change(file, .write(at: place, bytes))
    case .resize(let file, let size): change(file, .resize(size))
    case .sync(let file, let events):
      let covered = files[file].pending.prefix { $0.event < events }
      for (_, change) in covered { Self.make(change, &files[file].durable) }
      files[file].pending.removeFirst(covered.count)
    case .link(let name, let file):
      while files.count <= file { files.append(File()) }
      pending.append((count, .link(name, file)))
    case .unlink(let name): pending.append((count, .unlink(name)))
    case .rename(let old, let new): pending.append((count, .rename(old, new)))
    case .syncFolder(let folder, let events):
      func isCovered(_ entry: (event: Int, naming: Naming)) -> Bool {
        entry.event < events && Recording.folder(of: entry.naming.names[0]) == folder
      }
      for (_, naming) in pending.filter(isCovered) { Self.make(naming, &names) }
      pending.removeAll(where: isCovered)
    case .answer: break
    }
    count += 1
  }

  /// The files as the programs see them, with all changes.
  func whole() -> [String: [UInt8]] {
    var names = names
    for (_, naming) in pending { Self.make(naming, &names) }
    return names.mapValues { file in
      var bytes = files[file].durable
      for (_, change) in files[file].pending { Self.make(change, &bytes) }
      return bytes
    }
  }

  /// The files after a power cut at this moment.
  func cut(_ random: inout SplitMix64) -> [String: [UInt8]] {
    var names = names
    var stuck: Set<String> = []
    let happens = [0, 50, 100][random.below(3)]
    for (_, naming) in pending {
      if naming.names.allSatisfy({ !stuck.contains($0) }), random.percent(happens) {
        Self.make(naming, &names)
      } else {
        stuck.formUnion(naming.names)
      }
    }
    let odds = Odds(&random)
    // In a fixed order, so that a seed repeats its result.
    return Dictionary(
      uniqueKeysWithValues: names.sorted { $0.key < $1.key }.map {
        ($0.key, content(files[$0.value], odds, &random))
      })
  }

  /// The chance, in percent, that a write is done, and that a missing one is torn.
  private struct Odds {
    let kept: Int
    let torn: Int

    init(_ random: inout SplitMix64) {
      kept = [0, 20, 50, 80, 100][random.below(5)]
      torn = [0, 30, 100][random.below(3)]
    }
  }

  private func content(_ file: File, _ odds: Odds, _ random: inout SplitMix64) -> [UInt8] {
    var bytes = file.durable
    // Each size that the file has had since its last sync, and the size after each change.
    var sizes = [bytes.count]
    var steps: [Int] = []
    for (_, change) in file.pending {
      let last = sizes[sizes.count - 1]
      switch change {
      case .write(let place, let new): if place + new.count > last { sizes.append(place + new.count) }
      case .resize(let size): if size != last { sizes.append(size) }
      }
      steps.append(sizes.count - 1)
    }
    let resized = [0, random.below(sizes.count), sizes.count - 1][random.below(3)]
    for ((_, change), step) in zip(file.pending, steps) {
      switch change {
      case .write(let place, let new):
        if random.percent(odds.kept) {
          Self.put(new[...], into: &bytes, at: place, &random)
        } else if random.percent(odds.torn) {
          tear(new, into: &bytes, at: place, &random)
        }
      case .resize(let size): if step <= resized { Self.resize(&bytes, to: size, &random) }
      }
    }
    Self.resize(&bytes, to: sizes[resized], &random)
    return bytes
  }

  private func tear(_ new: [UInt8], into bytes: inout [UInt8], at place: Int, _ random: inout SplitMix64) {
    var start = 0
    while start < new.count {
      let end = min(new.count, (place + start) / Self.sector * Self.sector + Self.sector - place)
      let middle = start + random.below(end - start + 1)
      switch random.below(6) {
      case 0, 1: Self.put(new[start..<end], into: &bytes, at: place + start, &random)
      case 2: Self.put(new[start..<middle], into: &bytes, at: place + start, &random)
      case 3: Self.put(new[middle..<end], into: &bytes, at: place + middle, &random)
      case 4: Self.put(Self.garbage(end - start, &random)[...], into: &bytes, at: place + start, &random)
      default: break
      }
      start = end
    }
  }

  private static let sector = 512

  private static func put(
    _ new: ArraySlice<UInt8>, into bytes: inout [UInt8], at place: Int, _ random: inout SplitMix64
  ) {
    guard !new.isEmpty else { return }
    if bytes.count < place + new.count { resize(&bytes, to: place + new.count, &random) }
    bytes.replaceSubrange(place..<place + new.count, with: new)
  }

  /// A file grows by zeros, or by old bytes of the disk.
  private static func resize(_ bytes: inout [UInt8], to size: Int, _ random: inout SplitMix64) {
    if size <= bytes.count { return bytes.removeLast(bytes.count - size) }
    let missing = size - bytes.count
    bytes += random.below(3) > 0 ? [UInt8](repeating: 0, count: missing) : garbage(missing, &random)
  }

  private static func garbage(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    var words: [UInt64] = []
    for _ in 0...count / 8 { words.append(random.next()) }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }

  private mutating func change(_ file: Int, _ change: Change) {
    while files.count <= file { files.append(File()) }
    files[file].pending.append((count, change))
  }

  private static func make(_ change: Change, _ bytes: inout [UInt8]) {
    switch change {
    case .write(let place, let new):
      if bytes.count < place + new.count {
        bytes += [UInt8](repeating: 0, count: place + new.count - bytes.count)
      }
      bytes.replaceSubrange(place..<place + new.count, with: new)
    case .resize(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }

  private static func make(_ naming: Naming, _ names: inout [String: Int]) {
    switch naming {
    case .link(let name, let file): names[name] = file
    case .unlink(let name): names[name] = nil
    case .rename(let old, let new):
      names[new] = names[old]
      names[old] = nil
    }
  }
}

extension SplitMix64 {
  mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
}
