// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Has a look at pictures.
public enum TrialDecode {
  /// What the picture is, after it was decoded once.
  public static func run(
    _ bytes: [UInt8], _ limits: PictureLimits
  ) throws(Refusal) -> (mediaType: String, size: Canvas, isAnimated: Bool) {
    // STUB
    throw Refusal(.notAnImage, "nothing is decoded yet")
  }
}
