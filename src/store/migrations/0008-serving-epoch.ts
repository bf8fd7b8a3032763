// What API nodes follow. `serving_epoch` rises with every change that nodes must follow before it is acknowledged.
// `activated_ts` tells deployments that served from candidates that never did. The default project of an account answers
// recommendation calls that name none: the first project that was deployed; of those deployed now, if there are any.
import type { Migration } from './migration.ts';

const sql = `
CREATE TABLE serving_epoch (
  one BIGINT PRIMARY KEY,
  epoch BIGINT NOT NULL
);

ALTER TABLE deployment ADD COLUMN activated_ts BIGINT;
UPDATE deployment SET activated_ts = created_ts
WHERE state = 'ACTIVE' OR (state = 'RETIRED' AND EXISTS (
  SELECT 1 FROM job WHERE job.job_id = deployment.job_id AND job.job_status = 'SUCCEED'));

ALTER TABLE account ADD COLUMN default_project_id TEXT;
UPDATE account SET default_project_id = (
  SELECT deployment.project_id FROM deployment
  WHERE deployment.account_id = account.account_id AND deployment.activated_ts IS NOT NULL
  GROUP BY deployment.project_id
  ORDER BY MAX(CASE WHEN deployment.state = 'ACTIVE' THEN 1 ELSE 0 END) DESC, MIN(deployment.activated_ts),
    deployment.project_id
  LIMIT 1);
`;

export const servingEpoch: Migration = { version: 8, name: 'serving epoch', sql: { sqlite: sql, postgres: sql } };
