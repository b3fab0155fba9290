// SPDX-License-Identifier: Apache-2.0

// Pure: files in one ZIP archive, uncompressed, since pictures are compressed already. PKWARE's APPNOTE.TXT, sections 4.3 and 4.4; names are UTF-8
// (bit 11 of the flags).

/** @typedef {{ name: string, bytes: Uint8Array }} ArchivedFile */

/** The most files, and bytes, of an archive without the extension for large ones (ZIP64). */
export const zipLimits = { files: 65_535, bytes: 2 ** 32 - 1 - 2 ** 26 };

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/**
 * The CRC-32 of ISO 3309.
 * @param {Uint8Array} bytes
 */
export function checksum(bytes) {
  let value = 0xffffffff;
  for (let index = 0; index < bytes.length; index += 1) value = table[(value ^ bytes[index]) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * Little-endian numbers of 2 or 4 bytes.
 * @param {[value: number, bytes: 2 | 4][]} numbers
 */
function record(numbers) {
  const bytes = new Uint8Array(numbers.reduce((sum, [, count]) => sum + count, 0));
  const view = new DataView(bytes.buffer);
  let place = 0;
  for (const [value, count] of numbers) {
    if (count === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
    place += count;
  }
  return bytes;
}

/**
 * The time of MS-DOS, in steps of two seconds from 1980 on.
 * @param {Date} date
 * @returns {[value: number, bytes: 2][]}
 */
function dosTime(date) {
  const year = Math.max(1980, Math.min(2107, date.getFullYear()));
  return [
    [(date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1), 2],
    [((year - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate(), 2],
  ];
}

/**
 * The parts of an archive, in order. The names must differ.
 * @param {readonly ArchivedFile[]} files
 * @param {Date} date
 * @returns {Uint8Array[]}
 */
export function archive(files, date) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const directory = [];
  const time = dosTime(date);
  const encoder = new TextEncoder();
  let [place, length] = [0, 0];
  for (const { name, bytes } of files) {
    const path = encoder.encode(name);
    const [sum, size] = [checksum(bytes), bytes.length];
    const local = record([[0x04034b50, 4], [20, 2], [1 << 11, 2], [0, 2], ...time, [sum, 4], [size, 4], [size, 4], [path.length, 2], [0, 2]]);
    const central = record([
      [0x02014b50, 4], [20, 2], [20, 2], [1 << 11, 2], [0, 2], ...time, [sum, 4], [size, 4], [size, 4], [path.length, 2], [0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [place, 4],
    ]);
    parts.push(local, path, bytes);
    directory.push(central, path);
    place += local.length + path.length + size;
    length += central.length + path.length;
  }
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [length, 4], [place, 4], [0, 2]]);
  return [...parts, ...directory, end];
}
