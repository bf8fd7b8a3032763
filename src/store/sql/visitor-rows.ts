// The rows about a user of experiments, found by the user's number: their own and those of users who were merged into them, of the
// projects of one event dataset and of projects that are gone. An account may have very many series, so rows of others are left out
// one by one.
const IN_DATASET = `(user_hash = ? OR owner_hash = ?) AND NOT EXISTS (
  SELECT 1 FROM outcome_series s JOIN project p ON p.project_id = s.project_id
  WHERE s.series_no = outcome_user.series_no AND p.event_dataset_id <> ?)`;

/** Parameters: number, number again, dataset. */
export const FORGET_VISITOR_SQL = `DELETE FROM outcome_user WHERE ${IN_DATASET}`;

/** Parameters: number of the user who takes over; number of the visitor, twice; dataset. */
export const MERGE_VISITOR_SQL = `UPDATE outcome_user SET owner_hash = ? WHERE ${IN_DATASET}`;
