// Preloaded into a service process (NODE_OPTIONS=--import): the longest time its main thread worked without a turn of the event
// loop, written to the file that LOOP_MONITOR_FILE names. Processor time of the thread is measured, not the clock's: a busy
// machine does not make the service look slow.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { threadMs } from './short-stretch.ts';

const TICK_MS = 5;
const file = process.env.LOOP_MONITOR_FILE;

// The worker process inherits the variable, and threads the preload.
if (file !== undefined && isMainThread && process.env.KINDRED_ROLES !== 'worker') {
  let before = threadMs();
  let longest = 0;
  setInterval(() => {
    const now = threadMs();
    if (now - before > longest) {
      longest = now - before;
      writeFileSync(file, String(longest));
    }
    before = threadMs();
  }, TICK_MS).unref();
  // A new window begins when the test asks for it.
  process.on('SIGUSR2', () => {
    before = threadMs();
    longest = 0;
    writeFileSync(file, '0');
  });
}
