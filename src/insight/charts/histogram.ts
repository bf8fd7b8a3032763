// The chart of a `user_distribution` result: one panel a query, below each other. Horizontal: usage; vertical: users.
import { niceAxis, niceTicks } from '../../base/chart-scale.ts';
import { evenPercents, percent } from '../../base/percent.ts';
import { escapeXml, groupDigits, px, SVG_END, shorten, svgStart, text, textWidth } from './svg.ts';

export interface HistogramPanel {
  /** the query in words, e.g. `genre = Drama` */
  title: string;
  /** bins + 1 ascending edges, the first 0 */
  edges: ArrayLike<number>;
  /** number of users per bin */
  counts: ArrayLike<number>;
  mean: number;
  median: number;
  totalUsers: number;
  /** shown instead of a plot, where the usage of all users is 0 */
  note: string | null;
}

const WIDTH = 820;
const PANEL_HEIGHT = 410;
const NOTE_HEIGHT = 92;
const MARGIN = { left: 78, right: 28, top: 104, bottom: 64 };
const PLOT_WIDTH = WIDTH - MARGIN.left - MARGIN.right;
const PLOT_HEIGHT = PANEL_HEIGHT - MARGIN.top - MARGIN.bottom;
const STYLE = `
.k .b{fill:var(--bar)}.k .b:hover{fill-opacity:.75}
.k .ha{stroke:var(--halo);stroke-width:4;stroke-opacity:.75}
.k .me{stroke:var(--mean);stroke-width:2}.k .md{stroke:var(--median);stroke-width:2;stroke-dasharray:5 4}
.k .tme{fill:var(--mean);font-weight:600}.k .tmd{fill:var(--median);font-weight:600}`;

export function* histogramSvg(panels: readonly HistogramPanel[]): Generator<string> {
  yield svgStart({
    width: WIDTH,
    height: panels.reduce((sum, panel) => sum + heightOf(panel), 0),
    title: panels.length === 1 ? `Usage of ${panels[0].title}` : `Usage distributions of ${panels.length} queries`,
    description: panels.map(describe).join(' '),
    style: STYLE,
  });
  let top = 0;
  for (const panel of panels) {
    yield `<g transform="translate(0 ${top})">\n`;
    yield* drawPanel(panel);
    yield '</g>\n';
    top += heightOf(panel);
  }
  yield SVG_END;
}

function heightOf({ note }: HistogramPanel): number {
  return note === null ? PANEL_HEIGHT : NOTE_HEIGHT;
}

function describe(panel: HistogramPanel): string {
  if (panel.note !== null) return `${panel.title}: ${panel.note}`;
  const bins = panel.counts.length;
  return (
    `Histogram of ${groupDigits(panel.totalUsers)} users by their usage of ${panel.title} in ${bins} bins from 0 to ` +
    `${percent(panel.edges[bins])}; mean ${percent(panel.mean)}, median ${percent(panel.median)}.`
  );
}

