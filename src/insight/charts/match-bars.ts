// The chart of a `user_list` result: how many users each query found, as bars against all users.
import { percent } from '../../base/percent.ts';
import { groupDigits, px, SVG_END, shorten, svgStart, text } from './svg.ts';

export interface MatchBar {
  /** the conditions of the query in words */
  title: string;
  count: number;
  /** says that no item has a value of the query, if so */
  note?: string | null;
}

const WIDTH = 820;
const ROW_HEIGHT = 56;
const TOP = 84;
const LEFT = 28;
const BAR_WIDTH = 560;

export function* matchBarsSvg(bars: readonly MatchBar[], totalUsers: number): Generator<string> {
  const title = bars.length === 1 ? 'Users found by the query' : `Users found by ${bars.length} queries`;
  yield svgStart({
    width: WIDTH,
    height: TOP + ROW_HEIGHT * bars.length + 20,
    title,
    description: bars
      .map((bar) => {
        const note = bar.note ? ` ${bar.note}` : '';
        return `${bar.title}: ${groupDigits(bar.count)} of ${groupDigits(totalUsers)} users.${note}`;
      })
      .join(' '),
  });
  yield text(LEFT, 34, title, 'h');
  yield text(LEFT, 56, `of ${groupDigits(totalUsers)} users; a full bar is all of them`, 's');
  for (const [index, bar] of bars.entries()) {
    const y = TOP + index * ROW_HEIGHT;
    const share = totalUsers > 0 ? bar.count / totalUsers : 0;
    const width = bar.count > 0 ? Math.max(2, share * BAR_WIDTH) : 0;
    yield text(LEFT, y + 10, `${index + 1}. ${shorten(bar.title, 105)}`, 'i');
    yield `<rect x="${LEFT}" y="${y + 18}" width="${BAR_WIDTH}" height="14" rx="3" fill="var(--rule)"/>\n`;
    if (width > 0)
      yield `<rect x="${LEFT}" y="${y + 18}" width="${px(width)}" height="14" rx="3" fill="var(--bar)"/>\n`;
    yield text(LEFT + BAR_WIDTH + 14, y + 30, `${groupDigits(bar.count)} users · ${percent(share)}`, 'i');
    if (bar.note) yield text(LEFT, y + 46, shorten(bar.note, 110), 's');
  }
  yield SVG_END;
}
