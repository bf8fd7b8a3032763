// Tools that compute: users by taste, and the draft of a placement, which is shown and not saved.
import { type Job, type Kindred, KindredError, type RequestOf } from '../../client/index.ts';
import { chooseServingModel } from '../model-choice.ts';
import { chooseProject } from '../project-choice.ts';
import { firstUsers } from './first-users.ts';
import { type Arguments, type AssistantTool, argumentsOf, limitUpTo, numberOf, PROJECT, textOf } from './tool.ts';

/** Assistants give up after about a minute. */
const WAIT_MS = 45_000;

const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description });

const findAudience: AssistantTool = {
  name: 'find_audience',
  title: 'Find users by taste',
  description:
    'Users whose affinity to attribute values of items is within bounds, highest first, e.g. users who like genre Horror: conditions [{"attribute": "genre", "value": "Horror", "min_affinity": 0.3}]. Users must meet all conditions. It runs a job; if that takes long, call it again with the job_id it returned.',
  input: argumentsOf({
    ...PROJECT,
    conditions: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: {
        type: 'object',
        properties: {
          attribute: { type: 'string', maxLength: 256, description: 'Name of an item attribute.' },
          value: { type: ['string', 'number', 'boolean'], description: 'One of its values.' },
          min_affinity: share('Default: no lower bound.'),
          max_affinity: share('Default: no upper bound.'),
        },
        required: ['attribute', 'value'],
        additionalProperties: false,
      },
    },
    job_id: { type: 'string', maxLength: 128, description: 'A job of an earlier call, instead of conditions.' },
    ...limitUpTo(1000, 50),
  }),
  needs: ['/list-projects', '/get-deployment', '/list-models', '/submit-querying-job', '/get-job'],
  readOnly: false,
  async run(kindred, given, signal) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    const job_id = textOf(given, 'job_id') ?? (await submit(kindred, project_id, given));
    const limit = numberOf(given, 'limit') ?? 50;
    const patience = AbortSignal.timeout(WAIT_MS);
    const both = AbortSignal.any([signal, patience]);
    let isDone = false;
    try {
      const job = await kindred.waitForJob({ project_id, job_id }, { signal: both });
      isDone = true;
      if (!isAudience(job)) throw new Error(`Job ${job_id} is not of find_audience. Send conditions.`);
      const { queries, message } = await firstUsers(kindred, job, { limit, signal: both });
      const [{ count, users }] = queries;
      return { job_id, message, count, users };
    } catch (error) {
      if (!patience.aborted || error instanceof KindredError) throw error;
      const message = isDone ? 'The job is done, but its result took too long to load.' : 'The job is still running.';
      return { job_id, message, next_step: 'Call find_audience again with this job_id.' };
    }
  },
};

function isAudience({ job_data }: Job): boolean {
  return job_data.query_type === 'user_list' && (job_data.queries as unknown[]).length === 1;
}

interface Condition {
  attribute: string;
  value: string | number | boolean;
  min_affinity?: number;
  max_affinity?: number;
}

async function submit(kindred: Kindred, project_id: string, given: Arguments): Promise<string> {
  if (given.conditions === undefined) throw new Error('Send conditions, or the job_id of an earlier call.');
  const conditions = (given.conditions as Condition[]).map(({ attribute, value, min_affinity, max_affinity }) => ({
    attribute,
    value,
    lower_bound: min_affinity,
    upper_bound: max_affinity,
  }));
  const { model_id } = await chooseServingModel(kindred, project_id);
  const queries = [{ conditions }];
  return (await kindred.submitQueryingJob({ project_id, model_id, query_type: 'user_list', queries })).job_id;
}

type Preview = RequestOf<'/preview-placement'>;

const draftPlacement: AssistantTool = {
  name: 'draft_placement',
  title: 'Draft a placement and preview it',
  description:
    'Checks the definition of a placement and returns the list it would give, without saving it: visitors see no change. A definition has kind (for_you, similar, together, next, popular, trending, newest, continue, again, ranking), and optional defaults (limit, filter_query, boosts, pins, diversity, …), rules, fallback and fatigue. Show the draft to a person, who can save it in the console or with kindred placement set.',
  input: argumentsOf(
    {
      ...PROJECT,
      definition: {
        type: 'object',
        properties: { kind: { type: 'string' } },
        required: ['kind'],
        description: 'As in docs/placements.md.',
      },
      user_id: { type: 'string', maxLength: 256, description: 'Preview for this user.' },
      item_ids: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 20,
        description: 'Preview from these items (similar, together, next), or rank them (ranking).',
      },
      ...limitUpTo(100, 10),
    },
    ['definition'],
  ),
  needs: ['/list-projects', '/preview-placement'],
  readOnly: true,
  async run(kindred, given) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    const definition = given.definition as Preview['definition'];
    const preview = await kindred.previewPlacement({
      project_id,
      definition,
      request: {
        user_id: textOf(given, 'user_id'),
        item_ids: given.item_ids as string[] | undefined,
        limit: numberOf(given, 'limit'),
      },
    });
    return { saved: false, definition, preview };
  },
};

export const ASK_TOOLS: readonly AssistantTool[] = [findAudience, draftPlacement];
