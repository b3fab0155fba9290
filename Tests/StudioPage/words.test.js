// SPDX-License-Identifier: Apache-2.0

// The tables of words: one for each language, all of one shape, and every word of the page from them.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { ago, chosenLanguage, dateTime, fileSize, language, languageOf, languages, number, percent, place, plural } from '../../Sources/CStudioPage/page/language.js';
import { actionName, editText, errorText, withKeys, words as english } from '../../Sources/CStudioPage/page/words.js';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const folder = 'Sources/CStudioPage/page';

/** The modules of the page by their names, without the tables. */
const modules = new Map(readdirSync(new URL(folder, root)).filter((name) => name.endsWith('.js') && !/^words\.\w+\.js$/.test(name)).map((name) => [name, read(`${folder}/${name}`)]));
const page = read(`${folder}/index.html`);

/** The tables by their languages. */
const tables = new Map(await Promise.all(Object.entries(languages).map(async ([code, { load }]) => [code, load ? (await load()).words : english])));
const others = [...tables].filter(([code]) => code !== 'en');

/** The texts of a table and the functions that make texts, by their paths. Other words of an action have no fixed number. */
function leaves(table, path = []) {
  if (typeof table !== 'object') return [[path.join('.'), table]];
  return Object.entries(table).flatMap(([key, value]) => (path[0] === 'actions' && path.length === 2 && key !== '0' ? [] : leaves(value, [...path, key])));
}

/** What the functions of a table are given. All others take texts. */
const samples = { selected: [[1], [2], [1234]], restored: [[1], [2], [1234]], backTo: [[12]], noSize: [[100_000]], option: [['🐝', 40.4, 1000.6, 40, 0], ['🐝', -3, 0, 40, 30.2]],
  'documents.selected': [[1], [2], [1234]], 'documents.unsaved': [[1], [2]], 'documents.deletedMany': [[2], [1234]], 'documents.imported': [[0], [1], [2]], 'documents.exportMany': [[2]],
  'speech.place': [[10, 20.4]], 'speech.others': [['«0»', '«1»', 0], ['«0»', '«1»', 1], ['«0»', '«1»', 3]], 'documents.importing': [[0, 12]], 'documents.exporting': [[0, 12]], 'documents.repaired': [['«0»', 0], ['«0»', 3]], 'documents.restored': [['«0»', 1], ['«0»', 2]],
  'news.cut': [[987, 1500]], 'news.leftOut': [[1], [2], [1234]], 'background.first': [[3]], 'background.kept': [[640, 1480]],
  'news.left': [['«0»', 1], ['«0»', 2]], 'news.leftElsewhere': [['«0»', '«1»', 1], ['«0»', '«1»', 1234]], 'news.closed': [[1], [3]], 'news.unreadable': [[1], [3]], 'news.strange': [[1], [3]],
  'news.copies': [[1], [2], [1234]], 'news.merged': [[1, 0], [2, 1], [1234, 2]], 'news.setAside': [[0, '«1»'], [1, '«1»'], [3, '']] };

/** The texts that a leaf makes. */
function texts(path, value) {
  if (typeof value === 'string') return [value];
  const all = samples[path] ?? [Array.from({ length: value.length }, (_, index) => `«${index}»`)];
  return all.map((values) => value(...values));
}

test('every language has the words of English, with the same gaps to fill', (t) => {
  const shape = (table) => leaves(table).map(([path, value]) => `${path}: ${typeof value}${typeof value === 'function' ? ` of ${value.length}` : ''}`).sort();
  for (const [code, table] of others) assert.deepEqual(shape(table), shape(english), code);
  const gaps = (text) => (text.match(/«\d»/g) ?? []).sort().join();
  for (const [code, table] of others) {
    const own = new Map(leaves(table));
    for (const [path, value] of leaves(english)) {
      // Another language leaves the server's words out where its own say as much.
      if (path === 'serverError' || path === 'refusal') continue;
      assert.deepEqual(texts(path, own.get(path)).map(gaps), texts(path, value).map(gaps), `${code}: ${path}`);
    }
  }
  t.diagnostic(`${tables.size} languages, ${leaves(english).length} texts each`);
  assert.ok(tables.size > 1 && leaves(english).length > 250);
});

