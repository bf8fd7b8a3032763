import { open } from 'node:fs/promises';

/** Returns when the content of the file is on disk; for a folder, when the names in it are. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
