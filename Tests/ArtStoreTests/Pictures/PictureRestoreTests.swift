// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Restoring backgrounds") struct PictureRestoreTests {
  /// Leaves a journal with an acknowledged background whose bytes were stored before.
  private func abandonJournal(_ sample: JournalSample, _ number: Int, url: String?) throws {
    let one = try picture(number)
    sample.content.setPictures(try sample.file.keep(one, in: sample.content.id))
    let edit = BackgroundEdit.set(try Background(one, from: url), keepsCanvas: false)
    let plan = try #require(try edit.plan(on: sample.content))
    let journal = try sample.journal()
    try journal.append([try #require(try sample.perform(plan.name, plan.changes))], on: sample.base)
    journal.abandon()
  }

  @Test("B19 an acknowledged, unsaved background is restored, with its bytes")
  func restored() throws {
    let sample = try JournalSample(edits: 0)
    try abandonJournal(sample, 1, url: url(1))
    #expect(try sample.file.read().background == nil)
    var maker = try EditMaker(seed: 4)
    let shown = try sample.file.read(
      with: [sample.lockedOrphan()], restoredBy: Author(origin: Origin(using: &maker.random)))
    #expect(try shown.content.background == background(1, url: url(1)))
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    #expect(report.dropped == [])
    #expect(try sample.file.background()?.bytes == picture(1).bytes)
    #expect(try sample.file.read().canvas == picture(1).size)
    try sample.file.checkPictures()
  }

  @Test("B19 a restored background whose bytes are no longer stored is pending, and is reported as dropped")
  func pruned() throws {
    for url in [url(1), nil] {
      let sample = try JournalSample(edits: 0)
      try abandonJournal(sample, 1, url: url)
      var maker = try EditMaker(seed: 4)
      for number in 2...6 { _ = try sample.file.keep(picture(number), in: sample.content.id) }
      let report = try sample.file.restore(sample.lockedOrphan(), stamp: maker.stamp())
      #expect(try report.dropped == [.setBackground(background(1, url: url))])
      let content = try sample.file.read()
      #expect(content.background == nil && content.pending?.url == url)
      #expect(content.log.last?.dropped == report.dropped)
      try sample.file.checkPictures()
      #expect(try sample.file.check().faults == [])
    }
  }

  @Test("B19 a background in a document restored apart has its bytes, or is pending without the old document")
  func apart() throws {
    for hasSource in [true, false] {
      let sample = try JournalSample(edits: 0)
      try abandonJournal(sample, 1, url: url(1))
      var random = SplitMix64(seed: 12)
      var maker = try EditMaker(seed: 5)
      let new = DocumentFile(sample.space["saved.emojiart"])
      let reports = try new.create(
        from: [try sample.lockedOrphan()], on: hasSource ? sample.file : nil, stamp: { maker.stamp() },
        using: &random
      )
      let content = try new.read()
      try new.checkPictures()
      #expect(try new.check().faults == [])
      if hasSource {
        #expect(try new.background()?.bytes == picture(1).bytes && reports[0].dropped == [])
      } else {
        #expect(content.background == nil && content.pending?.url == url(1))
        #expect(reports[0].dropped.count == 1)
      }
    }
  }

  @Test("B19 a save whose background has lost its bytes to others' pictures makes its URL pending")
  func lostBeforeSave() throws {
    let sample = try JournalSample(edits: 0)
    let (file, base) = (sample.file, sample.base)
    let one = try picture(1)
    sample.content.setPictures(try file.keep(one, in: sample.content.id))
    let edit = BackgroundEdit.set(try Background(one, from: url(1)), keepsCanvas: false)
    let plan = try #require(try edit.plan(on: sample.content))
    let entry = try #require(try sample.perform(plan.name, plan.changes))
    for number in 2...6 { _ = try file.keep(picture(number), in: sample.content.id) }
    let outcome = try file.save(NetEdits(UnsavedEdits([entry]), of: sample.content, since: base))
    let rebased = try #require(outcome.rebased)
    #expect(rebased.others == nil && rebased.own.dropped.count == 1)
    #expect(rebased.own.dropped.first?.changes == [.setBackground(try background(1, url: url(1)))])
    let content = try file.read()
    #expect(content == rebased.content && content.head == entry.id)
    #expect(content.background == nil && content.pending?.url == url(1) && content.canvas == one.size)
    try file.checkPictures()
    var maker = try EditMaker(seed: 9)
    #expect(try file.step(.undo, maker.stamp())?.left == 0)
    #expect(try file.read().pending == nil && file.read().canvas == .standard)
  }
}
