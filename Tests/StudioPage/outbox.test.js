// SPDX-License-Identifier: Apache-2.0

// What pages keep of requests that are not answered: sealed, brought over by links, told when it cannot be kept.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Outbox } from '../../Sources/CStudioPage/page/outbox.js';
import { Records } from '../../Sources/CStudioPage/page/storage.js';
import './support/crypto.js';

const secrets = ['5a'.repeat(32), 'b0'.repeat(32)];
const kept = (tag, more = {}) => ({
  client: '0123456789ab', folderID: 'a', folder: '/srv/art', document: 'kpz3hxcmq6qt', path: 'bees.emojiart', name: 'move 🐝', request: { tag, edit: { changes: [['move', 'aaaaaaaa', 1, 2]], name: 'move 🐝' } }, ...more,
});

/** Records as a browser keeps them: node has no IndexedDB, and Records are in memory then. They may have no more room. */
async function browserRecords() {
  const records = await Records.open();
  assert.equal(records.areKept, false);
  const { put } = records;
  Object.defineProperty(records, 'areKept', { value: true });
  return Object.assign(records, {
    hasRoom: true,
    put(name, record) { return this.hasRoom ? put.call(this, name, record) : Promise.reject(new Error('QuotaExceededError')); },
  });
}

async function opened(records, secret = secrets[0]) {
  const outbox = new Outbox(records);
  await outbox.load();
  await outbox.unlock(secret);
  return outbox;
}

/** Waits until all is stored: an event of the records, which come in order. */
const stored = async (records, wanted) => { while ((await records.all('requests')).map(({ tag }) => tag).sort().join() !== wanted) await new Promise((resolve) => { setImmediate(resolve); }); };

test('a request outlives its page, in order, until it is answered', async () => {
  const records = await browserRecords();
  const before = await opened(records);
  for (const tag of ['t1', 't2', 't3']) before.keep(kept(tag));
  await stored(records, 't1,t2,t3');
  const after = await opened(records);
  assert.deepEqual(after.all, [kept('t1'), kept('t2'), kept('t3')]);
  after.keep(kept('t4'));
  after.remove('0123456789ab', 't2');
  await stored(records, 't1,t3,t4');
  assert.deepEqual((await opened(records)).all.map(({ request: { tag } }) => tag), ['t1', 't3', 't4']);
});

test('an answer that is there before the request is stored leaves nothing', async () => {
  const records = await browserRecords();
  const outbox = await opened(records);
  outbox.keep(kept('t1'));
  outbox.remove('0123456789ab', 't1');
  outbox.keep(kept('t2'));
  await stored(records, 't2');
  assert.deepEqual((await opened(records)).all, [kept('t2')]);
});

test('what is stored can be neither read nor made up without the secret', async () => {
  const records = await browserRecords();
  (await opened(records)).keep(kept('t1'));
  await stored(records, 't1');
  const [record] = await records.all('requests');
  assert.ok(!Buffer.from(record.sealed).includes('bees') && !JSON.stringify(record).includes('art'));
  // A script at this address has another secret, moves a request to another client, or changes a byte.
  const stranger = await opened(records, secrets[1]);
  assert.deepEqual([stranger.all, stranger.closedCount], [[], 1]);
  stranger.keep(kept('t2'));
  await stored(records, 't1,t2');
  await records.put('requests', { ...record, client: 'zzzzzzzzzzzz' });
  await records.put('requests', { ...record, tag: 't5', sealed: record.sealed.map((byte, index) => (index === 20 ? byte ^ 1 : byte)) });
  const after = await opened(records);
  assert.deepEqual(after.all, [kept('t1')]);
  assert.equal(after.unreadableCount, 3, 'they are told, and left until the user removes them');
  await after.forgetClosed();
  await stored(records, 't1');
});