function* drawPanel(panel: HistogramPanel): Generator<string> {
  const { left, top } = MARGIN;
  const bottom = top + PLOT_HEIGHT;
  yield text(left, 34, `Usage of ${shorten(panel.title, 76)}`, 'h');
  if (panel.note !== null) {
    yield text(left, 56, shorten(panel.note, 110), 's');
    return;
  }
  const bins = panel.counts.length;
  yield text(
    left,
    56,
    `${groupDigits(panel.totalUsers)} users · ${bins} ${bins === 1 ? 'bin' : 'bins'} of ${percent(panel.edges[1])} · ` +
      `mean ${percent(panel.mean)} · median ${percent(panel.median)}`,
    's',
  );

  let highest = 0;
  for (let bin = 0; bin < bins; bin++) highest = Math.max(highest, panel.counts[bin]);
  const vertical = niceAxis(highest, 5, { wholeNumbers: true });
  const y = (count: number) => bottom - (count / vertical.end) * PLOT_HEIGHT;
  for (const tick of vertical.ticks) {
    yield `<path class="${tick === 0 ? 'a' : 'g'}" d="M${left} ${px(y(tick))}h${PLOT_WIDTH}"/>\n`;
    yield text(left - 10, y(tick) + 4, groupDigits(tick), 'e');
  }

  const max = panel.edges[bins];
  const x = (usage: number) => left + (max > 0 ? (usage / max) * PLOT_WIDTH : 0);
  const barWidth = PLOT_WIDTH / bins;
  const gap = barWidth > 12 ? 2 : barWidth > 4 ? 1 : 0;
  for (let bin = 0; bin < bins; bin++) {
    const count = panel.counts[bin];
    if (count === 0) continue;
    const height = Math.max(1, bottom - y(count));
    yield `<rect class="b" x="${px(left + bin * barWidth + gap / 2)}" y="${px(bottom - height)}" width="${px(barWidth - gap)}" height="${px(height)}">` +
      `<title>${percent(panel.edges[bin])} to ${percent(panel.edges[bin + 1])}: ${groupDigits(count)} users</title></rect>\n`;
  }

  // With few bins their edges are labeled. With many, round numbers are easier to read.
  const labeled = bins <= 10 ? Array.from(panel.edges) : niceTicks(0, max, 10);
  const edgeMarks = bins <= 60 ? Array.from(panel.edges) : labeled;
  yield `<path class="a" d="${edgeMarks.map((edge) => `M${px(x(edge))} ${bottom}v4`).join('')}"/>\n`;
  const labels = evenPercents(labeled);
  for (const [n, tick] of labeled.entries()) yield text(x(tick), bottom + 20, labels[n], 'm');
  yield text(left + PLOT_WIDTH / 2, bottom + 46, 'usage: share of a user’s expected next interactions', 'm i');
  yield `<text class="m i" transform="translate(20 ${px(top + PLOT_HEIGHT / 2)}) rotate(-90)">users</text>\n`;
  yield* drawMarkers(panel, x, top, bottom);
}

function* drawMarkers(
  panel: HistogramPanel,
  x: (usage: number) => number,
  top: number,
  bottom: number,
): Generator<string> {
  const meanLabel = `mean ${percent(panel.mean)}`;
  const medianLabel = `median ${percent(panel.median)}`;
  const meanX = x(panel.mean);
  const medianX = x(panel.median);
  // The two labels are outward of their lines, so that they never cover each other; near the plot's sides they turn inward,
  // and when both then lie the same way, the line whose label would cross the other one is drawn higher.
  const meanFirst = meanX < medianX;
  const left = meanFirst ? { at: meanX, label: meanLabel } : { at: medianX, label: medianLabel };
  const right = meanFirst ? { at: medianX, label: medianLabel } : { at: meanX, label: meanLabel };
  const leftTurns = left.at - textWidth(left.label) - 8 < MARGIN.left;
  const rightTurns = right.at + textWidth(right.label) + 8 > WIDTH - MARGIN.right;
  const draw = (line: typeof left, kind: 'me' | 'md', toRight: boolean, labelY: number) =>
    `<path class="ha" d="M${px(line.at)} ${labelY - 10}V${bottom}"/>` +
    `<path class="${kind}" d="M${px(line.at)} ${labelY - 10}V${bottom}"/>\n` +
    `<text x="${px(line.at + (toRight ? 6 : -6))}" y="${labelY}" class="t${kind}${toRight ? '' : ' e'}" ` +
    `paint-order="stroke" stroke="var(--halo)" stroke-width="4" stroke-linejoin="round">${escapeXml(line.label)}</text>\n`;
  yield draw(left, meanFirst ? 'me' : 'md', leftTurns, top - (leftTurns && !rightTurns ? 18 : 2));
  yield draw(right, meanFirst ? 'md' : 'me', !rightTurns, top - (rightTurns && !leftTurns ? 18 : 2));
}
