// Loaded into a service under a benchmark (--import): SIGUSR2 switches the counting of served lists off and on again, so that one
// process is measured with and without it.
import { ServedJournal } from '../../src/outcomes/served-journal.ts';

const { count } = ServedJournal.prototype;
let isOff = false;
ServedJournal.prototype.count = function (this: ServedJournal, ...list: Parameters<typeof count>): void {
  if (!isOff) count.apply(this, list);
};
process.on('SIGUSR2', () => {
  isOff = !isOff;
});
