// Splits of the shops' event logs (bench/quality/hold-out.ts), written to the cache as files that `kindred evaluate` reads.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEventFile } from '../../src/import/event-file.ts';
import { type HeldOut, holdOutLast, holdOutTime, type LoggedEvent, type Question } from './hold-out.ts';
import { cacheDir, dataFile, type SplitFiles } from './splits.ts';

export interface Shop {
  name: string;
  file: string;
  /** days at the end that the split by time holds out */
  days: number;
  visitGapMs: number;
}

/** Which targets are predicted. */
export type Asked = 'discovered' | 'all' | 'again';

export const TARGET = 'purchase';
/** This many discoveries of a user are predicted, one training each. */
const LAST_DISCOVERIES = 3;
const HALF_HOUR_MS = 30 * 60_000;

const shop = (name: string, days: number, visitGapMs: number): Shop => ({
  name,
  days,
  visitGapMs,
  file: dataFile(`shops/${name}.csv`),
});
/** Times to the day, with seconds that count a user's events of the day: a visit is a day. */
export const TMALL = shop('tmall', 15, HALF_HOUR_MS);
export const TAOBAO = shop('taobao-categories', 2, HALF_HOUR_MS);
export const ONLINE_RETAIL = shop('online-retail', 30, HALF_HOUR_MS);
/** Made by bench/peers/groceries.py. */
export const GROCERIES = shop('groceries', 14, HALF_HOUR_MS);

export async function shopParts(of: Shop, protocol: 'time' | 'last', asked: Asked): Promise<SplitFiles[]> {
  const names = protocol === 'time' ? ['time'] : Array.from({ length: LAST_DISCOVERIES }, (_, skip) => `last-${skip}`);
  const parts = names.map((name) => filesOf(of, name, asked));
  if (!parts.every(({ train, test }) => existsSync(train) && existsSync(test))) await writeParts(of);
  return parts;
}

function filesOf({ name }: Shop, split: string, asked: Asked): SplitFiles {
  const file = (part: string) => join(cacheDir, `${name}-${split}-${part}-by-visits.csv`);
  return { train: file('train'), test: file(asked) };
}

async function writeParts(of: Shop): Promise<void> {
  mkdirSync(cacheDir, { recursive: true });
  const events: LoggedEvent[] = [];
  const file = await openEventFile(of.file);
  for await (const event of file.events) events.push({ ...event, ts: event.ts ?? 0 });
  write(of, 'time', holdOutTime(events, TARGET, of.days));
  for (let skip = 0; skip < LAST_DISCOVERIES; skip++) {
    write(of, `last-${skip}`, holdOutLast(events, TARGET, { skip, visitGapMs: of.visitGapMs }));
  }
}

function write(of: Shop, split: string, { train, questions }: HeldOut): void {
  writeWhole(filesOf(of, split, 'all').train, [
    'user_id,item_id,ts,event_type,event_value',
    ...train.map(({ user, item, ts, type, value }) => [user, item, ts, type, value].join(',')),
  ]);
  for (const asked of ['discovered', 'all', 'again'] as const) {
    const rows = questions.flatMap((question: Question) => question[asked].map((item) => `${question.user},${item}`));
    writeWhole(filesOf(of, split, asked).test, ['user_id,item_id', ...rows]);
  }
}

function writeWhole(path: string, lines: readonly string[]): void {
  writeFileSync(`${path}.part`, `${lines.join('\n')}\n`);
  renameSync(`${path}.part`, path);
}
