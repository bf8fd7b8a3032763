// The simulated shop on a real service: shoppers call a placement, see a part of the list, click and buy by the click model, and
// what they do reaches the service as it does from real pages: twice, late, out of order, through any node, and again after a
// node was killed. The ledger knows what truly happened.
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, seededRandom } from '../../../src/base/seeded-random.ts';
import type { ShownItems } from '../expected-figures.ts';
import type { ApiCaller } from '../service.ts';
import { ClickModel } from './click-model.ts';
import type { SimulatedShop } from './simulate-shop.ts';
import type { Visit } from './visits.ts';

export interface SentEvent {
  event_id: string;
  user_id: string;
  item_id: string;
  ts: number;
  event_type: 'view' | 'buy';
  event_value: number;
  recommendation_id?: string;
}

interface ServedList {
  recommendation_id: string;
  results: { item: { item_id: string } }[];
}

type Delivery = { event: SentEvent } | { impression: object };

export interface AttributedShopParts {
  readonly shop: SimulatedShop;
  readonly project: { project_id: string; event_dataset_id: string };
  readonly placements: readonly string[];
  /** nodes that are up now */
  nodes(): readonly ApiCaller[];
}

const LATER_CHANCE = 0.3;
const TWICE_CHANCE = 0.15;
/** Bought without the id: in another tab, or after the page was closed. */
const UNTAGGED_CHANCE = 0.3;
const DELIVERED_AT_ONCE = 8;
const SENT_TOGETHER = 6;
const RETRY_MS = 50;

export class AttributedShop {
  readonly #parts: AttributedShopParts;
  readonly #random: Random = seededRandom(77);
  readonly model: ClickModel;
  /** by placement */
  readonly lists = new Map<string, string[]>();
  readonly servedItems = new Map<string, number>();
  readonly events: SentEvent[] = [];
  readonly impressions: ShownItems[] = [];
  #waiting: Delivery[] = [];
  readonly #underway = new Set<Promise<void>>();

  constructor(parts: AttributedShopParts) {
    this.#parts = parts;
    this.model = new ClickModel(parts.shop.shelves);
  }

  /** One shopper comes, looks and does something. What is to be sent waits for `deliver`. */
  async visit({ state, day }: Visit): Promise<void> {
    const { project, placements, nodes } = this.#parts;
    const random = this.#random;
    const placement = random.pick(placements);
    const user_id = state.shopper.id;
    const node = random.pick(nodes());
    const path = `/projects/${project.project_id}/placements/${placement}`;
    const { recommendation_id, results }: ServedList = await node.ok('POST', path, { user_id });
    const goods = results.map(({ item }) => item.item_id);
    push(this.lists, placement, recommendation_id);
    this.servedItems.set(placement, (this.servedItems.get(placement) ?? 0) + goods.length);
    const seen = goods.slice(0, 1 + random.below(goods.length));
    const ts = Date.now();
    this.impressions.push({ recommendationId: recommendation_id, itemIds: seen, ts, userId: user_id });
    this.#send({ impression: { recommendation_id, item_ids: seen, ts, user_id } });
    const shown = { recommendationId: recommendation_id, placement, variant: '', goods: seen };
    for (const { good, isPurchase } of this.model.show(state, day, shown)) {
      const event = { user_id, item_id: good, ts: Date.now(), recommendation_id };
      this.#record({ ...event, event_type: 'view', event_value: 1 });
      if (!isPurchase) continue;
      const { price: event_value } = this.#parts.shop.shelves.get(good);
      this.#record({ ...event, event_type: 'buy', event_value });
      const { recommendation_id: _, ...untagged } = event;
      if (random.chance(UNTAGGED_CHANCE)) this.#record({ ...untagged, event_type: 'buy', event_value });
    }
  }

  /** Sends most of what waits, in any order; the rest comes later. */
  deliver(isLast = false): void {
    const random = this.#random;
    const inAnyOrder = this.#waiting.map((delivery) => ({ delivery, place: random.next() }));
    inAnyOrder.sort((a, b) => a.place - b.place);
    const now: Delivery[] = [];
    this.#waiting = [];
    for (const { delivery } of inAnyOrder)
      (isLast || !random.chance(LATER_CHANCE) ? now : this.#waiting).push(delivery);
    const perLane = Math.ceil(now.length / DELIVERED_AT_ONCE) || 1;
    for (let from = 0; from < now.length; from += perLane) {
      const lane = this.#deliverEach(now.slice(from, from + perLane)).finally(() => this.#underway.delete(lane));
      this.#underway.add(lane);
    }
  }

  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  #record(event: Omit<SentEvent, 'event_id'>): void {
    const sent = { event_id: `e${this.events.length}`, ...event };
    this.events.push(sent);
    this.#send({ event: sent });
  }

  #send(delivery: Delivery): void {
    this.#waiting.push(delivery);
    if (this.#random.chance(TWICE_CHANCE)) this.#waiting.push(delivery);
  }

  async #deliverEach(deliveries: readonly Delivery[]): Promise<void> {
    const { event_dataset_id } = this.#parts.project;
    for (let from = 0; from < deliveries.length; from += SENT_TOGETHER) {
      const some = deliveries.slice(from, from + SENT_TOGETHER);
      const events = some.flatMap((delivery) => ('event' in delivery ? delivery.event : []));
      const impressions = some.flatMap((delivery) => ('impression' in delivery ? delivery.impression : []));
      if (events.length > 0) await this.#post('/upsert-dataset-events', { event_dataset_id, events });
      if (impressions.length > 0) await this.#post('/record-impressions', { impressions });
    }
  }

  /** A page sends again until the service confirms it. */
  async #post(path: string, body: object): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const nodes = this.#parts.nodes();
      const node = nodes[attempt % (nodes.length || 1)];
      const response = (await node?.call('POST', path, body).catch(() => null)) ?? null;
      if (response?.status === 200) {
        if (response.body.failures.length > 0) throw new Error(JSON.stringify(response.body.failures));
        return;
      }
      if (response !== null && response.status < 500) throw new Error(JSON.stringify(response.body));
      await delay(RETRY_MS);
    }
  }
}

function push(groups: Map<string, string[]>, key: string, entry: string): void {
  const group = groups.get(key);
  if (group) group.push(entry);
  else groups.set(key, [entry]);
}
