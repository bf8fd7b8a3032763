// `kindred query`: the affinity of users to an attribute value, as a histogram (user_distribution) or a list (user_list).
import type { Command } from 'commander';
import type { AttributeScalar, UserDistributionResult, UserListResult } from '../client/index.ts';
import { barsView } from './bars-view.ts';
import {
  addCommonOptions,
  type CommandContext,
  type CommonFlags,
  decimalNumber,
  runCommand,
  type Speaker,
  wholeNumber,
} from './command.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { chooseServingModel } from './model-choice.ts';
import { chooseProject } from './project-choice.ts';
import { findPlace } from './result-place.ts';
import { formatOfFile, saveResult, sayWhereSaved } from './save-result.ts';
import { formatCount } from './style.ts';
import { tableView } from './table-view.ts';

interface AttributeValue {
  attribute: string;
  value: AttributeScalar;
}

interface QueryFlags extends CommonFlags {
  project?: string;
  model?: string;
  name?: string;
  min?: number;
  max?: number;
  list?: boolean;
  bins?: number;
  limit: number;
  out?: string;
}

const EXAMPLES = `  $ kindred query genres=Horror                          # how many users use it how much, as bars
  $ kindred query genres=Horror genres=Comedy --bins 10
  $ kindred query genres=Horror --min 0.3                # users whose usage is at least 0.3
  $ kindred query genres=Horror language=French --list   # users by both, all conditions must hold
  $ kindred query genres=Horror --out horror.svg`;

export function registerQuery(program: Command): void {
  const command = program
    .command('query')
    .description('show how popular an item attribute value is, as a histogram or a list of users')
    .argument('<attribute=value...>', 'item attribute values')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'the model to use (default: the deployed one)')
    .option('--name <name>', 'name of the job')
    .option('--list', 'list users instead of a histogram; with several values, users must meet all of them')
    .option('--min <affinity>', 'minimum affinity, 0 to 1 (implies --list)', decimalNumber(0, 1))
    .option('--max <affinity>', 'maximum affinity, 0 to 1 (implies --list)', decimalNumber(0, 1))
    .option('--bins <n>', 'bars of the histogram (default: 20)', wholeNumber('--bins', 1, 1000))
    .option('--limit <n>', 'how many users to show', wholeNumber('--limit', 1, 1_000_000), 20)
    .option('--out <file>', 'write the whole result to a file: .json, .csv or .svg');
  addCommonOptions(command, EXAMPLES).action((pairs: string[], flags: QueryFlags) =>
    runCommand(flags, (context) => query(pairs.map(parsePair), context)),
  );
}

async function query(
  pairs: AttributeValue[],
  { flags, kindred: connect, speaker, signal }: CommandContext<QueryFlags>,
): Promise<void> {
  const format = flags.out === undefined ? undefined : formatOfFile(flags.out);
  const place = flags.out === undefined ? undefined : await findPlace(flags.out);
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const { model_id } = await chooseServingModel(kindred, project_id, flags.model);
  const asList = flags.list === true || flags.min !== undefined || flags.max !== undefined;
  const conditions = pairs.map((pair) => ({ ...pair, lower_bound: flags.min, upper_bound: flags.max }));
  const common = { project_id, model_id, name: flags.name };
  const { job_id } = await kindred.submitQueryingJob(
    asList
      ? { ...common, query_type: 'user_list', queries: [{ conditions }] }
      : { ...common, query_type: 'user_distribution', queries: pairs.map((pair) => ({ ...pair, bins: flags.bins })) },
  );
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Query', speaker, signal });
  if (place !== undefined) {
    await saveResult(kindred, job, { place, format, signal });
    sayWhereSaved(speaker, job, place.path);
    return;
  }
  if (asList) {
    const result = await kindred.downloadResult<UserListResult>(job);
    speaker.result(result, () => listText(result, flags.limit, speaker));
  } else {
    const result = await kindred.downloadResult<UserDistributionResult>(job);
    speaker.result(result, () => distributionText(result, speaker));
  }
}

export function distributionText(result: UserDistributionResult, { width, style }: Speaker): string {
  return result.queries
    .map(({ query, edges, counts, mean, median, note }) => {
      const title = style.bold(`${query.attribute} = ${query.value}`);
      if (note !== null) return `${title}\n${note}`;
      const bars = counts.map((count, bin) => ({
        label: `${edges[bin].toFixed(3)} to ${edges[bin + 1].toFixed(3)}`,
        value: count,
        note: formatCount(count),
      }));
      const summary = `mean ${mean.toFixed(3)}, median ${median.toFixed(3)}, ${formatCount(result.total_users)} users`;
      return `${title}: users by affinity (${summary})\n${barsView(bars, Math.min(width, 100), style)}`;
    })
    .join('\n\n');
}

function listText(result: UserListResult, limit: number, { width, style }: Speaker): string {
  const [{ query, users, count }] = result.queries;
  const table = tableView(
    users.slice(0, limit),
    [
      { title: 'user', of: (user) => user.user_id },
      ...query.conditions.map(({ attribute, value }, index) => ({
        title: `${attribute}=${value}`,
        of: (user: UserListResult['queries'][number]['users'][number]) => user.usages[index].toFixed(4),
        align: 'right' as const,
      })),
      { title: 'known from', of: (user) => user.basis },
    ],
    width,
    style,
  );
  const more = count > limit ? `\n… and ${formatCount(count - limit)} more (--limit, or --out FILE.csv for all)` : '';
  return `${result.message}\n${users.length > 0 ? table : ''}${more}`.trimEnd();
}

/** Parses `genres=Horror`. Numbers and booleans are recognized; quotes keep a value text. */
function parsePair(text: string): AttributeValue {
  const at = text.indexOf('=');
  if (at <= 0) throw new UsageError(`${text} is not of the form attribute=value`);
  const [attribute, value] = [text.slice(0, at), text.slice(at + 1)];
  const quoted = /^(['"])(.*)\1$/.exec(value);
  if (quoted) return { attribute, value: quoted[2] };
  if (value === 'true' || value === 'false') return { attribute, value: value === 'true' };
  return { attribute, value: value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value };
}
