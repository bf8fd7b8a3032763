// A service whose n-th `accept` fails, as when it has no file descriptor left: that connection is lost, the service continues.
import { startServiceProcess } from '../support/service.ts';

const PLACES = [1, 2, 5];

export async function failAccepting(shim: string, say: (line: string) => void): Promise<number> {
  let broken = 0;
  for (const place of PLACES) {
    const service = await startServiceProcess({
      ...{ LD_PRELOAD: shim, KINDRED_SHIM_FOLDER: '/nowhere', KINDRED_SHIM_FAIL: `accept:EMFILE:${place}` },
    });
    try {
      const served: boolean[] = [];
      for (let call = 0; call < 10; call++) {
        const headers = { connection: 'close' };
        const answer = await fetch(`${service.baseUrl}/healthz`, { headers }).catch(() => null);
        served.push(answer?.ok === true);
      }
      // Connections that wait when there is no file descriptor left are lost; those that come later are not.
      if (served.slice(-3).includes(false)) {
        broken++;
        say(`accept:EMFILE:${place}: calls after it were not served`);
      }
    } finally {
      await service.stop();
    }
  }
  say(`${PLACES.length} services with an accept that failed, ${broken} broken`);
  return broken;
}
