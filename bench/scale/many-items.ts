// A training whose items do not all fit on the memory of kernels: `node bench/scale/many-items.ts --items 5 --events 10` (millions) trains
// on a made marketplace within `--memory-mb` and writes the model to `--model`. `--visitors` is the share of events of users who have one,
// `--parameters` are those of the algorithm as
// JSON. Prints one line of JSON. bench/scale/serve-items.ts loads the model.
import { parseArgs } from 'node:util';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { AlgorithmParameters } from '../../src/domain/algorithm-parameters.ts';
import { peakMemoryMb, trainModel } from '../../src/training/train-model.ts';
import { marketplace, marketSize } from './marketplace.ts';

const { values: flags } = parseArgs({
  options: {
    items: { type: 'string', default: '5' },
    events: { type: 'string', default: '10' },
    visitors: { type: 'string', default: '0' },
    'memory-mb': { type: 'string', default: '8000' },
    model: { type: 'string' },
    steps: { type: 'boolean' },
    parameters: { type: 'string', default: '{}' },
  },
});
const size = marketSize(flags);
const parameters = JSON.parse(flags.parameters) as AlgorithmParameters;
const { store, shards } = marketplace(size);
const project = { account_id: 'a', user_dataset_id: 'u', item_dataset_id: 'i', event_dataset_id: 'e' };
const { model, training } = await trainModel({
  store,
  project: { ...project, target_event_type: 'buy' },
  eventShards: shards,
  parameters,
  threads: 2,
  memoryBytes: Number(flags['memory-mb']) * 1e6,
  onProgress: ({ phase, message }) => {
    if (flags.steps) process.stderr.write(`${phase}: ${message} (${peakMemoryMb()} MB)\n`);
  },
});
const modelBytes = flags.model ? await saveModel(flags.model, model) : null;
const { settings, ...facts } = training;
process.stdout.write(`${JSON.stringify({ ...facts, catalog: model.itemIds.length, modelBytes })}\n`);
