// SPDX-License-Identifier: Apache-2.0

// Two pages, another program and a model of the server, in random schedules: requests, answers and events are delayed, connections break and
// pending requests are sent again. At the end every page has what the server has.

import assert from 'node:assert/strict';
import test from 'node:test';
import { addition } from '../../Sources/CStudioPage/page/changes.js';
import { changesOf } from '../../Sources/CStudioPage/page/drags.js';
import { Store } from '../../Sources/CStudioPage/page/store.js';
import { Random } from './support/random.js';
import { randomLabel, texts } from './support/labels.js';
import { ServerModel } from './support/server.js';

/** A page with its connection: three queues, each in order. */
class PageModel {
  requests = [];
  answers = [];
  events = [];
  isConnected = false;
  isShowing = false;
  isLoaded = false;
  tags = [];
  painted = new Map();
  /** The gesture under way. */
  layer = null;

  constructor(client, server, random, faults) {
    Object.assign(this, { client, server, random, faults, store: new Store(client) });
    this.push = (event) => this.#receive(event);
  }

  #receive(event) {
    if (this.faults.losesEvents && event.changed && this.random.chance(0.2)) {
      this.lost = (this.lost ?? 0) + 1;
      return;
    }
    if (this.lost && event.changed) {
      event.changed.before -= this.lost;
      event.changed.version -= this.lost;
    }
    this.events.push(event);
  }

  connect() {
    this.isConnected = true;
    this.requests.push({ open: 'bees' });
  }

  break() {
    this.isConnected = this.isShowing = this.isLoaded = false;
    for (const queue of [this.requests, this.answers, this.events]) queue.length = 0;
    this.server.connections.delete(this.push);
    this.store.disconnected();
    assert.equal(this.store.status, 'reconnecting');
  }

  send(request) { if (request && this.isLoaded) this.requests.push(structuredClone(request)); }

  tag() {
    const tag = `t${this.tags.length}`;
    this.tags.push(tag);
    return tag;
  }

  edit() {
    const changes = Array.from({ length: this.random.int(1, 3) }, () => this.change());
    this.send(this.store.perform(changes, 'edit', this.tag()));
  }

  undo() { this.send(this.store.ask({ undo: 1 }, 'undo', this.tag())); }

  change() {
    const { random, store } = this;
    const ids = [...store.ids()];
    const id = ids.length > 0 && !random.chance(0.05) ? random.pick(ids) : random.id();
    // Few values, so that equal edits of two pages and edits without effect occur.
    const small = () => random.int(1, 3);
    switch (random.int(0, 11)) {
      case 0: case 1: return addition({ ...randomLabel(random, small() * 16), x: small() });
      case 2: return ['remove', id];
      case 3: return ['resize', id, small()];
      case 4: return ['order', id, small() * 16];
      case 5: return ['rotate', id, small() * 10 - 10];
      case 6: return ['mirror', id, random.chance(0.5)];
      case 7: return ['color', id, random.chance(0.5) ? '#cc0000' : null];
      case 8:
        return random.chance(0.5)
          ? ['text', id, random.pick(texts)] : ['text', id, 'Hi', { box: [1.5, 1.25], kind: 'caption' }];
      case 9: return random.chance(0.5) ? ['canvas', small(), 7] : ['fill', random.chance(0.5) ? '#00cc00' : null];
      default: return ['move', id, small(), small()];
    }
  }

  gesture() {
    const { random, store } = this;
    if (this.layer && random.chance(0.4)) {
      const changes = random.chance(0.3) ? [] : changesOf(this.layer, (id) => store.find(id));
      this.drop();
      if (changes.length > 0) this.send(store.perform(changes, 'gesture', this.tag()));
      return;
    }
    const labels = store.inOrder().filter(() => random.chance(0.5));
    const [isNew, place] = [random.chance(0.2), { x: random.int(1, 3), y: 2 }];
    this.layer = { labels: isNew ? [randomLabel(random, 99)] : labels, newValues: () => place, isNew };
    store.lift(isNew ? [] : labels.map(({ id }) => id));
  }

  drop() {
    this.layer = null;
    this.store.drop();
  }

  deliverRequest() {
    const request = this.requests.shift();
    if (request.open || request.show) {
      if (request.open) this.server.connections.add(this.push);
      this.answers.push({ shown: this.server.show(), isOpen: Boolean(request.open) });
    } else {
      const answer = this.server.perform(this.client, request);
      this.answers.push({ version: this.faults.hidesVersion ? 0 : this.server.version }, answer);
    }
  }

  deliverAnswer() {
    const answer = this.answers.shift();
    if (answer.version !== undefined) return this.store.answersAt(answer.version);
    if (!answer.shown) return this.store.answer(answer.tag, answer);
    this.isShowing = false;
    if (this.store.load(answer.shown) === 'resync') this.show();
    if (!answer.isOpen) return undefined;
    this.isLoaded = true;
    if (!this.faults.forgetsPending) for (const request of this.store.resend()) this.send(request);
    return undefined;
  }

  deliverEvent() { if (this.store.apply(this.events.shift()) === 'resync') this.show(); }

  /** Asks for the document. */
  show() {
    assert.ok(!this.isShowing, 'a gap asks once');
    this.isShowing = true;
    this.requests.push({ show: true });
  }

  /** The server drops the events that the page has not read. */
  overflow() {
    this.events = [{ resync: { version: this.server.version } }];
  }

  /** What can happen next with this page. */
  deliveries() {
    const next = [];
    if (this.requests.length > 0) next.push(() => this.deliverRequest());
    if (this.answers.length > 0) next.push(() => this.deliverAnswer());
    // The events of an opened document follow its answer.
    if (this.events.length > 0 && this.isLoaded) next.push(() => this.deliverEvent());
    return next;
  }

  /** Paints what the store says has changed. */
  paint() {
    const dirty = this.store.takeDirty();
    if (dirty.all) this.painted = new Map(this.store.inOrder().map((label) => [label.id, label]));
    for (const id of dirty.ids) {
      const label = this.store.shown(id);
      if (label) this.painted.set(id, label); else this.painted.delete(id);
    }
    if (dirty.all || dirty.canvas) this.paintedCanvas = this.store.canvas;
    assert.deepEqual(this.painted, new Map(this.store.inOrder().map((label) => [label.id, label])));
    assert.deepEqual(this.paintedCanvas, this.store.canvas);
    const order = this.store.inOrder();
    for (let index = 1; index < order.length; index += 1) {
      const [low, high] = [order[index - 1], order[index]];
      assert.ok(low.z < high.z || (low.z === high.z && low.id < high.id), 'the order is by z and id');
    }
  }

  /** Nothing that this page has made is said to be saved before it is. */
  assertHonest() {
    const { store, server, client } = this;
    if (store.status !== 'saved') return;
    assert.equal(store.pending.length, 0, 'saved, with pending edits');
    for (const tag of this.tags) {
      assert.ok((server.revisions.get(`${client} ${tag}`) ?? 0) <= server.saved, `${tag} is said to be saved`);
    }
  }

  /** The newest pending move of a label is what is shown of it. */
  assertNewestIsShown() {
    const newest = new Map();
    for (const edit of this.store.pending) {
      if (edit.isOvertaken) continue;
      for (const change of edit.changes) if (change[0] === 'move') newest.set(change[1], change);
    }
    for (const [id, [, , x, y]] of newest) {
      const label = this.store.shown(id);
      if (label) assert.deepEqual([label.x, label.y], [x, y]);
    }
  }
}

