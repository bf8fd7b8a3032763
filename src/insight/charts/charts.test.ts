import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HistogramPanel, histogramSvg } from './histogram.ts';
import { matchBarsSvg } from './match-bars.ts';
import { escapeXml, groupDigits, shorten } from './svg.ts';
import { userMapSvg } from './user-map.ts';

const HOSTILE = `<script>alert("1")</script> & 'x' \u0000\u0001 \ud800`;

function panel(overrides: Partial<HistogramPanel> = {}): HistogramPanel {
  return {
    title: 'genre = Drama',
    edges: [0, 0.1, 0.2, 0.3],
    counts: [5, 0, 2],
    mean: 0.1,
    median: 0.05,
    totalUsers: 7,
    note: null,
    ...overrides,
  };
}

/** Every element closes in order, every & starts an entity, no < inside text or attributes: enough to be XML. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [, close, name, selfClosed] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (close === '/') assert.equal(open.pop(), name);
    else if (selfClosed === '') open.push(name);
  }
  assert.deepEqual(open, []);
  assert.equal(svg.replace(/<\/?[a-z]+(?:\s[^<>]*?)?\/?>/g, '').includes('<'), false);
  assert.doesNotMatch(svg, /&(?!(amp|lt|gt|quot|#39);)/);
  assert.doesNotMatch(svg, /[\u0000-\u0008]|NaN|Infinity|undefined/);
}

test('text from data cannot break out of a chart', () => {
  assert.equal(escapeXml(`<a b="c">&'`), '&lt;a b=&quot;c&quot;&gt;&amp;&#39;');
  const charts = [
    histogramSvg([panel({ title: HOSTILE }), panel({ title: HOSTILE, note: HOSTILE })]),
    matchBarsSvg([{ title: HOSTILE, count: 3 }], 7),
    userMapSvg({
      title: HOSTILE,
      totalUsers: 3,
      groups: [{ id: 1, label: HOSTILE, size: 2, share: 2 / 3 }],
      unassignedUsers: 1,
      x: [0, 1, 2],
      y: [0, 1, 2],
      group: [0, 0, -1],
    }),
  ];
  for (const chart of charts) {
    const svg = [...chart].join('');
    assertWellFormed(svg);
    assert.equal(svg.includes('<script'), false);
  }
});

test('a histogram draws one bar for each bin that has users, the mean, the median and a description', () => {
  const svg = [...histogramSvg([panel()])].join('');
  assert.equal(svg.match(/<rect class="b"/g)?.length, 2);
  assert.match(svg, /mean 10%/);
  assert.match(svg, /median 5%/);
  assert.match(svg, /<desc[^>]*>Histogram of 7 users/);
  assert.match(svg, /0% to 10%: 5 users/);
});

test('charts without anything to show are still charts', () => {
  assertWellFormed(
    [...histogramSvg([panel({ counts: [0], edges: [0, 0], mean: 0, median: 0, totalUsers: 0 })])].join(''),
  );
  assertWellFormed([...histogramSvg([panel({ counts: [9], edges: [0, 1], mean: 1, median: 1 })])].join(''));
  assertWellFormed([...matchBarsSvg([{ title: 'none', count: 0 }], 0)].join(''));
  const empty = { title: 'Groups', totalUsers: 0, groups: [], unassignedUsers: 0, x: [], y: [], group: [] };
  assertWellFormed([...userMapSvg(empty)].join(''));
  const onePlace = { ...empty, totalUsers: 2, x: [3, 3], y: [1, 1], group: [-1, -1], unassignedUsers: 2 };
  assertWellFormed([...userMapSvg(onePlace)].join(''));
});

test('a query for what no item has says so, and a distribution of it takes no room for a plot', () => {
  const note = 'No item has genre = none.';
  const bars = [
    ...matchBarsSvg(
      [
        { title: 'one', count: 3 },
        { title: 'two', count: 0, note },
      ],
      7,
    ),
  ].join('');
  assert.match(bars, />3 users · 42\.9%</);
  assert.match(bars, />No item has genre = none\.</);
  assert.match(bars, />0 users · 0%</);
  const heightOf = (svg: string) => Number(/height="(\d+)"/.exec(svg)![1]);
  const [one, two] = [[panel()], [panel({ note }), panel()]].map((panels) => [...histogramSvg(panels)].join(''));
  assert.ok(heightOf(two) < heightOf(one) + 120);
});

test('a map of many groups gives each a number and names the largest in its legend', () => {
  const groups = Array.from({ length: 40 }, (_, index) => ({
    id: index + 1,
    label: `taste ${index}`,
    size: 9,
    share: 0.025,
  }));
  const place = Array.from({ length: 40 }, (_, index) => index % 7);
  const svg = [
    ...userMapSvg({
      title: 'Map',
      totalUsers: 360,
      groups,
      unassignedUsers: 0,
      x: place,
      y: place,
      group: groups.map((_, i) => i),
    }),
  ].join('');
  assertWellFormed(svg);
  assert.equal(svg.match(/class="n"/g)?.length, 40);
  assert.match(svg, /and 21 smaller groups/);
});

test('numbers are grouped and texts shortened', () => {
  assert.equal(groupDigits(1234567), '1,234,567');
  assert.equal(groupDigits(999), '999');
  assert.equal(shorten('naïve 👍🏽 text', 7), 'naïve …');
});
