// `kindred experiment …`: compare variants of a placement.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ExperimentReport } from '../client/index.ts';
import type { RequestOf } from '../client/operations.ts';
import { EXPERIMENT_METRICS, type ExperimentMetric, MAX_MIN_DAYS, METRIC_NAMES } from '../domain/experiment.ts';
import { type CommandContext, wholeNumber } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { type ProjectFlags, projectCommands, projectOf } from './project-commands.ts';
import type { Style } from './style.ts';
import { type Column, tableView } from './table-view.ts';

interface ExperimentFlags extends ProjectFlags {
  name?: string;
  metric?: ExperimentMetric;
  minDays?: number;
  promote?: string;
}

const CREATE_EXAMPLE = `home-page variants.json --metric target

variants.json, with the control first:
  [
    { "name": "today", "share": 1 },
    { "name": "diverse", "share": 1, "overrides": { "diversity": 0.3 } }
  ]`;

type Context = CommandContext<ExperimentFlags>;

const percent = (share: number | null): string => (share === null ? '' : `${(share * 100).toFixed(1)}%`);

export function registerExperiment(program: Command): void {
  const group = program.command('experiment').description('compare variants of a placement');
  const add = projectCommands<ExperimentFlags>(group);
  add('list', 'list the experiments of the project', list);
  add('show <id>', 'show the result so far', show, 'exp_…');
  add('create <placement> <file>', 'start one with the variants of a JSON file', create, CREATE_EXAMPLE)
    .option('--name <text>', 'the name people see')
    .addOption(new Option('--metric <metric>', 'the metric to compare').choices(EXPERIMENT_METRICS))
    .option('--min-days <n>', 'days before a winner is named', wholeNumber('days', 0, MAX_MIN_DAYS));
  add('stop <id>', 'stop it', stop, 'exp_… --promote diverse').option(
    '--promote <variant>',
    'make this variant the placement',
  );
}

async function list(context: Context): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const { speaker } = context;
  const response = await kindred.listExperiments({ project_id });
  const columns = [
    { title: 'experiment', of: (row: (typeof response.experiments)[number]) => row.experiment_id, whole: true },
    { title: 'name', of: (row: (typeof response.experiments)[number]) => row.name },
    { title: 'placement', of: (row: (typeof response.experiments)[number]) => row.placement },
    { title: 'status', of: (row: (typeof response.experiments)[number]) => row.status },
    { title: 'winner', of: (row: (typeof response.experiments)[number]) => row.decided?.winner ?? '' },
  ];
  speaker.result(response, () =>
    response.experiments.length === 0
      ? 'No experiments. Start one with: kindred experiment create PLACEMENT FILE'
      : tableView(response.experiments, columns, speaker.width, speaker.style),
  );
}

async function show(context: Context, experiment_id: string): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const { speaker } = context;
  const read = await kindred.getExperiment({ project_id, experiment_id });
  speaker.result(read, () => resultText(read, speaker.width, speaker.style));
}

/** A line per variant and metric; the metric that decides comes first. */
function resultText({ name, status, metric, results }: ExperimentReport, width: number, style: Style): string {
  const metrics = [metric, ...EXPERIMENT_METRICS.filter((other) => other !== metric)];
  const rows = results.variants.flatMap((variant) =>
    metrics.map((measured) => ({ ...variant.metrics[measured], variant, measured, isFirst: measured === metric })),
  );
  type Row = (typeof rows)[number];
  const shown = ({ measured }: Row, value: number | null) =>
    measured === 'value' ? (value === null ? '' : value.toFixed(2)) : percent(value);
  const columns: Column<Row>[] = [
    { title: 'variant', of: ({ isFirst, variant }) => (isFirst ? variant.name : '') },
    {
      title: 'visitors',
      of: ({ isFirst, variant }) => (isFirst ? variant.visitors.toLocaleString('en-US') : ''),
      align: 'right',
    },
    { title: 'metric', of: ({ measured }) => METRIC_NAMES[measured], whole: true },
    { title: 'rate', of: (row) => shown(row, row.rate), align: 'right', whole: true },
    { title: '95% interval', of: (row) => row.rate_interval?.map((end) => shown(row, end)).join(' to ') ?? '' },
    { title: 'lift', of: ({ lift }) => percent(lift), align: 'right', whole: true },
    { title: '95% interval', of: ({ lift_interval }) => lift_interval?.map(percent).join(' to ') ?? '' },
  ];
  return `${name} (${status.toLowerCase()}), decided by ${METRIC_NAMES[metric]}\n${results.sentence}\n${tableView(rows, columns, width, style)}`;
}

async function create(context: Context, placement: string, file: string): Promise<void> {
  const variants = readVariants(file);
  const { kindred, project_id } = await projectOf(context);
  const { name, metric, minDays } = context.flags;
  const made = await kindred.createExperiment({ project_id, placement, variants, name, metric, min_days: minDays });
  context.speaker.result(made, () => `Experiment ${made.experiment_id} runs on ${placement}.`);
}

async function stop(context: Context, experiment_id: string): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const stopped = await kindred.stopExperiment({ project_id, experiment_id, promote: context.flags.promote });
  context.speaker.result(stopped, () =>
    stopped.promoted === null
      ? 'Stopped. The placement is as it was.'
      : `Stopped. ${stopped.placement} now shows ${stopped.promoted} to everybody.`,
  );
}

function readVariants(file: string): RequestOf<'/create-experiment'>['variants'] {
  const text = readFileSync(file, 'utf8');
  try {
    const read = JSON.parse(text);
    return Array.isArray(read) ? read : read.variants;
  } catch {
    throw new UsageError(`${file} is not JSON`);
  }
}
