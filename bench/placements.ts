// `npm run bench -- placements`: what item-to-item calls, top lists, placements with rules and visitors' sessions cost beside the plain call
// and a bare route, in one run. Ratios of processor time stand beside those of rates, as they hold on a busy machine too.
import { quick, report } from './report.ts';
import { type LoadResult, runLoad } from './serve/load.ts';
import { itemIdOf, type MadeSize, randomOf, tasteOf, userIdOf } from './serve/made-project.ts';
import { PATH, type Stage, startBare, withStage } from './serve/stage.ts';

const SECONDS = quick ? 1 : 4;
const ROUNDS = quick ? 1 : 3;
const SIZE: MadeSize = { users: quick ? 10_000 : 50_000, items: 20_000, eventsPerUser: 20, hasRelations: true };
const SESSION = 50;
const REGULARS = 2000;
const random = randomOf(5);
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
const regular = () => ({ user_id: userIdOf(Math.floor(random() * REGULARS)) });
/** Each of those who call again, once. */
let regularTurn = 0;
const regularsInTurn = () => regularTurn++ % REGULARS;
/** What a visitor touches is as alike as what users do. */
const session = () => {
  const nextItem = tasteOf(random, SIZE.items);
  return { session_events: Array.from({ length: SESSION }, () => ({ item_id: itemIdOf(nextItem()) })) };
};

type Loads = Record<
  'bare' | 'top' | 'plain' | 'again' | 'related' | 'relatedAgain' | 'placement' | 'placementAgain' | 'visitor',
  LoadResult[]
>;

const NAMES: Record<keyof Loads, string> = {
  bare: 'a bare Fastify route',
  top: 'a top list',
  plain: 'the plain call, nothing cached',
  again: 'the plain call, users who call again',
  related: 'item to item',
  relatedAgain: 'item to item, items that are called again',
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
  const callEachRegular = (url: string, body: (regular: number) => object) =>
    runLoad({ url, headers, seconds: SECONDS, calls: REGULARS, body: () => body(regularsInTurn()) });
  const plainUrl = `${service.baseUrl}${PATH}`;
  const plain = (who: () => object) => load(plainUrl, () => ({ ...fields, ...who() }));
  const relatedUrl = `${service.baseUrl}/recommend-items-to-item`;
  const related = (items: number) =>
    load(relatedUrl, () => ({ ...fields, item_id: itemIdOf(Math.floor(random() * items)) }));
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
    relatedAgain: [],
    placement: [],
    placementAgain: [],
    visitor: [],
  };
  try {
    for (const url of [`${bare.url}${PATH}`, plainUrl]) await load(url, () => ({ ...fields, ...regular() }), 2);
    await related(SIZE.items);
    await load(placement, inTurn, 2);
    await top(2);
    for (let round = 0; round < ROUNDS; round++) {
      loads.bare.push(await load(`${bare.url}${PATH}`, () => ({ ...fields, ...inTurn() })));
      await changeAnItem(stage);
      loads.plain.push(await plain(inTurn));
      loads.placement.push(await load(placement, inTurn));
      loads.related.push(await related(SIZE.items));
      await callEachRegular(relatedUrl, (n) => ({ ...fields, item_id: itemIdOf(n) }));
      loads.relatedAgain.push(await related(REGULARS));
      loads.top.push(await top());
      loads.visitor.push(await plain(session));
      await callEachRegular(plainUrl, (n) => ({ ...fields, user_id: userIdOf(n) }));
      loads.again.push(await plain(regular));
      await callEachRegular(placement, (n) => ({ user_id: userIdOf(n) }));
      loads.placementAgain.push(await load(placement, regular));
    }
  } finally {
    bare.stop();
  }
  const compare = (what: string, ours: keyof Loads, base: keyof Loads, rule: { rate?: number; cpu?: number }) => {
    const rate = meanOf(loads[ours], 'perSecond') / meanOf(loads[base], 'perSecond');
    const cpu = meanOf(loads[ours], 'cpuUs') / meanOf(loads[base], 'cpuUs');
    const isRate = rule.rate !== undefined;
    report({
      ...{
        bench: 'placements',
        what,
        ratio: isRate ? rate : cpu,
        base: `${isRate ? 'the rate' : 'the processor time'} of ${NAMES[base]}`,
      },
      figures: `${figures(loads[ours])}; ${NAMES[base]} ${figures(loads[base])}; ${isRate ? `processor time ${cpu.toFixed(2)} ×` : `rate ${rate.toFixed(2)} ×`}`,
      bar: isRate ? `at least ${rule.rate}` : `at most ${rule.cpu}`,
      met: isRate ? rate >= rule.rate! : cpu <= rule.cpu!,
    });
  };
  compare('item to item, 20,000 items, any of them', 'related', 'bare', { rate: 0.5 });
  compare(`item to item, ${REGULARS} items that are called again`, 'relatedAgain', 'bare', { rate: 0.5 });
  compare('the list of what is popular, with attributes', 'top', 'bare', { rate: 0.5 });
  compare('a placement with three rules, two boosts and a cap, nothing is cached', 'placement', 'plain', { rate: 0.5 });
  compare('the same for users who call again', 'placementAgain', 'again', { rate: 0.5 });
  compare(`a visitor with ${SESSION} session events`, 'visitor', 'plain', { cpu: 1.5 });
});

/** Top lists count the events of the last days. */
async function addNewEvents({ service, project }: Stage): Promise<void> {
  const events = Array.from({ length: 1000 }, (_, n) => ({
    ...{ event_id: `new-${n}`, user_id: userIdOf(n), item_id: itemIdOf(Math.floor(random() ** 2 * 300)) },
    ...{ event_type: 'view', ts: Date.now() - n * 1000 },
  }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id: project.event_dataset_id, events });
}

async function changeAnItem({ service, project }: Stage): Promise<void> {
  const items = [{ item_id: itemIdOf(0), attributes: { title: `title ${random()}`, price: 1 } }];
  await service.ok('POST', '/upsert-dataset-items', { item_dataset_id: project.item_dataset_id, items });
}

function meanOf(results: readonly LoadResult[], figure: 'perSecond' | 'cpuUs'): number {
  return results.reduce((sum, result) => sum + result[figure], 0) / results.length;
}

function figures(results: readonly LoadResult[]): string {
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return `${meanOf(results, 'perSecond').toFixed(0)}/s, ${meanOf(results, 'cpuUs').toFixed(0)} µs, failed ${failed}`;
}
