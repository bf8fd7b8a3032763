// Progress on stderr: one redrawn line on a terminal, a plain line now and then elsewhere, nothing if silent.
import { cut, styleFor, widthOf } from './style.ts';

export interface ProgressView {
  /** `fraction` is 0 to 1, or null if the total is unknown. */
  update(fraction: number | null, note: string): void;
  /** Leaves the last state on the screen. */
  end(fraction: number | null, note: string): void;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5000;
const BAR_WIDTH = 24;

export function progressView(label: string, stream: NodeJS.WriteStream = process.stderr, silent = false): ProgressView {
  if (silent) return { update() {}, end() {} };
  return stream.isTTY ? redrawnLine(label, stream) : plainLines(label, stream);
}

function redrawnLine(label: string, stream: NodeJS.WriteStream): ProgressView {
  const style = styleFor(stream);
  let drawnMs = 0;
  const draw = (fraction: number | null, note: string) => {
    drawnMs = Date.now();
    const filled = fraction === null ? 0 : Math.round(clamp(fraction) * BAR_WIDTH);
    const bar = style.accent('━'.repeat(filled)) + style.dim('━'.repeat(BAR_WIDTH - filled));
    const percent = fraction === null ? '    ' : `${String(Math.floor(clamp(fraction) * 100)).padStart(3)}%`;
    const room = Math.max(10, widthOf(stream) - label.length - BAR_WIDTH - percent.length - 4);
    stream.write(`\r\u001b[K${label} ${bar} ${percent} ${cut(note, room)}`);
  };
  return {
    update(fraction, note) {
      if (Date.now() - drawnMs >= REDRAW_MS) draw(fraction, note);
    },
    end(fraction, note) {
      draw(fraction, note);
      stream.write('\n');
    },
  };
}

function plainLines(label: string, stream: NodeJS.WriteStream): ProgressView {
  let writtenMs = Date.now();
  let written = '';
  const write = (fraction: number | null, note: string) => {
    writtenMs = Date.now();
    const percent = fraction === null ? '' : ` ${Math.floor(clamp(fraction) * 100)}%`;
    const line = `${label}:${percent} ${note}`.trimEnd();
    if (line !== written) stream.write(`${line}\n`);
    written = line;
  };
  return {
    update(fraction, note) {
      if (Date.now() - writtenMs >= PLAIN_LINE_MS) write(fraction, note);
    },
    end: write,
  };
}

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
