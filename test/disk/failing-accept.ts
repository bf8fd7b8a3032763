// A service whose n-th `accept` fails, as when it has no file descriptor left: that connection is lost, the service goes on.
import { join } from 'node:path';
import { startServiceProcess } from '../support/service.ts';
import { Faults } from './shim.ts';

const PLACES = [1, 2, 5];

export interface ServiceOptions {
  shim: string;
  root: string;
  say: (line: string) => void;
}

export async function failAccepting({ shim, root, say }: ServiceOptions): Promise<number> {
  const faults = new Faults(shim, join(root, 'accept-control'));
  let broken = 0;
  for (const place of PLACES) {
    faults.arm({ call: 'accept', failure: 'EMFILE', place, times: 1 });
    const service = await startServiceProcess(faults.envFor('/nowhere'));
    try {
      const served: boolean[] = [];
      for (let call = 0; call < 10; call++) {
        const headers = { connection: 'close' };
        const response = await fetch(`${service.baseUrl}/healthz`, { headers }).catch(() => null);
        served.push(response?.ok === true);
      }
      // Connections that wait when there is no file descriptor left are lost; those that come later are not.
      const isServed = !served.slice(-3).includes(false);
      const isHit = faults.refused('accept') > 0;
      if (isServed && isHit) continue;
      broken++;
      say(`accept ${place}: ${isHit ? 'calls after it were not served' : 'it did not fail'}`);
    } finally {
      await service.stop();
    }
  }
  faults.close();
  say(`${PLACES.length} services with an accept that failed, ${broken} broken`);
  return broken;
}
