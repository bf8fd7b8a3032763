// Known bugs, put back one at a time: the simulation is worth what it finds. Each is a change of one place of the source; the
// place must be there exactly once, so that a list that no longer fits the code fails.

export interface Mutation {
  readonly name: string;
  /** under src/ */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** the first seed to try, where few find it */
  readonly seed?: number;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a node that was paused serves before it has followed',
    file: 'serving/deployed-models.ts',
    from: 'if (!deployments.isFresh) await deployments.refresh();',
    to: '',
    seed: 576,
  },
  {
    name: 'a node that was away serves what was shut down until newer models are loaded',
    file: 'serving/live-deployments.ts',
    from: '    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);',
    to: `    if (state.prepared < row.version && state.live) return this.#prepare(row, state);
    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);`,
    seed: 992,
  },
  {
    name: 'a shutdown is acknowledged before other nodes have followed it',
    file: 'cluster/node-watch.ts',
    from: 'if (behind === 0) return true;',
    to: 'return true;',
  },
  {
    name: 'a node that came back is removed from the list of nodes',
    file: 'store/sql/sql-node-store.ts',
    from: `'DELETE FROM node WHERE node_id = ? AND heartbeat = ?', params: [mark.nodeId, mark.heartbeat]`,
    to: `'DELETE FROM node WHERE node_id = ?', params: [mark.nodeId]`,
    seed: 986,
  },
  {
    name: 'a shutdown leaves running deployment jobs alone',
    file: 'store/sql/sql-deployment-store.ts',
    from: `AND job_status IN ('PENDING', 'RUNNING') RETURNING job_id`,
    to: `AND job_status IN ('PENDING') RETURNING job_id`,
  },
  {
    name: 'a shutdown leaves waiting deployment jobs alone',
    file: 'store/sql/sql-deployment-store.ts',
    from: `AND job_status IN ('PENDING', 'RUNNING') RETURNING job_id`,
    to: `AND job_status IN ('RUNNING') RETURNING job_id`,
  },
  {
    name: 'a deployment is activated without its lease',
    file: 'store/sql/sql-deployment-store.ts',
    from: `WHERE project_id = ? AND version = ? AND state = 'CANDIDATE'
                AND EXISTS (SELECT 1 FROM job WHERE \${HELD}) RETURNING version`,
    to: `WHERE project_id = ? AND version = ? AND (\${HELD.replace(/.*/, '1 = 1 OR ? = ?')}) RETURNING version`,
  },
  {
    name: 'the deployment before stays active next to the new one',
    file: 'store/sql/sql-deployment-store.ts',
    from: `AND state = 'ACTIVE' AND version < ?`,
    to: `AND state = 'ACTIVE' AND version > ?`,
  },
  {
    name: 'a lease holds whatever the attempt',
    file: 'store/sql/lease.ts',
    from: `job_id = ? AND attempt = ? AND job_status = 'RUNNING'`,
    to: `job_id = ? AND ? > 0 AND job_status = 'RUNNING'`,
    seed: 809,
  },
  {
    name: 'a lease holds although the job has ended',
    file: 'store/sql/lease.ts',
    from: `AND attempt = ? AND job_status = 'RUNNING'`,
    to: 'AND attempt = ?',
  },
  {
    name: 'a job is retried without end',
    file: 'store/sql/sql-job-queue.ts',
    from: 'const exhausted = `retry_count >= ${MAX_RETRIES}`;',
    to: 'const exhausted = `retry_count >= 1000`;',
  },
  {
    name: 'a back-off by a clock that was wrong is waited for',
    file: 'store/sql/sql-job-queue.ts',
    from: 'AND (candidate.not_before_ts <= ? OR candidate.not_before_ts > ?)',
    to: 'AND (candidate.not_before_ts <= ? AND candidate.not_before_ts < ?)',
  },
  {
    name: 'jobs of a lost worker are not taken back',
    file: 'jobs/worker.ts',
    from: 'if (await this.#parts.queue.takeBack(mark, retry)) {',
    to: 'if (mark.attempt < 0) {',
  },
  {
    name: 'a job is taken back though its heart has beaten since',
    file: 'store/sql/sql-job-queue.ts',
    from: '`${HELD} AND heartbeat = ?`, [...held(mark), mark.heartbeat]',
    to: '`${HELD}`, held(mark)',
    seed: 658,
  },
  {
    name: 'a repeated publication counts as lost, and its result is discarded',
    file: 'store/sql/sql-job-queue.ts',
    from: `SELECT job_id FROM job WHERE job_id = ? AND attempt = ? AND job_status = 'SUCCEED'`,
    to: `SELECT job_id FROM job WHERE job_id = ? AND attempt = ? AND job_status = 'SUCCEED' AND finished_ts = \${nowMs}`,
  },
  {
    name: 'a model is kept in memory after its deletion',
    file: 'serving/live-deployments.ts',
    from: 'if (isChanged) await this.#parts.cache.forgetDeleted();',
    to: '',
  },
  {
    name: 'a model that is deleted as its load ends is kept in memory',
    file: 'serving/model-cache.ts',
    from: 'if (deleted) throw modelNotFound(projectId, modelId);',
    to: 'if (deleted) throw modelNotFound(projectId, modelId);\n      this.#use(entry);',
  },
  {
    name: 'a model is kept in memory though nobody knows whether it was deleted meanwhile',
    file: 'serving/model-cache.ts',
    from: '        this.#forget(entry);\n        throw error;',
    to: '        throw error;',
  },
  {
    name: 'a list of the model before is given after a switch',
    file: 'serving/user-rankings.ts',
    from: '`${deployment} ${generator.loadNo} ${size} ${generator.catalog.version}`',
    to: '`${size} ${generator.catalog.version}`',
  },
  {
    name: 'a cached list is kept for the version after the events were read',
    file: 'serving/user-rankings.ts',
    from: 'cache.keep(key, { ...ranking, limit, user: keeper, version, madeMs: nowMs });',
    to: 'cache.keep(key, { ...ranking, limit, user: keeper, version: changes.version, madeMs: nowMs });',
  },
  {
    name: 'cached lists outlive the changes of their users',
    file: 'serving/user-changes.ts',
    from: 'return sinceVersion >= this.#from && (this.#changed.get(user) ?? 0) <= sinceVersion;',
    to: 'return sinceVersion >= this.#from;',
  },
  {
    name: 'cached lists outlive changes that were forgotten',
    file: 'serving/user-changes.ts',
    from: '      this.#from = this.#version;\n      this.#changed.clear();',
    to: '      this.#from = Math.max(this.#from, 0);\n      this.#changed.clear();',
  },
  {
    name: 'a call shares a look at the store that began before it',
    file: 'cluster/shared-look.ts',
    from: 'if (this.#running === null) return this.#begin();',
    to: 'if (this.#running === null) return this.#begin();\n    if (this.#running !== null) return this.#running;',
  },
  {
    name: 'a catalog is loaded before its version is read',
    file: 'catalog/catalog.ts',
    from: '    this.#storeVersion = version;\n  }\n\n  /** Takes over',
    to: '    this.#storeVersion = Math.max(version, await items.version(this.#datasetId));\n  }\n\n  /** Takes over',
  },
  {
    name: 'automation takes a step that another node has taken',
    file: 'store/sql/sql-automation-store.ts',
    from: 'WHERE project_id = ? AND revision = ? AND ${condition.sql} RETURNING project_id',
    to: 'WHERE project_id = ? AND revision <> -? AND ${condition.sql} RETURNING project_id',
  },
  {
    name: 'automation deploys though the project was shut down meanwhile',
    file: 'store/sql/sql-automation-store.ts',
    from: 'WHERE project_id = ? AND ${serving} ON CONFLICT DO NOTHING RETURNING decision_id',
    to: 'WHERE project_id = ? AND (TRUE OR ${serving}) ON CONFLICT DO NOTHING RETURNING decision_id',
    seed: 4138,
  },
  {
    name: 'automation deploys a project that was shut down',
    file: 'automation/deploy-decision.ts',
    from: 'return hasServed\n',
    to: 'return hasServed && rule !== "always"\n',
  },
  {
    name: 'an end that cannot be confirmed counts as failed',
    file: 'jobs/hold-lease.ts',
    from: 'queue.finish(lease, publication, runtime.nowMs()), pace))',
    to: 'queue.finish(lease, publication, runtime.nowMs()), pace).catch(() => false))',
  },
  {
    name: 'a call that waits for a model fails when it is deleted',
    file: 'serving/deployed-models.ts',
    from: 'const newer = await this.#newerThan(live);',
    to: 'const newer = null;',
  },
  {
    name: 'calls that wait for a look that fails wait without end',
    file: 'cluster/shared-look.ts',
    from: '.catch(() => {})\n      .then(() => {\n        this.#next = null;',
    to: '.catch(() => new Promise(() => {}))\n      .then(() => {\n        this.#next = null;',
  },
  {
    name: 'a worker that is told to stop works on',
    file: 'jobs/worker.ts',
    from: '    this.#shutdown.abort();\n',
    to: '',
  },
  {
    name: 'a switch keeps the model of the deployment before',
    file: 'serving/live-deployments.ts',
    from: '      deployment: row,\n',
    to: '      deployment: { ...row, generator_model_id: (state.live?.deployment ?? row).generator_model_id },\n',
  },
  {
    name: 'once nothing was deployed, a node says so for ever',
    file: 'serving/deployed-models.ts',
    from: 'if (live === undefined) throw await this.#notDeployed(accountId, projectId);',
    to: `if (live === undefined) Object.assign(this, { wasNone: true });
    if ('wasNone' in this) throw await this.#notDeployed(accountId, projectId);`,
  },
  {
    name: 'a node that was suspended answers before it has followed',
    file: 'serving/live-deployments.ts',
    from: 'Math.max(sinceMs, Math.abs(byWallMs)) <= NODE_LEASE_MS',
    to: 'sinceMs <= NODE_LEASE_MS',
    seed: 1178,
  },
  {
    name: 'a deployment ends before every node serves it',
    file: 'jobs/handlers/deployment.ts',
    from: 'await forEveryNode(context, switched, 0.8, (state) => state.serving >= switched.version);',
    to: '',
  },
  {
    name: 'automation takes a project that was shut down for one that has never served',
    file: 'automation/automation-scheduler.ts',
    from: 'hasServed: active !== null || (await store.automation.hasServed(project_id)),',
    to: 'hasServed: false,',
  },
  {
    name: 'a job is joined before all of its parts are done',
    file: 'store/sql/job-parts.ts',
    from: `AND NOT EXISTS \${partsThat("<> 'SUCCEED'")}`,
    to: `AND NOT EXISTS \${partsThat("= 'RUNNING'")}`,
  },
  {
    name: 'a part that fails leaves its job waiting',
    file: 'store/sql/job-parts.ts',
    from: `AND EXISTS \${partsThat("= 'FAILED'")}`,
    to: `AND EXISTS \${partsThat("= 'LOST'")}`,
    seed: 513,
  },
  {
    name: 'a cancelled job leaves its parts',
    file: 'store/sql/sql-job-store.ts',
    from: '      deletePartsOf(jobId),\n',
    to: `      { sql: 'SELECT 1' },\n`,
  },
  {
    name: 'a job in parts forgets its start when joining them is retried',
    file: 'store/sql/sql-job-queue.ts',
    from: 'WHEN ${exhausted} OR part_count > 0 THEN started_ts',
    to: 'WHEN ${exhausted} THEN started_ts',
  },
  {
    name: 'a lost attempt of a part removes the files of all attempts',
    file: 'jobs/job-attempts.ts',
    from: 'removePieces(blobs, part.jobId, attemptIdOf(lease))',
    to: 'removePieces(blobs, part.jobId)',
  },
  {
    name: 'files of parts are swept before they are joined',
    file: 'store/sql/sql-job-queue.ts',
    from: `part_count > 0 AND job_status IN ('PENDING', 'RUNNING')`,
    to: `part_count > 0 AND job_status IN ('RUNNING')`,
  },
  {
    name: 'a file without a model is swept at first sight',
    file: 'jobs/sweep-orphans.ts',
    from: 'if (monotonicMs - since < this.#graceMs)',
    to: 'if (monotonicMs < since)',
  },
  {
    name: 'a file without a model is never swept',
    file: 'jobs/sweep-orphans.ts',
    from: '    this.#suspects = suspects;\n',
    to: '',
  },
  {
    name: 'a delivery waits for the clock of its writer',
    file: 'store/sql/sql-webhook-store.ts',
    from: 'FROM webhook_delivery WHERE webhook_id = ? AND next_ts <= ?',
    to: 'FROM webhook_delivery WHERE webhook_id = ? AND MAX(next_ts, created_ts) <= ?',
  },
  {
    name: 'a delivery that failed is over',
    file: 'automation/webhooks/webhook-courier.ts',
    from: 'const isOver = succeeded || attempts >= MAX_ATTEMPTS;',
    to: 'const isOver = true;',
  },
  {
    name: 'nobody is told of a job that fails',
    file: 'store/sql/sql-job-queue.ts',
    from: `      announceEnds('job_id = ?', [lease.jobId], nowMs),\n    ]);`,
    to: `      announceEnds('FALSE AND job_id = ?', [lease.jobId], nowMs),\n    ]);`,
  },
  {
    name: 'two roll-backs at once submit two jobs',
    file: 'store/sql/sql-job-store.ts',
    from: '`${room.sql} AND NOT EXISTS (${same.sql})`',
    to: '`${room.sql} AND (TRUE OR NOT EXISTS (${same.sql}))`',
  },
  {
    name: 'a second roll-back goes forward again',
    file: 'store/sql/sql-automation-store.ts',
    from: 'Number(row.version) < firstVersion(active) &&',
    to: 'Number(row.version) < Number(active.version) &&',
  },
  {
    name: 'a roll-back goes to a model that was deleted',
    file: 'store/sql/sql-automation-store.ts',
    from: 'Number(row.is_there) === 1 &&',
    to: '',
  },
  {
    name: 'a node keeps a placement and its experiment for ever',
    file: 'serving/live-placements.ts',
    from: 'if (kept?.epoch === epoch) return kept.placement;',
    to: 'if (kept) return kept.placement;',
  },
  {
    name: 'a placement is kept for the epoch after it was read',
    file: 'serving/live-placements.ts',
    from: 'this.#kept.set(key, { placement, epoch });',
    to: 'this.#kept.set(key, { placement, epoch: this.#epoch() });',
  },
  {
    name: 'a stop of an experiment raises no epoch',
    file: 'store/sql/sql-experiment-store.ts',
    from: `      RAISE_EPOCH,
    ]);
    const [changed, ended]`,
    to: `      { sql: 'SELECT 0 AS epoch' },
    ]);
    const [changed, ended]`,
  },
  {
    name: 'a promotion that is sent again does not wait for other nodes',
    file: 'http/routes/experiments.ts',
    from: 'await followedEverywhere(epoch ?? (await deployments.epoch()));',
    to: 'if (epoch !== null) await followedEverywhere(epoch);',
  },
  {
    name: 'a variant is promoted twice',
    file: 'store/sql/sql-experiment-store.ts',
    from: 'changePlacement(name, promote.version, isOpen)',
    to: 'changePlacement(name, promote.version)',
  },
  {
    name: 'a promotion overwrites a version that somebody else has written',
    file: 'store/sql/sql-placement-store.ts',
    from: 'AND version = ? AND ${condition.sql} RETURNING version',
    to: 'AND version + 1000 > ? AND ${condition.sql} RETURNING version',
  },
  {
    name: 'a merge leaves cached lists of the user that gets the events',
    file: 'store/sqlite/merge-users.ts',
    from: 'changeLog.note(counts, [fromNo, intoNo]);',
    to: 'changeLog.note(counts, [fromNo]);',
  },
  {
    name: 'a merge leaves cached lists of the user that is gone',
    file: 'store/sqlite/merge-users.ts',
    from: 'changeLog.note(counts, [fromNo, intoNo]);',
    to: 'changeLog.note(counts, [intoNo]);',
  },
  {
    name: 'a user who comes back after a merge gets the number of before',
    file: 'store/known-numbers.ts',
    from: "kind === 'user' ? erasures + merges : 0",
    to: "kind === 'user' ? erasures + 0 * merges : 0",
  },
];
