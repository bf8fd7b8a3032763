// The chart of a clustering result: users as dots on a plane, colored by group, with a legend and each group's number at its
// center. The caller samples the users and lays them out; this file only draws.

import { percent } from '../../base/percent.ts';
import { colorOf, markerPath, shapeOf } from './palette.ts';
import { groupDigits, px, SVG_END, shorten, svgStart, text } from './svg.ts';

export interface MapGroup {
  id: number;
  label: string;
  size: number;
  share: number;
}

export interface UserMap {
  title: string;
  totalUsers: number;
  groups: readonly MapGroup[];
  unassignedUsers: number;
  /** for each drawn user: position, and index in `groups` or -1 */
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  group: ArrayLike<number>;
}

const WIDTH = 1080;
const HEIGHT = 760;
const PLOT = { left: 28, top: 76, width: 700, height: 650 };
/** `rows` is the most that a person reads. With many groups they move closer together. */
const LEGEND = { left: 756, top: 92, height: 640, rowHeight: 40, rows: 20 };
const STYLE = `
.k .n{font-size:12px;font-weight:700;fill:#ffffff;text-anchor:middle}
.k .l{font-weight:600}
.k .d{fill-opacity:.62}
@media (prefers-color-scheme:dark){.k .d{fill-opacity:.85}}`;

export function* userMapSvg(map: UserMap): Generator<string> {
  const drawn = map.x.length;
  const sampled = drawn < map.totalUsers ? `, ${groupDigits(drawn)} of them drawn` : '';
  const found = `${map.groups.length} ${map.groups.length === 1 ? 'group' : 'groups'}`;
  yield svgStart({
    width: WIDTH,
    height: HEIGHT,
    title: map.title,
    description:
      `Map of ${groupDigits(map.totalUsers)} users in ${found}; users with similar taste are near each other. ` +
      map.groups.map((group) => `Group ${group.id}, ${group.label}: ${groupDigits(group.size)} users.`).join(' '),
    style: STYLE,
  });
  yield text(PLOT.left, 34, shorten(map.title, 90), 'h');
  yield text(
    PLOT.left,
    56,
    `${groupDigits(map.totalUsers)} users${sampled} · ${found} · users near each other have similar taste`,
    's',
  );
  yield `<rect class="g" x="${PLOT.left}" y="${PLOT.top}" width="${PLOT.width}" height="${PLOT.height}" rx="8"/>\n`;
  const place = fit(map);
  yield* drawDots(map, place);
  yield* drawGroupNumbers(map, place);
  yield* drawLegend(map);
  yield SVG_END;
}

type Place = (index: number) => { x: number; y: number };

/**
 * Uses one scale for both directions, so that distances keep their meaning. A few far users are drawn at the rim, so
 * that they do not squeeze the rest.
 */
function fit(map: UserMap): Place {
  const [x0, x1] = innerRange(map.x);
  const [y0, y1] = innerRange(map.y);
  const pad = 26;
  const scale = Math.min((PLOT.width - 2 * pad) / (x1 - x0), (PLOT.height - 2 * pad) / (y1 - y0));
  const centerX = PLOT.left + PLOT.width / 2;
  const centerY = PLOT.top + PLOT.height / 2;
  const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  return (index) => ({
    x: clamp(centerX + (map.x[index] - (x0 + x1) / 2) * scale, PLOT.left + 8, PLOT.left + PLOT.width - 8),
    y: clamp(centerY - (map.y[index] - (y0 + y1) / 2) * scale, PLOT.top + 8, PLOT.top + PLOT.height - 8),
  });
}

function innerRange(values: ArrayLike<number>): [number, number] {
  if (values.length === 0) return [-1, 1];
  const sorted = Float64Array.from(values).sort();
  const low = sorted[Math.floor((sorted.length - 1) * 0.001)];
  const high = sorted[Math.ceil((sorted.length - 1) * 0.999)];
  return high > low ? [low, high] : [low - 1, high + 1];
}

