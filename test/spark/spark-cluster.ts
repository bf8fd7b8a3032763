// A standalone Spark on loopback: a master and two workers.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installPyspark } from './pyspark.ts';

export interface ClusterSize {
  /** of each of the two executors */
  readonly executorMb: number;
  readonly driverMb: number;
  readonly shufflePartitions: number;
}

const SMALL: ClusterSize = { executorMb: 700, driverMb: 700, shufflePartitions: 4 };
/** What a worker needs in addition to its executor. */
const WORKER_MB = 324;

export class SparkCluster {
  readonly master: string;
  /** spark-submit, with what a small cluster on loopback needs */
  readonly submit: string;
  /** the master's own page */
  readonly #page: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kindred-spark-'));
  readonly #home: string;
  readonly #processes: ChildProcess[] = [];
  readonly #size: ClusterSize;

  static async start(size = SMALL): Promise<SparkCluster> {
    const [port, pagePort] = [await freePort(), await freePort()];
    const cluster = new SparkCluster(installPyspark(), { port, pagePort }, size);
    try {
      await cluster.#run('master.Master', 'elected leader', [
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--webui-port',
        String(pagePort),
      ]);
      await Promise.all([cluster.addWorker(), cluster.addWorker()]);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  private constructor(home: string, { port, pagePort }: { port: number; pagePort: number }, size: ClusterSize) {
    this.#home = home;
    this.#size = size;
    this.#page = `http://127.0.0.1:${pagePort}`;
    this.master = `spark://127.0.0.1:${port}`;
    const conf = {
      'spark.driver.host': '127.0.0.1',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.executor.memory': `${size.executorMb}m`,
      'spark.driver.memory': `${size.driverMb}m`,
      'spark.sql.shuffle.partitions': String(size.shufflePartitions),
      'spark.local.dir': this.#folder,
    };
    const options = Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
    this.submit = [join(home, 'bin/spark-submit'), ...options].join(' ');
  }

  async addWorker(): Promise<ChildProcess> {
    const dir = mkdtempSync(join(this.#folder, 'worker-'));
    const memory = `${this.#size.executorMb + WORKER_MB}m`;
    return this.#run('worker.Worker', 'Successfully registered', [
      '--host',
      '127.0.0.1',
      '--cores',
      '1',
      '--memory',
      memory,
      '--webui-port',
      '0',
      '--work-dir',
      dir,
      this.master,
    ]);
  }

  /** Ids of the applications that the master has not seen ending. */
  async applications(): Promise<string[]> {
    const { activeapps } = (await (await fetch(`${this.#page}/json/`)).json()) as { activeapps: { id: string }[] };
    return activeapps.map(({ id }) => id);
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
    for (const deadline = Date.now() + 300_000; !text.toLowerCase().includes(ready.toLowerCase()); ) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`Spark's ${name} did not start: ${text}`);
      await delay(50);
    }
    return child;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
