// `npm run test:cost -- --seed 7 --minutes 10`: searches, for every call of the API, inputs that cost the service much processor
// time or memory for few bytes sent, and prints the worst. Dear inputs are changed and tried again. Fails when a request costs more
// than the limits below. Needs Linux.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Random, seededRandom } from '../../src/domain/seeded-random.ts';
import { compressed } from '../support/cost-shapes.ts';
import { plantModel } from '../support/plant-model.ts';
import type { JsonSchema } from '../support/schema-arbitrary.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, tasteModel } from '../support/taste-project.ts';
import { newTestPlace } from '../support/test-database.ts';
import { type Description, fillPath, type Operation, operationsOf, queryOf } from './api-operations.ts';
import { changed, freshInput, type Input, textOf } from './costly-inputs.ts';
import { type Cost, costOf } from './request-cost.ts';

const MAX_CPU_MS = 3000;
const MAX_MEMORY_MB = 600;
/** of a request without its body */
const HEADER_BYTES = 600;
const KEPT = 3;
const HEAVIEST = 5;
/** A garbage collection can fall into any request: what looks dear is sent again, and the smallest cost counts. */
const REPEATS = 2;

interface Measured extends Cost {
  input: Input;
  bytes: number;
  status: number;
  text: string;
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? randomInt(2 ** 31));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const perKb = ({ cpuMs, bytes }: Measured): number => (cpuMs * 1024) / bytes;
const memoryPerKb = ({ memoryMb, bytes }: Measured): number => (memoryMb * 1024) / bytes;

class Search {
  readonly #service: ServiceProcess;
  readonly #description: Description;
  readonly #ids: Map<string, Set<unknown>>;
  /** by call: the most processor time per byte */
  readonly #worst = new Map<Operation, Measured[]>();
  /** of all calls: the most processor time */
  #heaviest: Measured[] = [];
  requests = 0;

  constructor(service: ServiceProcess, description: Description, ids: Record<string, string>) {
    this.#service = service;
    this.#description = description;
    this.#ids = new Map(Object.entries(ids).map(([name, id]) => [name, new Set([id])]));
  }

  get worst(): Measured[] {
    return [...this.#worst.values()].flat();
  }

  get heaviest(): readonly Measured[] {
    return this.#heaviest;
  }

  async tryOne(operation: Operation, random: Random): Promise<void> {
    const kept = this.#worst.get(operation) ?? [];
    const parent = kept[random.below(kept.length || 1)];
    const input = parent && random.below(4) > 0 ? changed(parent.input, random) : freshInput(operation, random);
    let measured = await this.#measure(input);
    const isDear = kept.length < KEPT || perKb(measured) > perKb(kept.at(-1)!);
    if (isDear || measured.cpuMs > (this.#heaviest.at(-1)?.cpuMs ?? 0)) {
      for (let n = 0; n < REPEATS; n++) measured = cheaper(measured, await this.#measure(input));
    }
    this.#worst.set(operation, [...kept, measured].sort((a, b) => perKb(b) - perKb(a)).slice(0, KEPT));
    this.#heaviest = [...this.#heaviest, measured].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, HEAVIEST);
  }

  async #measure(input: Input): Promise<Measured> {
    const { method, path } = input.operation;
    const text = textOf(input, {
      resolve: (ref): JsonSchema => this.#description.components?.schemas?.[ref.split('/').at(-1)!] ?? {},
      known: (property) => [...(this.#ids.get(property) ?? [])],
      brokenOneIn: 0,
    });
    const target = fillPath(path, this.#ids);
    const raw = compressed(text);
    let status = 0;
    let bytes = HEADER_BYTES + raw.length;
    const cost = await costOf(this.#service.child.pid!, async () => {
      if (method === 'GET') {
        // Longer ones are refused before they are read.
        const query = new URLSearchParams(queryOf(safeParse(text))).toString().slice(0, 12_000);
        bytes = HEADER_BYTES + query.length;
        status = (await this.#service.call('GET', `${target}?${query}`)).status;
        return;
      }
      const headers = { 'content-encoding': 'zstd' };
      status = (await this.#service.call(method, target, undefined, { raw, headers })).status;
    });
    this.requests++;
    return { ...cost, input, bytes, status, text };
  }
}

const cheaper = (a: Measured, b: Measured): Measured => ({
  ...a,
  cpuMs: Math.min(a.cpuMs, b.cpuMs),
  memoryMb: Math.min(a.memoryMb, b.memoryMb),
});

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function print(title: string, list: readonly Measured[]): void {
  say(title);
  for (const { input, bytes, cpuMs, memoryMb, status, text } of list) {
    const { method, path } = input.operation;
    const shapes = input.patches.map(({ shape }) => shape).join(', ') || 'valid';
    say(
      `  ${((cpuMs * 1024) / bytes).toFixed(1)} ms/KB: ${method} ${path} → ${status}: ${cpuMs.toFixed(0)} ms, ` +
        `${memoryMb.toFixed(0)} MB for ${bytes} bytes sent, ${text.length} inflated (${shapes})`,
    );
  }
}

say(`cost: ${values.minutes} minutes, seed ${seed} (repeat it with --seed ${seed})`);
const place = await newTestPlace('sqlite');
const service = await startServiceProcess({
  ...{ KINDRED_DATA_DIR: place.dataDir, KINDRED_ROLES: 'api,worker', KINDRED_LOG_LEVEL: 'error' },
});
try {
  const project = await createTasteProject(service);
  const { modelId } = await plantModel(place, project, tasteModel());
  await succeed(service, '/submit-deployment-job', {
    ...{ project_id: project.project_id, generator_model_id: modelId, qps: 10_000 },
  });
  const description = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Description;
  // What would take away the data that the other calls work on is left out.
  const operations = operationsOf(description).filter(
    ({ path }) => !/^\/(delete-(user|item|event)-dataset|delete-project|delete-model|shutdown|restore)/.test(path),
  );
  const { project_id, user_dataset_id, item_dataset_id, event_dataset_id, algorithm_id } = project;
  const ids = { project_id, user_dataset_id, item_dataset_id, event_dataset_id, algorithm_id, model_id: modelId };
  const search = new Search(service, description, ids);
  const random = seededRandom(seed);
  const endMs = performance.now() + Number(values.minutes) * 60_000;
  for (let n = 0; performance.now() < endMs; n++) await search.tryOne(operations[n % operations.length], random);
  const { worst } = search;
  say(`${search.requests} requests to ${operations.length} calls`);
  print('processor time per byte sent:', worst.toSorted((a, b) => perKb(b) - perKb(a)).slice(0, 15));
  print('memory per byte sent:', worst.toSorted((a, b) => memoryPerKb(b) - memoryPerKb(a)).slice(0, 5));
  print('most processor time:', search.heaviest);
  const beyond = [...worst, ...search.heaviest].filter(
    ({ cpuMs, memoryMb }) => cpuMs > MAX_CPU_MS || memoryMb > MAX_MEMORY_MB,
  );
  const failed = worst.filter(({ status }) => status >= 500 && status !== 503);
  if (beyond.length > 0) print(`beyond ${MAX_CPU_MS} ms or ${MAX_MEMORY_MB} MB:`, beyond);
  if (failed.length > 0) print('answered with an unexpected error:', failed);
  process.exitCode = beyond.length + failed.length === 0 ? 0 : 1;
} finally {
  await service.stop();
  await place.remove();
}
