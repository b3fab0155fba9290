// SPDX-License-Identifier: Apache-2.0

// What a clipboard or a drop means, with what browsers and programs put into it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { captionLimits, captionWords, emojiRows, fitted, isLabel, isPrivate, kindOf, looksLikePicture, meaningOf, readHTML, whole } from '../../Sources/CStudioPage/page/pasted.js';

const none = { html: '', uris: '', text: '' };
const meaning = (texts, hasPicture = false) => meaningOf({ ...none, ...texts }, hasPicture);
const picture = (address, others = 0) => ({ kind: 'picture', address, others });
const said = (text) => ({ kind: 'words', text });
const gif = 'data:image/gif;base64,R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw==';
/** The beginning of a PNG of that size, which is all that is read. */
const png = (width, height) => `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, width >> 8, width & 255, 0, 0, height >> 8, height & 255]).toString('base64')}`;

test('a message with emoji that are drawn as pictures is words and emoji', () => {
  const cases = [
    ['Party at 8! 🎂', `<p>Party at 8! <img data-stringify-type="emoji" alt="🎂" src="${png(20, 20)}"></p>`, 'Party at 8! 🎂'],
    ['🎂', `<img class="emoji" draggable="false" alt="🎂" src="${png(72, 72)}">`, '🎂'],
    ['Hello', '<span>Hello <img class="emoji" alt="🐝" src="https://example.org/1f41d.png"></span>', 'Hello 🐝'],
    ['Hello :honeybee:', '<span>Hello <img data-stringify-emoji=":honeybee:" alt=":honeybee:" src="https://example.org/emoji/1f41d@2x.png"></span>', 'Hello 🐝'],
    ['', '<div>One</div><div>Two <img alt="👩‍🌾" src="x.png"></div>', 'One\nTwo 👩‍🌾'],
    ['Hello world', `<p>Hello world</p><img width=1 height=1 src="${png(1, 1)}">`, 'Hello world'],
    ['See it', '<p>See it</p><img src="https://example.org/photo.jpg">', 'See it'],
    // An emoji that is dragged alone has its picture's address as its text.
    ['https://example.org/1f41d.svg', '<img class="emoji" alt="🐝" src="https://example.org/1f41d.svg">', '🐝'],
  ];
  for (const [text, html, wanted] of cases) assert.deepEqual(meaning({ text, html }, true), said(wanted), html);
});

test('HTML that is nothing but one picture is that picture', () => {
  const alone = (html, more = {}) => meaning({ html, ...more });
  assert.deepEqual(alone('<meta charset="utf-8"><img alt="" src=\'https://example.org/a?x=1&amp;y=2\' onerror="alert(1)">'), picture('https://example.org/a?x=1&y=2'));
  assert.deepEqual(alone(`<a href="/p"><img src="${png(40, 30)}"></a>`), picture(png(40, 30)));
  assert.deepEqual(alone('<!-- <img src="https://example.org/no.png"> --><style>img {}</style><img src=https://example.org/yes.png>'), picture('https://example.org/yes.png'));
  assert.deepEqual(alone('<img src="https://example.org/a.png"><img src="https://example.org/b.png">'), picture('https://example.org/a.png', 1));
  // The bytes are there without an address.
  assert.deepEqual(meaning({ html: '<img src="cid:1">' }, true), picture(null));
  assert.equal(alone('<img src="cid:1">'), null);
});

test('the placeholder of an image that is loaded late loses', () => {
  const drop = (html, uris) => meaning({ html, uris, text: uris });
  assert.deepEqual(drop(`<img width="100" src="${gif}">`, 'https://example.org/real.jpg'), picture('https://example.org/real.jpg'));
  assert.deepEqual(drop(`<img src="${gif}" srcset="real.png 1x, big.png 2x">`, 'https://example.org/page.html'), picture('https://example.org/big.png'));
  assert.deepEqual(drop(`<img src="${png(16, 12)}">`, 'https://example.org/photo/12'), picture('https://example.org/photo/12'));
  assert.deepEqual(drop(`<img src="data:image/svg+xml,%3Csvg/%3E">`, 'https://example.org/real.webp?w=2'), picture('https://example.org/real.webp?w=2'));
  assert.deepEqual(drop(`<img src="${png(40, 30)}">`, 'https://example.org/sharp.avif'), picture('https://example.org/sharp.avif'));
  // An image in a link: the list has the link.
  assert.deepEqual(drop('<img src="https://example.org/a.png">', 'https://example.org/page.html'), picture('https://example.org/a.png'));
  assert.equal(meaning({ html: `<img src="${gif}">` }), null);
});

