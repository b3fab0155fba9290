// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtFetch
import ArtModel
import ArtSystem
import Glibc

/// Writes replies to standard output. A failed write ends the program, because its reader is gone.
struct ReplyWriter {
  private let pages = FileInPages()
  private let row = PanelRow()

  /// Fetches a URL; writes the progress and then the body.
  func answer(_ request: WorkerRequest.Fetch) {
    do throws(Refusal) {
      let body = try Fetcher(request).run { write(.progress(received: $0, total: $1)) }
      write(.body(bytes: body.count), with: body)
    } catch {
      write(.refused(error))
    }
  }

  /// Sends a request to a store.
  func answer(_ exchange: WorkerRequest.Exchange, _ body: [UInt8]) {
    do throws(Refusal) {
      let response = try StoreExchanger(exchange, body: body).run()
      write(
        .exchanged(status: response.status, fields: response.fields, bytes: response.body.count),
        with: response.body)
    } catch {
      write(.refused(error))
    }
  }

  /// Checks a picture.
  func answer(_ bytes: [UInt8], _ limits: PictureLimits) {
    do throws(Refusal) {
      let picture = try PictureCheck.run(bytes, limits)
      write(.picture(mediaType: picture.mediaType, size: picture.size, isAnimated: picture.isAnimated))
    } catch {
      write(.refused(error))
    }
  }

  /// Writes a picture without what it says of its maker.
  func answerAnonymous(_ bytes: [UInt8]) {
    do throws(Refusal) {
      let body = try AnonymousPicture.bytes(of: bytes)
      write(.body(bytes: body.count), with: body)
    } catch {
      write(.refused(error))
    }
  }

  /// Draws with these fonts; writes the parts as they are made, and then the report on each panel.
  func answer(_ drawing: Drawing, with fonts: OpenFonts) {
    if pages.isOpen || drawing.details.pagesLeft > 0 { return pages.answer(drawing, with: fonts, self) }
    guard let panels = row.add(drawing) else { return }
    var parts = PartWriter(self)
    do throws(DrawingRefusal) {
      let reports = try Renderings.draw(panels: panels, with: fonts) { parts.append($0) }
      parts.flush()
      for drawn in reports { write(.drawn(drawn)) }
    } catch {
      write(.notDrawn(error))
    }
  }

  /// Measures words in these fonts.
  func answer(_ words: Words, with fonts: OpenFonts) {
    do throws(DrawingRefusal) {
      write(.measured(try Renderings.box(of: words, with: fonts)))
    } catch {
      write(.notDrawn(error))
    }
  }

  /// Writes a reply and the bytes that follow it.
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

// MARK: - Parts of a drawing

/// Collects the bytes of a drawing into parts.
struct PartWriter {
  /// The most bytes of a part: the capacity of a pipe.
  private static let length = 1 << 16

  private let output: ReplyWriter
  private var part: [UInt8] = []

  /// A writer of parts to that output.
  init(_ output: ReplyWriter) {
    self.output = output
    part.reserveCapacity(Self.length)
  }

  /// Appends a piece of any length.
  mutating func append(_ piece: [UInt8]) {
    var rest = piece[...]
    while !rest.isEmpty {
      let next = rest.prefix(Self.length - part.count)
      part += next
      rest = rest.dropFirst(next.count)
      if part.count == Self.length { flush() }
    }
  }

  /// Writes the collected bytes.
  mutating func flush() {
    guard !part.isEmpty else { return }
    output.write(.part(bytes: part.count), with: part)
    part.removeAll(keepingCapacity: true)
  }
}
