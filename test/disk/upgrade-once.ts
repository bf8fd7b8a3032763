// Opens the store in a folder, and so brings the data of an earlier release up to date: `node upgrade-once.ts FOLDER MARKS`.
import { writeFileSync } from 'node:fs';
import { openStore } from '../../src/store/open-store.ts';

const [dataDir, marks] = process.argv.slice(2);
await (await openStore({ dataDir })).close();
writeFileSync(marks, 'upgraded\n');
