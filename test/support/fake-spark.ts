// A stand-in for spark-submit: a driver that runs no cluster, for what the worker does with what a driver says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The command. `response`: source of a function of the request, which may use `say` (writes to standard output as it is) and node:fs as
 * `fs`; what it returns is the rows that it wrote. `begin`: source that runs first.
 */
export async function fakeSpark(folder: string, { response, begin = '' }: { response: string; begin?: string }) {
  const file = join(folder, `fake-spark-${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(
    file,
    `import fs from 'node:fs';
const requests = process.argv.at(-2);
const say = (text) => fs.writeSync(1, text);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const respond = ${response};
${begin}
for (let n = 0; !fs.existsSync(requests + '/end'); await pause(10)) {
  const path = requests + '/' + n + '.json';
  if (!fs.existsSync(path)) continue;
  const rows = await respond(JSON.parse(fs.readFileSync(path, 'utf8')));
  if (rows) say('KINDRED DONE ' + JSON.stringify(rows) + '\\n');
  n++;
}
process.exit(0);
`,
  );
  return { master: 'local', submit: `${process.execPath} ${file}` };
}
