// What the commands share that work on the store itself instead of over the API: configuration, `--json`, errors in one line.
import type { Command } from 'commander';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { AppError } from '../errors.ts';
import { type Speaker, speakerFor } from './command.ts';
import { CommandError, EXIT, EXIT_CODES_HELP, exitCodeOf, UsageError } from './exit-codes.ts';

export interface StoreFlags {
  json?: boolean;
  dataDir?: string;
}

export function addStoreOptions(command: Command, examples: string): Command {
  return command
    .option('--data-dir <folder>', 'data folder of the service (KINDRED_DATA_DIR, else ./data)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES_HELP}`);
}

export async function runStoreCommand(
  flags: StoreFlags,
  work: (config: Config, speaker: Speaker) => Promise<void>,
): Promise<void> {
  try {
    const config = loadConfig({ ...process.env, ...(flags.dataDir && { KINDRED_DATA_DIR: flags.dataDir }) });
    await work(config, speakerFor(flags.json === true));
  } catch (error) {
    process.exitCode = error instanceof ConfigError ? EXIT.USAGE : exitCodeOf(error);
    const isExpected = [ConfigError, CommandError, UsageError, AppError].some((kind) => error instanceof kind);
    process.stderr.write(`kindred: ${isExpected ? (error as Error).message : ((error as Error).stack ?? error)}\n`);
  }
}
