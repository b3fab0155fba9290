// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtFetch
import ArtModel
import ArtSystem
import Glibc

/// Writes replies to standard output. Where that fails the program ends: nobody hears it any more.
struct ReplyWriter {
  /// Fetches, telling how far it is, and hands over the body.
  func answer(_ request: WorkerRequest.Fetch) {
    do throws(Refusal) {
      let body = try Fetcher(request).run { write(.progress(received: $0, total: $1)) }
      write(.body(bytes: body.count), with: body)
    } catch {
      write(.refused(error))
    }
  }

  /// Has a look at a picture.
  func answer(_ bytes: [UInt8], _ limits: PictureLimits) {
    do throws(Refusal) {
      let picture = try TrialDecode.run(bytes, limits)
      write(.picture(mediaType: picture.mediaType, size: picture.size, isAnimated: picture.isAnimated))
    } catch {
      write(.refused(error))
    }
  }

  /// Draws with that font, handing over the parts as they are made.
  func answer(_ drawing: Drawing, with font: OpenFont) {
    var parts = PartWriter(self)
    do throws(DrawingRefusal) {
      let drawn = try Renderings.draw(drawing, with: font) { parts.take($0) }
      parts.flush()
      write(.drawn(drawn))
    } catch {
      write(.notDrawn(error))
    }
  }

  /// Writes a reply, and the bytes that follow it.
  func write(_ reply: WorkerReply, with bytes: [UInt8] = []) {
    var writer = JSONWriter()
    reply.write(to: &writer)
    writer.endLine()
    write(writer.bytes)
    write(bytes)
  }

  private func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { end(EX_IOERR, "cannot write replies: \(SystemError.text(of: errno))") }
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// Gathers what is drawn until it is worth a part of its own.
struct PartWriter {
  /// Bytes of a part, at most; the pipe takes no more at once.
  private static let length = 1 << 16

  private let output: ReplyWriter
  private var part: [UInt8] = []

  /// One that writes parts there.
  init(_ output: ReplyWriter) {
    self.output = output
    part.reserveCapacity(Self.length)
  }

  /// Takes a piece of any length.
  mutating func take(_ piece: [UInt8]) {
    var rest = piece[...]
    while !rest.isEmpty {
      let taken = rest.prefix(Self.length - part.count)
      part += taken
      rest = rest.dropFirst(taken.count)
      if part.count == Self.length { flush() }
    }
  }

  /// Writes what has gathered.
  mutating func flush() {
    guard !part.isEmpty else { return }
    output.write(.part(bytes: part.count), with: part)
    part.removeAll(keepingCapacity: true)
  }
}
