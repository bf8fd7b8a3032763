// `kindred recommend-all --out FILE`: the lists of many users, made by a job and saved as a file.
import { type Command, Option } from 'commander';
import { MAX_LIST_ITEMS } from '../domain/list-limits.ts';
import { OBJECTIVES, type Objective } from '../domain/objective.ts';
import { DEFAULT_JOB_LIST, LIST_FORMATS } from '../domain/recommendation-job.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand, wholeNumber } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import {
  addChoiceOptions,
  addContextOption,
  addSeenOptions,
  type ChoiceFlags,
  choiceFields,
  type SeenFlags,
  seenFields,
} from './list-options.ts';
import { chooseModel } from './model-choice.ts';
import type { NameValues } from './name-values.ts';
import { chooseProject } from './project-choice.ts';
import { findPlace } from './result-place.ts';
import { listOf } from './results-table.ts';
import { saveResult, sayWhereSaved } from './save-result.ts';

interface RecommendAllFlags extends CommonFlags, ChoiceFlags, SeenFlags {
  project?: string;
  model?: string;
  name?: string;
  placement?: string;
  users?: string[];
  job?: string;
  limit?: number;
  objective?: Objective;
  context?: NameValues;
  attributes?: string[];
  out?: string;
  to?: string;
}

const EXAMPLES = `  $ kindred recommend-all --out lists.jsonl
  $ kindred recommend-all --out mails.csv --limit 5 --attributes name,price --filter "price < 50"
  $ kindred recommend-all --users viewer-00001,viewer-00002 --objective discover --out two.csv
  $ kindred recommend-all --out spread.csv --boost "2:price < 5" --max-per genres=2
  $ kindred recommend-all --placement home --out home.parquet
  $ kindred recommend-all --job job_… --out horror-fans.csv     # users of: kindred query genres=Horror --list`;

export function registerRecommendAll(program: Command): void {
  const command = program
    .command('recommend-all')
    .description('recommend items to all users, or many, and save the lists as a file')
    .option('--out <file>', `where to save the lists: ${LIST_FORMATS.map((format) => `.${format}`).join(', ')}`)
    .addOption(
      new Option('--to <address>', 'have the service write them to s3://bucket/prefix/name instead').conflicts('out'),
    )
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'the model to use (default: the deployed one)')
    .option('--name <name>', 'name of the job')
    .option('--placement <name>', 'the placement that makes the lists')
    .addOption(new Option('--users <user ids>', 'only these users, separated by commas').argParser(listOf))
    .addOption(new Option('--job <id>', 'only the users of this finished user_list query').conflicts('users'))
    .option(
      '--limit <n>',
      `items per user (default: ${DEFAULT_JOB_LIST}, or as the placement says)`,
      wholeNumber('--limit', 1, MAX_LIST_ITEMS),
    )
    .addOption(
      new Option('--objective <name>', 'what the lists are for (default: auto, the model decides)').choices(OBJECTIVES),
    )
    .option('--attributes <names>', 'item attributes to include, separated by commas', listOf);
  addChoiceOptions(addSeenOptions(addContextOption(command)));
  addCommonOptions(command, EXAMPLES).action((flags: RecommendAllFlags) => runCommand(flags, recommendAll));
}

async function recommendAll({ flags, kindred: connect, speaker, signal }: CommandContext<RecommendAllFlags>) {
  const given = flags.out ?? flags.to;
  if (given === undefined) throw new UsageError('give --out with a file, or --to with an s3:// address');
  const format = LIST_FORMATS.find((known) => given.toLowerCase().endsWith(`.${known}`));
  if (!format) throw new UsageError(`${given} must end with ${LIST_FORMATS.map((known) => `.${known}`).join(' or ')}`);
  const place = flags.out === undefined ? undefined : await findPlace(flags.out);
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const model = flags.model === undefined ? undefined : await chooseModel(kindred, project_id, flags.model);
  const { job_id } = await kindred.submitRecommendationJob({
    project_id,
    name: flags.name,
    model_id: model?.model_id,
    limit: flags.limit,
    objective: flags.objective,
    format,
    placement: flags.placement,
    destination: flags.to,
    users: flags.users ? { user_ids: flags.users } : flags.job ? { job_id: flags.job } : { all: true },
    ...choiceFields(flags),
    attributes: flags.attributes,
    context: flags.context,
    ...seenFields(flags),
  });
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Recommend', speaker, signal });
  if (place) await saveResult(kindred, job, { place, signal });
  sayWhereSaved(speaker, job, given);
}
