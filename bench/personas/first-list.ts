// From the same three files to a list of a known user that is personal, with Kindred and with Gorse: commands and calls, and the
// minutes they take. Personal: at least half of it is neither among the most popular nor among the newest items that the user does
// not know yet. Gorse is asked again and again until its list is; Kindred's first list is checked.
import { report } from '../report.ts';
import { writeFilmFiles } from './film-files.ts';
import { GORSE_VERSION, hasGorse, timeGorse } from './gorse.ts';
import { folder, kindred, seconds } from './newcomer.ts';

const USER = 'viewer-00001';
const LENGTH = 10;

/** setUpSec: git clone, npm ci and the start, which came before. */
export async function compareFirstLists(setUpSec: number): Promise<void> {
  const files = writeFilmFiles(folder);
  const known = files.nonPersonal(USER, LENGTH);
  const isPersonal = (list: readonly string[]): boolean =>
    list.length === LENGTH && list.filter((item) => !known.has(item)).length >= LENGTH / 2;

  const project = ['--project', 'films-from-gorse'];
  const fromFileSec = await seconds(() => {
    kindred('import', files.users, files.items, files.feedback, ...project, '--target-event', 'watch');
    kindred('train', ...project, '--deploy');
    const { results } = JSON.parse(kindred('recommend', USER, ...project, '--json'));
    const list = results.map(({ item_id }: { item_id: string }) => item_id);
    if (!isPersonal(list)) throw new Error(`Kindred's list is not personal: ${list.join(' ')}`);
  });
  tell('Kindred', 'git clone, npm ci and start, then 3 commands: import, train, recommend', [setUpSec, fromFileSec]);

  if (!hasGorse()) {
    process.stdout.write('personas: Gorse is left out: building it needs Go.\n');
    return;
  }
  const gorse = await timeGorse(files, USER, isPersonal);
  const parts = `start ${gorse.startSec.toFixed(0)} s, files ${gorse.importSec.toFixed(0)} s, wait ${gorse.waitSec.toFixed(0)} s`;
  tell(
    `Gorse ${GORSE_VERSION}`,
    `build from source, a configuration file and start, then 4 calls: users, items, feedback, recommend (${parts})`,
    [gorse.buildSec, gorse.startSec + gorse.importSec + gorse.waitSec],
  );
}

function tell(system: string, steps: string, [setUpSec, restSec]: [number | null, number]): void {
  const minutes = (sec: number): string => (sec / 60).toFixed(1);
  report({
    bench: 'personas',
    what: `a personal list from files of 2,000 users and 60,000 events: ${system}`,
    ratio: null,
    base: '',
    figures: `${minutes((setUpSec ?? 0) + restSec)} minutes, ${setUpSec === null ? 'installing not counted' : `of which installing ${minutes(setUpSec)}`}: ${steps}`,
  });
}
