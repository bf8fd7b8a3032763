// A real Kafka broker for tests: one node in KRaft mode on loopback, from the jars that Maven brings into a cache folder. Needs
// Java 17 and Maven. It listens twice: without protection, and with TLS and SASL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

const VERSION = '4.1.0';
const START_MS = 60_000;
/** Of SASL, in every mechanism. */
export const KAFKA_USER = { username: 'kindred', password: 'correct-horse' };
const STORE_PASSWORD = 'not-a-secret';
const JAVA_OPTIONS = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>kindred</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>`;

/** The folder with the jars; downloaded at the first run. */
function kafkaJars(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kindred-tests');
  const folder = join(cache, `kafka-${VERSION}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, 'kafka-'));
  writeFileSync(join(made, 'pom.xml'), POM);
  const args = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars', '-DincludeScope=runtime'];
  const { status } = spawnSync('mvn', args, { cwd: made, stdio: 'inherit' });
  if (status !== 0) throw new Error(`mvn ended with ${status}`);
  renameSync(join(made, 'jars'), folder);
  rmSync(made, { recursive: true });
  return folder;
}

export class KafkaBroker {
  readonly address: string;
  /** With TLS and SASL. */
  readonly secureAddress: string;
  /** The certificate it shows, as PEM. */
  readonly caFile: string;
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, securePort: number) {
    this.#folder = folder;
    this.#port = port;
    this.address = `127.0.0.1:${port}`;
    this.secureAddress = `127.0.0.1:${securePort}`;
    this.caFile = join(folder, 'broker.pem');
  }

  static async start(): Promise<KafkaBroker> {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-kafka-'));
    const port = await freePort();
    const securePort = await freePort();
    const controller = await freePort();
    const keyStore = makeCertificate(folder);
    const settings = {
      'process.roles': 'broker,controller',
      'node.id': 1,
      'controller.quorum.bootstrap.servers': `127.0.0.1:${controller}`,
      listeners: `PLAINTEXT://127.0.0.1:${port},SASL_SSL://127.0.0.1:${securePort},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},SASL_SSL://127.0.0.1:${securePort}`,
      'ssl.keystore.location': keyStore,
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.password': STORE_PASSWORD,
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.sasl_ssl.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${KAFKA_USER.username}="${KAFKA_USER.password}";`,
      ...Object.fromEntries(
        ['scram-sha-256', 'scram-sha-512'].map((mechanism) => [
          `listener.name.sasl_ssl.${mechanism}.sasl.jaas.config`,
          'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        ]),
      ),
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT',
      'log.dirs': join(folder, 'logs'),
      'offsets.topic.replication.factor': 1,
      'offsets.topic.num.partitions': 1,
      'transaction.state.log.replication.factor': 1,
      'transaction.state.log.min.isr': 1,
      'group.initial.rebalance.delay.ms': 0,
    };
    const file = join(folder, 'server.properties');
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const id = randomBytes(16).toString('base64url');
    const format = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', file, '--standalone'];
    const { username, password } = KAFKA_USER;
    for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512']) {
      format.push('--add-scram', `${mechanism}=[name=${username},password=${password}]`);
    }
    const { status, stderr } = spawnSync('java', [...JAVA_OPTIONS, '-cp', `${kafkaJars()}/*`, ...format]);
    if (status !== 0) throw new Error(`kafka storage format ended with ${status}: ${stderr}`);
    const broker = new KafkaBroker(folder, port, securePort);
    await broker.restart();
    return broker;
  }

  /** Starts it again on what it has stored. */
  async restart(): Promise<void> {
    const args = [...JAVA_OPTIONS, '-cp', `${kafkaJars()}/*`, 'kafka.Kafka', join(this.#folder, 'server.properties')];
    this.#child = spawn('java', args, { stdio: 'ignore' });
    const deadline = Date.now() + START_MS;
    while (!(await isOpen(this.#port))) {
      if (Date.now() > deadline || this.#child.exitCode !== null) throw new Error('the broker did not start');
      await sleep(200);
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A certificate for the loopback address, with Java's own tool; returns the key store. */
function makeCertificate(folder: string): string {
  const keyStore = join(folder, 'broker.p12');
  const store = ['-keystore', keyStore, '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD, '-alias', 'broker'];
  const make = ['-genkeypair', '-keyalg', 'EC', '-validity', '2', '-dname', 'CN=broker', '-ext', 'SAN=ip:127.0.0.1'];
  const show = ['-exportcert', '-rfc', '-file', join(folder, 'broker.pem')];
  for (const args of [make, show]) {
    const { status, stdout, stderr } = spawnSync('keytool', [...args, ...store], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`keytool ended with ${status}: ${stdout}${stderr}`);
  }
  return keyStore;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
