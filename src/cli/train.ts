// `kindred train`: trains a model and shows its quality compared with a popularity list.
import { type Command, InvalidArgumentError } from 'commander';
import type { Algorithm, Kindred, Model } from '../client/index.ts';
import { measureSentence, questionName } from '../domain/figure-text.ts';
import type { ModelFigures } from '../domain/model-figures.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand, type Speaker } from './command.ts';
import { deployModel } from './deploy.ts';
import { followJob } from './follow-job.ts';
import { chooseProject, projectFlag } from './project-choice.ts';
import { tableView } from './table-view.ts';

interface TrainFlags extends CommonFlags {
  project?: string;
  name?: string;
  algorithm?: string;
  parameters?: Record<string, unknown>;
  wait: boolean;
  deploy?: boolean;
}

const EXAMPLES = `  $ kindred train                                   # the only project, all parameters chosen by the service
  $ kindred train --project films --deploy
  $ kindred train --project films --parameters '{"seed": 7}'
  $ kindred train --project films --no-wait --json  # prints the job_id`;

export function registerTrain(program: Command): void {
  const command = program
    .command('train')
    .description('train a model from the data of a project')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--name <name>', 'name of the job and its model')
    .option(
      '--algorithm <id>',
      'an algorithm of the project (default: its newest with the same parameters, or a new one)',
    )
    .option('--parameters <json>', "G1's parameters; what is left out is chosen by the service", parseObject)
    .option('--deploy', 'deploy the model after training')
    .option('--no-wait', 'print the job and do not wait for it');
  addCommonOptions(command, EXAMPLES).action((flags: TrainFlags) => runCommand(flags, train));
}

async function train({ flags, kindred: connect, speaker, signal }: CommandContext<TrainFlags>): Promise<void> {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const project_id = project.project_id;
  const algorithm_id =
    flags.algorithm ?? (await algorithmFor(kindred, project_id, flags.parameters ?? {})).algorithm_id;
  const { job_id } = await kindred.submitTrainingJob({ project_id, algorithm_id, name: flags.name });
  if (!flags.wait) {
    speaker.result(
      { project_id, job_id },
      () => `Submitted ${job_id}. Follow it with: kindred jobs ${job_id} --follow`,
    );
    return;
  }
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Training', speaker, signal });
  const model = await kindred.getModel({ project_id, model_id: String(job.job_result?.model_id) });
  if (flags.deploy) await deployModel(kindred, { project_id, generator_model_id: model.model_id }, { speaker, signal });
  const next = `kindred ${flags.deploy ? 'recommend USER' : 'deploy'}${projectFlag(flags.project)}`;
  const message = job.job_result?.message;
  const text = () => [modelText(model, speaker), ...(message ? [`\n${message}`] : []), `\nNext: ${next}`].join('\n');
  speaker.result({ project_id, job_id, model }, text);
}

/** Reuses the newest algorithm with exactly these parameters, so that training again does not add algorithms. */
async function algorithmFor(
  kindred: Kindred,
  project_id: string,
  parameters: Record<string, unknown>,
): Promise<Algorithm> {
  const wanted = stableJson(parameters);
  for await (const algorithm of kindred.iterateAlgorithms({ project_id })) {
    if (stableJson(algorithm.algorithm_parameters) === wanted) return algorithm;
  }
  const name = wanted === '{}' ? 'G1, all parameters automatic' : 'G1';
  return kindred.createAlgorithm({ project_id, name, algorithm_type: 'G1', algorithm_parameters: parameters });
}

export function modelText(model: Model, { width, style }: Pick<Speaker, 'width' | 'style'>): string {
  const head = `Model ${style.bold(model.name)} (${model.model_id})${model.deployed ? ', deployed' : ''}`;
  if (!model.metrics) return `${head}\nNo metrics: there were too few events to measure quality.`;
  const { model: own, popularity, cutoff, users } = model.metrics;
  const rows = (['recall', 'ndcg', 'mrr', 'coverage'] as const).map((metric) => ({
    metric: `${metric}@${cutoff}`,
    own: own[metric],
    popularity: popularity[metric],
  }));
  const table = tableView(
    rows,
    [
      { title: `on ${users.toLocaleString('en-US')} users' newest events`, of: (row) => row.metric },
      { title: 'model', of: (row) => row.own.toFixed(4), align: 'right' },
      { title: 'popularity', of: (row) => row.popularity.toFixed(4), align: 'right' },
      {
        title: '',
        of: (row) => (row.popularity > 0 ? `× ${(row.own / row.popularity).toFixed(1)}` : ''),
        align: 'right',
      },
    ],
    width,
    style,
  );
  const { by_question: measures = [] } = model.metrics as ModelFigures;
  const sentences = measures.map((measure) => `  ${questionName(measure)}: ${measureSentence(measure, cutoff)}`);
  const relations = relationLines(model.metrics as ModelFigures);
  return [head, table, ...sentences, ...relations].join('\n');
}

function relationLines({ relations = {} }: ModelFigures): string[] {
  return Object.entries(relations).map(([name, { ndcg, cosine, popularity, questions }]) => {
    const plain = `cosine ${cosine.ndcg.toFixed(4)}, popularity ${popularity.ndcg.toFixed(4)}`;
    return `  ${name} items: ndcg@10 ${ndcg.toFixed(4)} (${plain}), ${questions.toLocaleString('en-US')} questions`;
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The message below covers this case too.
  }
  throw new InvalidArgumentError('It must be a JSON object, e.g. \'{"seed": 7}\'.');
}

function stableJson(value: Record<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}
