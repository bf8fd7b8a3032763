// Deletes the rows about a user of experiments, found by the user's number: those of the projects of one event dataset, and those of
// projects that are gone. An account may have very many series, so rows of others are left out one by one. Parameters: number, dataset.
export const FORGET_VISITOR_SQL = `DELETE FROM outcome_user WHERE user_hash = ? AND NOT EXISTS (
  SELECT 1 FROM outcome_series s JOIN project p ON p.project_id = s.project_id
  WHERE s.series_no = outcome_user.series_no AND p.event_dataset_id <> ?)`;
