// Preloaded into a test file and the processes it starts. Adds each statement of the SQL stores that they run to a file in the
// folder MUTANT_COVERAGE_DIR, and changes the one that ACTIVE_SQL_MUTANT names.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { threadId } from 'node:worker_threads';
import { sqlMutants, templateOf } from './sql-mutants.ts';

const { MUTANT_COVERAGE_DIR: folder, ACTIVE_SQL_MUTANT } = process.env;
/** reads of the stores, writes of the stores, both in the simulation */
const FROM_STORES = /src\/store\/sql\/|run-atomic\.ts|simulator\/statements\.ts/;
const seen = new Set<string>();
const prepare = DatabaseSync.prototype.prepare;

if (folder !== undefined) {
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    if (!seen.has(sql) && FROM_STORES.test(new Error().stack!)) {
      seen.add(sql);
      appendFileSync(join(folder, `${process.pid}-${threadId}`), `${JSON.stringify(sql)}\n`);
    }
    return prepare.call(this, sql, ...rest);
  };
} else if (ACTIVE_SQL_MUTANT !== undefined) {
  const { template, no } = JSON.parse(ACTIVE_SQL_MUTANT) as { template: string; no: number };
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    if (templateOf(sql) === template) {
      try {
        return prepare.call(this, sqlMutants(sql)[no].sql, ...rest);
      } catch {
        // A mutant that is not valid SQL must not count as found, so the statement runs as it is.
      }
    }
    return prepare.call(this, sql, ...rest);
  };
}
