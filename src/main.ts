// Entry of the `kindred` command. Only the module of the command at hand is loaded: all of them take three times as long to load.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { COMMANDS } from './cli/commands.ts';
import { VERSION } from './version.ts';

// It halves the start time of a command, and works for what is imported from here on. The variable passes it on to threads and
// to the worker process. Code is read from it, so it is in a folder that only this user can write to, unlike Node's default.
process.env.NODE_COMPILE_CACHE ??= join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kindred');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

const program = new Command('kindred')
  .description('Self-hosted recommendations: send users, items and events to a JSON API, get personal recommendations.')
  .version(VERSION)
  .showHelpAfterError('Run with --help for usage.')
  .exitOverride();

const named = process.argv[2];
// `kindred … | head`: whoever reads the output has seen enough. The service does not end with its reader.
if (named !== 'serve') {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
const needed = Object.hasOwn(COMMANDS, named) ? [COMMANDS[named]] : Object.values(COMMANDS);
for (const register of await Promise.all(needed.map((load) => load()))) register(program);

try {
  await program.parseAsync();
} catch (error) {
  const { exitCodeOf } = await import('./cli/exit-codes.ts');
  // Commander has already printed usage errors; anything else is a bug.
  if (exitCodeOf(error) === 1) throw error;
  process.exitCode = exitCodeOf(error);
}