test('no text is empty, and all are set as texts are set', () => {
  for (const [code, table] of tables) {
    for (const [path, value] of leaves(table)) {
      for (const text of texts(path, value)) {
        assert.match(text, /\S/, `${code}: ${path}`);
        assert.doesNotMatch(text, /^\s|\s$|\.\.\.|"|\w'\w|NaN|undefined|\[object/, `${code}: ${path}`);
      }
    }
  }
});

/** What is the same word in both languages, or a name. */
const same = {
  de: ['shell.zoom', 'newLink.field', 'guests.🐼', 'guests.🐨', 'background.urlHint', 'background.ok', 'canvas.print', 'export.format', 'export.transparent', 'export.pages.a4', 'export.pages.a3',
    'export.pages.letter', 'keys.Alt', 'keys.Escape', 'keys.Tab', 'acrossShort', 'downShort', 'documents.folderName', 'documents.name', 'documents.sizes.story', 'documents.sortBy.name', 'ok'],
};

/** Words that no other language has. */
const ofEnglish = /(?<![\p{Letter}-])(the|and|of|not|your|this|with|from|cannot|you|are|emoji(?=\s(is|was|are)))(?!\p{Letter})/iu;

test('another language has no English left, except for names', () => {
  for (const [code, table] of others) {
    const own = new Map(leaves(table));
    const equal = leaves(english).filter(([path, value]) => path !== 'serverError' && path !== 'refusal' && texts(path, value).some((text, index) => text === texts(path, own.get(path))[index]
      && /\p{Letter}/u.test(text) && !/^1 Emoji$/i.test(text)));
    assert.deepEqual(equal.map(([path]) => path).sort(), [...same[code]].sort(), code);
    for (const [path, value] of leaves(table)) for (const text of texts(path, value)) assert.doesNotMatch(text, ofEnglish, `${code}: ${path}`);
  }
  assert.match('Remove the background', ofEnglish, 'the check can fail');
});

/** The words of a table by their paths; lists are whole. */
const entries = (table, path = []) => (typeof table === 'object' && !Array.isArray(table) ? Object.entries(table).flatMap(([key, value]) => entries(value, [...path, key])) : [path]);

/**
 * Whether sources use a word: by its path, or by a key in quotes where its table is looked into, or with all of its table.
 * @param {string[]} path
 */
function isUsed(path, sources) {
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const has = (pattern) => new RegExp(pattern).test(sources);
  const table = ['(?:words|table)', ...path.slice(0, -1).map(literal)].join('\\.');
  const key = literal(path[path.length - 1]).replace('\'', '\\\\?\'');
  return has(`${table}\\.${key}(?!\\w)`) || has(`(?:\\.\\.\\.|Object\\.\\w+\\()${table}\\b`) || (has(`${table}\\)?(?:\\[|\\)|;|,)`) && has(`["'\`]${key}["'\`]`));
}

test('the page uses every word', async (t) => {
  // The names of edits come from these, too.
  const swift = ['ArtModel/Action.swift', 'ArtModel/Arranging.swift', 'ArtModel/Background.swift', 'ArtModel/DocumentMerge.swift', 'ArtModel/Palettes.swift', 'ArtStore/Check/Salvage.swift', 'ArtWorkspace/Backgrounds/BackgroundChange.swift'].map((name) => read(`Sources/${name}`));
  const sources = [...modules.values(), page, ...swift].join('\n').replace(/const english = \{.*?\n\};\n/s, '');
  const all = entries(english).filter(([table]) => table !== 'actions');
  assert.deepEqual(all.filter((path) => !isUsed(path, sources)), []);
  assert.ok(!isUsed(['news', 'nothing'], sources) && !isUsed(['status', 'nobody'], sources), 'the check can fail');
  t.diagnostic(`${all.length} words, each used`);
});

test('every action, group and key has its words, and no other one has', async () => {
  globalThis.navigator ??= { platform: 'Linux', languages: [] };
  const { actions, keyText } = await import('../../Sources/CStudioPage/page/actions.js');
  // The button of the menu is no action.
  assert.deepEqual(Object.keys(english.actions).sort(), [...actions.map(({ id }) => id), 'menu'].sort());
  assert.deepEqual(Object.keys(english.groups).sort(), [...new Set(actions.map(({ group }) => group))].sort());
  const parts = new Set(actions.flatMap(({ keys }) => keys.flatMap((key) => key.split('+'))));
  const named = [...parts].filter((part) => /^[A-Z][a-z]/.test(part) && !part.startsWith('Arrow'));
  assert.deepEqual(Object.keys(english.keys).sort(), named.sort());
  assert.equal(keyText('Mod+Shift+ArrowLeft'), 'Ctrl+Shift+←');
  assert.equal(actionName('undo'), 'Undo');
});

test('texts name the keys of the machine', () => {
  const table = { clipboard: 'Press Ctrl+C', keys: [['Strg + Rad', 'x']], of: english.size };
  assert.deepEqual(withKeys(table, true), { clipboard: 'Press ⌘+C', keys: [['⌘ + Rad', 'x']], of: english.size });
  assert.equal(withKeys(table, false), table);
  for (const [code, each] of tables) assert.doesNotMatch(JSON.stringify(withKeys(each, true)), /\b(Ctrl|Strg)\b/, code);
});

test('errors, refusals, palettes and names of edits of the server have words in every language', (t) => {
  const cases = (text, type) => [...(new RegExp(`enum ${type}\\b.*?\n  \\}`, 's').exec(text)?.[0] ?? '').matchAll(/^ +case (\w+)$/gm)].map(([, name]) => name);
  const codes = cases(read('Sources/ArtModel/ArtError.swift'), 'Code');
  const reasons = cases(read('Sources/ArtModel/Refusal.swift'), 'Reason');
  const themes = [...(/private static let table = \[.*?\n  \]/s.exec(read('Sources/ArtModel/Palettes.swift'))?.[0] ?? '').matchAll(/\(\s*"([a-z-]+)",/g)].map(([, name]) => name);
  const named = readdirSync(new URL('Sources/ArtModel', root)).filter((name) => name.endsWith('.swift')).map((name) => read(`Sources/ArtModel/${name}`)).join('\n');
  const edits = [...named.matchAll(/Edit\(\s*name:[^"\n]*"([^"\\]+)"(?: : "([^"\\]+)")?/g), ...named.matchAll(/case \.\w+(?:\(.*\))?: "((?:set|clear|fetch) the background[^"\\]*)"/g)].flatMap(([, ...names]) => names.filter(Boolean));
  const verbs = [...named.matchAll(/(?:change|arrange|add|name)\("([a-z]+)", /g)].map(([, verb]) => verb);
  for (const [code, table] of others) {
    for (const each of codes) assert.notEqual(errorText({ code: each, message: 'no such thing' }, table), 'no such thing', `${code}: ${each}`);
    for (const each of reasons) assert.notEqual(table.refusal(each, 'no such thing'), 'no such thing', `${code}: ${each}`);
    for (const each of [...edits, 'repair', 'merge', 'restore 3 edits']) assert.notEqual(editText(each, table), each, `${code}: ${each}`);
    for (const each of verbs) assert.ok(Object.hasOwn(table.verbs, each), `${code}: ${each}`);
  }
  assert.deepEqual(Object.keys(english.palettes).sort(), themes.sort());
  t.diagnostic(`${codes.length} codes, ${reasons.length} reasons, ${themes.length} palettes, ${edits.length} names and ${verbs.length} verbs of edits`);
  assert.ok(codes.length > 20 && reasons.length > 12 && edits.length >= 7 && verbs.length > 8);
});

test('the name of an edit is shown in the words of the language, and a name of a person as it is', () => {
  const german = tables.get('de');
  for (const [name, shown] of [
    ['move 🐝', '🐝 verschieben'], ['move 🐝 ℹ️ 1️⃣', '🐝 ℹ️ 1️⃣ verschieben'], ['remove 12 emoji', '12 Emojis entfernen'], ['Undo move 🐝', 'Rückgängig: 🐝 verschieben'],
    ['Redo Undo duplicate 2 emoji', 'Wiederholen: Rückgängig: 2 Emojis duplizieren'], ['change "Happy birthday, d…"', '„Happy birthday, d…“ ändern'], ['restore 1 edit', '1 Änderung wiederherstellen'],
    ['refuse the background: dns', 'Hintergrund ablehnen: dns'], ['move the house', 'move the house'], ['make a picnic', 'make a picnic'], ['', ''], ['constructor 🐝', 'constructor 🐝'], ['Umzug 🏠', 'Umzug 🏠'],
  ]) assert.equal(editText(name, german), shown, name);
  for (const name of ['move 🐝', 'Undo add 12 emoji', 'make a picnic', 'restore 2 edits', 'fit the canvas']) assert.equal(editText(name), name);
});

test('an error is shown by its code, and as it comes if the language has no words for the code', () => {
  const german = tables.get('de');
  assert.equal(errorText({ code: 'noSuchDocument', message: 'no document x.emojiart', subject: 'x.emojiart' }, german), 'Das Dokument gibt es nicht: x.emojiart');
  assert.equal(errorText({ code: 'badValue', message: '"9" is no size' }, german), 'Ein Wert ist ungültig ("9" is no size)');
  assert.equal(errorText({ code: '404', message: 'Not Found' }, german), 'Not Found');
  assert.equal(errorText({ code: 'badValue', message: '"9" is no size' }), '"9" is no size');
  assert.equal(errorText(new Error('a text of the page')), 'a text of the page');
});

// MARK: Literals

/** What is handed to the user in a line of a module: literals with letters beside what is filled in. */
function literals(line) {
  const text = /(['"`])((?:\\.|(?!\1).)*)\1/.source;
  const places = [
    `\\b(?:textContent|innerText|title|placeholder|ariaLabel|alt|label|text|name)\\s*(?:=|:)\\s*${text}`, `['"]aria-(?:label|description|valuetext|roledescription|placeholder)['"]\\s*[:,]\\s*${text}`,
    `\\},\\s*${text}\\s*[,)]`, `new Error\\(\\s*${text}`, `\\?\\s*${text}\\s*:\\s*words\\.`, `words\\.[\\w.]+\\s*:\\s*${text}`,
  ];
  return places.flatMap((place) => [...line.matchAll(new RegExp(place, 'g'))].map((found) => found[2])).filter((each) => /\p{Letter}/u.test(each.replace(/\$\{[^}]*\}|\\u\{\w+\}|\\[nu]|\bemojiart\b/g, '')));
}

/** Literals that look like words for people and are none, or that are not translated. */
const noWords = ['AES-GCM', 'commands', 'font', 'help', 'HMAC', 'not kept', 'refused', 'Take back ${entry.what}', ...Object.keys(english.verbs), ...Object.keys(english.edits), ...Object.values(languages).map(({ name }) => name)];

test('no module has words for people beside the tables', (t) => {
  let lines = 0;
  for (const [module, source] of modules) {
    const code = module === 'words.js' ? source.replace(/const english = \{.*?\n\};\n/s, '') : source;
    const found = code.split('\n').filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line)).flatMap((line) => { lines += 1; return literals(line); });
    const left = found.filter((each) => !noWords.includes(each));
    assert.deepEqual(left, [], module);
  }
  t.diagnostic(`${lines} lines in ${modules.size} modules`);
  for (const bad of [
    'note.textContent = \'Saved\';', 'button.title = `${count} emoji`;', 'build(\'p\', {}, \'Nothing fits\')', 'build(\'input\', { \'aria-label\': "Size" })', 'studio.emit(\'note\', { text: `Not ${name}` });',
    'input.setAttribute(\'aria-label\', \'Size\');', 'throw new Error(\'too large\');', 'find.placeholder = \'Find\';', 'build(\'b\', { class: \'x\' }, `Hello ${name}`, \'!\')',
  ]) assert.equal(literals(bad).length, 1, bad);
  for (const good of ['note.textContent = words.status.saved;', 'button.title = `${name}  ${key}`;', 'build(\'p\', { class: \'empty\' }, words.emoji.nothing)', 'title: name === text ? \'\' : name', 'output.textContent = `${text}: ${why}`;']) {
    assert.deepEqual(literals(good), [], good);
  }
});

/** The texts of a page that have no `data-words`, and those that have other ones than the table. */
function bare(html, table) {
  const all = { ...table.shell, ...table.status };
  const body = html.replace(/^.*<body>/s, '');
  return [...body.matchAll(/<(\w+)([^>]*)>([^<]*)/g)].flatMap(([, , attributes, text]) => {
    const own = [...attributes.matchAll(/(?:aria-label|placeholder|title|alt)="([^"]*)"/g)].map(([, value]) => value);
    const key = /data-words="(\w+)"/.exec(attributes)?.[1];
    return [...own, text.trim()].filter((each) => /\p{Letter}/u.test(each) && (!key || all[key] !== each));
  });
}

test('index.html has the English words, each with its key', () => {
  assert.deepEqual(bare(page, english), ['emojiart', 'The studio needs JavaScript. Allow it for this address, and load the page again.'], 'the name of the program, and what is shown where no module runs');
  assert.deepEqual(bare('<body><p>Hello</p><b data-words="zoom">Loom</b><i title="x"></i>', english), ['Hello', 'Loom', 'x'], 'the check can fail');
});

// MARK: Languages

test('the page speaks the chosen language, else the first of the browser that it knows, else English', () => {
  for (const [chosen, preferred, spoken] of [
    [null, [], 'en'], [null, ['de-AT', 'en'], 'de'], [null, ['fr', 'de'], 'de'], [null, ['en-GB', 'de'], 'en'], [null, ['fr', 'it'], 'en'], ['de', ['en'], 'de'], ['en', ['de'], 'en'],
    ['xx', ['DE-ch'], 'de'], ['constructor', ['__proto__'], 'en'],
  ]) assert.equal(languageOf(chosen, preferred), spoken, `${chosen} ${preferred}`);
  assert.equal(language, 'en');
  assert.equal(chosenLanguage(), null);
  for (const [code, { name, direction }] of Object.entries(languages)) {
    assert.equal(new Intl.Locale(code).toString(), code);
    assert.match(name, /\p{Letter}/u);
    assert.match(direction, /^(ltr|rtl)$/);
  }
});

test('numbers and times are written as the language writes them', () => {
  assert.equal(number(1234.5), '1,234.5');
  assert.equal(place(1234.5), '1235');
  assert.deepEqual([1, 0.5, 0.054, 12].map(percent), ['100%', '50%', '5.4%', '1,200%']);
  assert.deepEqual([400, 65_536, 2_500_000].map(fileSize), ['0 kB', '66 kB', '2.5 MB']);
  assert.deepEqual([0, 1, 2].map((count) => plural(count, { one: 'bee', other: 'bees' })), ['bees', 'bee', 'bees']);
  assert.match(ago(5, 'minute'), /5 min/);
  assert.match(dateTime(0), /19(69|70)/);
});
