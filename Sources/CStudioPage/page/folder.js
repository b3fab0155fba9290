// SPDX-License-Identifier: Apache-2.0

// The folder that the page shows, as the server tells it: its documents at first, and then each change.

/** @typedef {import('./studio').Studio} Studio */

import { DocumentList } from './documents.js';
import { language } from './language.js';

/** @type {FollowedFolder | null} */
let followed = null;

/** @param {Studio} studio */
export function followedFolder(studio) {
  followed ??= new FollowedFolder(studio);
  return followed;
}

export class FollowedFolder {
  list = new DocumentList(language);
  /** Whether changes are told: the list is that of the server. */
  isFollowing = false;
  /**
   * Is told of each change, with the new names of renamed documents by their old ones.
   * @type {(renamed: Map<string, string>) => void}
   */
  onChanged = () => {};
  #studio;
  /**
   * The folder that was asked for last; null for none.
   * @type {string | null}
   */
  #wanted = null;
  /** @type {Promise<boolean> | null} */
  #listing = null;
  /** Whether a folder was ever asked for. */
  #hasBegun = false;

  /** @param {Studio} studio */
  constructor(studio) {
    this.#studio = studio;
    studio.on('folder', (message) => {
      if (!this.isFollowing || message.folder !== this.list.folder) return;
      const renamed = this.list.take(message);
      if (renamed) this.onChanged(renamed);
    });
    studio.on('status', () => { if (studio.net.state !== 'open') this.#forget(); });
    // A break may pass without another status. The browser asks again after this.
    studio.on('connected', () => this.#forget());
  }

  /** Lists the served folder before there is a browser to show it. Once another folder was asked for, it does nothing. */
  async browseFirst() { if (!this.#hasBegun) await this.browse(''); }

  /**
   * Lists a folder, and follows it from then on; what is followed already is not listed again. False if meanwhile another folder was asked for,
   * or none. Rejects with the server's error.
   * @param {string} folder
   * @returns {Promise<boolean>}
   */
  browse(folder) {
    this.#hasBegun = true;
    if (this.#wanted === folder && this.#listing) return this.#listing;
    this.#wanted = folder;
    const listing = this.#ask(folder);
    this.#listing = listing;
    // It may be asked again.
    listing.catch(() => { if (this.#listing === listing) this.#forget(); });
    return listing;
  }

  /** Lists the folder again: no event tells that a program was killed with unsaved edits. */
  relist() {
    const folder = this.#wanted;
    if (folder === null || !this.isFollowing) return null;
    this.#listing = null;
    return this.browse(folder);
  }

  /** @param {string} folder */
  async #ask(folder) {
    const { documents } = await this.#studio.net.request({ documents: { browse: folder } });
    if (this.#wanted !== folder) return false;
    this.isFollowing = true;
    this.list.take(documents);
    return true;
  }

  /** Follows it no more. */
  leave() {
    this.#forget();
    this.#studio.net.request({ documents: { leave: true } }).catch(() => {});
  }

  #forget() {
    this.isFollowing = false;
    this.#wanted = null;
    this.#listing = null;
  }
}
