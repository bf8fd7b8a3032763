// Entry of the `kindred` command: each command registers itself on the program.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerServe } from './cli/serve.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const program = new Command('kindred')
  .description(
    'Self-hosted recommendations: a JSON API for users, items and events that answers with personal recommendations.',
  )
  .version(version)
  .showHelpAfterError('Use --help to see what is possible.');

registerServe(program);

await program.parseAsync();
