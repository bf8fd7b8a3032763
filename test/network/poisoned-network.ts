// A cluster whose connections can be poisoned one by one: every process reaches PostgreSQL and a real S3 server through a proxy of
// its own. PostgreSQL listens on a socket file only; a port on loopback leads to it.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type S3Gateway, startS3Gateway } from './s3-gateway.ts';
import { type Line, Toxiproxy } from './toxiproxy.ts';

const POSTGRES_SOCKET = '.s.PGSQL.5432';

export interface Lines {
  database: Line;
  artifacts: Line;
  /** Settings of the process that uses these lines. */
  env: Record<string, string>;
}

export class PoisonedNetwork {
  readonly s3: S3Gateway;
  readonly #toxiproxy: Toxiproxy;
  readonly #database: URL;
  readonly #port: Server;

  static async start(databaseUrl: string): Promise<PoisonedNetwork> {
    const database = new URL(databaseUrl);
    const port = portTo(join(database.searchParams.get('host')!, POSTGRES_SOCKET));
    await once(port, 'listening');
    const [toxiproxy, s3] = await Promise.all([Toxiproxy.start(), startS3Gateway()]);
    return new PoisonedNetwork(database, port, toxiproxy, s3);
  }

  private constructor(database: URL, port: Server, toxiproxy: Toxiproxy, s3: S3Gateway) {
    this.#database = database;
    this.#port = port;
    this.#toxiproxy = toxiproxy;
    this.s3 = s3;
  }

  /** The artifacts as they are, without a proxy. */
  get artifactsUrl(): string {
    return this.s3.urlAt(this.s3.port);
  }

  async lines(name: string): Promise<Lines> {
    const { port: postgresPort } = this.#port.address() as { port: number };
    const database = await this.#toxiproxy.proxy(`${name}-database`, postgresPort);
    const artifacts = await this.#toxiproxy.proxy(`${name}-artifacts`, this.s3.port);
    const url = `postgres://${this.#database.username}@127.0.0.1:${database.port}${this.#database.pathname}`;
    const env = {
      ...this.s3.env,
      KINDRED_DATABASE_URL: url,
      KINDRED_ARTIFACTS_URL: this.s3.urlAt(artifacts.port),
    };
    return { database, artifacts, env };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#toxiproxy.stop(), this.s3.stop()]);
    this.#port.close();
  }
}

function portTo(socketFile: string): Server {
  const server = createServer({ allowHalfOpen: true }, (client: Socket) => {
    const target = connect({ path: socketFile, allowHalfOpen: true });
    client.pipe(target).pipe(client);
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  return server.listen(0, '127.0.0.1');
}
