// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStudioPage

/// The files of the page, which are in the program.
public enum Assets {
  /// The index of each file by its name.
  private static let indices = Dictionary(
    uniqueKeysWithValues: (0..<studio_file_count).map {
      (String(cString: studio_file_at($0).pointee.name), $0)
    })

  /// The names of all files.
  public static let names = Set(indices.keys)

  /// The file of that name; nil for any other.
  public static func file(_ name: String) -> [UInt8]? {
    indices[name].map { index in
      let file = studio_file_at(index).pointee
      return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
  }

  /// The media type by the name's ending.
  public static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    default: "application/octet-stream"
    }
  }

  /// The bytes as gzip compresses them; nil if that makes them no smaller.
  public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: bytes.count)
    let count = studio_gzip(bytes, bytes.count, &result, result.count)
    return count > 0 ? Array(result.prefix(count)) : nil
  }
}

/// Comments in the files of the page. A browser needs none, and they are a quarter of the bytes over the wire.
enum PageComments {
  /// The text without the lines of comments. They become empty lines, so that the places of errors stay those of the sources.
  ///
  /// A comment beside code stays. A file must not have a text over several lines that looks like a comment.
  static func removed(from text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isInside = false
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let words = line.drop { $0 == UInt8(ascii: " ") }
      let ends = words.suffix(2).elementsEqual("*/".utf8)
      if isInside {
        isInside = !ends
      } else if words.starts(with: "/*".utf8) && (ends || !words.contains(part: "*/".utf8)) {
        isInside = !ends
      } else if !words.starts(with: "//".utf8) {
        result += line
      }
      result.append(UInt8(ascii: "\n"))
    }
    // The last line has no end.
    result.removeLast()
    return result
  }
}

/// The header fields of every answer. They forbid other sites to embed, read or run it.
public enum SecurityFields {
  /// The policy of the page, whose icon is a `data:` URL. `styles` and `modules` are the digests of the styles and of the import map that are in
  /// the document itself. Its one Trusted Types policy admits the address of the worker, and nothing else.
  static func page(styles: [UInt8]? = nil, modules: [UInt8]? = nil) -> String {
    let (styles, modules) = (own(styles), own(modules))
    return
      "default-src 'none'; script-src 'self'\(modules); worker-src 'self'; style-src 'self'\(styles); img-src 'self' blob: data:; "
      + "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      + "require-trusted-types-for 'script'; trusted-types studio"
  }

  private static func own(_ digest: [UInt8]?) -> String { digest.map { " '\(sum($0))'" } ?? "" }

  /// A SHA-256 as policies and integrity metadata have it.
  static func sum(_ digest: [UInt8]) -> String {
    "sha256-" + String(decoding: Base64Encoder.text(digest), as: UTF8.self)
  }

  /// The policy of everything else: nothing in it may run or be loaded.
  public static let body = "default-src 'none'; frame-ancestors 'none'; sandbox"

  /// The policy of a file of the page. Only a document and a worker obey that of their own file.
  static func policy(of name: String) -> String {
    [WebRoute.page, "painter.js"].contains(name) ? page() : body
  }

  /// The fields of an answer with this policy.
  static func all(policy: String) -> [(name: String, value: String)] {
    [
      ("Content-Security-Policy", policy),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
      ("Referrer-Policy", "no-referrer"),
      ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"),
    ]
  }
}
