// `kindred demo`: the whole flow on a made-up film catalog, in a service of its own on a temporary folder.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type BulkOptions,
  type BulkResult,
  Kindred,
  type Project,
  type UserDistributionResult,
} from '../client/index.ts';
import { posterName } from '../sample/film-poster.ts';
import { type FilmSample, filmSample, SAMPLE_SIZES, SAMPLE_TARGET_EVENT } from '../sample/film-sample.ts';
import { POSTER_PATH, SHOP_PATH } from '../sample/film-shop.ts';
import { writePrivately } from '../store/private-files.ts';
import { type CommonFlags, runCommand, type Speaker } from './command.ts';
import { startDemoService } from './demo-service.ts';
import { openShop } from './demo-shop.ts';
import { readTastes, type Tastes } from './demo-tastes.ts';
import { deployModel } from './deploy.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { progressView } from './progress-view.ts';
import { distributionText } from './query.ts';
import { formatCount, formatSeconds } from './style.ts';
import { tableView } from './table-view.ts';
import { modelText } from './train.ts';

interface DemoFlags extends CommonFlags {
  size: keyof typeof SAMPLE_SIZES;
  keep?: string;
  serve: boolean;
}

const EXAMPLES = `
Examples:
  $ kindred demo
  $ kindred demo --keep ./data      # keep the data for "kindred serve" and other commands
  $ kindred demo --size full        # 300,000 events
  $ KINDRED_PORT=9000 kindred demo  # at this port instead of any free one`;

