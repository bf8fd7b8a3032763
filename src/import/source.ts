// The interface of an opened file of any format, as an import uses it.
import type { FileFormat } from '../domain/import-job.ts';
import type { Table } from './table.ts';

export { FILE_FORMATS as FORMATS, type FileFormat } from '../domain/import-job.ts';

export interface Source {
  table: Table;
  format: FileFormat;
  sizeBytes: number;
  modifiedMs: number;
  gzip: boolean;
  /** 0 to 1, by the bytes read so far. */
  fractionRead(): number;
  close(): Promise<void>;
}
