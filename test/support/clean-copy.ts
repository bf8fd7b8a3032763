// The sources of this checkout at another place, with packages of their own, where nothing is built yet.
import { copyFileSync, cpSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const LEFT_OUT = ['.git', 'bench', 'build', 'data', 'node_modules', 'test'];

export function cleanCopy(folder: string): void {
  const isSource = (path: string) => !LEFT_OUT.includes(relative(root, path));
  cpSync(root, folder, { recursive: true, filter: isSource });
  linkFolder(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Tools resolve symbolic links and would find the packages of the checkout. Hard links have a place of their own and cost nothing. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // Another file system, or one without hard links.
    copyFileSync(source, target);
  }
}
