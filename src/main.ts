// Entry of the `kindred` command: each command registers itself on the program.
import { enableCompileCache } from 'node:module';
import { Command } from 'commander';
import { registerAccount } from './cli/account.ts';
import { registerAudit } from './cli/audit.ts';
import { registerBackup, registerRestore } from './cli/backup.ts';
import { registerCluster } from './cli/cluster.ts';
import { registerDemo } from './cli/demo.ts';
import { registerDeploy } from './cli/deploy.ts';
import { registerEvaluate } from './cli/evaluate.ts';
import { exitCodeOf } from './cli/exit-codes.ts';
import { registerImport } from './cli/import.ts';
import { registerJobs } from './cli/jobs.ts';
import { registerMergeUsers } from './cli/merge-users.ts';
import { registerPatch } from './cli/patch.ts';
import { registerPlacement } from './cli/placement.ts';
import { registerQuery } from './cli/query.ts';
import { registerRank } from './cli/rank.ts';
import { registerRecommend } from './cli/recommend.ts';
import { registerRecommendAll } from './cli/recommend-all.ts';
import { registerRelated } from './cli/related.ts';
import { registerSample } from './cli/sample.ts';
import { registerSegment } from './cli/segment.ts';
import { registerServe } from './cli/serve.ts';
import { registerTop } from './cli/top.ts';
import { registerTrack } from './cli/track.ts';
import { registerTrain } from './cli/train.ts';
import { registerWebhooks } from './cli/webhooks.ts';
import { VERSION } from './version.ts';

// The compile cache halves the start time of a command.
enableCompileCache();

const program = new Command('kindred')
  .description('Self-hosted recommendations: send users, items and events to a JSON API, get personal recommendations.')
  .version(VERSION)
  .showHelpAfterError('Run with --help for usage.')
  .exitOverride();

registerSegment(program);
registerServe(program);
registerAccount(program);
registerAudit(program);
registerBackup(program);
registerRestore(program);
registerImport(program);
registerPatch(program);
registerMergeUsers(program);
registerTrack(program);
registerTrain(program);
registerDeploy(program);
registerRecommend(program);
registerRecommendAll(program);
registerRelated(program);
registerRank(program);
registerPlacement(program);
registerTop(program);
registerQuery(program);
registerCluster(program);
registerJobs(program);
registerWebhooks(program);
registerDemo(program);
registerSample(program);
registerEvaluate(program);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already printed usage errors; anything else is a bug.
  if (exitCodeOf(error) === 1) throw error;
  process.exitCode = exitCodeOf(error);
}
