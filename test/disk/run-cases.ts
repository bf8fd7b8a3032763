// A process under shim.c that runs the workload again and again, each time in an empty folder: `node run-cases.ts FOLDER MARKS`. Starting
// a process takes longer than the work. Runs when told to, and tells when it is done.
import { runWorkload } from './workload.ts';

const [dataDir, marks] = process.argv.slice(2);

process.on('message', () => {
  void runWorkload(dataDir, marks).then(() => process.send!('done'));
});
process.send!('ready');
