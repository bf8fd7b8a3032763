// Loaded into a service under a benchmark (--import): SIGUSR2 switches ids of lists and the counting of served lists off and on
// again, so that one process is measured with and without them.
import { ServedLists } from '../../src/outcomes/served-lists.ts';

const { make, count } = ServedLists.prototype;
const NO_ID = 'x'.repeat(123);
let isOff = false;
ServedLists.prototype.make = function (this: ServedLists, ...list: Parameters<typeof make>): string {
  return isOff ? NO_ID : make.apply(this, list);
};
ServedLists.prototype.count = function (this: ServedLists, ...list: Parameters<typeof count>): void {
  if (!isOff) count.apply(this, list);
};
process.on('SIGUSR2', () => {
  isOff = !isOff;
});
