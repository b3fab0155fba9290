// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import TestSupport
import Testing

@testable import ArtDocument

@Suite("The background of an open document") struct BackgroundTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  private func picture(_ number: UInt8, bytes count: Int = 500) throws -> CheckedPicture {
    CheckedPicture(
      bytes: [UInt8](repeating: number, count: count), mediaType: "image/png",
      size: try Canvas(width: 10 + Int(number), height: 20), isAnimated: false)
  }

  private func url(_ number: UInt8) -> String { "https://example.org/\(number).png" }

  private func background(_ number: UInt8) throws -> Background {
    try Background(picture(number), from: url(number))
  }

  @Test("D3 setting a background stores its bytes at once, and its edit is saved like any other edit")
  func set() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let listener = try await DocumentFolder.open(file)
    let entry = try #require(try await document.setBackground(picture(1), from: url(1)))
    #expect(entry.edit.name == "set the background")
    #expect(try await document.content.background == background(1))
    #expect(await document.unsavedChanges == 1)
    // The bytes are in the file, the edit is not: other programs see no change.
    let between = try file.read()
    #expect(between.revision == 0 && between.background == nil && between.pictures.count == 1)
    await listener.refresh()
    #expect(await listener.content.revision == 0)
    #expect(try await document.setBackground(picture(1), from: url(1)) == nil)
    try await document.save()
    #expect(try file.background()?.bytes == picture(1).bytes && file.read().canvas == picture(1).size)
    try await document.undo()
    #expect(await document.content.background == nil)
    try await document.redo()
    #expect(try await document.content.background == background(1))
    let later = try PendingBackground(url: url(2), since: 3, reason: "later", anchor: .topLeft)
    #expect(try await document.perform(.later(later)) != nil)
    #expect(try await document.perform(.refuse(url: url(2), .dns))?.edit.name == "refuse the background: dns")
    #expect(try await document.perform(.clear) != nil)
    #expect(try await document.perform(.clear) == nil)
    try await document.close()
    try await listener.close()
    #expect(try file.read().background == nil && file.check().faults == [])
  }

  @Test("D3 an acknowledged background is restored after its program is killed")
  func killed() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.setBackground(picture(1), from: url(1))
    await document.abandon()
    #expect(try file.read().background == nil)
    let next = try await DocumentFolder.open(file)
    #expect(try await next.content.background == background(1))
    #expect(try file.background()?.bytes == picture(1).bytes)
    try await next.close()
  }

  @Test("D4 a background that cannot be stored in the file changes nothing")
  func refused() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let before = await document.content
    let bad = CheckedPicture(bytes: [1], mediaType: "text/html", size: .standard, isAnimated: false)
    #expect(
      await failure { () throws(ArtError) in try await document.setBackground(bad, from: nil) }?.code
        == .badValue)
    let stranger = try folder.make("stranger")
    try DocumentFolder.move(file.path, to: file.path + ".away")
    let one = try picture(1)
    #expect(
      await failure { () throws(ArtError) in try await document.setBackground(one, from: nil) }?.code
        == .noSuchDocument)
    try DocumentFolder.move(stranger.path, to: file.path)
    #expect(
      await failure { () throws(ArtError) in try await document.setBackground(one, from: nil) }?.code
        == .replaced)
    #expect(try file.read().pictures == [])
    try FileManager.default.removeItem(atPath: file.path)
    try DocumentFolder.move(file.path + ".away", to: file.path)
    #expect(await document.content == before)
    #expect(await !document.hasUnsavedChanges)
    try await document.setBackground(one, from: nil)
    try await document.close()
    #expect(
      await failure { () throws(ArtError) in try await document.setBackground(one, from: nil) }?.code
        == .closed)
    #expect(try file.background()?.bytes == one.bytes)
  }

  @Test("D4 a request that is cancelled before its edit is made makes no edit")
  func cancelled() async throws {
    var file = try folder.make()
    file.timeout = .seconds(60)
    let document = try await DocumentFolder.open(file)
    let lock = try FileLock(file.path)
    let one = try picture(1)
    let task = Task { try await document.setBackground(one, from: nil) }
    task.cancel()
    lock.release()
    #expect(try await task.value == nil)
    #expect(await document.content.background == nil)
    try await document.close()
  }

  @Test("D4 a picture that was fetched for a URL that is no longer pending is not set")
  func late() async throws {
    var file = try folder.make()
    file.timeout = .seconds(60)
    let document = try await DocumentFolder.open(file)
    let pending = try PendingBackground(url: url(1), since: 3, reason: "later", anchor: .topLeft)
    try await document.perform(.later(pending))
    try await document.save()
    let lock = try FileLock(file.path)
    let (one, url) = (try picture(1), url(1))
    let task = Task { try await document.setBackground(one, from: url, pending: url) }
    // Either before the bytes are written, or while the write waits for the lock.
    await Task.yield()
    try await document.perform(.clear)
    lock.release()
    #expect(try await task.value == nil)
    #expect(await document.content.background == nil)
    try await document.close()
    #expect(try file.read().background == nil)
  }

  @Test("B19 three pictures of another program do not displace the picture of an unsaved background")
  func kept() async throws {
    for isSaved in [false, true] {
      let file = try folder.make("kept-\(isSaved)")
      let other = try await DocumentFolder.open(file)
      for number in 1...4 as ClosedRange<UInt8> {
        try await other.setBackground(picture(number), from: url(number))
        try await other.save()
      }
      let document = try await DocumentFolder.open(file)
      try await document.setBackground(picture(5), from: url(5))
      for number in 6...(isSaved ? 8 : 7) as ClosedRange<UInt8> {
        try await other.setBackground(picture(number), from: url(number))
        if isSaved { try await other.save() }
      }
      try await document.save()
      #expect(try file.background()?.bytes == picture(5).bytes)
      #expect(await document.content.pending == nil)
      try await document.close()
      try await other.close()
    }
  }

  @Test(
    "B19 an undo in an open document to a picture that is no longer stored makes its URL pending and reports it"
  )
  func undoBeyond() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    for number in 1...6 as ClosedRange<UInt8> {
      try await document.setBackground(picture(number), from: url(number))
      if number == 3 { try await document.save() }
    }
    var answers: [[Background]] = []
    for _ in 0..<5 {
      let answer = try #require(await document.perform([DocumentRequest.undo(1)]).first).get()
      answers.append(answer.lost)
    }
    #expect(try answers == [[], [], [], [background(2)], [background(1)]])
    #expect(await document.content.pending?.url == url(1))
    try await document.save()
    #expect(try await document.content == file.read())
    #expect(try file.read().pending?.reason == "undo" && file.check().faults == [])
    for number in 2...6 as ClosedRange<UInt8> {
      try await document.redo()
      if number > 2 { #expect(try await document.content.background == background(number)) }
    }
    try await document.close()
    #expect(try file.background()?.bytes == picture(6).bytes)
  }

  @Test(
    "B19 a save whose picture was displaced by other programs' pictures makes its URL pending and reports it"
  )
  func pruned() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let other = try await DocumentFolder.open(file)
    try await document.setBackground(picture(1), from: url(1))
    let events = document.events(ownEdits: false)
    for number in 2...6 as ClosedRange<UInt8> {
      try await other.setBackground(picture(number), from: url(number))
    }
    await other.closeDiscardingChanges()
    try await document.save()
    #expect(await document.content.background == nil)
    #expect(await document.content.pending?.url == url(1))
    #expect(try await document.content == file.read() && file.check().faults == [])
    try await document.close()
    let dropped = try await events.until { if case .dropped = $0 { true } else { false } }.last
    guard case .dropped(_, let changes)? = dropped else {
      Issue.record("no dropped change was reported")
      return
    }
    #expect(try changes == [.setBackground(background(1))])
  }
}

/// The error that the body throws.
private func failure<Value>(_ body: () async throws(ArtError) -> Value) async -> ArtError? {
  do throws(ArtError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
