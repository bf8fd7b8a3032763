// Routes that record impressions and report the outcomes of lists.

import { type Static, Type } from 'typebox';
import { DAY_MS } from '../../base/durations.ts';
import { plural } from '../../base/plural.ts';
import { MAX_BATCH_RECORDS } from '../../domain/dataset.ts';
import { MAX_LIST_ITEMS } from '../../domain/list-limits.ts';
import { MAX_LIST_AGE_MS, MAX_RECOMMENDATION_ID_LENGTH, type Recommendation } from '../../domain/recommendation.ts';
import { EXPIRED_LIST, FOREIGN_LIST, INVALID_LIST } from '../../domain/record-batch.ts';
import { AppError } from '../../errors.ts';
import { ownLists } from '../../outcomes/own-lists.ts';
import {
  DEFAULT_REPORT_DAYS,
  MAX_REPORT_DAYS,
  placementReport,
  REPORT_SPANS,
} from '../../outcomes/placement-report.ts';
import type { Impression, ImpressionOutcome } from '../../store/outcome-store.ts';
import type { Store } from '../../store/store.ts';
import { refuseLargeBatch } from '../bulk/bulk-bodies.ts';
import { findProject } from '../find-project.ts';
import { type Caller, defineRoute, type Route } from '../route.ts';
import { ClientId, closed, nullable, oneOf, open, ServiceId, TimeMs } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { closedAs, openAs } from '../schemas/named.ts';
import { PlacementName } from '../schemas/placements.ts';
import { EXAMPLE_RECOMMENDATION_ID } from '../schemas/recommend.ts';

export interface OutcomeParts {
  store: Pick<Store, 'accounts' | 'projects' | 'datasets' | 'outcomes'>;
  /** the secret that signs the ids of lists */
  listSecret: string;
}

/** Most items of all impressions in one call: about what fits into the body. */
const MAX_ITEMS = 20_000;
/** Most items per write, because other writes wait for it. */
const MAX_ITEMS_OF_WRITE = 10_000;

const FAILURES = ['INVALID_RECOMMENDATION_ID', 'RECOMMENDATION_EXPIRED'] as const;

const ImpressionFields = closedAs('Impression', {
  recommendation_id: Type.String({
    maxLength: MAX_RECOMMENDATION_ID_LENGTH,
    description: 'The id that the response had.',
  }),
  item_ids: Type.Optional(
    Type.Array(ClientId, {
      maxItems: MAX_LIST_ITEMS,
      description: 'Items that were seen. Left out: the whole list. Assisted events and fatigue need them.',
    }),
  ),
  ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'When, in milliseconds; default now.' })),
  user_id: Type.Optional(
    Type.Unsafe<string>({
      ...ClientId,
      description: 'Who saw it. With it, events that were stored before the impression count as assisted too.',
    }),
  ),
});

const Estimate = openAs('Estimate', { estimate: Type.Number(), low: Type.Number(), high: Type.Number() });
const interval = (description: string) => nullable(Type.Unsafe<Static<typeof Estimate>>({ ...Estimate, description }));

const Effect = openAs('PlacementEffect', {
  clicked: Type.Integer({ description: 'Items with an event, each counted once per list.' }),
  converted: Type.Integer({ description: 'Items with a target event, each counted once per list.' }),
  target_events: Type.Integer(),
  value: Type.Number({ description: 'Sum of event_value of the target events.' }),
  click_rate: interval('clicked as a share of the items that `rates_of` says, with its 95% interval.'),
  target_rate: interval('converted as a share of the items that `rates_of` says, with its 95% interval.'),
  value_per_list: interval('value per list, with its 95% interval.'),
});

const ReportRow = openAs('PlacementReportRow', {
  placement: nullable(Type.String({ description: 'null: calls outside any placement.' })),
  experiment_id: nullable(Type.String()),
  variant: nullable(Type.String()),
  ts: nullable(Type.Integer({ description: 'Start of the hour or day (UTC) in which the lists were made.' })),
  served: Type.Integer({ description: 'Lists that were returned.' }),
  served_items: Type.Integer(),
  shown_lists: Type.Integer({ description: 'Lists with an impression.' }),
  shown: Type.Integer({ description: 'Items with an impression, each counted once per list.' }),
  rates_of: oneOf(['shown', 'served'], {
    description:
      'What rates are shares of: the items shown if at least half of the lists have impressions and no more items were clicked than shown, else the items served.',
  }),
  direct: Type.Unsafe<Record<string, unknown>>({
    ...Effect,
    description: 'From events that carry the recommendation_id.',
  }),
  assisted: Type.Unsafe<Record<string, unknown>>({
    ...Effect,
    description:
      'From events of the same user with an item in the hours after it was shown (`assist_window_hours` of the project), without the recommendation_id. A list counts an item here only if none of its events is direct. An event assists every list that showed the item, so do not add these figures over placements.',
  }),
});

