// The counters of outcomes by day (UTC) beside those by hour, so that a report of a year reads a row per day.
import { OUTCOME_FIGURES } from '../outcome-store.ts';
import type { Migration } from './migration.ts';

const columns = OUTCOME_FIGURES.join(', ');
const sums = OUTCOME_FIGURES.map((name) => `sum(${name})`).join(', ');

const sql = (double: string): string => `
CREATE TABLE outcome_day (
  series_no INTEGER NOT NULL,
  day INTEGER NOT NULL,
  ${OUTCOME_FIGURES.map((name) => `${name} ${name.includes('value') ? double : 'BIGINT'} NOT NULL DEFAULT 0`).join(',\n  ')},
  PRIMARY KEY (series_no, day)
);
INSERT INTO outcome_day (series_no, day, ${columns}) SELECT series_no, hour / 24, ${sums} FROM outcome_hour
  GROUP BY series_no, hour / 24;
`;

export const outcomeDays: Migration = {
  version: 23,
  name: 'outcome days',
  sql: { sqlite: sql('REAL'), postgres: sql('DOUBLE PRECISION') },
};
