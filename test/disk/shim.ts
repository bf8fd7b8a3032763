// shim.c from here: compiles it with the system's C compiler, and tells it which system calls fail.
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readSync, writeSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/** In the order of shim.c. */
const CALLS = [
  ...(['open', 'read', 'write', 'fsync', 'truncate', 'rename', 'unlink', 'mkdir', 'mmap', 'accept'] as const),
];
export type Call = (typeof CALLS)[number];

/** `short`: a write that writes only half. */
export type Failure = 'EIO' | 'ENOSPC' | 'EMFILE' | 'ENOMEM' | 'short';

/** As in struct control of shim.c, in places of four bytes. */
const MAX_CALLS = 16;
const COUNTS_AT = 4;
const REFUSED_AT = COUNTS_AT + MAX_CALLS;
const LENGTH = REFUSED_AT + MAX_CALLS;

export function buildShim(): string {
  const target = join(mkdtempSync(join(tmpdir(), 'kindred-shim-')), 'shim.so');
  const source = join(import.meta.dirname, 'shim.c');
  execFileSync('gcc', ['-O2', '-shared', '-fPIC', '-o', target, source, '-ldl', '-lpthread']);
  return target;
}

export interface Fault {
  call: Call;
  failure: Failure;
  /** The first one that fails, counted from now. */
  place: number;
  times: number;
}

/** What processes under the shim are told, at any time. */
export class Faults {
  readonly #file: number;
  readonly #env: Record<string, string>;

  constructor(shim: string, controlFile: string) {
    this.#file = openSync(controlFile, 'w+', 0o600);
    ftruncateSync(this.#file, LENGTH * 4);
    this.#env = { LD_PRELOAD: shim, KINDRED_SHIM_CONTROL: controlFile };
    this.clear();
  }

  /** Of a process whose calls on the files of this folder may fail. */
  envFor(folder: string): Record<string, string> {
    return { ...this.#env, KINDRED_SHIM_FOLDER: folder };
  }

  /** Counts start again. */
  arm({ call, failure, place, times }: Fault): void {
    const page = new Int32Array(LENGTH);
    page.set([CALLS.indexOf(call), failure === 'short' ? 0 : constants.errno[failure], place, times]);
    this.#write(page);
  }

  /** Counts start again, and none fails. */
  clear(): void {
    const page = new Int32Array(LENGTH);
    page[0] = -1;
    this.#write(page);
  }

  /** From now on none fails. */
  disarm(): void {
    writeSync(this.#file, new Int32Array([-1]), 0, 4, 0);
  }

  counted(call: Call): number {
    return this.#read()[COUNTS_AT + CALLS.indexOf(call)];
  }

  refused(call: Call): number {
    return this.#read()[REFUSED_AT + CALLS.indexOf(call)];
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(): Int32Array {
    const page = new Int32Array(LENGTH);
    readSync(this.#file, page, 0, LENGTH * 4, 0);
    return page;
  }

  #write(page: Int32Array): void {
    writeSync(this.#file, page, 0, LENGTH * 4, 0);
  }
}
