// Events with and without the ids of lists into datasets of their own, turn by turn. Shares and bars: bench/outcomes.ts.
import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../src/base/durations.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import type { ServiceProcess } from '../../test/support/service.ts';
import { eventStream } from '../event-stream.ts';

const BATCH = 1000;
const CONNECTIONS = 4;
const EVENTS_PER_LIST = 2;

export interface Lane {
  readonly name: string;
  /** of the events that carry an id */
  readonly share: number;
  /** whether items were shown to users before: then every event is looked up */
  readonly hasImpressions: boolean;
}

/** A round of a lane. */
export interface LaneRound {
  readonly perSec: number;
  /** processor time of one event, of the service and its database */
  readonly cpuUs: number;
}

/** The rounds of each lane: the n-th of all lanes are next to each other in time. `cpuSec`: what service and database have used so far. */
export async function measureLanes(
  service: ServiceProcess,
  secret: string,
  lanes: readonly Lane[],
  { rounds, events, cpuSec }: { rounds: number; events: number; cpuSec(): Promise<number> },
): Promise<LaneRound[][]> {
  const ids = new RecommendationIds(secret);
  const { account_id: accountId } = await service.ok('GET', '/get-account');
  const targets = [];
  for (const lane of lanes) {
    const { project_id: projectId, event_dataset_id } = await createProject(service);
    const origin = { accountId, projectId, modelId: null, placement: 'home', variant: null };
    const listFor = (userId: string) => ids.make(origin, { items: 10, userId }, Date.now() - HOUR_MS);
    if (lane.hasImpressions) await showSome(service, listFor, events);
    targets.push({ lane, listFor, event_dataset_id, rounds: [] as LaneRound[] });
  }
  // The first round is for the engine to compile what is hot.
  for (let round = 0; round <= rounds; round++) {
    // Each is first as often as the others: what one leaves to be written is written while the next is measured.
    const first = round % targets.length;
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      const bodies = makeBodies(target, events, round);
      const cpuSecBefore = await cpuSec();
      const startedMs = performance.now();
      await send(service, bodies);
      const perSec = (1000 * events) / (performance.now() - startedMs);
      const cpuUs = (((await cpuSec()) - cpuSecBefore) * 1e6) / events;
      if (round > 0) target.rounds.push({ perSec, cpuUs });
    }
  }
  return targets.map((target) => target.rounds);
}

async function createProject(service: ServiceProcess) {
  const datasets: Record<string, string> = {};
  for (const kind of ['user', 'item', 'event']) {
    const field = `${kind}_dataset_id`;
    datasets[field] = (await service.ok('POST', `/create-${kind}-dataset`, { name: randomUUID(), num_shards: 20 }))[
      field
    ];
  }
  const about = { name: 'bench', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'purchase' };
  const { project_id } = await service.ok('POST', '/create-project', { ...about, ...datasets });
  return { project_id: project_id as string, event_dataset_id: datasets.event_dataset_id };
}

async function showSome(service: ServiceProcess, listFor: (user: string) => string, events: number): Promise<void> {
  const make = eventStream(events, { seed: 9 });
  const seen = Array.from({ length: events / 5 }, (_, index) => make(index));
  for (let from = 0; from < seen.length; from += BATCH) {
    const impressions = seen.slice(from, from + BATCH).map(({ user_id, item_id }) => ({
      recommendation_id: listFor(user_id),
      item_ids: [item_id],
      ts: Date.now() - HOUR_MS,
    }));
    await service.ok('POST', '/record-impressions', { impressions });
  }
}

interface Target {
  readonly lane: Lane;
  readonly event_dataset_id: string;
  listFor(userId: string): string;
}

function makeBodies({ lane, event_dataset_id, listFor }: Target, events: number, round: number): string[] {
  // Of the last minutes, as live events are.
  const make = eventStream(events, { seed: 1 + round, startMs: Date.now() - HOUR_MS });
  const every = lane.share === 0 ? Number.POSITIVE_INFINITY : 1 / lane.share;
  let list = '';
  let tagged = 0;
  const bodies: string[] = [];
  for (let from = 0; from < events; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, n) => {
      const event = make(from + n);
      const ts = Date.now() - HOUR_MS + ((from + n) % 3_000_000);
      const sent = { ...event, ts, event_id: `${round}:${event.event_id}` };
      if ((from + n) % every !== 0) return sent;
      if (tagged++ % EVENTS_PER_LIST === 0) list = listFor(event.user_id);
      return { ...sent, recommendation_id: list };
    });
    bodies.push(JSON.stringify({ event_dataset_id, events: batch }));
  }
  return bodies.reverse();
}

async function send(service: ServiceProcess, bodies: string[]): Promise<void> {
  const headers = {
    authorization: `Bearer ${await service.token()}`,
    apikey: service.credentials.api_key,
    'content-type': 'application/json',
  };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) {
        const response = await fetch(`${service.baseUrl}/upsert-dataset-events`, { method: 'POST', headers, body });
        const { failed_ids } = (await response.json()) as { failed_ids?: string[] };
        if (response.status !== 200 || failed_ids?.length !== 0) throw new Error(`the response was ${response.status}`);
      }
    }),
  );
}
