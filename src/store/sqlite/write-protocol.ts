// What the calling thread and the writer thread say to each other.
import type { Row, Statement } from '../database.ts';

export interface AtomicCommand {
  kind: 'atomic';
  statements: readonly Statement[];
}

export type WriteCommand = AtomicCommand;

/** What each kind of command answers. */
export interface WriteResults {
  atomic: Row[][];
}

export interface WriteRequest {
  requestNo: number;
  /** Rows this command writes, about: what a group is filled by. */
  weight: number;
  command: WriteCommand;
}

/** An error crosses the thread boundary as plain data. */
export interface WriteError {
  kind: 'app' | 'constraint' | 'internal';
  code?: string;
  message: string;
}

export interface WriteReply {
  requestNo: number;
  result?: unknown;
  error?: WriteError;
}

export interface WriterThreadData {
  file: string;
}
