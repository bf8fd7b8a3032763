// `npm run bench -- placements`: what item-to-item calls, top lists, placements with rules and visitors' sessions cost compared with the plain call
// and a bare route, in one run: medians of rounds in which all take turns. Ratios of processor time are next to those of rates, as they
// hold on a busy machine too.
import { seededRandom } from '../src/base/seeded-random.ts';
import { median, quick, report } from './report.ts';
import { type LoadResult, runLoad } from './serve/load.ts';
import { itemIdOf, type MadeSize, tasteOf, userIdOf } from './serve/made-project.ts';
import { changeAnItem, PATH, type Stage, startBare, withStage } from './serve/stage.ts';

// Short turns: a machine that others use changes its pace within seconds, and both sides of a ratio must see the same one.
const SECONDS = 1;
const ROUNDS = quick ? 1 : 15;
const SIZE: MadeSize = { users: quick ? 10_000 : 50_000, items: 20_000, eventsPerUser: 20, hasRelations: true };
const SESSION = 50;
const REGULARS = 2000;
const random = seededRandom(5);
const fields = { attributes: ['title', 'price'], limit: 10 };
const DEFINITION = {
  kind: 'for_you',
  defaults: { ...fields, diversity: { max_per: { genre: 3 } } },
  rules: [
    {
      name: 'sale',
      only_if: "context.device = 'phone' OR now() > 0",
      boosts: [{ filter_query: 'price < 300', factor: 2 }],
    },
    { name: 'season', from_ts: 1, boosts: [{ filter_query: 'half = 1', factor: 1.5 }] },
    { name: 'stock', filter_query: 'hundredth > 5' },
  ],
};

let turn = 0;
const inTurn = () => ({ user_id: userIdOf(turn++ % SIZE.users) });
const regular = () => ({ user_id: userIdOf(random.below(REGULARS)) });
/** What a visitor touches is as alike as what users do. */
const session = () => {
  const nextItem = tasteOf(random, SIZE.items);
  return { session_events: Array.from({ length: SESSION }, () => ({ item_id: itemIdOf(nextItem()) })) };
};

type Loads = Record<
  'bare' | 'top' | 'plain' | 'again' | 'related' | 'relatedNew' | 'placement' | 'placementAgain' | 'visitor',
  LoadResult[]
>;

const NAMES: Record<keyof Loads, string> = {
  bare: 'a bare Fastify route',
  top: 'a top list',
  plain: 'the plain call, nothing cached',
  again: 'the plain call, users who call again',
  related: 'item to item',
  relatedNew: 'item to item, after a change of the catalog',
  placement: 'the placement',
  placementAgain: 'the placement, users who call again',
  visitor: 'a visitor',
};

