import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPoster, posterName } from './film-poster.ts';
import { filmSample, SAMPLE_SIZES } from './film-sample.ts';

test('every sample film has a poster, without scripts, styles or addresses', () => {
  const names = new Set<string>();
  let index = 0;
  for (const { attributes } of filmSample(SAMPLE_SIZES.demo).items()) {
    const name = posterName(attributes.genres[0], index++);
    names.add(name);
    const poster = drawPoster(name) ?? '';
    assert.match(poster, /^<svg .*<\/svg>$/, name);
    assert.doesNotMatch(poster, /<script|style=|href|NaN|undefined/, name);
  }
  assert.ok(names.size > SAMPLE_SIZES.demo.items / 2, 'few films share one');
});

test('the same name is drawn the same, and other names are none', () => {
  assert.equal(drawPoster('horror-3.svg'), drawPoster('horror-3.svg'));
  assert.notEqual(drawPoster('horror-3.svg'), drawPoster('horror-4.svg'));
  for (const name of ['', 'horror.svg', 'horror-200.svg', 'western-1.svg', '../horror-1.svg', 'horror-1.png']) {
    assert.equal(drawPoster(name), null, name);
  }
});
