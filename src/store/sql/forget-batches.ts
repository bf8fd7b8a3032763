/** Batches of served lists (dataset number) from before a time: their lists no longer count, and no node sends them again. */
export const FORGET_BATCHES_SQL = 'DELETE FROM outcome_served WHERE dataset_no = ? AND created_ts < ?';
