// SPDX-License-Identifier: Apache-2.0

// The list of a folder's documents, from the server's messages and from what pictures show.

import assert from 'node:assert/strict';
import test from 'node:test';
import { DocumentList } from '../../Sources/CStudioPage/page/documents.js';

const list = () => {
  const made = new DocumentList('en');
  made.take({ all: [{ name: 'bees.emojiart', key: 'one', modified: 1 }], folder: '', folders: [] });
  return made;
};
const told = (entry) => ({ folder: '', changed: [{ name: 'bees.emojiart', ...entry }], removed: [], renamed: [] });

test('what a picture has shown of a state holds while the folder tells nothing else of it', () => {
  const documents = list();
  documents.mark('bees.emojiart', 'one', { code: 'damaged', message: 'a page is cut' });
  assert.equal(documents.find('bees.emojiart').state, 'damaged');
  documents.take(told({ key: 'one', modified: 2 }));
  assert.deepEqual([documents.find('bees.emojiart').state, documents.find('bees.emojiart').modified], ['damaged', 2]);
  documents.take(told({ key: 'one', modified: 2, state: 'notSaved', why: 'no room' }));
  assert.equal(documents.find('bees.emojiart').state, 'notSaved');
  documents.take(told({ key: 'one', modified: 2 }));
  assert.equal(documents.find('bees.emojiart').state, undefined, 'what the folder told ends with its next word');
});

test('another state of a document has no mark', () => {
  const documents = list();
  documents.mark('bees.emojiart', 'one', { code: 'damaged', message: 'a page is cut' });
  documents.take(told({ key: 'two', modified: 3 }));
  assert.equal(documents.find('bees.emojiart').state, undefined);
  documents.mark('bees.emojiart', 'one', { code: 'damaged', message: 'a page is cut' });
  assert.equal(documents.find('bees.emojiart').state, undefined, 'a late picture of a former state marks nothing');
});
