// A port of loopback for programs that cannot choose one by themselves. It is below those that systems give to whoever asks for
// any port, so that no connection or test next to this one gets it before the program does.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const [LOWEST, HIGHEST] = [12_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
