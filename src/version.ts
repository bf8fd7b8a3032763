// Kindred's version, from the nearest package.json above this file. Works from source and from the compiled package.
import { existsSync, readFileSync } from 'node:fs';

function findVersion(): string {
  let directory = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', directory))) directory = new URL('../', directory);
  return JSON.parse(readFileSync(new URL('package.json', directory), 'utf8')).version;
}

export const VERSION: string = findVersion();
