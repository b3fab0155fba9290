// SPDX-License-Identifier: Apache-2.0

export const texts = ['🐝', '🌸', '🐛', '👩‍🚀🌸', '❤️'];

/** A label with random values; about half of them are turned, some are captions. */
export function randomLabel(random, z, canvas = { width: 1024, height: 768 }) {
  const label = {
    id: random.id(), text: random.pick(texts), x: Math.round(random.number(0, canvas.width) * 100) / 100,
    y: Math.round(random.number(0, canvas.height) * 100) / 100, size: random.int(10, 90), z,
  };
  if (random.chance(0.5)) label.rotation = random.int(-179, 180);
  if (label.rotation === 0) delete label.rotation;
  if (random.chance(0.1)) Object.assign(label, { text: 'Happy\nbirthday', kind: 'caption', box: [6.25, 2.4] });
  return label;
}

export const randomLabels = (random, count, canvas) =>
  Array.from({ length: count }, (_, index) => randomLabel(random, (index + 1) * 16, canvas));
