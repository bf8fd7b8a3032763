// pyspark, which has all of Spark, in a virtual environment that is kept between runs on the same machine: 400 MB to download. As a
// program it installs it and says whether that worked, so that CI can tell a missing download from a failed test.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'pyspark==4.0.1';
const FOLDER = process.env.KINDRED_TEST_SPARK_VENV ?? join(tmpdir(), 'kindred-spark-venv-4.0.1');
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** Returns the folder of Spark, and has Spark's processes use the environment's Python. */
export function installPyspark(): string {
  if (!existsSync(FOLDER)) install();
  process.env.PYSPARK_PYTHON = join(FOLDER, 'bin/python');
  const lib = join(FOLDER, 'lib');
  return join(lib, readdirSync(lib)[0], 'site-packages/pyspark');
}

/** Under another name until it is whole: an installation that was cut off is not taken for one. */
function install(): void {
  const folder = mkdtempSync(`${FOLDER}-new-`);
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', PACKAGE];
    execFileSync(join(folder, 'bin/python'), pip, { stdio: 'inherit', timeout: DOWNLOAD_TIMEOUT_MS });
    renameSync(folder, FOLDER);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`${PACKAGE} could not be downloaded and installed. The tests of Spark need it.`, { cause });
  }
}

if (import.meta.main) {
  try {
    installPyspark();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
