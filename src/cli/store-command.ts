// Shared by commands that work on the store instead of over the API: configuration, `--json`, errors in one line.
import type { Command } from 'commander';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { writePrivately } from '../store/private-files.ts';
import { describeError, type Speaker, speakerFor } from './command.ts';
import { EXIT, EXIT_CODES_HELP, exitCodeOf } from './exit-codes.ts';

export interface StoreFlags {
  json?: boolean;
  dataDir?: string;
}

export function addStoreOptions(command: Command, examples: string): Command {
  return command
    .option('--data-dir <folder>', 'data folder of the service (default: KINDRED_DATA_DIR, else ./data)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES_HELP}`);
}

export async function runStoreCommand(
  flags: StoreFlags,
  work: (config: Config, speaker: Speaker) => Promise<void>,
): Promise<void> {
  writePrivately();
  try {
    const config = loadConfig({ ...process.env, ...(flags.dataDir && { KINDRED_DATA_DIR: flags.dataDir }) });
    await work(config, speakerFor(flags.json === true));
  } catch (error) {
    process.exitCode = error instanceof ConfigError ? EXIT.USAGE : exitCodeOf(error);
    const isPlain = error instanceof ConfigError || error instanceof AppError;
    process.stderr.write(`kindred: ${isPlain ? error.message : describeError(error)}\n`);
  }
}
