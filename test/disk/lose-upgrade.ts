// The power is cut while the data of a kept release is upgraded: the next start brings it to the end, and every table and row is
// as after an upgrade that nothing interrupted.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openStore, SQLITE_FILE } from '../../src/store/open-store.ts';
import { archiveOf, keptReleases } from '../support/kept-release.ts';
import { dumpSqlite } from '../support/sqlite-dump.ts';
import { type Check, cutPower, record } from './cut-power.ts';

export interface UpgradeOptions {
  shim: string;
  root: string;
  seed: number;
  /** Cuts in the middle of writes. */
  between: number;
  say: (line: string) => void;
}

/** All but when a migration was done. */
function dumpOf(dataDir: string) {
  const { schema, rows } = dumpSqlite(join(dataDir, SQLITE_FILE));
  return { schema, rows: rows.map(([name, all]) => [name, all.map(({ applied_ts, ...row }) => row)]) };
}

/** Returns how many cuts broke something. */
export async function loseUpgrades({ shim, root, seed, between, say }: UpgradeOptions): Promise<number> {
  let allBroken = 0;
  for (const release of keptReleases()) {
    const prepare = (dataDir: string): void => {
      mkdirSync(dataDir);
      // The archive has the folder by the same name.
      execFileSync('tar', ['-xzf', archiveOf(release, 'sqlite'), '--no-same-owner', '-C', dirname(dataDir)]);
    };
    const recording = record({ shim, root: join(root, `upgrade-${release}`), script: 'upgrade-once.ts', prepare });
    const whole = dumpOf(join(recording.folder, 'data'));
    const check: Check = async (dataDir) => {
      try {
        await (await openStore({ dataDir })).close();
        return { wrong: isDeepStrictEqual(dumpOf(dataDir), whole) ? [] : ['rows or tables differ'], rows: 1 };
      } catch (error) {
        return { wrong: [String(error)], rows: 0 };
      }
    };
    const { checked, edges, broken } = await cutPower({ recording, seed, between, check, say });
    say(
      `power was cut at ${edges} edges and ${between} other places of an upgrade from ${release}: ${checked} folders, ${broken} broken`,
    );
    allBroken += broken + Number(edges === 0);
  }
  return allBroken;
}