test('a link is no picture unless it looks like one, and an address of a file is told', () => {
  assert.deepEqual(meaning({ text: 'https://example.org/page' }), { kind: 'link', text: 'https://example.org/page' });
  assert.deepEqual(meaning({ text: 'https://example.org/page', html: '<a href="https://example.org/page">A page</a>', uris: 'https://example.org/page' }), { kind: 'link', text: 'https://example.org/page' });
  for (const address of ['https://example.org/a.JPG?x#y', 'http://example.org/a.webp', png(9, 9)]) assert.deepEqual(meaning({ text: ` ${address}\n` }), picture(address));
  assert.deepEqual(meaning({ text: 'Look: https://example.org/a.png' }), said('Look: https://example.org/a.png'));
  assert.ok(!looksLikePicture('https://example.org/?a.png'));
  for (const texts of [{ text: 'file:///home/jane/My%20Photo.jpg' }, { text: 'file:///a.png\nfile:///b.png' }, { uris: 'file:///a.png', text: 'file:///a.png' }]) {
    assert.deepEqual(meaning(texts), { kind: 'file' });
    assert.deepEqual(meaning(texts, true), picture(null));
  }
  assert.equal(meaning({}), null);
  assert.deepEqual(meaning({}, true), picture(null));
});

test('an address is taken as people have it', () => {
  for (const text of ['"https://example.org/a.png"', '<https://example.org/a.png>', '‘https://example.org/a.png’']) assert.deepEqual(meaning({ text }), picture('https://example.org/a.png'));
  assert.deepEqual(meaning({ text: 'www.example.org/a.png' }), picture('https://www.example.org/a.png'));
  assert.deepEqual(meaning({ uris: 'https://example.org/a.png?x=1&amp;y=2' }), picture('https://example.org/a.png?x=1&y=2'));
  assert.deepEqual(meaning({ text: 'https://example.org/a.png?x=1&copy;=2' }), picture('https://example.org/a.png?x=1&copy;=2'));
  assert.deepEqual(meaning({ text: 'www.example.org' }), { kind: 'link', text: 'www.example.org' });
  for (const text of ['www.', 'www.example', 'www. example.org', '"Hello"']) assert.deepEqual(meaning({ text }), said(text));
});

test('a private address is none that the server should ask first', () => {
  for (const address of ['http://localhost/a', 'http://127.0.0.1:80/a.png', 'https://10.1.2.3/', 'http://192.168.0.4/', 'https://printer/a.png', 'http://[::1]/', 'https://a:b@example.org/', 'data:,', 'blob:x', 'https://nas.local/a.png']) assert.ok(isPrivate(address), address);
  for (const address of ['https://example.org/a.png', 'http://1.2.3.4/a', 'https://[2001:db8::1]/a']) assert.ok(!isPrivate(address), address);
});

test('a caption takes the beginning of a text in whole characters', () => {
  assert.equal(fitted(' a\r\nb\n'), 'a\nb');
  assert.equal(fitted('x'.repeat(1500)), 'x'.repeat(1000));
  assert.equal(fitted(`${'x'.repeat(999)}🐝`), 'x'.repeat(999));
  assert.equal(fitted(`${'x'.repeat(990)}👩‍🌾y`), 'x'.repeat(990));
  assert.equal(fitted(`${'x'.repeat(899)}🐝`).length, 901);
  assert.equal(fitted('a\n'.repeat(150)).split('\n').length, captionLimits.lines);
  assert.equal(captionWords('a\tb\r\nc\rd \n\n'), 'a b\nc\nd');
  assert.equal(whole('a\ud83d b\udc1d 🐝'), 'a b 🐝');
});

