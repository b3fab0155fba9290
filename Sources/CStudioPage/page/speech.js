// SPDX-License-Identifier: Apache-2.0

// What screen readers say that no element tells by itself: steps of a move by keys, others' edits, and what becomes of saving. Not too often: of
// what comes in quick succession the last is said, and others' edits are gathered.

/** @typedef {import('./studio').Studio} Studio */

import { build, whoIs } from './panels.js';
import { editText, words } from './words.js';

/** Milliseconds between two texts about the user's own steps, and between two about others' edits. */
const times = { step: 300, others: 5000 };
/** The states that are told when they come, and when they go. */
const troubles = ['notSaved', 'reconnecting', 'refused'];

/** @param {Studio} studio */
export function attachSpeech(studio) {
  const region = build('div', { class: 'hiddenText', id: 'speech', role: 'status', 'aria-live': 'polite' });
  document.body.append(region);

  let timer = 0;
  let next = '';
  const say = (/** @type {string} */ text) => {
    next = text;
    timer ||= setTimeout(() => {
      timer = 0;
      // The same words again are said again.
      region.textContent = region.textContent === next ? `${next}\u00a0` : next;
    }, times.step);
  };
  studio.on('say', (text) => say(text ?? words.speech.putBack));

  /** @type {import('./types').LoggedEdit[]} */
  let gathered = [];
  let others = 0;
  // The first is said soon, and what follows in one text.
  studio.on('others', (edits) => {
    gathered.push(...edits);
    others ||= setTimeout(tellOthers, times.step);
  });
  const tellOthers = () => {
    const last = gathered.at(-1);
    const count = gathered.length;
    gathered = [];
    others = count ? setTimeout(tellOthers, times.others) : 0;
    if (last) say(words.speech.others(whoIs(last.by), editText(last.what), count - 1));
  };

  let trouble = '';
  studio.on('status', ({ state }) => {
    const text = /** @type {Record<string, string>} */ (words.status)[state];
    if (troubles.includes(state)) {
      if (trouble !== state) say(text);
      trouble = state;
    } else if (trouble && state === 'saved') {
      trouble = '';
      say(text);
    }
  });
  // Not when the same one is opened again.
  let { name } = studio;
  studio.on('opened', () => {
    if (studio.name !== name) say(words.speech.opened(studio.title, words.selected(studio.store.count)));
    ({ name } = studio);
  });
}