test('a link brings requests to another address, and a stranger\'s link brings nothing', async () => {
  const before = await opened(await browserRecords());
  for (const tag of ['t1', 't2']) before.keep(kept(tag));
  before.keep(kept('t3', { client: 'cccccccccccc' }));
  const text = await before.pack((client) => client === 'cccccccccccc');
  const records = await browserRecords();
  const after = new Outbox(records);
  await after.load();
  assert.equal(after.offer(text), '0123456789ab');
  assert.deepEqual(after.all, [], 'nothing is taken before the server has proved itself');
  await after.unlock(secrets[0]);
  assert.deepEqual(after.all, [kept('t1'), kept('t2')]);
  await stored(records, 't1,t2');
  const forged = await (await opened(await browserRecords(), secrets[1])).pack(() => false);
  const strange = await opened(await browserRecords(), secrets[1]);
  strange.keep(kept('t9'));
  const counts = [];
  for (const link of [forged, await strange.pack(() => false), '{}', '[', '[{"client":1}]', '[null]', JSON.stringify([{ client: 'x', tag: 'y', order: 1, sealed: '' }])]) {
    const target = await browserRecords();
    const outbox = new Outbox(target);
    await outbox.load();
    outbox.offer(link);
    await outbox.unlock(secrets[0]);
    assert.deepEqual([outbox.all, await target.all('requests')], [[], []], link);
    counts.push(outbox.strangeCount);
  }
  assert.deepEqual(counts, [0, 1, 0, 0, 0, 0, 1], 'they are told');
});

test('what waits is that of the own client, and what cannot be read yet', async () => {
  const records = await browserRecords();
  const outbox = await opened(records);
  outbox.keep(kept('t1'));
  assert.deepEqual([outbox.waits('0123456789ab'), outbox.waits('cccccccccccc')], [true, false]);
  await stored(records, 't1');
  const refused = new Outbox(records);
  await refused.load();
  assert.equal(refused.waits('cccccccccccc'), true);
  // What somebody else has put there is told, and never sent.
  assert.equal((await opened(records, secrets[1])).waits('cccccccccccc'), false);
  outbox.remove('0123456789ab', 't1');
  assert.equal(outbox.waits('0123456789ab'), false);
});

test('what cannot be read yet is brought on as it is', async () => {
  const records = await browserRecords();
  (await opened(records)).keep(kept('t1'));
  await stored(records, 't1');
  const refused = new Outbox(records);
  await refused.load();
  assert.deepEqual([refused.all, refused.closedCount, refused.unreadableCount], [[], 1, 0]);
  const after = new Outbox(await browserRecords());
  after.offer(await refused.pack(() => false));
  await after.unlock(secrets[0]);
  assert.deepEqual(after.all, [kept('t1')]);
});

test('what cannot be kept is told, and kept as soon as there is room', async () => {
  const records = await browserRecords();
  const outbox = await opened(records);
  let told = 0;
  const change = () => new Promise((resolve) => { outbox.onChange = () => { told += 1; resolve(); }; });
  records.hasRoom = false;
  let changed = change();
  outbox.keep(kept('t1'));
  outbox.keep(kept('t2'));
  await changed;
  assert.ok(outbox.isShort);
  assert.deepEqual(outbox.all, [kept('t1'), kept('t2')], 'it is there as long as the page is');
  records.hasRoom = true;
  changed = change();
  outbox.remove('0123456789ab', 't1');
  await changed;
  await stored(records, 't2');
  assert.deepEqual([outbox.isShort, told], [false, 2]);
  assert.deepEqual((await opened(records)).all, [kept('t2')]);
});

test('without a secret, or without site data, everything is short', async () => {
  for (const [records, secret] of [[await browserRecords(), null], [await Records.open(), secrets[0]]]) {
    const outbox = await opened(records, secret);
    const changed = new Promise((resolve) => { outbox.onChange = resolve; });
    outbox.keep(kept('t1'));
    await changed;
    assert.ok(outbox.isShort);
  }
});
