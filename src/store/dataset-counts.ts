// The counters of a dataset as a write transaction sees them, on either database: read at its start, changed in memory, written
// back before it commits.

export interface DatasetCounts {
  dataset_no: number;
  num_records: number;
  version: number;
  changes_from: number;
  num_users: number;
  num_items: number;
  num_types: number;
  num_deletions: number;
  erasures: number;
  merges: number;
  stored_bytes: number;
  /** first and last time an item of a list was shown, see outcomes/outcome-rules.ts; null: never */
  shown_from_ts: number | null;
  shown_to_ts: number | null;
}