await withStage(SIZE, {}, async (stage) => {
  const { service, project, headers } = stage;
  await service.ok('POST', '/create-placement', { project_id: project.project_id, name: 'bench', ...DEFINITION });
  const sample = await service.ok('POST', PATH, { ...fields, user_id: userIdOf(1) });
  const bare = await startBare(service.dataDir, sample);
  const placement = `${service.baseUrl}/projects/${project.project_id}/placements/bench`;
  const load = (url: string, body: () => object, seconds = SECONDS) => runLoad({ url, headers, seconds, body });
  const callEach = (count: number, url: string, body: (n: number) => object) =>
    runLoad({ url, headers, seconds: SECONDS, calls: count, body: (n) => body(n % count) });
  const plainUrl = `${service.baseUrl}${PATH}`;
  const plain = (who: () => object) => load(plainUrl, () => ({ ...fields, ...who() }));
  const relatedUrl = `${service.baseUrl}/recommend-items-to-item`;
  const ofItem = (n: number) => ({ ...fields, item_id: itemIdOf(n) });
  const related = (items: number) => load(relatedUrl, () => ofItem(random.below(items)));
  await addNewEvents(stage);
  const top = (seconds = SECONDS) =>
    load(
      `${service.baseUrl}/list-top-items`,
      () => ({ ...fields, project_id: project.project_id, by: 'popular' }),
      seconds,
    );
  const loads: Loads = {
    bare: [],
    top: [],
    plain: [],
    again: [],
    related: [],
    relatedNew: [],
    placement: [],
    placementAgain: [],
    visitor: [],
  };
  try {
    for (const url of [`${bare.url}${PATH}`, plainUrl]) await load(url, () => ({ ...fields, ...regular() }), 2);
    // Which items are alike by their attributes is found once for each.
    await callEach(SIZE.items, relatedUrl, ofItem);
    await load(placement, inTurn, 2);
    await top(2);
    for (let round = 0; round < ROUNDS; round++) {
      loads.bare.push(await load(`${bare.url}${PATH}`, () => ({ ...fields, ...inTurn() })));
      await changeAnItem(stage);
      loads.plain.push(await plain(inTurn));
      loads.visitor.push(await plain(session));
      loads.placement.push(await load(placement, inTurn));
      loads.relatedNew.push(await related(SIZE.items));
      await callEach(SIZE.items, relatedUrl, ofItem);
      loads.related.push(await related(SIZE.items));
      loads.top.push(await top());
      await callEach(REGULARS, plainUrl, (n) => ({ ...fields, user_id: userIdOf(n) }));
      loads.again.push(await plain(regular));
      await callEach(REGULARS, placement, (n) => ({ user_id: userIdOf(n) }));
      loads.placementAgain.push(await load(placement, regular));
    }
  } finally {
    bare.stop();
  }
  const compare = (what: string, ours: keyof Loads, base: keyof Loads, rule: { rate?: number; cpu?: number }) => {
    const ratioOf = (figure: 'perSecond' | 'cpuUs') =>
      median(loads[ours].map((load, round) => load[figure] / loads[base][round][figure]));
    const [rate, cpu] = [ratioOf('perSecond'), ratioOf('cpuUs')];
    const isRate = rule.cpu === undefined;
    report({
      bench: 'placements',
      what,
      ratio: isRate ? rate : cpu,
      base: `${isRate ? 'the rate' : 'the processor time'} of ${NAMES[base]}`,
      figures: `${figures(loads[ours])}; ${NAMES[base]} ${figures(loads[base])}; ${isRate ? `processor time ${cpu.toFixed(2)} ×` : `rate ${rate.toFixed(2)} ×`}`,
      ...(rule.rate && { bar: `at least ${rule.rate}`, met: rate >= rule.rate }),
      ...(rule.cpu && { bar: `at most ${rule.cpu}`, met: cpu <= rule.cpu }),
    });
  };
  compare('item to item, 20,000 items, any of them', 'related', 'bare', { rate: 0.5 });
  compare('the same in the second after a change of the catalog, nearly nothing is cached', 'relatedNew', 'bare', {});
  compare('the list of what is popular, with attributes', 'top', 'bare', { rate: 0.5 });
  compare('a placement with three rules, two boosts and a cap, nothing is cached', 'placement', 'plain', { rate: 0.5 });
  compare('the same for users who call again', 'placementAgain', 'again', { rate: 0.5 });
  compare(`a visitor with ${SESSION} session events`, 'visitor', 'plain', { cpu: 1.5 });
});

/** Top lists count the events of the last days. */
async function addNewEvents({ service, project }: Stage): Promise<void> {
  const events = Array.from({ length: 1000 }, (_, n) => ({
    event_id: `new-${n}`,
    user_id: userIdOf(n),
    item_id: itemIdOf(Math.floor(random.next() ** 2 * 300)),
    event_type: 'view',
    ts: Date.now() - n * 1000,
  }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id: project.event_dataset_id, events });
}

function figures(results: readonly LoadResult[]): string {
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const [rate, cpu] = (['perSecond', 'cpuUs'] as const).map((figure) => median(results.map((load) => load[figure])));
  return `${rate.toFixed(0)}/s, ${cpu.toFixed(0)} µs, failed ${failed}`;
}
