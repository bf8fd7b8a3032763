// Known bugs of deployments on nodes, of models in memory and of cached lists; see mutations.ts.
import type { Mutation } from './mutation.ts';

export const SERVING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a node that was paused serves before it has followed',
    file: 'serving/deployed-models.ts',
    from: 'if (!deployments.isFresh) await deployments.refresh();',
    to: '',
    seed: 757,
  },
  {
    name: 'a node that was away serves what was shut down until newer models are loaded',
    file: 'serving/live-deployments.ts',
    from: '    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);',
    to: `    if (state.prepared < row.version && state.live) return this.#prepare(row, state);
    const project = await this.#parts.store.projects.get(row.account_id, row.project_id);`,
    seed: 2356,
  },
  {
    name: 'a deployment fails when a node loses a message while it loads the model',
    file: 'serving/live-deployments.ts',
    from: 'if (isUnavailable(error)) throw error;',
    to: '',
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
    seed: 3434,
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
    seed: 2211,
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
    seed: 2356,
  },
  {
    name: 'a deployment ends before every node serves it',
    file: 'jobs/handlers/deployment.ts',
    from: 'await forEveryNode(context, switched, 0.8, (state) => state.serving >= switched.version);',
    to: '',
  },
];
