// Items that users take once and not again, unlike those they come back to: a sofa, unlike coffee. Told by how often users
// returned to the item, and where it has few of them, by how often users returned to items that share an attribute value with it.
// Which attribute tells is chosen by how well its values explain returns.

import { DAY_MS } from '../base/durations.ts';
import type { EventPart, HiddenOf, TrainingEvents } from '../dataset/training-events.ts';
import type { QuestionPlan } from './plan-questions.ts';
import type { ItemBlocks } from './usage-evidence.ts';

/** Users who could have come back to something, and those of them who did. */
interface Returns {
  had: number;
  came: number;
}

/** An item that users return to less than this share of what is usual is taken once. */
const ONCE_SHARE = 0.2;
/** Weight of the usual rate, in users, when the rate of an item or a value is estimated. */
const PRIOR_USERS = 5;
/**
 * The log-likelihood that each value of an attribute must gain. Without this cost, titles and ids would explain
 * everything.
 */
const VALUE_COST = 2;
const MAX_ATTRIBUTES = 100;
const MAX_VALUES = 10_000;

/** Inputs: events that are not hidden, and the records of items if there are any. */
export interface OnceInput {
  readonly events: TrainingEvents;
  readonly hiddenOf: HiddenOf | null;
  readonly items?: ItemBlocks | undefined;
}

/** Returns null if nothing is recommended again, or times do not show returns. */
export async function onceItems(
  { objective, scale }: Pick<QuestionPlan, 'objective' | 'scale'>,
  input: OnceInput,
): Promise<Uint8Array | null> {
  if (objective !== 'any' || (scale !== 'times' && scale !== 'days')) return null;
  return findOnceItems(input);
}

/** Returns 1 for each item that users take once, else 0. */
export async function findOnceItems({ events, hiddenOf, items }: OnceInput): Promise<Uint8Array> {
  const returns = Array.from({ length: events.itemCount }, (): Returns => ({ had: 0, came: 0 }));
  for await (const part of events.parts()) countReturns(part, hiddenOf?.(part) ?? null, returns);
  const usual = rateOf(sumOf(returns), 0);
  const priors = new Float64Array(events.itemCount).fill(usual);
  const byAttribute = items === undefined ? new Map<string, ValueReturns>() : await readValues(events, returns, items);
  let best: { gain: number; values: ValueReturns } | null = null;
  for (const values of byAttribute.values()) {
    const gain = gainOf(values, usual);
    if (gain > (best?.gain ?? 0)) best = { gain, values };
  }
  if (best !== null) {
    for (const { returns: own, members } of best.values.values()) {
      for (const item of members) priors[item] = rateOf(own, usual);
    }
  }
  return Uint8Array.from(returns, (own, item) => (rateOf(own, priors[item]) < ONCE_SHARE * usual ? 1 : 0));
}

function rateOf({ had, came }: Returns, prior: number): number {
  return (came + PRIOR_USERS * prior) / (had + PRIOR_USERS);
}

function sumOf(returns: readonly Returns[]): Returns {
  return returns.reduce((sum, { had, came }) => ({ had: sum.had + had, came: sum.came + came }), { had: 0, came: 0 });
}

/**
 * A user could have come back if they had events a day later or more. Events of the same item within a day count once.
 */
function countReturns(table: EventPart, hidden: Uint8Array | null, returns: Returns[]): void {
  for (let user = 0; user < table.userCount; user++) {
    const first = new Map<number, number>();
    const back = new Set<number>();
    let lastTs = Number.NEGATIVE_INFINITY;
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (table.type[event] !== table.targetType || hidden?.[event] === 1) continue;
      const [item, ts] = [table.item[event], table.ts[event]];
      lastTs = ts;
      const firstTs = first.get(item);
      if (firstTs === undefined) first.set(item, ts);
      else if (ts - firstTs >= DAY_MS) back.add(item);
    }
    for (const [item, ts] of first) {
      if (lastTs - ts < DAY_MS) continue;
      returns[item].had++;
      if (back.has(item)) returns[item].came++;
    }
  }
}

/** By value of an attribute: the returns to its items, and these items. */
type ValueReturns = Map<string, { readonly returns: Returns; readonly members: number[] }>;

async function readValues(
  { itemIds }: TrainingEvents,
  returns: readonly Returns[],
  items: ItemBlocks,
): Promise<Map<string, ValueReturns>> {
  const byAttribute = new Map<string, ValueReturns>();
  for await (const block of items()) {
    for (const { id, attributes } of block) {
      const item = itemIds.indexOf(id);
      if (item < 0 || item >= returns.length) continue;
      for (const [name, value] of Object.entries(attributes)) {
        if (typeof value !== 'string' && typeof value !== 'boolean') continue;
        const values = byAttribute.get(name) ?? new Map();
        if (!byAttribute.has(name) && byAttribute.size < MAX_ATTRIBUTES) byAttribute.set(name, values);
        const own = values.get(`${value}`) ?? { returns: { had: 0, came: 0 }, members: [] };
        if (!values.has(`${value}`) && values.size < MAX_VALUES) values.set(`${value}`, own);
        own.returns.had += returns[item].had;
        own.returns.came += returns[item].came;
        own.members.push(item);
      }
    }
  }
  return byAttribute;
}

/** Log-likelihood that an attribute's values gain over what is usual. */
function gainOf(values: ValueReturns, usual: number): number {
  let gain = 0;
  for (const { returns } of values.values()) {
    const rate = rateOf(returns, usual);
    const { had, came } = returns;
    gain += came * Math.log(rate / usual) + (had - came) * Math.log((1 - rate) / (1 - usual)) - VALUE_COST;
  }
  return Number.isFinite(gain) ? gain : 0;
}
