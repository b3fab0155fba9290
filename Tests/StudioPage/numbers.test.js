// SPDX-License-Identifier: Apache-2.0

// Numbers as people type them into fields.

import assert from 'node:assert/strict';
import test from 'node:test';
import { decimal, numberIn } from '../../Sources/CStudioPage/page/language.js';

test('a number is read in the way of any language', () => {
  const numbers = { '12,5': 12.5, '12.5': 12.5, '−8': -8, '-8': -8, '+8': 8, '–8': -8, '1.000,5': 1000.5, '1,000.5': 1000.5, '1 000,5': 1000.5, '1\u202f000,5': 1000.5, '1’000.5': 1000.5,
    '1,000,000': 1e6, '1.000.000': 1e6, '1,000': 1000, '1.000': 1, '0.125': 0.125, '0,125': 0.125, ',5': 0.5, '.5': 0.5, '7.': 7, ' 40 ': 40, '４０': 40, '1234,567': 1234.567 };
  for (const [typed, wanted] of Object.entries(numbers)) assert.equal(numberIn(typed), wanted, typed);
});

test('what is no number is none', () => {
  for (const typed of ['', ' ', '50%', '1,2,3', '1.2.3', '1,00,000', '1.000.00', '12.345,678.9', '1e3', 'Infinity', 'NaN', '0x10', '--8', '8-', '½', 'a', '.', ',', '1..5', '100+20']) assert.equal(numberIn(typed), null, typed);
});

test('what a field shows is read as the same number', () => {
  for (const value of [0, 40, -8, 12.5, 1000.125, 1_000_000, 0.001]) assert.equal(numberIn(decimal(value)), value);
});
