// SPDX-License-Identifier: Apache-2.0

// AVIF: https://aomediacodec.github.io/av1-avif/; HEIF: ISO/IEC 23008-12; boxes: ISO/IEC 14496-12, 4.2.

extension PictureHeader {
  static func avif(_ file: PictureBytes) -> PictureHeader? {
    guard let meta = Box.first("meta", in: file)?.dropped(4), let item = primaryItem(meta),
      let properties = Box.first("iprp", in: meta), let container = Box.first("ipco", in: properties)
    else { return nil }
    let wanted = associations(properties, of: item)
    var size: (width: Int, height: Int)?
    var aperture: PictureBytes?
    var angle = 0
    var axis: Int?
    var number = 0
    Box.each(container) { box in
      number += 1
      guard wanted.contains(number) else { return true }
      switch box.kind {
      case "ispe":
        if let width = box.data.big(4, 4), let height = box.data.big(8, 4) { size = (width, height) }
      case "clap": aperture = box.data
      case "irot": angle = (box.data.byte(0) ?? 0) & 3
      case "imir": axis = (box.data.byte(0) ?? 0) & 1
      default: break
      }
      return true
    }
    guard let size = size.flatMap({ clipped($0, aperture) }) else { return nil }
    return PictureHeader(
      kind: .avif, width: size.width, height: size.height, orientation: orientation(angle, axis),
      isAnimated: file.brands.first == "avis" && hasFrames(file))
  }

  /// The EXIF number of a turn by so many quarters against the clock, and then a mirroring: axis 0 exchanges top and bottom,
  /// 1 left and right.
  static func orientation(_ angle: Int, _ axis: Int?) -> Int {
    switch axis {
    case 0: [4, 5, 2, 7][angle & 3]
    case 1: [2, 7, 4, 5][angle & 3]
    default: [1, 8, 3, 6][angle & 3]
    }
  }

  private static func primaryItem(_ meta: PictureBytes) -> Int? {
    guard let box = Box.first("pitm", in: meta), let version = box.byte(0) else { return nil }
    return box.big(4, version == 0 ? 2 : 4)
  }

  /// The numbers of the properties of an item, from 1.
  private static func associations(_ properties: PictureBytes, of item: Int) -> Set<Int> {
    var found: Set<Int> = []
    Box.each(properties) { box in
      guard box.kind == "ipma", let version = box.data.byte(0), let flags = box.data.byte(3),
        let entries = box.data.big(4, 4)
      else { return true }
      let itemSize = version == 0 ? 2 : 4
      let size = flags & 1 == 0 ? 1 : 2
      var offset = 8
      for _ in 0..<entries {
        guard let id = box.data.big(offset, itemSize), let count = box.data.byte(offset + itemSize) else {
          break
        }
        offset += itemSize + 1
        for _ in 0..<count {
          guard let number = box.data.big(offset, size) else { break }
          // The first bit says that it is essential.
          if id == item { found.insert(number & (size == 1 ? 0x7F : 0x7FFF)) }
          offset += size
        }
      }
      return true
    }
    return found
  }

  /// What the clean aperture leaves, rounded as the loader does; nil for one that cannot be.
  private static func clipped(_ size: (width: Int, height: Int), _ aperture: PictureBytes?) -> (
    width: Int, height: Int
  )? {
    guard let aperture else { return size }
    guard let acrossN = aperture.big(0, 4), let acrossD = aperture.big(4, 4), let downN = aperture.big(8, 4),
      let downD = aperture.big(12, 4), acrossD > 0, downD > 0
    else { return nil }
    let width = (2 * acrossN + acrossD) / (2 * acrossD)
    let height = (2 * downN + downD) / (2 * downD)
    return (min(size.width, width), min(size.height, height))
  }

  /// Whether a track has more than one sample.
  private static func hasFrames(_ file: PictureBytes) -> Bool {
    guard let movie = Box.first("moov", in: file) else { return false }
    var found = false
    Box.each(movie) { track in
      guard track.kind == "trak" else { return true }
      let path = ["mdia", "minf", "stbl", "stsz"]
      let sizes = path.reduce(track.data as PictureBytes?) { data, kind in
        data.flatMap { Box.first(kind, in: $0) }
      }
      found = found || (sizes?.big(8, 4) ?? 0) > 1
      return !found
    }
    return found
  }
}