const byID = (labels) => new Map([...labels].map((label) => [label.id, label]).sort(([a], [b]) => (a < b ? -1 : 1)));

function run(seed, faults = {}) {
  const random = new Random(seed);
  const server = new ServerModel(faults);
  // Both pages draw the same tags: edits are told apart by the session, too.
  const pages = ['ada', 'bob'].map((client) => new PageModel(client, server, random, faults));
  for (let count = random.int(0, 4); count > 0; count -= 1) {
    const label = randomLabel(random, count * 16);
    server.labels.set(label.id, label);
  }
  const seen = { breaks: 0, resent: 0, news: 0, overflows: 0 };
  const actions = [
    (page) => page.edit(), (page) => page.edit(), (page) => page.undo(), (page) => page.gesture(),
    (page) => page.gesture(), () => server.save(), (page) => page.paint(),
    (page) => server.perform(null, { edit: { changes: [page.change()] }, tag: `t${random.int(0, 9)}` }),
  ];
  for (let step = random.int(20, 60); step > 0; step -= 1) {
    const page = random.pick(pages);
    const deliveries = pages.flatMap((each) => each.deliveries());
    if (!page.isConnected) {
      page.connect();
    } else if (random.chance(0.04)) {
      page.break();
      seen.breaks += 1;
    } else if (random.chance(0.02) && page.isLoaded) {
      page.overflow();
      seen.overflows += 1;
    } else if (random.chance(0.01) && server.labels.size > 0) {
      server.rename(random.pick([...server.labels.keys()]), random.id());
    } else if (deliveries.length > 0 && random.chance(0.6)) {
      random.pick(deliveries)();
    } else if (page.store.version >= 0) {
      random.pick(actions)(page);
    }
    page.assertNewestIsShown();
    for (const each of pages) each.assertHonest();
  }
  // Everything arrives at last.
  for (const page of pages) {
    page.drop();
    if (!page.isConnected) page.connect();
  }
  for (let rounds = 0; ; rounds += 1) {
    assert.ok(rounds < 10_000, 'the messages end');
    const deliveries = pages.flatMap((each) => each.deliveries());
    if (deliveries.length === 0) {
      if (server.unsaved === 0) break;
      server.save();
    } else {
      random.pick(deliveries)();
    }
  }
  for (const page of pages) {
    const { store } = page;
    assert.equal(store.pending.length, 0, 'nothing is pending');
    assert.equal(store.version, server.version);
    const wanted = byID(server.labels.values());
    assert.deepEqual(byID([...server.labels.keys()].map((id) => store.confirmed(id) ?? { id })), wanted);
    assert.equal(store.confirmedCount, wanted.size);
    assert.deepEqual(byID(store.inOrder()), wanted, 'shown is confirmed');
    assert.deepEqual(store.canvas, { ...server.canvas, fill: server.fill });
    assert.equal(store.status, 'saved');
    page.paint();
    for (const tag of page.tags) {
      const key = `${page.client} ${tag}`;
      assert.ok(server.made.has(key) || server.refused.has(key), `${key} has arrived`);
    }
    seen.news += store.takeNews().length;
    seen.tags = (seen.tags ?? 0) + page.tags.length;
  }
  server.assertMadeOnce();
  return seen;
}