function* drawDots(map: UserMap, place: Place): Generator<string> {
  const drawn = map.x.length;
  const radius = Math.max(1.5, Math.min(4, 160 / Math.sqrt(drawn + 1)));
  const members: number[][] = Array.from({ length: map.groups.length + 1 }, () => []);
  for (let index = 0; index < drawn; index++) members[map.group[index] + 1].push(index);
  for (const [slot, indexes] of members.entries()) {
    if (indexes.length === 0) continue;
    const group = slot - 1;
    // One path per group takes a tenth of the bytes of one element per user, and browsers draw it at once.
    const marker = markerPath(group < 0 ? 'circle' : shapeOf(group), group < 0 ? radius * 0.8 : radius);
    yield `<path class="d" fill="${group < 0 ? 'var(--none)' : colorOf(group)}" d="`;
    for (const index of indexes) {
      const { x, y } = place(index);
      yield `M${px(x)} ${px(y)}${marker}`;
    }
    yield '"/>\n';
  }
}

/** Draws the number of each group at the medians of x and y. Overlapping badges are pushed apart. */
function* drawGroupNumbers(map: UserMap, place: Place): Generator<string> {
  const badges: { group: number; x: number; y: number }[] = [];
  for (let group = 0; group < map.groups.length; group++) {
    const xs: number[] = [];
    const ys: number[] = [];
    for (let index = 0; index < map.x.length; index++) {
      if (map.group[index] !== group) continue;
      const { x, y } = place(index);
      xs.push(x);
      ys.push(y);
    }
    if (xs.length > 0) badges.push({ group, x: median(xs), y: median(ys) });
  }
  const apart = 24;
  for (let round = 0; round < 60; round++) {
    for (let a = 0; a < badges.length; a++) {
      for (let b = a + 1; b < badges.length; b++) {
        const dx = badges[b].x - badges[a].x;
        const dy = badges[b].y - badges[a].y;
        const distance = Math.hypot(dx, dy);
        if (distance >= apart) continue;
        const push = (apart - distance) / 2;
        const [ux, uy] = distance > 1e-6 ? [dx / distance, dy / distance] : [1, 0];
        badges[a].x -= ux * push;
        badges[a].y -= uy * push;
        badges[b].x += ux * push;
        badges[b].y += uy * push;
      }
    }
  }
  for (const { group, x, y } of badges) {
    const number = String(map.groups[group].id);
    const width = 13 + 7 * number.length;
    yield `<rect x="${px(x - width / 2)}" y="${px(y - 10)}" width="${width}" height="20" rx="10" fill="#1c2530" stroke="${colorOf(group)}" stroke-width="2.5"/>\n`;
    yield text(x, y + 4.3, number, 'n');
  }
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)];
}

function* drawLegend(map: UserMap): Generator<string> {
  const { left } = LEGEND;
  let y = LEGEND.top;
  const rest = map.unassignedUsers > 0 ? 1 : 0;
  const shown = map.groups.length + rest <= LEGEND.rows ? map.groups.length : LEGEND.rows - 1 - rest;
  const rowHeight = Math.min(LEGEND.rowHeight, LEGEND.height / Math.min(LEGEND.rows, map.groups.length + rest));
  for (let group = 0; group < shown; group++) {
    const { id, label, size, share } = map.groups[group];
    yield `<path fill="${colorOf(group)}" d="M${left + 8} ${y}${markerPath(shapeOf(group), 6)}"/>\n`;
    yield text(left + 24, y + 4, String(id), 'i l');
    yield text(left + 46, y + 4, shorten(label, 38), 'i');
    yield text(left + 46, y + 20, `${groupDigits(size)} users · ${percent(share)}`);
    y += rowHeight;
  }
  if (shown < map.groups.length) {
    yield text(left + 46, y + 4, `and ${map.groups.length - shown} smaller groups`);
    y += rowHeight;
  }
  if (map.unassignedUsers > 0) {
    yield `<circle cx="${left + 8}" cy="${y}" r="5" fill="var(--none)"/>\n`;
    yield text(left + 46, y + 4, 'in no group', 'i');
    yield text(left + 46, y + 20, `${groupDigits(map.unassignedUsers)} users`);
  }
}
