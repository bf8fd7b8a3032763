// A project whose lists, impressions and events a test of outcomes makes: call it inside `describe`.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import type { Project } from '../../src/domain/project.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import type { OutcomeFigures } from '../../src/store/outcome-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeAccount, makeEvent, makeProject } from './store-fixtures.ts';
import { type Dialect, openTestStore } from './test-database.ts';

export const NOW = Date.now();
export const MINUTE_MS = 60_000;
const ids = new RecommendationIds('a secret');

const sumOf = (rows: OutcomeFigures[], figure: keyof OutcomeFigures) => rows.reduce((sum, row) => sum + row[figure], 0);

export function outcomeStage(dialect: Dialect) {
  let close: () => Promise<void>;
  let store: Store;
  let project: Project;
  let dataset: Dataset;

  before(async () => {
    ({ store, close } = await openTestStore(dialect));
  });
  after(() => close());

  async function start(): Promise<void> {
    project = await makeProject(store, await makeAccount(store));
    dataset = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  }

  const LIST = { user: 'u' as string | null, placement: 'home', items: 3, createdMs: NOW, variant: '' };
  function list(change: Partial<typeof LIST> = {}): string {
    const { user, placement, items, createdMs, variant } = { ...LIST, ...change };
    const { account_id: accountId, project_id: projectId } = project;
    const experiment = variant ? { variant, experimentId: 'exp_1' } : { variant: null };
    return ids.make(
      { accountId, projectId, modelId: null, placement, ...experiment },
      { items, userId: user },
      createdMs,
    );
  }
  const event = (event_id: string, change: Partial<EventRecord> = {}) =>
    makeEvent({ event_id, user_id: 'u', item_id: 'i1', ts: NOW + MINUTE_MS, ...change });
  const shown = (
    recommendationId: string,
    itemIds: string[] | null,
    change: { userId?: string; ts?: number } = {},
  ) => ({
    recommendationId,
    itemIds,
    ts: NOW,
    userId: null,
    ...change,
  });
  async function totals(placement?: string): Promise<OutcomeFigures> {
    const query = { projectId: project.project_id, placement, fromHour: 0, toHour: 10_000_000 };
    const [rows, days] = [await store.outcomes.counts(query), await store.outcomes.counts({ ...query, by: 'day' })];
    for (const name of ['clicked', 'shown', 'targets'] as const) assert.equal(sumOf(days, name), sumOf(rows, name));
    const sum: Record<string, number> = {};
    for (const { placement: _, experiment_id, variant, hour, ...figures } of rows) {
      for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value;
    }
    return sum as unknown as OutcomeFigures;
  }
  const direct = async (placement?: string) => {
    const { clicked, converted, targets, value } = await totals(placement);
    return [clicked, converted, targets, value];
  };
  const assisted = async (placement?: string) => {
    const { assisted_clicked, assisted_converted, assisted_targets, assisted_value } = await totals(placement);
    return [assisted_clicked, assisted_converted, assisted_targets, assisted_value];
  };

  return {
    /** Makes a new project. */
    start,
    list,
    event,
    shown,
    totals,
    direct,
    assisted,
    get store() {
      return store;
    },
    get project() {
      return project;
    },
    get dataset() {
      return dataset;
    },
  };
}
