// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// How a document is exported: the query of `/render`.
public struct RenderQuery: Hashable, Sendable {
  /// The kind of file.
  public var format = PictureFormat.png
  /// The revision that is drawn; nil for the present.
  private(set) var revision: Int?
  private var scale = 1.0
  private var isTransparent = false
  private var region: String?
  private var resolution: Int?
  private var page: String?
  private var quality = PictureFormat.quality

  /// Reads the members of a query. Throws `WebRefusal`.
  init(_ query: inout WebQuery) throws(WebRefusal) {
    let format = try query.required("format")
    guard let format = PictureFormat(name: format) else {
      throw WebRefusal(400, "no format \(format.prefix(40))")
    }
    self.format = format
    if let typed = query.value("scale") {
      guard let scale = Double(typed), scale > 0, scale <= 1_000 else {
        throw WebRefusal(400, "a scale is above 0, and at most 1000")
      }
      self.scale = scale
    }
    revision = try Self.number(query.value("at"), 0...Int.max)
    isTransparent = try query.flag("transparent")
    region = query.value("region")
    page = query.value("page")
    resolution = try Self.number(query.value("dpi"), DrawingDetails.resolutions)
    quality = try Self.number(query.value("quality"), DrawingDetails.qualities) ?? PictureFormat.quality
  }

  private static func number(_ text: String?, _ bounds: ClosedRange<Int>) throws(WebRefusal) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), bounds.contains(number) else {
      throw WebRefusal(400, "a number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }

  /// The options of the drawing. Throws `badValue`.
  func options() throws(ArtError) -> RenderOptions {
    RenderOptions(
      format, size: .scale(scale), region: region, isTransparent: isTransparent, quality: quality,
      page: try page.map { (typed) throws(ArtError) in try Page(typed: typed) }, resolution: resolution)
  }
}
