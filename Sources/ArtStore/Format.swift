// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Format 1 of a document file, as `docs/FORMAT.md` describes it.
enum Format {
  /// `application_id` in the header: "EmAr".
  static let applicationID = 0x456D_4172
  /// `user_version` in the header.
  static let version = 1
  /// The most bytes of a file that is opened or saved.
  static let largestFile = 256 << 20
  /// The most bytes of names, tags, changes, inverses and dropped changes in the log, which `LogBlock` cuts, too. The newest edit stays
  /// whatever its size.
  static let logBytes = LogBudget().bytes
  /// The most edits in the archive of those that have left the log.
  static let archiveEdits = 20_000
  /// The most bytes in the archive, counted as in the log.
  static let archiveBytes = 8 << 20
  /// An edit of that many bytes or more has a row of the archive to itself.
  static let largeEdit = 8 << 10
  /// The most pictures in a file, including the background's, besides those of named versions.
  static let pictures = 4
  /// The most bytes of these pictures together.
  static let pictureBytes = 64 << 20
  /// The most bytes of all pictures together.
  static let allPictureBytes = 128 << 20
  /// The most bytes of the contents of all named versions together, without their pictures.
  static let versionBytes = 64 << 20
  /// The most bytes of a picture whose pages stay in memory until the commit.
  static let largestUnspilled = 1 << 20
  /// The most bytes of a rollback journal; a larger one is not ours.
  static let largestJournal = 512 << 20
  /// The page size that is written. VACUUM by another program may have changed it.
  static let pageSize = 4096
  /// The largest revision, sequence number and count.
  static let largestNumber = Limits.revision
  /// The largest revision that a repair or a merge takes from another program's rows or copy. Editing never reaches it. A document whose
  /// revision is near `largestNumber` cannot be edited any more.
  static let largestForeignRevision = 1 << 52
  static let fileExtension = ".emojiart"

  /// The tables that ANALYZE creates.
  static let statistics: [(name: String, sql: String)] = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ]

  /// The schema, table by table. `art` comes first, so that its one row is on page 2, where `QuickState`
  /// reads it without SQLite.
  static let schema: [(name: String, sql: String)] = [
    (
      "art",
      """
      CREATE TABLE art(
        one INTEGER PRIMARY KEY CHECK(one = 1),
        id TEXT NOT NULL,
        canvas TEXT NOT NULL,
        background TEXT,
        pending TEXT,
        revision INTEGER NOT NULL,
        head TEXT,
        emoji INTEGER NOT NULL,
        log INTEGER NOT NULL,
        digest INTEGER NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "emoji",
      """
      CREATE TABLE emoji(
        id TEXT PRIMARY KEY,
        z INTEGER NOT NULL,
        json TEXT NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    ("emoji_z", "CREATE INDEX emoji_z ON emoji(z)"),
    (
      "edit",
      """
      CREATE TABLE edit(
        revision INTEGER PRIMARY KEY,
        origin TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        time INTEGER NOT NULL,
        save INTEGER NOT NULL,
        kind TEXT NOT NULL,
        undoes TEXT,
        name TEXT NOT NULL,
        author TEXT,
        session TEXT,
        tags TEXT,
        changes TEXT NOT NULL,
        inverse TEXT NOT NULL,
        dropped TEXT,
        sum INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "origin",
      """
      CREATE TABLE origin(
        origin TEXT PRIMARY KEY,
        sequence INTEGER NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "image",
      """
      CREATE TABLE image(
        number INTEGER PRIMARY KEY,
        digest TEXT NOT NULL,
        bytes BLOB NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "aside",
      """
      CREATE TABLE aside(
        number INTEGER PRIMARY KEY,
        source TEXT NOT NULL,
        row TEXT NOT NULL,
        reason TEXT NOT NULL,
        time INTEGER NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "archive",
      """
      CREATE TABLE archive(
        revision INTEGER PRIMARY KEY,
        edits INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        rows TEXT NOT NULL,
        sum INTEGER NOT NULL
      ) STRICT
      """
    ),
    (
      "version",
      """
      CREATE TABLE version(
        id TEXT PRIMARY KEY,
        name TEXT,
        revision INTEGER NOT NULL,
        head TEXT,
        author TEXT,
        time INTEGER NOT NULL,
        content TEXT,
        sum INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "document",
      """
      CREATE VIEW document AS
      SELECT '{"background":' || ifnull(json(art.background), 'null')
        || ',"canvas":' || json(art.canvas)
        || ',"emojis":' || (
          SELECT json_group_array(json_patch(json_patch('{}', json_object(
            'box', json -> '$.box', 'color', json -> '$.color', 'id', id)), json))
          FROM (SELECT id, json FROM emoji ORDER BY z, id))
        || CASE WHEN art.pending IS NULL THEN '' ELSE ',"pending":' || json(art.pending) END
        || ',"revision":' || art.revision || '}' AS json
      FROM art
      """
    ),
  ]
}
