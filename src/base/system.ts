// Values that always come from the system, not from the runtime (runtime.ts): secrets, which must be unpredictable, names that no
// other process may have, ages of files, which the system's clock wrote, and the size of memory.
import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';

/** Text that cannot be guessed. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Hexadecimal, as a part of the name of a file, a process or a connection. */
export const uniqueName = (bytes: number): string => randomBytes(bytes).toString('hex');

/** The memory limit of the container if there is one, else the memory of the machine. */
export const systemMemoryBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Time since a file or folder was last written. */
export const fileAgeMs = ({ mtimeMs }: { mtimeMs: number }): number => Date.now() - mtimeMs;

/** The current time as a file's timestamp. */
export const fileTimeNow = (): Date => new Date();
