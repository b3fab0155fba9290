// SPDX-License-Identifier: Apache-2.0

// The German words of words.js. Commands are infinitives; no text says “you”. `\u00a0` keeps a sign and its word on one line.

import { number, place, plural } from './language.js';

/** What errors of the server mean, by their codes. Where that is not enough, the server's own words follow. */
const meanings = {
  usage: 'Der Server versteht die Anfrage nicht', badValue: 'Ein Wert ist ungültig', badText: 'Der Text ist ungültig', badJSON: 'Die Daten sind nicht lesbar',
  notADocument: 'Das ist kein Dokument von emojiart', newerFormat: 'Das Format des Dokuments ist neuer als dieses Programm', damaged: 'Das Dokument ist beschädigt',
  tooLarge: 'Das ist zu groß', noSuchRevision: 'So weit reicht der Verlauf nicht zurück', noSuchDocument: 'Das Dokument gibt es nicht', noSuchEmoji: 'Das Emoji gibt es nicht mehr', ambiguous: 'Das passt auf mehrere Emojis',
  nothingToUndo: 'Es gibt nichts rückgängig zu machen', noBackground: 'Es gibt keinen Hintergrund', exists: 'Den Namen gibt es schon',
  inputOutput: 'Lesen oder Schreiben ist fehlgeschlagen', diskFull: 'Der Datenträger ist voll', busy: 'Ein anderes Programm hält das Dokument fest',
  parted: 'Die Kopien lassen sich nicht mehr zusammenführen',
  movedOn: 'Das Dokument wurde inzwischen geändert', replaced: 'An der Stelle des Dokuments liegt jetzt ein anderes', notPermitted: 'Dafür fehlt die Berechtigung',
  unavailable: 'Ein Server oder ein Hilfsprogramm ist nicht erreichbar', closed: 'Das Dokument ist geschlossen oder kann nicht bearbeitet werden',
};
/** The codes that say it all. */
const clear = ['noSuchEmoji', 'nothingToUndo', 'noBackground', 'closed'];

/** Why a picture is refused. */
const refusals = {
  badURL: 'Die Adresse ist ungültig', scheme: 'Adressen dieser Art werden nicht unterstützt', dns: 'Der Name des Servers ist unbekannt',
  refused: 'Die Verbindung wurde abgelehnt oder ging verloren', timeout: 'Der Server hat nicht rechtzeitig geantwortet', tls: 'Die Verbindung ist nicht sicher',
  status: 'Der Server liefert das Bild nicht', redirects: 'Die Adresse führt ins Leere oder im Kreis', encoding: 'Das Bild kam nicht vollständig an', tooBig: 'Die Datei ist zu groß',
  tooManyPixels: 'Das Bild hat zu viele Pixel', notAnImage: 'Das ist kein lesbares Bild', notAllowed: 'Diese Adresse ist nicht erlaubt',
};

const taken = 'Ein anderes Programm hat unter dieser Adresse ein Skript hinterlassen, das ändern könnte, was diese Seite tut. Gesendet wurde nichts. emojiart serve beenden, neu starten und den Link öffnen: Er hat dann eine andere Adresse';

