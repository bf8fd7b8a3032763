// The files of a `user_list` job.

import { type CsvCell, csvLine } from '../../base/csv-line.ts';
import type { ListQuery } from '../../domain/insight-request.ts';
import type { ResultWriter } from '../../results/publish-result.ts';
import type { InsightFormat } from '../../results/result-link.ts';
import { matchBarsSvg } from '../charts/match-bars.ts';
import { groupDigits } from '../charts/svg.ts';
import {
  type CalibrationReport,
  enumerate,
  openObject,
  type PairCalibration,
  type ResultHead,
} from '../result-head.ts';
import { BASES, type UserIds } from '../usage/usage-block.ts';
import type { ListMatches } from './collect-list.ts';
import { conditionInWords, notesInWords } from './query-result.ts';
import { shortNumber } from './short-number.ts';

/** Most counts in a message. */
const MAX_COUNTS = 5;

export interface ListResult {
  readonly head: ResultHead;
  readonly queries: readonly ListQuery[];
  readonly matches: ListMatches;
  readonly userIds: UserIds;
  /** for each query, a note that no item has a value of it, or null */
  readonly notes: readonly (string | null)[];
  readonly calibration: Pick<CalibrationReport, 'method' | 'users'>;
  /** for each query, one per condition */
  readonly calibrations: readonly (readonly (PairCalibration | null)[])[];
}

export function listMessage({ head, queries, matches, notes }: ListResult): string {
  const total = groupDigits(head.total_users);
  const counts = queries.slice(0, MAX_COUNTS).map((_, query) => groupDigits(matches.count(query)));
  const which = `${queries.length > MAX_COUNTS ? `The first ${MAX_COUNTS} of ` : ''}${queries.length} queries`;
  const found =
    queries.length === 1
      ? `${counts[0]} of ${total} users meet the conditions.`
      : `${which} found ${enumerate(counts)} of ${total} users.`;
  return found + notesInWords(notes);
}

export function listWriters(result: ListResult): Record<InsightFormat, ResultWriter> {
  return { json: jsonWriter(result), csv: csvWriter(result), svg: svgWriter(result) };
}

function jsonWriter(result: ListResult): ResultWriter {
  const { head, queries, matches, userIds, notes, calibration, calibrations } = result;
  return async (file) => {
    await file.write(
      `${openObject({ ...head, query_type: 'user_list', message: listMessage(result), calibration })}"queries":[`,
    );
    for (const [query, asked] of queries.entries()) {
      const count = matches.count(query);
      const members = { query: asked, count, note: notes[query], calibration: calibrations[query] };
      await file.write(`${query === 0 ? '' : ','}\n${openObject(members)}"users":[`);
      if (count > 0) {
        let separator = '\n';
        for (const { user, basis, usages } of await matches.of(query)) {
          const rounded = shortNumbers(usages);
          const entry = { user_id: userIds.at(user)!, usage: rounded[0], usages: rounded, basis: BASES[basis] };
          const written = file.write(separator + JSON.stringify(entry));
          if (written !== undefined) await written;
          separator = ',\n';
        }
      }
      await file.write(']}');
    }
    await file.write(']}\n');
  };
}

function csvWriter({ queries, matches, userIds }: ListResult): ResultWriter {
  const columns = Math.max(...queries.map(({ conditions }) => conditions.length));
  return async (file) => {
    const usageNames = Array.from({ length: columns }, (_, column) =>
      columns === 1 ? 'usage' : `usage_${column + 1}`,
    );
    await file.write(csvLine(['query', 'user_id', 'basis', ...usageNames]));
    for (const query of queries.keys()) {
      for (const { user, basis, usages } of await matches.of(query)) {
        const cells: CsvCell[] = [query + 1, userIds.at(user)!, BASES[basis], ...shortNumbers(usages)];
        while (cells.length < 3 + columns) cells.push(null);
        const written = file.write(csvLine(cells));
        if (written !== undefined) await written;
      }
    }
  };
}

function svgWriter({ head, queries, matches, notes }: ListResult): ResultWriter {
  const bars = () =>
    queries.map(({ conditions }, query) => ({
      title: conditions.map(conditionInWords).join(', and '),
      count: matches.count(query),
      note: notes[query],
    }));
  return (file) => file.writeAll(matchBarsSvg(bars(), head.total_users));
}

function shortNumbers(values: Float32Array): number[] {
  const short: number[] = [];
  for (const value of values) short.push(shortNumber(value));
  return short;
}
