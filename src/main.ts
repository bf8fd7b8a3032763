// Entry of the `kindred` command. Each command is in a module that registers it on the program, and only the module of the
// command at hand is loaded: all of them take three times as long to load.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { VERSION } from './version.ts';

// It halves the start time of a command, and works for what is imported from here on. The variable passes it on to threads and
// to the worker process. Code is read from it, so it is in a folder that only this user can write to, unlike Node's default.
process.env.NODE_COMPILE_CACHE ??= join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kindred');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** By name, in the order of `kindred --help`. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./cli/serve.ts')).registerServe,
  account: async () => (await import('./cli/account.ts')).registerAccount,
  audit: async () => (await import('./cli/audit.ts')).registerAudit,
  sessions: async () => (await import('./cli/sessions.ts')).registerSessions,
  migrate: async () => (await import('./cli/migrate.ts')).registerMigrate,
  backup: async () => (await import('./cli/backup.ts')).registerBackup,
  restore: async () => (await import('./cli/backup.ts')).registerRestore,
  events: async () => (await import('./cli/events.ts')).registerEvents,
  import: async () => (await import('./cli/import.ts')).registerImport,
  patch: async () => (await import('./cli/patch.ts')).registerPatch,
  'merge-users': async () => (await import('./cli/merge-users.ts')).registerMergeUsers,
  track: async () => (await import('./cli/track.ts')).registerTrack,
  train: async () => (await import('./cli/train.ts')).registerTrain,
  deploy: async () => (await import('./cli/deploy.ts')).registerDeploy,
  automation: async () => (await import('./cli/automation.ts')).registerAutomation,
  rollback: async () => (await import('./cli/automation.ts')).registerRollback,
  recommend: async () => (await import('./cli/recommend.ts')).registerRecommend,
  'recommend-all': async () => (await import('./cli/recommend-all.ts')).registerRecommendAll,
  export: async () => (await import('./cli/export.ts')).registerExport,
  related: async () => (await import('./cli/related.ts')).registerRelated,
  rank: async () => (await import('./cli/rank.ts')).registerRank,
  placement: async () => (await import('./cli/placement.ts')).registerPlacement,
  experiment: async () => (await import('./cli/experiment.ts')).registerExperiment,
  top: async () => (await import('./cli/top.ts')).registerTop,
  report: async () => (await import('./cli/report.ts')).registerReport,
  status: async () => (await import('./cli/status.ts')).registerStatus,
  'data-health': async () => (await import('./cli/data-health.ts')).registerDataHealth,
  query: async () => (await import('./cli/query.ts')).registerQuery,
  cluster: async () => (await import('./cli/cluster.ts')).registerCluster,
  jobs: async () => (await import('./cli/jobs.ts')).registerJobs,
  mcp: async () => (await import('./cli/mcp.ts')).registerMcp,
  segment: async () => (await import('./cli/segment.ts')).registerSegment,
  webhooks: async () => (await import('./cli/webhooks.ts')).registerWebhooks,
  demo: async () => (await import('./cli/demo.ts')).registerDemo,
  sample: async () => (await import('./cli/sample.ts')).registerSample,
  evaluate: async () => (await import('./cli/evaluate.ts')).registerEvaluate,
};

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