test('pages have what the server has, in whatever order messages arrive', () => {
  // The campaign studio-schedules tries others.
  const [first, schedules] = [Number(process.env.EMOJIART_SEED ?? 1), Number(process.env.EMOJIART_COUNT ?? 2_000)];
  const sum = { breaks: 0, overflows: 0, news: 0, tags: 0 };
  for (let seed = first; seed < first + schedules; seed += 1) {
    let seen;
    try {
      seen = run(seed);
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
    for (const key of Object.keys(sum)) sum[key] += seen[key];
  }
  console.log(`H8 schedules of pages from ${first}: ${schedules} schedules, 0 broken; ${JSON.stringify(sum)}`);
  assert.ok(sum.breaks > schedules / 2 && sum.overflows > schedules / 4 && sum.news > schedules / 2);
});

for (const [fault, message] of [
  ['makesTwice', /was made 2 times/], ['forgetsPending', /nothing is pending/], ['losesEvents', /strictly/],
  ['hidesVersion', /is said to be saved/],
]) {
  test(`control: schedules fail where a program ${fault}`, (t) => {
    const messages = [];
    let [expected, seed] = [0, 1];
    for (; seed <= 500 && expected <= 10; seed += 1) {
      try { run(seed, { [fault]: true }); } catch (error) {
        messages.push(error.message);
        expected += message.test(error.message);
      }
    }
    t.diagnostic(`${messages.length} of ${seed} schedules failed, ${expected} as expected`);
    assert.ok(expected > 10, messages[0]);
  });
}
