// `npm run bench -- drift`: clicks per visit while tastes drift, with automation (trained every few days, deployed unless the gate finds
// the new model worse) and with a model that is never trained again. Half of the people get each; everybody's events are learned from.
import { decideDeployment } from '../src/automation/deploy-decision.ts';
import type { UsedObjective } from '../src/domain/objective.ts';
import { makeList } from '../src/placements/make-list.ts';
import { listInputs } from '../test/support/list-inputs.ts';
import { type Trained, trainOn } from '../test/support/train-on.ts';
import { DriftingWorld, type Person } from './drift/drifting-world.ts';
import { quick, report } from './report.ts';

const SIZE = quick
  ? { people: 200, circles: 8, items: 300, likedPerCircle: 30, warmUpDays: 20, days: 12, everyDays: 4 }
  : { people: 400, circles: 12, items: 500, likedPerCircle: 40, warmUpDays: 25, days: 28, everyDays: 4 };
const CHANGED_PER_DAY = 0.04;
const LIMIT = 8;
const HISTORY = 200;
const Z = 1.96;

type Arm = 'automation' | 'never trained again';
interface Deployed {
  readonly modelId: string;
  readonly trained: Trained;
}

const world = new DriftingWorld({ seed: 7, changedPerDay: CHANGED_PER_DAY, ...SIZE });
for (let day = 0; day < SIZE.warmUpDays; day++) world.pass(null);
const decisions: string[] = [];
const first = await train(null);
let current = first;
const clicksOf: Record<Arm, Map<string, number[]>> = { automation: new Map(), 'never trained again': new Map() };
/** Circles are dealt evenly, so halves of each circle are alike. */
const armOf = ({ id }: Person): Arm =>
  Math.floor(Number(id.slice(1)) / SIZE.circles) % 2 === 0 ? 'automation' : 'never trained again';

for (let day = 0; day < SIZE.days; day++) {
  if (day > 0 && day % SIZE.everyDays === 0) await retrain(day);
  const histories = Map.groupBy(world.events, ({ user_id }) => user_id);
  world.pass(
    (person) => listFor(armOf(person) === 'automation' ? current : first, histories.get(person.id) ?? []),
    (person, clicks) => {
      const visits = clicksOf[armOf(person)];
      visits.set(person.id, [...(visits.get(person.id) ?? []), clicks]);
    },
  );
}

const [own, base] = [rateOf(clicksOf.automation), rateOf(clicksOf['never trained again'])];
const half = Z * Math.hypot(own.error, base.error);
const difference = own.mean - base.mean;
const text = ({ mean, error }: Rate) =>
  `${mean.toFixed(3)} (${(mean - Z * error).toFixed(3)} to ${(mean + Z * error).toFixed(3)})`;
report({
  bench: 'drift',
  what: `clicks per visit over ${SIZE.days} days, ${SIZE.people} people in ${SIZE.circles} circles, ${CHANGED_PER_DAY * 100}% of tastes change a day`,
  ratio: own.mean / base.mean,
  base: 'a model never trained again',
  figures: `${text(own)} against ${text(base)}, difference ${difference.toFixed(3)} (95% interval ${(difference - half).toFixed(3)} to ${(difference + half).toFixed(3)}); of ${decisions.length} new models ${decisions.filter((decision) => decision === 'deploy').length} were deployed`,
  bar: 'interval of the difference above 0',
  met: difference - half > 0,
});

async function train(rival: Deployed | null): Promise<Deployed> {
  const trainedUntilMs = rival?.trained.training.trained_until_ts;
  const trained = await trainOn({
    events: world.events.map((event, n) => ({ ...event, event_id: `e${n}` })),
    items: world.itemIds().map((id) => ({ id, attributes: {} })),
    ...(rival && {
      rival: { modelId: rival.modelId, model: rival.trained.model, trainedUntilMs: Number(trainedUntilMs) },
    }),
  });
  return { modelId: `m${decisions.length + 1}`, trained };
}

async function retrain(day: number): Promise<void> {
  const startedMs = Date.now();
  const next = await train(current);
  const { decision, reason } = decideDeployment({
    rule: 'if_not_worse',
    comparison: next.trained.comparison,
    hasServed: true,
    startedMs,
    active: { generator_model_id: current.modelId, created_ts: 0 },
  });
  decisions.push(decision);
  process.stdout.write(`  day ${day}: ${decision}. ${reason}\n`);
  if (decision === 'deploy') current = next;
}

function listFor({ trained }: Deployed, events: readonly { item_id: string; ts: number }[]): string[] {
  const { recommender } = trained;
  const history = events
    .slice(-HISTORY)
    .reverse()
    .map(({ item_id, ts }) => ({
      item_id,
      ts,
      event_type: 'buy',
      event_value: 1,
    }));
  const objective: UsedObjective = recommender.objectives.auto;
  const { items } = makeList(
    listInputs({ generator: recommender, objective, history, nowMs: world.nowMs, limit: LIMIT }),
  );
  return items.map(({ item_id }) => item_id);
}

interface Rate {
  readonly mean: number;
  readonly error: number;
}

/** Of a person's visits the mean, over people: visits of one person are alike. */
function rateOf(visits: ReadonlyMap<string, readonly number[]>): Rate {
  const means = [...visits.values()].map((clicks) => clicks.reduce((sum, count) => sum + count, 0) / clicks.length);
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
  return { mean, error: Math.sqrt(variance / means.length) };
}
