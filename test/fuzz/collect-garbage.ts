// Preloaded into a service process (NODE_OPTIONS=--import), before the monitor of its event loop: on SIGUSR2, if LOOP_MONITOR_FILE
// says so, collects the garbage of all its threads, so that memory counted from there on is what the next request needs.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

export const COLLECT = 'collect';

const file = process.env.LOOP_MONITOR_FILE;

if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const threads = new BroadcastChannel('collect garbage');
  threads.unref();
  if (!isMainThread) threads.onmessage = collect;
  else {
    process.on('SIGUSR2', () => {
      if (readFileSync(file, 'utf8') !== COLLECT) return;
      threads.postMessage(null);
      collect();
    });
  }
}
