/** Parameters: the dataset's number, the time, how many. */
export const NEWEST_SQL = `SELECT id, created_ts FROM record WHERE dataset_no = ? AND created_ts >= ?
  ORDER BY created_ts DESC, id DESC LIMIT ?`;