const SHOWN_VIEWERS = 3;
const SHOWN_FILMS = 5;
/** Viewers to choose from on the shop page. */
const SHOP_VIEWERS = 8;
const ASKED_GENRE = 'Horror';
const DEMO_AUTOMATION = { retrain: { every_hours: 24, after_new_events: 1000 } };

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('see Kindred work in about a minute: sample films, training, recommendations and a histogram')
    .addOption(new Option('--size <size>', 'how much sample data').choices(Object.keys(SAMPLE_SIZES)).default('demo'))
    .option('--keep <folder>', 'keep the data in this folder instead of a temporary one')
    .option('--serve', 'keep serving, with the console, until Ctrl-C (default on a terminal)', process.stdout.isTTY)
    .option('--no-serve', 'exit when done')
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES_HELP}`)
    .action((flags: DemoFlags) => runCommand(flags, ({ speaker, signal }) => demo(flags, speaker, signal)));
}

async function demo(flags: DemoFlags, speaker: Speaker, signal: AbortSignal): Promise<void> {
  writePrivately();
  const dataDir = flags.keep === undefined ? await mkdtemp(join(tmpdir(), 'kindred-demo-')) : resolve(flags.keep);
  try {
    await demoIn(dataDir, { flags, speaker, signal });
  } catch (error) {
    // If the user aborted, the jobs end with the service of the demo, so no hint about them is needed.
    signal.throwIfAborted();
    throw error;
  } finally {
    if (flags.keep === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

async function demoIn(
  dataDir: string,
  { flags, speaker, signal }: { flags: DemoFlags; speaker: Speaker; signal: AbortSignal },
): Promise<void> {
  const startedMs = Date.now();
  const service = await startDemoService(dataDir, { port: process.env.KINDRED_PORT, speaker });
  try {
    speaker.say(speaker.style.dim(`A demo service runs at ${service.baseUrl} with its data in ${dataDir}.\n`));
    const kindred = await connectTo(dataDir, service.baseUrl);
    const size = SAMPLE_SIZES[flags.size];
    const sample = filmSample({ ...size, seed: 1 });

    speaker.say(speaker.style.bold('1. Users, items and events'));
    const project = await importSample(sample, size, { kindred, speaker, signal });

    speaker.say(speaker.style.bold('\n2. Training and deployment'));
    const { project_id } = project;
    const { algorithm_id } = await kindred.createAlgorithm({ project_id, name: 'automatic', algorithm_type: 'G1' });
    const { job_id } = await kindred.submitTrainingJob({ project_id, algorithm_id, name: 'films' });
    const trained = await followJob(kindred, { project_id, job_id }, { label: 'Training', speaker, signal });
    const model_id = String(trained.job_result?.model_id);
    await deployModel(kindred, { project_id, generator_model_id: model_id, name: 'first' }, { speaker, signal });
    speaker.say(modelText(await kindred.getModel({ project_id, model_id }), speaker));

    speaker.say(
      speaker.style.bold(
        '\n3. Recommendations next to what each viewer watched last: new films, films to continue, films to watch again',
      ),
    );
    const tastes = readTastes(sample);
    await showViewers(kindred, project, tastes, speaker);

    speaker.say(speaker.style.bold(`\n4. How popular is ${ASKED_GENRE}? (share of what each viewer would watch next)`));
    const query = { attribute: 'genres', value: ASKED_GENRE, bins: 10 };
    const request = { project_id, model_id, query_type: 'user_distribution' as const, queries: [query] };
    const asked = await kindred.submitQueryingJob(request);
    const responded = await followJob(
      kindred,
      { project_id, job_id: asked.job_id },
      { label: 'Query', speaker, signal },
    );
    speaker.say(distributionText(await kindred.downloadResult<UserDistributionResult>(responded), speaker));

    const viewers = tastes.clear
      .slice(0, SHOP_VIEWERS)
      .map(({ user_id, genre }) => ({ user_id, label: `Likes ${genre}` }));
    await openShop(kindred, { baseUrl: service.baseUrl, dataDir, projectId: project_id, viewers });

    speaker.say(`\nThe demo took ${formatSeconds(Date.now() - startedMs)}.\n${nextSteps(flags, service)}`);
    if (flags.serve && !signal.aborted) await once(signal, 'abort');
  } finally {
    await service.stop();
  }
}

async function connectTo(dataDir: string, baseUrl: string): Promise<Kindred> {
  const { api_key, client_secret } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  return new Kindred({ baseUrl, apiKey: api_key, clientSecret: client_secret });
}

async function importSample(
  sample: FilmSample,
  size: { users: number; items: number; events: number },
  { kindred, speaker, signal }: { kindred: Kindred; speaker: Speaker; signal: AbortSignal },
): Promise<Project> {
  const { user_dataset_id } = await kindred.createUserDataset({ name: 'viewers' });
  const { item_dataset_id } = await kindred.createItemDataset({ name: 'films' });
  const { event_dataset_id } = await kindred.createEventDataset({ name: 'views and watches' });
  const bulk = async <Record>(
    label: string,
    expected: number,
    work: (options: BulkOptions<Record>) => Promise<BulkResult<Record>>,
  ): Promise<void> => {
    const view = progressView(label, process.stderr, speaker.json);
    const onProgress = ({ submitted }: { submitted: number }) =>
      view.update(submitted / expected, formatCount(submitted));
    const { succeeded, elapsedMs } = await work({ signal, onProgress });
    view.end(1, `${formatCount(succeeded)} in ${formatSeconds(elapsedMs)}`);
  };
  await bulk('viewers', size.users, (options) => kindred.bulkUpsertUsers(user_dataset_id, sample.users(), options));
  await bulk('films', size.items, (options) => kindred.bulkUpsertItems(item_dataset_id, withPosters(sample), options));
  await bulk('events', size.events, (options) => kindred.bulkUpsertEvents(event_dataset_id, sample.events(), options));
  return kindred.createProject({
    name: 'films',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
    target_event_type: SAMPLE_TARGET_EVENT,
    automation: DEMO_AUTOMATION,
  });
}

function* withPosters(sample: FilmSample) {
  let index = 0;
  for (const { item_id, attributes } of sample.items()) {
    const image = `${POSTER_PATH}${posterName(attributes.genres[0], index++)}`;
    yield { item_id, attributes: { ...attributes, image } };
  }
}

/** Viewers with clearly different taste, and one without history. */
async function showViewers(kindred: Kindred, project: Project, tastes: Tastes, speaker: Speaker): Promise<void> {
  const { films, clear, newcomer } = tastes;
  const shown = clear.slice(0, SHOWN_VIEWERS).map(({ user_id, watched }): [string, string[]] => [user_id, watched]);
  if (newcomer !== undefined) shown.push([newcomer, []]);
  const nameOf = (itemId: string | undefined) => (itemId ? films.get(itemId)?.attributes.name : '');
  const genresOf = (itemId: string | undefined) => (itemId ? films.get(itemId)?.attributes.genres : '');
  for (const [user_id, history] of shown) {
    const listFor = async (objective: 'discover' | 'continue' | 'again'): Promise<string[]> => {
      const { results } = await kindred.recommendItemsToUser(
        { user_id, objective, limit: SHOWN_FILMS },
        { servingUri: project.serving_uri },
      );
      // Items that only fill up a list are not shown.
      return results.filter(({ filled }) => !filled).map(({ item }) => item.item_id);
    };
    const lists = {
      forYou: await listFor('discover'),
      continue: await listFor('continue'),
      again: await listFor('again'),
    };
    const table = tableView(
      Array.from({ length: SHOWN_FILMS }, (_, row) => row),
      [
        { title: history.length > 0 ? 'watched last' : 'no history yet', of: (row) => nameOf(history[row]) },
        { title: '', of: (row) => genresOf(history[row]) },
        { title: '→', of: () => '→' },
        { title: 'For you', of: (row) => nameOf(lists.forYou[row]) },
        { title: '', of: (row) => genresOf(lists.forYou[row]) },
        { title: 'Continue', of: (row) => nameOf(lists.continue[row]) },
        { title: 'Again', of: (row) => nameOf(lists.again[row]) },
      ],
      speaker.width,
      speaker.style,
    );
    speaker.say(`${speaker.style.accent(user_id)}\n${table}\n`);
  }
}

function nextSteps(flags: DemoFlags, { baseUrl, greeting }: { baseUrl: string; greeting: readonly string[] }): string {
  const own = `With your own data:
  npx kindred serve                                        # the service and its console
  npx kindred import users.csv items.csv events.csv --project shop --target-event purchase
  npx kindred train --deploy && npx kindred recommend USER
The same from TypeScript: import { Kindred } from 'kindred/client'. Documentation: docs/getting-started.md`;
  if (!flags.serve) return own;
  const end = flags.keep === undefined ? 'Ctrl-C stops the service and deletes its data.' : 'Ctrl-C stops the service.';
  return `${own}

Still running, with the sample data:
${greeting.map((line) => `  ${line}`).join('\n')}
A small film shop made of placements, in which every click changes the lists:
  ${baseUrl}${SHOP_PATH}
${end}`;
}
