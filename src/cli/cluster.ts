// `kindred cluster`: groups of users with similar taste, described in words.
import type { Command } from 'commander';
import type { ClusteringResult } from '../client/index.ts';
import {
  addCommonOptions,
  type CommandContext,
  type CommonFlags,
  runCommand,
  type Speaker,
  wholeNumber,
} from './command.ts';
import { followJob } from './follow-job.ts';
import { chooseServingModel } from './model-choice.ts';
import { chooseProject } from './project-choice.ts';
import { findPlace } from './result-place.ts';
import { formatOfFile, saveResult, sayWhereSaved } from './save-result.ts';
import { formatCount } from './style.ts';
import { tableView } from './table-view.ts';

interface ClusterFlags extends CommonFlags {
  project?: string;
  model?: string;
  name?: string;
  minUsers?: number;
  clusters?: number;
  seed?: number;
  out?: string;
}

const EXAMPLES = `  $ kindred cluster                                # automatic number of groups
  $ kindred cluster --clusters 8 --min-users 50
  $ kindred cluster --out groups.csv               # every user and its group; .svg is a map, .json all`;

export function registerCluster(program: Command): void {
  const command = program
    .command('cluster')
    .description('find groups of users with similar taste')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'the model to use (default: the deployed one)')
    .option('--name <name>', 'name of the job')
    .option('--min-users <n>', 'drop groups with fewer users', wholeNumber('--min-users', 1, 1_000_000_000))
    .option('--clusters <n>', 'number of groups (default: automatic)', wholeNumber('--clusters', 1, 500))
    .option('--seed <n>', 'the same seed and data give the same groups', wholeNumber('--seed', 0, 2 ** 31 - 1))
    .option('--out <file>', 'write the whole result to a file: .json, .csv or .svg');
  addCommonOptions(command, EXAMPLES).action((flags: ClusterFlags) => runCommand(flags, cluster));
}

async function cluster({ flags, kindred: connect, speaker, signal }: CommandContext<ClusterFlags>): Promise<void> {
  const format = flags.out === undefined ? undefined : formatOfFile(flags.out);
  const place = flags.out === undefined ? undefined : await findPlace(flags.out);
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const { model_id } = await chooseServingModel(kindred, project_id, flags.model);
  const { job_id } = await kindred.submitClusteringJob({
    project_id,
    name: flags.name,
    model_id,
    cluster_type: 'user',
    parameters: { min_user_num: flags.minUsers, num_clusters: flags.clusters, seed: flags.seed },
  });
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Clustering', speaker, signal });
  if (place !== undefined) {
    await saveResult(kindred, job, { place, format, signal });
    sayWhereSaved(speaker, job, place.path);
    return;
  }
  const result = await kindred.downloadResult<ClusteringResult>(job);
  speaker.result(result, () => groupsText(result, speaker));
}

function groupsText(result: ClusteringResult, { width, style }: Speaker): string {
  const table = tableView(
    result.groups,
    [
      { title: '#', of: (group) => group.group_id, align: 'right' },
      { title: 'users', of: (group) => formatCount(group.size), align: 'right' },
      { title: 'share', of: (group) => `${(group.share * 100).toFixed(1)}%`, align: 'right' },
      { title: 'group', of: (group) => group.label },
      { title: 'likes most', of: (group) => group.top_items.slice(0, 3).map(({ name, item_id }) => name ?? item_id) },
    ],
    width,
    style,
  );
  return `${result.message}\n${result.groups.length > 0 ? table : ''}`.trimEnd();
}