const effectExample = (clicked: number) => ({
  clicked,
  converted: 2,
  target_events: 2,
  value: 59.8,
  click_rate: { estimate: 0.04, low: 0.031, high: 0.051 },
  target_rate: { estimate: 0.002, low: 0.0005, high: 0.007 },
  value_per_list: { estimate: 0.6, low: 0, high: 1.4 },
});
const EXAMPLE_ROW = {
  placement: 'home-page',
  experiment_id: null,
  variant: null,
  ts: 1_762_992_000_000,
  served: 100,
  served_items: 1000,
  shown_lists: 100,
  shown: 1000,
  rates_of: 'shown',
  direct: effectExample(40),
  assisted: effectExample(12),
};

export function outcomeRoutes({ store, listSecret }: OutcomeParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/record-impressions',
      tag: 'Outcomes',
      summary: 'Say which lists were seen',
      description: `Up to ${plural(MAX_BATCH_RECORDS, 'impression')} with ${plural(MAX_ITEMS, 'item')} in all. An item counts once per list, so sending again changes nothing. Works with a browser key for lists of its project. A time ahead of the clock counts as now.`,
      quiet: true,
      audit: 'none',
      role: 'editor',
      bodyClass: 'impressions',
      body: closed({
        impressions: Type.Array(ImpressionFields, {
          minItems: 1,
          description: `Up to ${plural(MAX_BATCH_RECORDS, 'impression')}.`,
        }),
      }),
      response: open({
        recorded: Type.Integer(),
        failures: Type.Array(
          open({
            index: Type.Integer({ description: 'Place of the impression in the request, from 0.' }),
            code: oneOf(FAILURES),
            message: Type.String(),
          }),
        ),
      }),
      errors: ['BATCH_TOO_LARGE', 'OVERLOADED', 'STORE_UNAVAILABLE'],
      examples: {
        request: {
          impressions: [{ recommendation_id: EXAMPLE_RECOMMENDATION_ID, item_ids: ['i7', 'i3'], user_id: 'u42' }],
        },
        response: { recorded: 1, failures: [] },
      },
      async handler({ body: { impressions }, caller, runtime }) {
        refuseLargeBatch(impressions, 'impressions');
        const items = impressions.reduce((sum, { item_ids }) => sum + (item_ids?.length ?? 0), 0);
        if (items > MAX_ITEMS) throw tooManyItems(items);
        const readList = ownLists({ accountId: caller.accountId, secret: listSecret });
        const nowMs = runtime.nowMs();
        const failures: { index: number; code: (typeof FAILURES)[number]; message: string }[] = [];
        const byProject = new Map<string, { index: number; impression: Impression }[]>();
        impressions.forEach(({ recommendation_id, item_ids, ts, user_id }, index) => {
          const list = readList(recommendation_id);
          const problem = problemOf(list, caller, nowMs);
          if (problem !== null || list === null) {
            failures.push({ index, ...(problem ?? UNKNOWN_LIST) });
            return;
          }
          const impression = {
            recommendationId: recommendation_id,
            itemIds: item_ids ?? null,
            userId: user_id ?? null,
            // An impression cannot be older than its list, but clocks of pages may be wrong.
            ts: Math.min(nowMs, Math.max(list.createdMs, ts ?? nowMs)),
          };
          const known = byProject.get(list.projectId);
          if (known) known.push({ index, impression });
          else byProject.set(list.projectId, [{ index, impression }]);
        });
        for (const [projectId, own] of byProject) {
          const outcomes = await record(
            store,
            caller.accountId,
            projectId,
            own.map(({ impression }) => impression),
          );
          outcomes.forEach((outcome, at) => {
            if (outcome === 'foreign') failures.push({ index: own[at].index, ...FOREIGN_LIST });
          });
        }
        failures.sort((a, b) => a.index - b.index);
        return { recorded: impressions.length - failures.length, failures };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-placement-report',
      tag: 'Outcomes',
      summary: 'Read the results of placements',
      description:
        'Lists served and shown, clicks, target events and value by placement, variant and day or hour, with 95% intervals. Everything counts for the time in which the list was made, also when the event comes later. From counters that are kept as events arrive: exact and in milliseconds. Served lists appear within a second or two.',
      query: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the account's default project." }),
        ),
        placement: Type.Optional(
          Type.Unsafe<string>({ ...PlacementName, description: 'Only this placement. Default: all.' }),
        ),
        from_ts: Type.Optional(
          Type.Unsafe<number>({ ...TimeMs, description: `Default: ${DEFAULT_REPORT_DAYS} days before to_ts.` }),
        ),
        to_ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Up to but not including. Default: now.' })),
        by: Type.Optional(
          oneOf(REPORT_SPANS, {
            description: `Rows per day (default), per hour (up to ${MAX_REPORT_DAYS.hour} days) or only totals. Days are UTC.`,
          }),
        ),
      }),
      response: openAs('PlacementReport', {
        project_id: Type.String(),
        target_event_type: Type.String(),
        by: oneOf(REPORT_SPANS),
        from_ts: Type.Integer(),
        to_ts: Type.Integer(),
        rows: Type.Array(ReportRow),
        totals: Type.Array(ReportRow, { description: 'Each placement and variant over the whole time.' }),
      }),
      errors: ['PROJECT_NOT_FOUND', 'STORE_UNAVAILABLE'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, placement: 'home-page' },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          target_event_type: 'purchase',
          by: 'day',
          from_ts: 1_762_992_000_000,
          to_ts: 1_763_078_400_000,
          rows: [EXAMPLE_ROW],
          totals: [{ ...EXAMPLE_ROW, ts: null }],
        },
      },
      async handler({ query: { project_id, placement, from_ts, to_ts, by = 'day' }, caller, runtime }) {
        const project = await findProject(store, caller.accountId, project_id);
        const toMs = to_ts ?? runtime.nowMs();
        const fromMs = from_ts ?? toMs - DEFAULT_REPORT_DAYS * DAY_MS;
        const maxDays = MAX_REPORT_DAYS[by];
        if (fromMs >= toMs) throw invalidSpan('from_ts must be before to_ts.', 'must be before to_ts');
        if (toMs - fromMs > maxDays * DAY_MS) {
          throw invalidSpan(
            `A report by ${by} spans up to ${maxDays} days.`,
            `must be at most ${maxDays} days before to_ts`,
          );
        }
        const report = await placementReport(store.outcomes, project, { placement, fromMs, toMs, by });
        const { target_event_type } = project;
        return { project_id: project.project_id, target_event_type, by, ...report } as never;
      },
    }),
  ];
}

