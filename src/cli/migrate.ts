// `kindred migrate`: creates and updates the tables without starting the service.
import type { Command } from 'commander';
import { addStoreOptions, runStoreCommand, type StoreFlags } from './store-command.ts';

export function registerMigrate(program: Command): void {
  addStoreOptions(
    program.command('migrate'),
    '  $ kindred migrate      # with KINDRED_DATABASE_URL; every node of the old version has stopped',
  )
    .description('create or update the tables of the database, then end (the service does so too when it starts)')
    .action((flags: StoreFlags) =>
      runStoreCommand(flags, async (config, speaker) => {
        const { openStore } = await import('../store/open-store.ts');
        const store = await openStore(config);
        const schema_version = await store.schemaVersion().finally(() => store.close());
        speaker.result({ schema_version }, () => `The tables are at version ${schema_version}.`);
      }),
    );
}
