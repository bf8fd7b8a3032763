// `kindred backup FILE` and `kindred restore FILE`: everything the service stores, in one file.
import type { Command } from 'commander';
import { CommandError, EXIT } from './exit-codes.ts';
import { addStoreOptions, runStoreCommand, type StoreFlags } from './store-command.ts';

export function registerBackup(program: Command): void {
  addStoreOptions(program.command('backup'), '  $ kindred backup /backups/kindred-monday.tar')
    .description('copy everything the service stores into one file, while it runs')
    .argument('<file>', 'the file to write; it must not exist')
    .action((file: string, flags: StoreFlags) =>
      runStoreCommand(flags, async (config, speaker) => {
        const { backup } = await import('../store/backup.ts');
        const summary = await backup(config, file).catch(refuse);
        speaker.result(
          summary,
          () => `Wrote ${summary.file}: ${megabytes(summary.bytes)}, ${files(summary.artifacts)}.`,
        );
      }),
    );
}

export function registerRestore(program: Command): void {
  addStoreOptions(program.command('restore'), '  $ kindred restore /backups/kindred-monday.tar --data-dir ./restored')
    .description('restore a backup into an empty data folder (and an empty database)')
    .argument('<file>', 'a file written by kindred backup')
    .action((file: string, flags: StoreFlags) =>
      runStoreCommand(flags, async (config, speaker) => {
        const { restore } = await import('../store/backup.ts');
        const summary = await restore(config, file).catch(refuse);
        speaker.result(summary, () => `Restored ${file} into ${config.dataDir}. Start it with: kindred serve`);
      }),
    );
}

/** Expected failures (the file exists, the backup is damaged, no database) are reported in one line. */
function refuse(error: Error): never {
  throw new CommandError(error.message, EXIT.REFUSED);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const files = (count: number): string => `the database and ${count} model or result file${count === 1 ? '' : 's'}`;