/** An impression without an id is meaningless, so the id is required. */
const UNKNOWN_LIST = {
  ...INVALID_LIST,
  message: 'recommendation_id is not from a response to this account. Send it unchanged.',
};

/** A browser key may only refer to lists of its own project. */
function problemOf(list: Recommendation | null, { onlyProjectId }: Caller, nowMs: number) {
  if (list === null || (onlyProjectId !== undefined && list.projectId !== onlyProjectId)) return UNKNOWN_LIST;
  if (list.createdMs >= nowMs - MAX_LIST_AGE_MS) return null;
  return { code: 'RECOMMENDATION_EXPIRED' as const, message: EXPIRED_LIST.replace('event', 'impression') };
}

async function record(
  store: OutcomeParts['store'],
  accountId: string,
  projectId: string,
  impressions: readonly Impression[],
) {
  const project = await store.projects.get(accountId, projectId);
  const dataset = project && (await store.datasets.get(accountId, 'event', project.event_dataset_id));
  if (!dataset) return impressions.map(() => 'foreign' as const);
  const outcomes: ImpressionOutcome[] = [];
  for (const write of writesOf(impressions)) outcomes.push(...(await store.outcomes.addImpressions(dataset, write)));
  return outcomes;
}

/** Splits impressions into writes, in their order. */
function writesOf(impressions: readonly Impression[]): Impression[][] {
  const writes: Impression[][] = [[]];
  let items = 0;
  for (const impression of impressions) {
    const { length = 0 } = impression.itemIds ?? [];
    items += length;
    if (items > MAX_ITEMS_OF_WRITE) {
      writes.push([]);
      items = length;
    }
    writes.at(-1)!.push(impression);
  }
  return writes;
}

const tooManyItems = (items: number): AppError =>
  new AppError(
    'BATCH_TOO_LARGE',
    `The call has ${plural(items, 'item')}; the limit is ${plural(MAX_ITEMS, 'item')}. Nothing was changed. Split the call.`,
    { errors: [{ pointer: '/impressions', message: `must have at most ${plural(MAX_ITEMS, 'item')} in all` }] },
  );

const invalidSpan = (detail: string, message: string): AppError =>
  new AppError('INVALID_REQUEST', detail, { errors: [{ pointer: '/from_ts', message }] });
