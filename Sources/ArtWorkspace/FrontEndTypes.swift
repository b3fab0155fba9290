// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtExchange
import ArtNames
import ArtStore
import ArtSystem
import ArtWorker

// The types of the modules below that use cases take and return. A front end imports this module and names them here, so that it
// depends on one module and not on how the modules below are cut.

// MARK: ArtStore

/// `ArtStore.CarriedFolderStore`.
public typealias CarriedFolderStore = ArtStore.CarriedFolderStore
/// `ArtStore.CurrentSettings`.
public typealias CurrentSettings = ArtStore.CurrentSettings
/// `ArtStore.DocumentBase`.
public typealias DocumentBase = ArtStore.DocumentBase
/// `ArtStore.DocumentFile`.
public typealias DocumentFile = ArtStore.DocumentFile
/// `ArtStore.DocumentNotice`.
public typealias DocumentNotice = ArtStore.DocumentNotice
/// `ArtStore.DocumentSummary`.
public typealias DocumentSummary = ArtStore.DocumentSummary
/// `ArtStore.FileGate`.
public typealias FileGate = ArtStore.FileGate
/// `ArtStore.FileState`.
public typealias FileState = ArtStore.FileState
/// `ArtStore.FolderListing`.
public typealias FolderListing = ArtStore.FolderListing
/// `ArtStore.MergeOutcome`.
public typealias MergeOutcome = ArtStore.MergeOutcome
/// `ArtStore.OrphanedJournal`.
public typealias OrphanedJournal = ArtStore.OrphanedJournal
/// `ArtStore.PaletteStore`.
public typealias PaletteStore = ArtStore.PaletteStore
/// `ArtStore.PerformedAction`.
public typealias PerformedAction = ArtStore.PerformedAction
/// `ArtStore.Quarantine`.
public typealias Quarantine = ArtStore.Quarantine
/// `ArtStore.RecentStore`.
public typealias RecentStore = ArtStore.RecentStore
/// `ArtStore.RecoveryOutcome`.
public typealias RecoveryOutcome = ArtStore.RecoveryOutcome
/// `ArtStore.RestoreReport`.
public typealias RestoreReport = ArtStore.RestoreReport
/// `ArtStore.PagePreferences`.
package typealias PagePreferences = ArtStore.PagePreferences
/// `ArtStore.FormerHosts`.
package typealias FormerHosts = ArtStore.FormerHosts
/// `ArtStore.PageSecret`.
package typealias PageSecret = ArtStore.PageSecret
/// `ArtStore.ServerPlace`.
package typealias ServerPlace = ArtStore.ServerPlace
/// `ArtStore.ServerRecord`.
package typealias ServerRecord = ArtStore.ServerRecord
/// `ArtStore.SettingsStore`.
public typealias SettingsStore = ArtStore.SettingsStore
/// `ArtStore.SQLiteLibrary`.
public typealias SQLiteLibrary = ArtStore.SQLiteLibrary
/// `ArtStore.StateFolder`.
public typealias StateFolder = ArtStore.StateFolder
/// `ArtStore.WallClock`.
public typealias WallClock = ArtStore.WallClock

// MARK: ArtDocument

/// `ArtDocument.AutosavePolicy`.
public typealias AutosavePolicy = ArtDocument.AutosavePolicy
/// `ArtDocument.ClientRequest`.
public typealias ClientRequest = ArtDocument.ClientRequest
/// `ArtDocument.DocumentAnswer`.
public typealias DocumentAnswer = ArtDocument.DocumentAnswer
/// `ArtDocument.DocumentEvent`.
public typealias DocumentEvent = ArtDocument.DocumentEvent
/// `ArtDocument.DocumentRequest`.
public typealias DocumentRequest = ArtDocument.DocumentRequest
/// `ArtDocument.DocumentSnapshot`.
public typealias DocumentSnapshot = ArtDocument.DocumentSnapshot
/// `ArtDocument.DocumentState`.
public typealias DocumentState = ArtDocument.DocumentState
/// `ArtDocument.EventSequence`.
public typealias EventSequence = ArtDocument.EventSequence
/// `ArtDocument.KnownHead`.
public typealias KnownHead = ArtDocument.KnownHead
/// `ArtDocument.LifeCycle`.
public typealias LifeCycle = ArtDocument.LifeCycle
/// `ArtDocument.LifeCycleEvent`.
public typealias LifeCycleEvent = ArtDocument.LifeCycleEvent

// MARK: ArtWorker

/// `ArtWorker.HelperPool`.
public typealias HelperPool = ArtWorker.HelperPool
/// `ArtWorker.BackgroundFailure`.
public typealias BackgroundFailure = ArtWorker.BackgroundFailure
/// `ArtWorker.BackgroundFetcher`.
public typealias BackgroundFetcher = ArtWorker.BackgroundFetcher
/// `ArtWorker.BackgroundRequest`.
public typealias BackgroundRequest = ArtWorker.BackgroundRequest
/// `ArtWorker.DrawingFailure`.
public typealias DrawingFailure = ArtWorker.DrawingFailure
/// `ArtWorker.EmojiFont`.
public typealias EmojiFont = ArtWorker.EmojiFont
/// `ArtWorker.FetchProgress`.
public typealias FetchProgress = ArtWorker.FetchProgress
/// `ArtWorker.Renderer`.
public typealias Renderer = ArtWorker.Renderer
/// `ArtWorker.DrawingSequence`.
public typealias DrawingSequence = ArtWorker.DrawingSequence
/// `ArtWorker.SandboxProbe`.
public typealias SandboxProbe = ArtWorker.SandboxProbe

// MARK: ArtExchange

/// `ArtExchange.Dialect`.
public typealias Dialect = ArtExchange.Dialect
/// `ArtExchange.ExchangeReport`.
public typealias ExchangeReport = ArtExchange.ExchangeReport

// MARK: ArtNames

/// `ArtNames.EmojiLanguage`.
public typealias EmojiLanguage = ArtNames.EmojiLanguage
/// `ArtNames.NamedEmoji`.
public typealias NamedEmoji = ArtNames.NamedEmoji
/// `ArtNames.SkinTone`.
public typealias SkinTone = ArtNames.SkinTone
/// `ArtNames.ToneChoice`.
public typealias ToneChoice = ArtNames.ToneChoice

// MARK: ArtSystem

/// `ArtSystem.FilePath`.
package typealias FilePath = ArtSystem.FilePath
