// What comes from the system whatever the runtime (runtime.ts) says: secrets, which nobody may predict, names that no other process may
// have, ages of files, whose times the system's clock wrote, and the size of its memory.
import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';

/** Text that cannot be guessed. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Hexadecimal, as a part of the name of a file, a process or a connection. */
export const uniqueName = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Of the container where it has a limit, else of the machine. */
export const systemMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** How long ago a file or folder was written. */
export const fileAgeMs = ({ mtimeMs }: { mtimeMs: number }): number => Date.now() - mtimeMs;

/** For the times of files. */
export const fileTimeNow = (): Date => new Date();
