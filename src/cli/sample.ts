// `kindred sample FOLDER`: writes the sample films as files, to try the import.
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { filmSample, SAMPLE_SIZES } from '../sample/film-sample.ts';
import { type CommonFlags, runCommand, type Speaker, wholeNumber } from './command.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';

interface SampleFlags extends CommonFlags {
  size: keyof typeof SAMPLE_SIZES;
  seed: number;
}

const EXAMPLES = `
Examples:
  $ kindred sample sample
  $ kindred import sample/*.csv --project films --target-event watch`;

export function registerSample(program: Command): void {
  program
    .command('sample')
    .description('write sample users, films and events as CSV files')
    .argument('<folder>', 'where to write users.csv, items.csv and events.csv')
    .addOption(new Option('--size <size>', 'how much').choices(Object.keys(SAMPLE_SIZES)).default('demo'))
    .option('--seed <n>', 'random seed of the data', wholeNumber('--seed', 0, 4_294_967_295), 1)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES_HELP}`)
    .action((folder: string, flags: SampleFlags) =>
      runCommand(flags, ({ speaker }) => writeSample(folder, flags, speaker)),
    );
}

async function writeSample(folder: string, flags: SampleFlags, speaker: Speaker): Promise<void> {
  const sample = filmSample({ ...SAMPLE_SIZES[flags.size], seed: flags.seed });
  mkdirSync(folder, { recursive: true });
  const write = (name: string, rows: Iterable<string>) =>
    pipeline(Readable.from(rows), createWriteStream(join(folder, name)));
  await write('users.csv', csvOf(sample.users()));
  await write('items.csv', csvOf(sample.items()));
  await write('events.csv', csvOf(sample.events()));
  const files = ['users.csv', 'items.csv', 'events.csv'].map((name) => join(folder, name));
  speaker.result(
    { files },
    () => `Wrote users.csv, items.csv and events.csv to ${folder}.
Next: kindred import ${join(folder, '*.csv')} --project films --target-event watch`,
  );
}

/** The fields of a record, then one column per attribute. Lists are joined by |. */
function* csvOf<Row extends { attributes: object }>(rows: Iterable<Row>): Generator<string> {
  let isFirst = true;
  for (const { attributes, ...fields } of rows) {
    const flat = { ...fields, ...attributes };
    if (isFirst) yield `${Object.keys(flat).join(',')}\n`;
    isFirst = false;
    yield `${Object.values(flat).map(cellOf).join(',')}\n`;
  }
}

function cellOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join('|') : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
