// Choices made before experts are tried: how much each event type and value counts, and what is held out. Each is judged by
// the NDCG of one cheap expert on held-out events.
import type { EventTable } from '../dataset/event-table.ts';
import { buildInteractions, type InteractionRules } from '../dataset/interactions.ts';
import { sampleOf } from '../dataset/random.ts';
import { splitEvents, type ValidationKind } from '../dataset/split.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { DAY_MS } from '../history/history-rules.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { meanNdcg } from './evaluate.ts';
import { ExpertForge, type ExpertSpec } from './expert-forge.ts';
import { gatherJudges, judgeCandidates, targetsOf } from './judges.ts';
import type { TrainingClock } from './training-clock.ts';
import { TUNING_CUTOFF } from './tune.ts';

export interface ChoiceContext {
  readonly table: EventTable;
  readonly users: Uint32Array | undefined;
  readonly parameters: AlgorithmParameters;
  readonly seed: number;
  readonly ordered: boolean;
  readonly recommendSeen: boolean;
  readonly clock: TrainingClock;
}

export const DEFAULT_HISTORY_CAP = 1000;
const TYPE_WEIGHTS = [1, 0.3, 0.1, 0];
/** Types beyond these, the rarest, do not count unless the parameters say so. */
const MAX_TUNED_TYPES = 4;
const JUDGES = 1500;
/** A choice that departs from the plain one must gain this share. */
const CLEAR_GAIN = 1.01;
/** How much better transitions must be than walks for the next item to be what is predicted. */
const SEQUENCE_GAIN = 1.3;

const WALK: ExpertSpec = { family: 'walk', gamma: 1, beta: 0.5, delta: 0.25, rho: 0.4 };
const NEXT: ExpertSpec = { family: 'transitions', variant: 'forward' };

/** NDCG of experts under some rules; 0 when nobody can judge. */
async function judge(
  pool: KernelPool,
  context: ChoiceContext,
  rules: InteractionRules,
  kind: ValidationKind,
  specs: readonly ExpertSpec[],
): Promise<number[]> {
  const { table, users, seed, recommendSeen } = context;
  const mark = pool.memory.mark();
  const split = splitEvents(table, kind, seed, recommendSeen);
  const x = buildInteractions(pool.memory, table, rules, { hidden: split.hidden, users });
  const targets = targetsOf(split, users);
  const rows = sampleOf(judgeCandidates(x, targets), JUDGES, seed + 2);
  const results: number[] = [];
  if (rows.length > 0) {
    const judges = gatherJudges(pool.memory, x, targets, rows, kind === 'last_item' ? 'one by one' : 'together');
    const forge = new ExpertForge(pool, {
      ...{ table, x, hidden: split.hidden, seed },
      ...{ gammas: [0.5, 1] as const, historyCap: rules.historyCap },
    });
    for (const spec of specs) {
      const forged = await forge.forge(spec);
      const { block } = forge.block([forged], [1], 0, recommendSeen);
      results.push(await meanNdcg(pool, block, judges, TUNING_CUTOFF, !recommendSeen));
    }
  }
  pool.memory.release(mark);
  return specs.map((_, n) => results[n] ?? 0);
}

export async function chooseRules(pool: KernelPool, context: ChoiceContext): Promise<InteractionRules> {
  const { table, parameters, ordered, clock } = context;
  const given = parameters.event_type_weights ?? {};
  const fixedHalfLife = parameters.half_life_days ?? null;
  const base = {
    historyCap: parameters.history_cap ?? DEFAULT_HISTORY_CAP,
    halfLifeMs: fixedHalfLife === null ? null : fixedHalfLife * DAY_MS,
  };
  const typeWeights = table.typeNames.map((name, type) => (type === table.targetType ? 1 : (given[name] ?? 0)));
  let rules: InteractionRules = { ...base, typeWeights, valueShape: parameters.value_weighting ?? 'log', valueUnit: 1 };
  const kind: ValidationKind = ordered ? 'last_fifth' : 'random_fifth';
  const counts = table.typeNames.map(() => 0);
  for (let event = 0; event < table.length; event++) counts[table.type[event]]++;
  const open = table.typeNames
    .map((name, type) => ({ name, type }))
    .filter(({ name, type }) => type !== table.targetType && given[name] === undefined && counts[type] > 0)
    .sort((a, b) => counts[b.type] - counts[a.type])
    .slice(0, MAX_TUNED_TYPES);
  const variesInValue = parameters.value_weighting === undefined && valuesVary(table);
  if (open.length === 0 && !variesInValue) return rules;
  let [best] = await judge(pool, context, rules, kind, [WALK]);
  for (const { name, type } of open) {
    clock.tell(0.04, `Weighing events of type ${name}`);
    for (const weight of TYPE_WEIGHTS) {
      if (weight === 0 || clock.isLate()) continue;
      const trial = { ...rules, typeWeights: rules.typeWeights.map((own, t) => (t === type ? weight : own)) };
      const [ndcg] = await judge(pool, context, trial, kind, [WALK]);
      if (ndcg > best * CLEAR_GAIN) {
        best = ndcg;
        rules = trial;
      }
    }
  }
  if (variesInValue && !clock.isLate()) {
    clock.tell(0.06, 'Weighing event values');
    const trial: InteractionRules = { ...rules, valueShape: 'none' };
    const [ndcg] = await judge(pool, context, trial, kind, [WALK]);
    if (ndcg > best) rules = trial;
  }
  return rules;
}

function valuesVary(table: EventTable): boolean {
  for (let event = 1; event < table.length; event++) if (table.value[event] !== table.value[0]) return true;
  return false;
}

/** Each user's last item when sequences matter, else the newest fifth; a random fifth where time says nothing. */
export async function chooseValidation(
  pool: KernelPool,
  context: ChoiceContext,
  rules: InteractionRules,
): Promise<ValidationKind> {
  const { parameters, ordered, clock } = context;
  if (parameters.validation !== undefined) return parameters.validation;
  if (!ordered) return 'random_fifth';
  clock.tell(0.08, 'Looking whether sequences matter');
  const [walk, next] = await judge(pool, context, rules, 'last_item', [WALK, NEXT]);
  return next > SEQUENCE_GAIN * walk ? 'last_item' : 'last_fifth';
}
