// `kindred evaluate`: trains on one file of events and measures on another, without a server.
import { existsSync, readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { JobFailure } from '../domain/job.ts';
import { OBJECTIVES, type Objective } from '../domain/objective.ts';
import { parseAlgorithmParameters } from '../domain/parse-algorithm-parameters.ts';
import { AppError } from '../errors.ts';
import { EVENT_FILE_FORMATS, type EventFileFormat } from '../import/event-file.ts';
import type { PlanOptions } from '../import/import-plan.ts';
import type { FileEvaluation } from '../training/evaluate-files.ts';
import type { OrderReading } from '../training/read-evaluation.ts';
import { runCommand, type Speaker } from './command.ts';
import { CommandError, EXIT, EXIT_CODES_HELP, UsageError } from './exit-codes.ts';
import { collectField } from './field-map.ts';
import { formatCount } from './style.ts';

interface EvaluateOptions {
  train: string;
  test: string;
  cutoffs: number[];
  format: EventFileFormat | 'auto';
  map?: PlanOptions['map'];
  reading: OrderReading;
  horizon?: AlgorithmParameters['horizon'];
  objective?: Objective;
  targetEventType?: string;
  parameters?: string;
  threads?: number;
  set?: boolean;
  order?: boolean;
  json?: boolean;
}

const HELP = `
Formats (--format, guessed from the file by default):
  lines      "user item item ..." on each line; the same for the test file
  sequences  line n has the items of user n, oldest first; line n of the test file has what came next
  csv        a header and rows, any separator; columns are found by name as in "kindred import": user_id or customer_id,
             item_id or sku, and optionally ts or created_at, event_type or event, event_value or rating
  jsonl      one JSON object per line with the same names
  parquet    the same columns
Files may be gzipped. Use --map for columns with other names.

Readings (--reading): "order" takes the items of a line, or events by ts, as a sequence in time; "set" gives all events of
a user the same time, so that order means nothing. "auto" reads lines that are sorted by item id as sets, all else in order.

Horizons (--horizon): "browsing" trains for the next item, "arriving" for the next visit, "later" for what comes in the weeks
after. Without it: where events have real times, arriving and browsing; else one item per user in the test file is the next
item, and several are what comes later.

Objectives (--objective): "discover" ranks items the user never touched, "continue" items touched without a target event since,
"again" items with a target event, "any" all items. Of each user's held-out items, only those count that the objective may
recommend. "auto" (default) depends on the data: "any" if users come back to items, else "discover".

Every item that may be recommended is ranked for every user of the test file. recall = found / held out,
NDCG against the best order of min(held out, cut-off), touched_share = listed items the user had touched before; means over
users. The figures mean the same as those a model reports.

Examples:
  $ kindred evaluate --train train.csv --test test.csv
  $ kindred evaluate --train train.txt --test test.txt --cutoffs 20 --json
  $ kindred evaluate --train train.csv --test test.csv --parameters '{"experts": ["walk"]}'
${EXIT_CODES_HELP}`;

export function registerEvaluate(program: Command): void {
  program
    .command('evaluate')
    .description('train on one file of events and measure on another, without a server')
    .requiredOption('--train <file>', 'events to train on')
    .requiredOption('--test <file>', 'held-out events')
    .option('--cutoffs <list>', 'list lengths to measure', cutoffsOf, [10, 20])
    .addOption(
      new Option('--format <format>', 'format of both files').choices(['auto', ...EVENT_FILE_FORMATS]).default('auto'),
    )
    .addOption(
      new Option('--reading <reading>', 'whether the order of events means time')
        .choices(['auto', 'order', 'set'])
        .default('auto'),
    )
    .option('--map <field=column>', 'read a field (user_id, item_id, ts …) from a column (repeatable)', collectField)
    .addOption(
      new Option('--horizon <horizon>', 'the question to train for').choices(['arriving', 'browsing', 'later']),
    )
    .addOption(new Option('--objective <objective>', 'what may be recommended').choices(OBJECTIVES))
    .option('--set', 'the same as --reading set')
    .option('--order', 'the same as --reading order')
    .option('--target-event-type <type>', 'event type to predict (default: the type of the first event)')
    .option('--parameters <json>', 'algorithm parameters as JSON, or @file')
    .option('--threads <count>', 'threads to use (default: one per core)', positiveInteger)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((options: EvaluateOptions) => runCommand(options, ({ speaker }) => evaluate(options, speaker)));
}

async function evaluate(options: EvaluateOptions, speaker: Speaker): Promise<void> {
  for (const file of [options.train, options.test])
    if (!existsSync(file)) throw new UsageError(`cannot find the file ${file}`);
  const given = readParameters(options.parameters ?? '{}');
  const parameters = options.horizon === undefined ? given : { ...given, horizon: options.horizon };
  // Imported here, so that other commands start without loading the training code.
  const { evaluateFiles } = await import('../training/evaluate-files.ts');
  try {
    const result = await evaluateFiles({
      train: options.train,
      test: options.test,
      cutoffs: options.cutoffs,
      format: options.format,
      parameters,
      ...(options.map === undefined ? {} : { map: options.map }),
      reading: options.set ? 'set' : options.order ? 'order' : options.reading,
      ...(options.objective === undefined ? {} : { objective: options.objective }),
      ...(options.targetEventType === undefined ? {} : { targetEventType: options.targetEventType }),
      ...(options.threads === undefined ? {} : { threads: options.threads }),
      ...(process.stderr.isTTY
        ? { onProgress: ({ message }: { message: string }) => void process.stderr.write(`${message}\n`) }
        : {}),
    });
    speaker.result(result, () => readable(result, options.cutoffs));
  } catch (error) {
    if (error instanceof JobFailure) throw new CommandError(error.message, EXIT.JOB_FAILED);
    throw error;
  }
}

/** JSON, or `@file` with JSON in it. */
function readParameters(given: string): AlgorithmParameters {
  try {
    return parseAlgorithmParameters(JSON.parse(given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given));
  } catch (error) {
    if (error instanceof AppError || error instanceof SyntaxError)
      throw new UsageError(`--parameters: ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`cannot find the file ${given.slice(1)}`);
    throw error;
  }
}

function cutoffsOf(text: string): number[] {
  const cutoffs = text.split(',').map(Number);
  if (cutoffs.length === 0 || cutoffs.some((cutoff) => !Number.isInteger(cutoff) || cutoff < 1 || cutoff > 1000)) {
    throw new InvalidArgumentError('It must be whole numbers from 1 to 1,000, separated by commas.');
  }
  return cutoffs;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return value;
}

function readable(result: FileEvaluation, cutoffs: readonly number[]): string {
  const { data } = result;
  const leftOut =
    data.items_left_out === undefined
      ? ''
      : `, and ${formatCount(data.items_left_out)} with fewer users that count as new: there is no memory for more`;
  const lines = [
    `${formatCount(data.events)} events of ${formatCount(data.users)} users with ${formatCount(data.items)} items${leftOut} (${data.format}, read as ${data.reading})`,
    `${formatCount(result.users)} users tested, objective ${result.objective}`,
    '',
    `${'metric'.padEnd(18)}${'model'.padStart(10)}${'popularity'.padStart(12)}   95% interval`,
  ];
  for (const cutoff of cutoffs) {
    for (const name of ['recall', 'ndcg', 'mrr', 'hit_rate', 'coverage', 'novelty', 'touched_share']) {
      const key = `${name}@${cutoff}`;
      const interval = result.intervals[key]?.map((value) => value.toFixed(4)).join(' – ') ?? '';
      const figures = [result.metrics[key], result.popularity[key]].map((value) => (value ?? 0).toFixed(4));
      lines.push(`${key.padEnd(18)}${figures[0].padStart(10)}${figures[1].padStart(12)}   ${interval}`);
    }
  }
  const seconds = Object.entries(result.seconds).map(([phase, value]) => `${phase} ${value.toFixed(1)}`);
  lines.push('', `seconds: ${seconds.join(', ')}`, `peak memory: ${result.peak_memory_mb} MB`, '', 'settings:');
  lines.push(JSON.stringify({ ...result.settings, tried: undefined }, null, 2));
  return lines.join('\n');
}
