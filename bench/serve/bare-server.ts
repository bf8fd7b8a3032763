// The base of the serving benchmark: a bare Fastify route with the same body schema, the same check of credentials and a response
// of the same size, in a process of its own. Reads its data folder and the response from the command line.
import Fastify from 'fastify';
import { AccessTokens } from '../../src/http/auth/access-tokens.ts';
import { Authenticator } from '../../src/http/auth/authenticator.ts';
import { RecommendBody } from '../../src/http/routes/recommend.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openStore } from '../../src/store/open-store.ts';

const [dataDir, responseFile] = process.argv.slice(2);
const { readFileSync } = await import('node:fs');
const response = JSON.parse(readFileSync(responseFile, 'utf8'));
const store = await openStore({ dataDir });
const authenticator = new Authenticator(store.accounts, await AccessTokens.open(store.accounts), createLogger('error'));
await authenticator.start();

const app = Fastify();
app.post(
  '/recommend-items-to-user',
  {
    schema: { body: RecommendBody },
    onRequest: async (request) => {
      await authenticator.authenticate(request, '/recommend-items-to-user');
    },
  },
  async () => response,
);
// As the service tells it at the same path.
app.get(
  '/metrics',
  async () => `process_cpu_seconds_total ${process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6}\n`,
);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stderr.write(`serves at http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