test('signs without a look are no part of emoji', () => {
  for (const text of ['\u200e🐝\u200e', '🐝\u200b', '🐝\u2060', ' 🐝 ', '🐝\u200d', '\ufeff🐝']) assert.deepEqual(emojiRows(text), [['🐝']], JSON.stringify(text));
  assert.deepEqual(emojiRows('🐝\u200b🌸 🌷\n👩‍🌾'), [['🐝', '🌸', '🌷'], ['👩‍🌾']]);
  assert.deepEqual(emojiRows('❤️🏴󠁧󠁢󠁳󠁣󠁴󠁿1️⃣'), [['❤️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1️⃣']]);
  for (const text of ['', ' \u200b', '🐝 bee', '12']) assert.equal(emojiRows(text), null, JSON.stringify(text));
});

test('a file is what its bytes are', () => {
  const bytes = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const kinds = { 'image/png': '\x89PNG\r\n\x1a\n…', 'image/jpeg': '\xff\xd8\xff\xe0', 'image/gif': 'GIF89a', 'image/webp': 'RIFF....WEBPVP8 ', 'image/avif': '\0\0\0\x20ftypavif', 'image/heic': '\0\0\0\x20ftypheic',
    'image/bmp': 'BM\x36\0\0\0\0\0\0\0\0\0\0\0', 'image/svg+xml': '<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', document: 'SQLite format 3\0', text: 'Hello' };
  for (const [kind, start] of Object.entries(kinds)) assert.equal(kindOf(bytes(start.replace('…', '')), 'photo'), kind);
  assert.equal(kindOf(bytes('[]'), 'Bees.emojiart'), 'document');
  assert.equal(kindOf(bytes('{}'), 'bees.json'), 'document');
  assert.equal(kindOf(new TextEncoder().encode('é'.repeat(400)), 'a.txt'), 'text', 'a character that is cut is no fault');
  for (const start of ['', 'a\0b', '\xff\xfe\x80\x81']) assert.equal(kindOf(bytes(start), 'x.bin'), null);
});

test('any HTML is read, and in little time', () => {
  assert.equal(readHTML('<p>a &lt;b&gt; &#128029; &#x1F41D; &#xD83D;</p>').text, 'a <b> 🐝 🐝');
  const start = process.cpuUsage();
  for (const piece of ['<', '<a "', '<img ', '<!--', '<script>', '&#', '<img src="', "<p a='"]) readHTML(piece.repeat(100_000));
  assert.ok(process.cpuUsage(start).user < 20e6);
  assert.equal(readHTML(`<img src="data:image/png;base64,${'A'.repeat(5 << 20)}">`).images[0].src.length, (5 << 20) + 22);
});

test('pasted labels are those that a document can have', () => {
  const [emoji, caption] = [{ text: '🐝', x: 5, y: 5, size: 20 }, { text: 'Hello', x: 5, y: 5, size: 20, kind: 'caption', box: [1, 1] }];
  const labels = [
    emoji, { ...emoji, rotation: -180, mirrored: true, color: '#ff000080' }, { ...emoji, text: 'X(🐝)' }, { ...emoji, text: '🐝'.repeat(16) }, { ...emoji, text: '1️⃣' },
    caption, { ...caption, text: ` 🐝${'\n'.repeat(99)}.` }, { ...caption, text: 'é'.repeat(500) },
  ];
  for (const label of labels) assert.ok(isLabel(label), JSON.stringify(label));
  const others = [
    null, 7, [], {}, { ...emoji, x: '5' }, { ...emoji, x: 1_000_001 }, { ...emoji, size: 0 }, { ...emoji, rotation: 181 }, { ...emoji, mirrored: false }, { ...emoji, color: 'red' },
    // What the server refuses in an edit costs the labels beside it, too.
    { ...emoji, text: '' }, { ...emoji, text: '"><img src=x onerror=X(1)>' }, { ...emoji, text: '"><b>🐝' + '.'.repeat(16) }, { ...emoji, text: '🐝'.repeat(17) }, { ...emoji, text: `🐝${'\u0301'.repeat(127)}` },
    { ...emoji, text: '\ud83d' }, { ...emoji, box: [1, 1] }, { ...caption, box: [1] }, { ...caption, box: [1, 2001] }, { ...caption, kind: 'other' },
    { ...caption, text: ' \n' }, { ...caption, text: 'é'.repeat(501) }, { ...caption, text: `.${'\n'.repeat(100)}.` },
  ];
  for (const other of others) assert.ok(!isLabel(other), JSON.stringify(other));
});
