// A standalone Spark on loopback: a virtual environment with pyspark (which has all of Spark), a master and two workers.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PYSPARK = 'pyspark==4.0.1';
/** Kept between runs on the same machine: 400 MB to download. */
const VENV = process.env.KINDRED_TEST_SPARK_VENV ?? join(tmpdir(), 'kindred-spark-venv-4.0.1');

export class SparkCluster {
  readonly master: string;
  /** spark-submit, with what a small cluster on loopback needs */
  readonly submit: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kindred-spark-'));
  readonly #home: string;
  readonly #processes: ChildProcess[] = [];

  static async start(): Promise<SparkCluster> {
    const cluster = new SparkCluster(install(), await freePort());
    try {
      await cluster.#run('master.Master', 'elected leader', [
        ...['--host', '127.0.0.1', '--port', cluster.master.split(':')[2], '--webui-port', '0'],
      ]);
      await Promise.all([cluster.addWorker(), cluster.addWorker()]);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  private constructor(home: string, port: number) {
    this.#home = home;
    this.master = `spark://127.0.0.1:${port}`;
    const conf = {
      'spark.driver.host': '127.0.0.1',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.executor.memory': '700m',
      'spark.driver.memory': '700m',
      'spark.sql.shuffle.partitions': '4',
      'spark.local.dir': this.#folder,
    };
    const options = Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
    this.submit = [join(home, 'bin/spark-submit'), ...options].join(' ');
  }

  async addWorker(): Promise<ChildProcess> {
    const dir = mkdtempSync(join(this.#folder, 'worker-'));
    return this.#run('worker.Worker', 'Successfully registered', [
      ...['--host', '127.0.0.1', '--cores', '1', '--memory', '1g', '--webui-port', '0', '--work-dir', dir, this.master],
    ]);
  }

  get workers(): readonly ChildProcess[] {
    return this.#processes.slice(1);
  }

  async stop(): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(name: string, ready: string, args: readonly string[]): Promise<ChildProcess> {
    const child = spawn(join(this.#home, 'bin/spark-class'), [`org.apache.spark.deploy.${name}`, ...args], {
      env: { ...process.env, SPARK_HOME: this.#home, SPARK_LOCAL_IP: '127.0.0.1', SPARK_NO_DAEMONIZE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#processes.push(child);
    let text = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        text = (text + chunk).slice(-20_000);
      });
    }
    for (const deadline = Date.now() + 90_000; !text.toLowerCase().includes(ready.toLowerCase()); ) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`Spark's ${name} did not start: ${text}`);
      await delay(50);
    }
    return child;
  }
}

/** The folder of Spark within the environment. */
function install(): string {
  if (!existsSync(join(VENV, 'complete'))) {
    rmSync(VENV, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', VENV]);
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', PYSPARK];
    execFileSync(join(VENV, 'bin/python'), pip, { stdio: 'inherit' });
    mkdirSync(join(VENV, 'complete'));
  }
  process.env.PYSPARK_PYTHON = join(VENV, 'bin/python');
  const lib = join(VENV, 'lib');
  return join(lib, readdirSync(lib)[0], 'site-packages/pyspark');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
