// Tools that read: projects, data health, items, placements, reports, and why something was recommended.
import { DAY_MS } from '../../base/durations.ts';
import { chooseProject } from '../project-choice.ts';
import { type AssistantTool, argumentsOf, limitUpTo, numberOf, PROJECT, textOf } from './tool.ts';

const Id = (description: string) => ({ type: 'string', minLength: 1, maxLength: 256, description });

const listProjects: AssistantTool = {
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists the projects of the account with their ids, names and datasets. Use it first if you do not know the project.',
  input: argumentsOf({}),
  needs: ['/list-projects'],
  readOnly: true,
  run: (kindred) => kindred.listProjects({ page_size: 100 }),
};

const dataHealth: AssistantTool = {
  name: 'get_data_health',
  title: 'Check the data of a project',
  description:
    'What is stored (users, items, events by type and hour), how fresh data and model are, and faults of the data with their cost and fix. `report` is null if the data has not been checked yet.',
  input: argumentsOf(PROJECT),
  needs: ['/list-projects', '/get-data-health', '/get-project-status'],
  readOnly: true,
  async run(kindred, given) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    const [status, health] = await Promise.all([
      kindred.getProjectStatus({ project_id }),
      kindred.getDataHealth({ project_id }),
    ]);
    return { status, report: health.report, running_job_id: health.running_job_id };
  },
};

const listItems: AssistantTool = {
  name: 'list_items',
  title: 'Find items',
  description: 'Items of the catalog with their attributes, newest first, or those that contain a text.',
  input: argumentsOf({ ...PROJECT, search: Id('Text in the id or an attribute.'), ...limitUpTo(100, 20) }),
  needs: ['/list-projects', '/list-dataset-records'],
  readOnly: true,
  async run(kindred, given) {
    const { item_dataset_id } = await chooseProject(kindred, textOf(given, 'project'));
    return kindred.listDatasetRecords({
      item_dataset_id,
      search: textOf(given, 'search'),
      page_size: numberOf(given, 'limit') ?? 20,
    });
  },
};

const explain: AssistantTool = {
  name: 'explain_recommendations',
  title: 'Explain recommendations for a user',
  description:
    'The list a user gets now, with the score of each item and the reasons: earlier items of the user and attributes that led to it. With item_id it says where that item is in the list, or that it is not among the first `limit`.',
  input: argumentsOf(
    {
      ...PROJECT,
      user_id: Id('The user.'),
      item_id: Id('The item in question.'),
      filter_query: { type: 'string', maxLength: 4096, description: "Only items that meet it, e.g. genre = 'Drama'." },
      attributes: { type: 'array', items: { type: 'string' }, maxItems: 20, description: 'Item attributes to return.' },
      ...limitUpTo(200, 10),
    },
    ['user_id'],
  ),
  needs: ['/list-projects', '/recommend-items-to-user'],
  readOnly: true,
  async run(kindred, given) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    const itemId = textOf(given, 'item_id');
    const limit = numberOf(given, 'limit') ?? (itemId === undefined ? 10 : 200);
    const list = await kindred.recommendItemsToUser({
      project_id,
      user_id: textOf(given, 'user_id'),
      filter_query: textOf(given, 'filter_query'),
      attributes: given.attributes as string[] | undefined,
      explain: true,
      limit,
    });
    if (itemId === undefined) return list;
    const index = list.results.findIndex(({ item }) => item.item_id === itemId);
    const { results, ...head } = list;
    if (index >= 0) return { ...head, position: index + 1, result: results[index] };
    return { ...head, position: null, note: `${itemId} is not among the first ${limit} items of this user.` };
  },
};

const listPlacements: AssistantTool = {
  name: 'list_placements',
  title: 'List placements',
  description: 'The named lists of a project: kind, defaults, rules, version, and who changed them last.',
  input: argumentsOf(PROJECT),
  needs: ['/list-projects', '/list-placements'],
  readOnly: true,
  async run(kindred, given) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    return kindred.listPlacements({ project_id, page_size: 100 });
  },
};

const report: AssistantTool = {
  name: 'get_placement_report',
  title: 'Results of recommendations',
  description:
    'Lists served and shown, clicks, target events and value by placement, with 95% intervals. `direct` is from events that name the list, `assisted` from events in the hours after it (assist_window_hours of the project).',
  input: argumentsOf({
    ...PROJECT,
    placement: Id('Only this placement.'),
    days: { type: 'integer', minimum: 1, maximum: 400, description: 'The last days. Default 30.' },
    by: { type: 'string', enum: ['total', 'day'], description: 'Totals (default), or rows per day.' },
  }),
  needs: ['/list-projects', '/get-placement-report'],
  readOnly: true,
  async run(kindred, given) {
    const { project_id } = await chooseProject(kindred, textOf(given, 'project'));
    const to_ts = Date.now();
    return kindred.getPlacementReport({
      project_id,
      placement: textOf(given, 'placement'),
      by: textOf(given, 'by') === 'day' ? 'day' : 'total',
      from_ts: to_ts - (numberOf(given, 'days') ?? 30) * DAY_MS,
      to_ts,
    });
  },
};

export const READ_TOOLS: readonly AssistantTool[] = [
  listProjects,
  dataHealth,
  listItems,
  explain,
  listPlacements,
  report,
];
