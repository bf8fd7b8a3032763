// Counts as horizontal bars, in eighths of a character.
import { cut, type Style, textWidth } from './style.ts';

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

export interface Bar {
  label: string;
  value: number;
  /** Written after the bar; default: the value. */
  note?: string;
}

export function barsView(bars: readonly Bar[], width: number, style: Style): string {
  const labelWidth = Math.min(Math.floor(width / 2), Math.max(0, ...bars.map(({ label }) => textWidth(label))));
  const notes = bars.map(({ note, value }) => note ?? value.toLocaleString('en-US'));
  const noteWidth = Math.max(0, ...notes.map(textWidth));
  const room = Math.max(10, width - labelWidth - noteWidth - 3);
  const largest = Math.max(0, ...bars.map(({ value }) => value));
  return bars
    .map(({ label, value }, index) => {
      const short = cut(label, labelWidth);
      const bar = barOf(largest > 0 ? (value / largest) * room : 0);
      return `${' '.repeat(labelWidth - textWidth(short))}${short} ${style.accent(bar)} ${style.dim(notes[index])}`;
    })
    .join('\n');
}

function barOf(length: number): string {
  const eighths = Math.round(length * 8);
  // A value above zero always shows at least a sliver.
  if (eighths === 0) return length > 0 ? '▏' : '';
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}
