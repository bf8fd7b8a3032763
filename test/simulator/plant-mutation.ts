// Loaded with --import: puts the bug named by KINDRED_MUTATION into the source as it is loaded.
import { registerHooks } from 'node:module';
import { MUTATIONS } from './mutations.ts';

const mutation = MUTATIONS.find(({ name }) => name === process.env.KINDRED_MUTATION);
if (mutation === undefined) throw new Error(`There is no mutation "${process.env.KINDRED_MUTATION}".`);
const { file, from, to } = mutation;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/src/${file}`)) return loaded;
    const parts = String(loaded.source).split(from);
    if (parts.length !== 2) throw new Error(`The place to change is ${parts.length - 1} times in ${file}.`);
    return { ...loaded, source: parts.join(to) };
  },
});
