// Color and width of the terminal. No color if the stream is not a terminal or NO_COLOR is set.
import type { WriteStream } from 'node:tty';

type Stream = NodeJS.WriteStream | WriteStream;

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

export function styleFor(stream: Stream, env: NodeJS.ProcessEnv = process.env): Style {
  const colored = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (open: number, close: number) => (text: string) =>
    colored ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    accent: paint(36, 39),
    good: paint(32, 39),
    bad: paint(31, 39),
  };
}

/** Output to a file or another program is never truncated. */
export function widthOf(stream: Stream): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY;
  return stream.columns || 100;
}

/** Columns a text takes on a terminal: escape sequences 0, wide East Asian characters and emoji 2. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(/\u001b\[[0-9;]*m/g, '')) {
    const code = character.codePointAt(0) as number;
    const wide =
      (code >= 0x1100 && code <= 0x115f) ||
      (code >= 0x2e80 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0x1f300 && code <= 0x1faff);
    width += wide ? 2 : 1;
  }
  return width;
}

/** Truncates a text to a width, with an ellipsis. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (textWidth(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Avoids Intl, whose first use takes 0.1 s. */
export const formatCount = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

/** Formats as 2026-11-15 20:36, in UTC. */
export const formatMinute = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
