// SPDX-License-Identifier: Apache-2.0

import ArtFetch
import ArtModel
import ArtPicture
import Glibc

@main
enum Main {
  static func main() {}
}