/** @type {import('./words').Words} */
export const words = {
  shell: {
    documents: 'Dokumente', bars: 'Leisten der Leinwand', tools: 'Werkzeuge', peers: 'Auch hier', export: 'Exportieren', emoji: 'Emojis', find: 'Emoji suchen', canvas: 'Leinwand', selection: 'Auswahl',
    zoom: 'Zoom', history: 'Verlauf',
  },

  start: {
    missing: (names) => `Diesem Browser fehlt, was das Studio braucht: ${names}. Den Link in einem aktuellen Firefox oder Chromium öffnen`,
    failed: (why) => `Die Seite lässt sich nicht starten: ${why}. Neu laden. Hilft das nicht: emojiart serve --link ausführen und die Ausgabe öffnen`,
    noModule: 'ein Teil von ihr kam nicht an',
    taken,
  },

  status: {
    connecting: 'Wird verbunden', noDocument: 'Kein Dokument', saved: 'Gespeichert', saving: 'Wird gespeichert\u00a0…', reconnecting: 'Wird neu verbunden\u00a0…', refused: 'Nicht verbunden', notSaved: 'Nicht gespeichert', notKept: 'Nicht aufbewahrt: Seite offen lassen',
  },
  refused: {
    taken,
    noSession: 'Das Studio wird mit dem Link geöffnet, den emojiart serve ausgibt; einen neuen gibt es mit: emojiart serve --link',
    usedLink: 'Dieser Link wurde schon benutzt oder ist zu alt. Einen neuen gibt es mit: emojiart serve --link',
    notProven: 'Unter dieser Adresse antwortet nicht der Server, den diese Seite kennt. An ihn wurde nichts gesendet. Was getan wurde, bleibt hier erhalten und wird gesendet, sobald der richtige Server wieder da ist. Hat er dann eine andere Adresse: über den Link verbinden',
    notAdmitted: 'Was unter dieser Adresse antwortet, kennt diese Seite nicht. Was getan wurde, bleibt hier erhalten und wird gesendet, sobald der richtige Server wieder da ist. Hat er dann eine andere Adresse: über den Link verbinden',
    sessionEnded: 'Der Server hat die Sitzung dieser Seite beendet. Was getan wurde, bleibt hier erhalten und wird gesendet, sobald die Seite über einen neuen Link verbunden ist. Einen neuen gibt es mit: emojiart serve --link',
    noServer: 'Der Server antwortet nicht. Läuft emojiart serve nicht, dann starten und den Link öffnen, den es ausgibt',
    tooManyFailures: 'Zu viele Versuche; die Seite versucht es in einer Minute wieder',
  },
  away: 'Der Server ist nicht erreichbar. Was hier getan wird, bleibt erhalten und wird gesendet, sobald er wieder da ist. Wurde emojiart serve neu gestartet: über den neuen Link verbinden.',
  notKept: 'Der Browser hat keinen Platz, um aufzubewahren, was der Server noch nicht hat, oder er darf es nicht. Die Seite offen lassen, bis der Server wieder da ist: Beim Neuladen ginge es verloren.',
  newLink: {
    title: 'Über einen neuen Link verbinden', field: 'Link', verb: 'Verbinden',
    hint: 'Im Ordner des Dokuments emojiart serve oder emojiart serve --link ausführen und die Ausgabe hier einfügen. Was noch nicht gespeichert ist, kommt mit.',
    none: 'Das ist kein Link von emojiart serve. Er sieht so aus: http://….emojiart.localhost:8080/#c=…',
    long: 'Es ist zu viel, um es mitzunehmen. Diese Seite offen lassen, den Link in einem anderen Tab öffnen und das Nötige von hier dorthin kopieren',
  },

  groups: {
    tool: 'Werkzeuge', edit: 'Bearbeiten', select: 'Auswählen', arrange: 'Anordnen', move: 'Verschieben', view: 'Ansicht', document: 'Dokument', help: 'Hilfe',
  },

  actions: {
    'tool.select': ['Auswählen', 'zeiger pfeil verschieben'],
    'tool.hand': ['Ansicht verschieben', 'hand scrollen'],
    'tool.stamp': ['Stempel: Ein Klick setzt ein Emoji', 'malen'],
    'tool.brush': ['Pinsel: Ein Strich verstreut Emojis', 'malen zeichnen sprühen'],
    'tool.caption': ['Beschriftung', 'text wörter schreiben'],
    connect: ['Über einen neuen Link verbinden', 'server port verbindung'],
    documents: ['Dokumente', 'öffnen datei ordner galerie'],
    new: ['Neues Dokument\u00a0…', 'anlegen vorlage plakat folie story'],
    rename: ['Dokument umbenennen\u00a0…', 'name titel'],
    emoji: ['Emoji hinzufügen', 'einfügen palette suchen finden'],
    undo: ['Rückgängig', 'zurück'],
    redo: ['Wiederholen', 'erneut nochmal'],
    cut: ['Ausschneiden', 'verschieben'],
    copy: ['Kopieren', 'emoji text'],
    paste: ['Einfügen', 'zwischenablage'],
    'copy.png': ['Als PNG kopieren', 'bild'],
    duplicate: ['Duplizieren', 'kopie klonen verdoppeln'],
    delete: ['Löschen', 'entfernen'],
    replace: ['Durch ein anderes Emoji ersetzen', 'tauschen wechseln'],
    'edit.words': ['Text bearbeiten', 'beschriftung wörter'],
    'color.words': ['Textfarbe', 'beschriftung wörter'],
    'select.all': ['Alles auswählen', 'alle'],
    'select.same': ['Alle gleichen Emojis auswählen', 'ähnliche'],
    'select.invert': ['Auswahl umkehren', 'andere'],
    'select.none': ['Nichts auswählen', 'auswahl aufheben'],
    'select.next': ['Nächstes Emoji', 'tab'],
    'select.previous': ['Vorheriges Emoji', 'tab'],
    'select.left': ['Nächstes Emoji links', 'fokus pfeil'],
    'select.right': ['Nächstes Emoji rechts', 'fokus pfeil'],
    'select.up': ['Nächstes Emoji darüber', 'fokus pfeil'],
    'select.down': ['Nächstes Emoji darunter', 'fokus pfeil'],
    fields: ['Größe, Drehung und Stelle\u00a0…', 'felder zahl genau koordinaten'],
    grab: ['Aufnehmen und ablegen', 'greifen verschieben pfeiltasten'],
    'order.front': ['Ganz nach vorne', 'oben vordergrund'],
    'order.forward': ['Nach vorne', 'oben höher'],
    'order.backward': ['Nach hinten', 'unten tiefer'],
    'order.back': ['Ganz nach hinten', 'unten hintergrund'],
    mirror: ['Spiegeln', 'kippen horizontal'],
    straighten: ['Drehung aufheben', 'gerade zurücksetzen'],
    larger: ['Größer', 'vergrößern wachsen'],
    smaller: ['Kleiner', 'verkleinern schrumpfen'],
    'align.left': ['Linke Kanten ausrichten'],
    'align.center': ['Horizontal zentrieren', 'mitten ausrichten'],
    'align.right': ['Rechte Kanten ausrichten'],
    'align.top': ['Obere Kanten ausrichten'],
    'align.middle': ['Vertikal zentrieren', 'mitten ausrichten'],
    'align.bottom': ['Untere Kanten ausrichten'],
    'distribute.horizontally': ['Horizontal verteilen', 'abstände gleichmäßig'],
    'distribute.vertically': ['Vertikal verteilen', 'abstände gleichmäßig'],
    tidy: ['Im Raster anordnen', 'reihen zeilen spalten aufräumen'],
    'move.left': ['Nach links verschieben'], 'move.right': ['Nach rechts verschieben'], 'move.up': ['Nach oben verschieben'], 'move.down': ['Nach unten verschieben'],
    'move.farLeft': ['Um 10 nach links verschieben'], 'move.farRight': ['Um 10 nach rechts verschieben'], 'move.farUp': ['Um 10 nach oben verschieben'], 'move.farDown': ['Um 10 nach unten verschieben'],
    'zoom.in': ['Ansicht vergrößern', 'zoom näher'],
    'zoom.out': ['Ansicht verkleinern', 'zoom weiter'],
    'zoom.full': ['Auf 100\u00a0% zoomen', 'wirkliche größe'],
    'zoom.fit': ['Ganze Leinwand zeigen', 'einpassen alles zoom'],
    'zoom.selection': ['Auswahl zeigen', 'zoom'],
    snap: ['An anderen Emojis einrasten', 'hilfslinien magnet'],
    history: ['Verlauf', 'änderungen rückgängig wer'],
    background: ['Hintergrundbild\u00a0…', 'adresse url foto'],
    'background.remove': ['Hintergrund entfernen', 'bild löschen'],
    canvas: ['Leinwand: Größe und Farbe\u00a0…', 'füllen maße'],
    print: ['Drucken\u00a0…', 'papier drucker'],
    export: ['Exportieren\u00a0…', 'png jpeg svg pdf herunterladen speichern unter'],
    save: ['Jetzt speichern', 'sichern datei schreiben'],
    name: ['Eigener Name\u00a0…', 'autor'],
    font: ['Emoji-Stil\u00a0…', 'schrift design noto twemoji openmoji scharf'],
    language: ['Sprache (Language)\u00a0…', 'deutsch english übersetzung'],
    palette: ['Befehl suchen\u00a0…', 'befehlspalette finden'],
    help: ['Tasten und Hilfe', 'kürzel tastatur'],
    menu: ['Menü'],
  },

  edit: (verb, what) => `${what} ${verb}`,
  verbs: {
    add: 'hinzufügen', align: 'ausrichten', arrange: 'anordnen', change: 'ändern', color: 'färben', distribute: 'verteilen', duplicate: 'duplizieren', grid: 'im Raster anordnen', mirror: 'spiegeln',
    move: 'verschieben', order: 'umordnen', paste: 'einfügen', remove: 'entfernen', reorder: 'umordnen', replace: 'ersetzen', resize: 'skalieren', rotate: 'drehen',
  },
  edits: {
    background: 'Hintergrund ändern', canvas: 'Leinwand ändern', caption: 'Beschriftung ändern', 'bring back': 'zurückholen',
    'resize the canvas': 'Größe der Leinwand ändern', 'fit the canvas': 'Leinwand anpassen', 'fill the canvas': 'Leinwand färben', 'clear the canvas\'s colour': 'Farbe der Leinwand entfernen',
    'set the background': 'Hintergrund setzen', 'clear the background': 'Hintergrund entfernen', 'fetch the background later': 'Hintergrund später laden',
    'refuse the background': 'Hintergrund ablehnen', 'forget the background\'s URL': 'Adresse des Hintergrunds vergessen', repair: 'reparieren', merge: 'zusammenführen',
  },
  backTo: (revision) => `zurück zu Revision ${number(revision)}`,
  restored: (count) => plural(count, { one: '1 Änderung wiederherstellen', other: `${number(count)} Änderungen wiederherstellen` }),
  takeBack: (name) => `Zurücknehmen: ${name}`,
  quoted: (text) => `„${text}“`,

  guests: { '🦊': 'Fuchs', '🐼': 'Panda', '🦉': 'Eule', '🐢': 'Schildkröte', '🐙': 'Krake', '🦁': 'Löwe', '🐧': 'Pinguin', '🐸': 'Frosch', '🦄': 'Einhorn', '🐳': 'Wal', '🦋': 'Schmetterling', '🐨': 'Koala' },
  hint: ['Eine leere Leinwand', 'Ein Emoji antippen oder hierher ziehen. Ein Bild, das hier abgelegt wird, ist der Hintergrund.'],

  undo: (name) => `Rückgängig: ${name}`,
  redo: (name) => `Wiederholen: ${name}`,
  selected: (count) => plural(count, { one: '1 Emoji', other: `${number(count)} Emojis` }),
  size: 'Größe',
  noSize: (most) => `Eine Größe ist eine Zahl über 0 und höchstens ${number(most)}`,
  noNumber: (typed) => `${typed} ist keine Zahl, die hier passt`,
  numberWithin: (least, most) => `Hier passt eine Zahl von ${least} bis ${most}`,
  turn: 'Drehung',
  across: 'Stelle nach rechts', down: 'Stelle nach unten', acrossShort: 'X', downShort: 'Y',
  color: 'Farbe',
  align: 'Ausrichten und anordnen',
  option: (name, x, y, size, turn) => `${name}, ${place(x)} nach rechts, ${place(y)} nach unten, Größe ${place(size)}${turn ? `, gedreht um ${place(turn)}°` : ''}`,
  caption: 'Beschriftung',

  emoji: {
    recent: 'Zuletzt benutzt', nothing: 'Nichts gefunden', tone: 'Hautfarbe', noTone: 'Keine Hautfarbe',
    tones: ['helle Hautfarbe', 'mittelhelle Hautfarbe', 'mittlere Hautfarbe', 'mitteldunkle Hautfarbe', 'dunkle Hautfarbe'],
    replacing: 'Das Emoji auswählen, das die ausgewählten ersetzt', forStamp: 'Ein Emoji für den Stempel auswählen',
  },
  palettes: {
    'animal-faces': 'Tiergesichter', animals: 'Tiere', drinks: 'Getränke', faces: 'Gesichter', flags: 'Flaggen', food: 'Essen', hands: 'Hände', hearts: 'Herzen', music: 'Musik',
    plants: 'Pflanzen', sports: 'Sport', vehicles: 'Fahrzeuge', weather: 'Wetter',
  },

  news: {
    removed: (what, who) => `${who} hat ${what} entfernt`,
    somebody: 'Jemand', bringBack: 'Zurückholen',
    dropped: 'Eine Änderung blieb ohne Wirkung: Das Emoji war schon entfernt',
    refused: (name, reason) => `Nicht ausgeführt: ${name}. ${reason}`,
    setAside: (edits, file) => `Ein anderes Programm hat das Dokument ersetzt${edits ? plural(edits, { one: '; eine Änderung fehlt darin', other: `; ${number(edits)} Änderungen fehlen darin` }) : ''}. ${file ? `Was vorher gespeichert war, liegt in ${file}` : 'Was vorher gespeichert war, konnte nicht aufgehoben werden'}`,
    copies: (count) => plural(count, { one: 'Neben diesem Dokument liegt eine Kopie mit anderen Änderungen', other: `Neben diesem Dokument liegen ${number(count)} Kopien mit anderen Änderungen` }),
    merged: (edits, conflicts) => plural(edits, { one: 'Eine Änderung aus einer anderen Kopie ist dazugekommen', other: `${number(edits)} Änderungen aus einer anderen Kopie sind dazugekommen` }) + (conflicts ? plural(conflicts, { one: '. An einer Stelle hatten beide dasselbe geändert; der Verlauf zeigt sie', other: `. An ${number(conflicts)} Stellen hatten beide dasselbe geändert; der Verlauf zeigt sie` }) : ''),
    movedDocument: (name) => `Das Dokument heißt jetzt ${name}`,
    removedDocument: 'Die Datei des Dokuments wurde entfernt; deshalb wird nichts mehr gespeichert. Abhilfe: die Datei zurücklegen oder exportieren, was hier zu sehen ist',
    degraded: 'Änderungen durch andere werden nur alle zwei Sekunden bemerkt',
    copied: 'Kopiert', copiedPicture: 'Als Bild kopiert', nothingToPaste: 'Hier gibt es nichts einzufügen',
    cut: (kept, all) => `Der Text ist zu lang für eine Beschriftung: hier sind die ersten ${number(kept)} von ${number(all)} Zeichen`,
    leftOut: (count) => plural(count, { one: '1 eingefügtes Emoji fehlt: diese Seite kennt seine Werte nicht', other: `${number(count)} eingefügte Emoji fehlen: diese Seite kennt ihre Werte nicht` }),
    filesLeft: (names) => `Nicht übernommen: ${names}. Möglich sind ein Bild, Dokumente und Texte`,
    clipboard: 'Der Browser lässt diese Seite nicht an die Zwischenablage. Strg+C und Strg+V funktionieren trotzdem',
    noModule: 'Der Server ist nicht erreichbar, und dieser Teil der Seite ist noch nicht geladen. Später noch einmal versuchen',
    otherModule: 'Dieser Teil der Seite kam nicht an. Die Seite neu laden',
    cannotOpen: (name, reason) => `${name} lässt sich nicht öffnen: ${reason}`,
    left: (name, count) => plural(count, { one: `Eine Änderung an ${name}, die nicht gespeichert ist, bleibt hier erhalten. Zum Senden das Dokument öffnen`, other: `${number(count)} Änderungen an ${name}, die nicht gespeichert sind, bleiben hier erhalten. Zum Senden das Dokument öffnen` }),
    leftElsewhere: (name, folder, count) => plural(count, { one: `Eine Änderung an ${name} in ${folder} bleibt hier erhalten. Sie gehört nicht in den Ordner, der jetzt offen ist. Zum Senden in ihrem Ordner emojiart serve ausführen und den Link in diesem Tab öffnen`, other: `${number(count)} Änderungen an ${name} in ${folder} bleiben hier erhalten. Sie gehören nicht in den Ordner, der jetzt offen ist. Zum Senden in ihrem Ordner emojiart serve ausführen und den Link in diesem Tab öffnen` }),
    closed: (count) => plural(count, { one: 'Eine Änderung, die nicht gespeichert ist, bleibt hier erhalten. Sie wird gesendet, sobald die Seite über einen neuen Link verbunden ist', other: `${number(count)} Änderungen, die nicht gespeichert sind, bleiben hier erhalten. Sie werden gesendet, sobald die Seite über einen neuen Link verbunden ist` }),
    unreadable: (count) => plural(count, { one: 'Eine Änderung, die hier aufbewahrt ist, stammt nicht von diesem Benutzer und wird nicht gesendet', other: `${number(count)} Änderungen, die hier aufbewahrt sind, stammen nicht von diesem Benutzer und werden nicht gesendet` }),
    strange: (count) => plural(count, { one: 'Eine Änderung, die der Link mitgebracht hat, stammt nicht von diesem Benutzer und wird nicht gesendet', other: `${number(count)} Änderungen, die der Link mitgebracht hat, stammen nicht von diesem Benutzer und werden nicht gesendet` }),
    typed: (text) => `Was getippt wurde, steht in keinem Dokument. Es kann hier kopiert werden: ${text}`,
    between: (name) => `Nicht ausgeführt: ${name}. Gerade wird ein anderes Dokument geöffnet; danach noch einmal versuchen`,
  },

  background: {
    title: 'Hintergrundbild', url: 'Adresse', urlHint: 'https://…', file: 'Datei', choose: 'Auswählen\u00a0…', keep: 'Größe der Leinwand beibehalten', set: 'Übernehmen', remove: 'Entfernen',
    private: 'Es liegt auf diesem Rechner oder in seinem Netz', fetching: 'Das Bild wird geladen\u00a0…', received: (size) => `Das Bild wird geladen: ${size}`, cancel: 'Abbrechen',
    goesOn: (name) => `Das Bild von ${name} wird noch geladen. Es wird übernommen, sobald es da ist.`,
    broken: 'Die Verbindung ist abgebrochen, während das Bild geladen wurde. Bleibt der Hintergrund, wie er war, dann noch einmal übernehmen.',
    failedFor: (name, reason) => `Der Hintergrund von ${name} bleibt, wie er war. ${reason}`,
    failed: 'Das Bild wurde nicht übernommen', keepWarning: 'Weiter warnen', stopWarning: 'Nicht mehr warnen', ok: 'OK', oldStays: 'Der Hintergrund bleibt, wie er war.',
    ownHint: 'Ist es ein eigenes Bild, dann „Hintergrundbild\u00a0…“ öffnen und „Es liegt auf diesem Rechner oder in seinem Netz“ ankreuzen.',
    tooLarge: (size) => `Die Datei ist größer als ${size}`,
    unreadable: 'Die Datei ist kein Bild, das dieser Browser lesen kann',
    svg: 'SVG-Bilder werden nicht übernommen. Als PNG, JPEG oder WebP speichern',
    ownFile: 'Das ist die Adresse einer Datei auf diesem Rechner, die keine Seite lesen kann. Die Datei unter „Hintergrundbild…“ auswählen oder aus dem Ordner hierher ziehen',
    link: 'Ein Link wurde als Text eingefügt', takeLink: 'Sein Bild als Hintergrund nehmen',
    first: (count) => `Das erste von ${number(count)} Bildern wird genommen`,
    kept: (width, height) => `Die Leinwand behält ihre Größe. Das Bild hat ${number(width)} × ${number(height)} Pixel`,
    resize: 'Leinwand so groß machen',
    hint: 'Ein Bild kann auch hier abgelegt, eingefügt oder aus einem anderen Fenster herübergezogen werden.',
  },

  canvas: {
    title: 'Leinwand', size: 'Größe', width: 'Breite', height: 'Höhe', anchor: 'Fest bleibt', topLeft: 'Links oben', center: 'Die Mitte', scale: 'Emojis mitskalieren',
    fit: 'An die Emojis anpassen', margin: 'Rand', color: 'Farbe', filled: 'Gefüllt', apply: 'Anwenden', presets: 'Vorgabe', print: 'A4, 300 dpi',
  },

  export: {
    title: 'Exportieren', format: 'Format', scale: 'Maßstab', part: 'Ausschnitt', whole: 'Die ganze Leinwand', selection: 'Die Auswahl', view: 'Was zu sehen ist', transparent: 'Transparent',
    quality: 'Qualität', download: 'Herunterladen', working: 'Wird gezeichnet\u00a0…', page: 'Seite', pages: { '': 'So groß wie die Leinwand', a4: 'A4', a3: 'A3', letter: 'Letter' },
  },

  history: {
    title: 'Verlauf', back: 'Zurücknehmen', me: 'Selbst', none: 'Noch keine Änderungen', more: 'Ältere Änderungen zeigen', now: 'gerade eben',
  },

  documents: {
    title: 'Dokumente', path: 'Ordner', folders: 'Ordner', backToDocument: 'Zurück zum Dokument', search: 'Suchen', sort: 'Sortieren', more: 'Mehr', selection: 'Ausgewählte Dokumente',
    make: 'Neu', newTitle: 'Neues Dokument', create: 'Anlegen', name: 'Name', size: 'Größe', untitled: 'Ohne Titel', isTemplate: 'Vorlage',
    sizes: { plain: 'Einfach', square: 'Quadrat', portrait: 'Hochformat', story: 'Story', slide: 'Folie', a4: 'A4 hoch', a4Landscape: 'A4 quer', poster: 'Plakat, 50 × 70 cm' },
    open: 'Öffnen', rename: 'Umbenennen\u00a0…', duplicate: 'Duplizieren', move: 'Verschieben nach\u00a0…', export: 'Exportieren\u00a0…', delete: 'Löschen', template: 'Neu nach dieser Vorlage\u00a0…', import: 'Dateien importieren\u00a0…', makeFolder: 'Neuer Ordner\u00a0…',
    folderName: 'Name', folderAbove: 'Der Ordner darüber', selectAll: 'Alle auswählen', selectOne: 'Auswählen', unselect: 'Nicht auswählen', selectNone: 'Nichts auswählen', whatIsWrong: 'Was nicht stimmt\u00a0…',
    none: 'Noch keine Dokumente. Eines anlegen oder Dateien hier ablegen.', nothingFound: 'Nichts passt', actionsOf: (name) => `Was mit „${name}“ geschehen soll`,
    select: (name) => `„${name}“ auswählen`, newName: (name) => `Neuer Name von „${name}“`,
    selected: (count) => `${number(count)} ausgewählt`,
    sortBy: { name: 'Name', modified: 'Letzte Änderung', size: 'Größe der Datei' }, descending: 'Absteigend',
    states: { damaged: 'Beschädigt', unreadable: 'Nicht lesbar', notSaved: 'Nicht gespeichert', unsaved: 'Ungespeicherte Änderungen', readOnly: 'Schreibgeschützt', conflict: 'Konfliktkopie' },
    advice: {
      damaged: 'Die Reparatur macht aus allem, was lesbar ist, ein ganzes Dokument und lässt die beschädigte Datei daneben liegen.',
      unreadable: 'Nichts wurde geändert. Noch einmal versuchen, wenn die Ursache behoben ist.',
      notSaved: 'Die Änderungen bleiben erhalten, und das Speichern wird wiederholt versucht. Die Seite, in der das Dokument offen ist, nicht schließen.',
      unsaved: 'Beim Öffnen werden sie wiederhergestellt.',
      readOnly: 'Das Dokument lässt sich ansehen und kopieren; für das Schreiben fehlt die Berechtigung.',
      conflict: 'Diese Datei heißt wie eine Kopie, die ein anderer Rechner gleichzeitig geändert hat. Zusammenführen bringt ihre Änderungen in das Dokument und nimmt die Kopie weg. Wo bekannt ist, dass ein Programm den Ordner zwischen Rechnern überträgt, geschieht das von selbst.',
    },
    unsaved: (count) => `Ein Programm wurde beendet, bevor es ${plural(count, { one: 'eine Änderung', other: `${number(count)} Änderungen` })} gespeichert hatte.`,
    merge: 'Zusammenführen', mergedCopy: (name) => `„${name}“ ist mit seinem Dokument zusammengeführt`,
    repair: 'Reparieren', repaired: (name, count) => `„${name}“ ist repariert${count ? `; beiseitegelegt: ${number(count)}` : ''}`,
    restored: (name, count) => plural(count, { one: `Eine Änderung an „${name}“, die ein Programm nicht gespeichert hatte, ist wieder da`, other: `${number(count)} Änderungen an „${name}“, die ein Programm nicht gespeichert hatte, sind wieder da` }),
    deleted: (name) => `„${name}“ liegt im Papierkorb`, deletedMany: (count) => `${number(count)} Dokumente liegen im Papierkorb`, putBack: 'Zurücklegen',
    failed: (name, reason) => `${name}: ${reason}`,
    notLeft: 'Das offene Dokument hat Änderungen, die der Server noch nicht hat. Noch einmal versuchen, wenn die Verbindung steht',
    importing: (done, all) => `Import: ${number(done + 1)} von ${number(all)}`, exporting: (done, all) => `Wird gezeichnet: ${number(done + 1)} von ${number(all)}`,
    imported: (count) => plural(count, { one: '1 Dokument importiert', other: `${number(count)} Dokumente importiert` }), notImported: 'wurde nicht importiert', report: 'Importiert',
    notes: { leftOut: 'ausgelassen', changed: 'geändert' }, tooLarge: 'Die Datei ist größer als 64 MB', tooMuch: 'das ist mehr, als in ein Archiv passt',
    exportOne: (name) => `„${name}“ exportieren`, exportMany: (count) => `${number(count)} Dokumente exportieren`, asDocument: 'Dokument von emojiart',
  },
  past: {
    slider: 'Durch die Zeit', backHere: 'Hierher zurück', present: 'Gegenwart', now: 'Jetzt', before: 'Vor der ältesten bekannten Änderung',
    shown: (what) => `Stand nach: ${what}`,
  },
  speech: {
    opened: (name, what) => `${name}, ${what}`,
    place: (x, y) => `${place(x)} nach rechts, ${place(y)} nach unten`,
    grabbed: (what) => `Aufgenommen: ${what}. Pfeiltasten verschieben, die Eingabetaste legt ab, Escape legt zurück`,
    putDown: (where) => `Abgelegt bei ${where}`, putBack: 'Zurückgelegt', noneThere: 'Dort ist nichts',
    others: (who, what, more) => `${who}: ${what}${more ? ` und ${plural(more, { one: 'eine weitere Änderung', other: `${number(more)} weitere Änderungen` })}` : ''}`,
  },
  sheet: { larger: 'Mehr Emojis zeigen', smaller: 'Weniger Emojis zeigen' },
  ok: 'OK',

  name: { title: 'Eigener Name', hint: 'Andere sehen ihn neben der Auswahl und im Verlauf, sobald die Seite neu verbunden ist.', save: 'Speichern' },
  font: {
    title: 'Emoji-Stil', save: 'Anwenden',
    sharp: 'Scharf in jeder Größe.', soft: 'Unscharf, wo es groß gezeichnet wird.',
    missing: (remedy) => `Nicht auf diesem Rechner: ${remedy}.`,
    credit: (credit) => `Wer ein Bild veröffentlicht, muss angeben: ${credit}`,
    hint: 'Gilt für alle eigenen Zeichnungen und Seiten. Orte und Größen bleiben.',
    fixed: 'Der Server wurde mit EMOJIART_FONT gestartet, das entscheidet.',
  },
  language: { title: 'Sprache', field: 'Sprache', browser: 'Wie der Browser', hint: 'Die Seite wird neu geladen. Beschriftungen im Dokument bleiben, wie sie sind.', save: 'Anwenden' },
  palette: { title: 'Befehl suchen', nothing: 'Kein Befehl passt' },
  keys: {
    Mod: 'Strg', Alt: 'Alt', Shift: 'Umschalt', Escape: 'Esc', Delete: 'Entf', Backspace: 'Rücktaste', Enter: 'Eingabe', Tab: 'Tab',
  },
  help: {
    title: 'Tasten und Hilfe', mouse: 'Zeiger',
    pointer: [
      ['Tippen', 'auswählen'], ['Umschalt oder Strg + Tippen', 'zur Auswahl hinzufügen'], ['Ziehen', 'verschieben; auf freier Fläche: auswählen'], ['Alt + Ziehen', 'duplizieren'],
      ['Strg beim Ziehen', 'nicht einrasten'], ['Ecken', 'Größe; Alt: um die Mitte'], ['Runder Griff', 'drehen; Umschalt: in Schritten von 15°'], ['Doppelklick', 'Beschriftung bearbeiten'],
      ['Mausrad', 'scrollen'], ['Strg + Mausrad, zwei Finger', 'zoomen'], ['Leertaste + Ziehen', 'Ansicht verschieben'],
    ],
  },
  cancel: 'Abbrechen',
  close: 'Schließen',

  errors: { disconnected: 'Es besteht keine Verbindung zum Server' },
  serverError: (code, message, subject) => {
    const meaning = /** @type {Record<string, string>} */ (meanings)[code];
    if (!meaning || clear.includes(code)) return meaning ?? message;
    return code === 'noSuchDocument' && subject ? `${meaning}: ${subject}` : `${meaning} (${message})`;
  },
  refusal: (reason, detail) => {
    const meaning = /** @type {Record<string, string>} */ (refusals)[reason];
    return meaning ? `${meaning} (${detail})` : detail;
  },
};
