// The files of a `user_distribution` job.

import { csvLine } from '../../base/csv-line.ts';
import { percent } from '../../base/percent.ts';
import type { DistributionQuery } from '../../domain/insight-request.ts';
import type { ResultWriter } from '../../results/publish-result.ts';
import type { InsightFormat } from '../../results/result-link.ts';
import { type HistogramPanel, histogramSvg } from '../charts/histogram.ts';
import { groupDigits } from '../charts/svg.ts';
import {
  type CalibrationReport,
  enumerate,
  openObject,
  type PairCalibration,
  type ResultHead,
} from '../result-head.ts';
import { pairInWords } from '../usage/usage-pairs.ts';
import { notesInWords } from './query-result.ts';
import { shortNumber } from './short-number.ts';
import type { UsageSummary } from './summarize-usage.ts';

export interface DistributionResult {
  readonly head: ResultHead;
  readonly queries: readonly DistributionQuery[];
  readonly summaries: readonly UsageSummary[];
  /** for each query, a note that no item has its value, or null */
  readonly notes: readonly (string | null)[];
  readonly calibration: Pick<CalibrationReport, 'method' | 'users'>;
  readonly calibrations: readonly (PairCalibration | null)[];
}

export function distributionMessage({ head, queries, summaries, notes }: DistributionResult): string {
  const found = queries.flatMap((query, index) => {
    const { mean, median } = summaries[index];
    return notes[index] === null ? [`${pairInWords(query)} ${percent(mean)} (median ${percent(median)})`] : [];
  });
  if (found.length === 0) return notesInWords(notes).trim();
  return `Mean affinity over ${groupDigits(head.total_users)} users: ${enumerate(found, 3)}.${notesInWords(notes)}`;
}

export function distributionWriters(result: DistributionResult): Record<InsightFormat, ResultWriter> {
  return { json: jsonWriter(result), csv: csvWriter(result), svg: svgWriter(result) };
}

function jsonWriter(result: DistributionResult): ResultWriter {
  const { head, queries, summaries, notes, calibration, calibrations } = result;
  return async (file) => {
    const message = distributionMessage(result);
    await file.write(`${openObject({ ...head, query_type: 'user_distribution', message, calibration })}"queries":[`);
    for (const [index, query] of queries.entries()) {
      const summary = summaries[index];
      const entry = {
        query,
        bins: query.bins,
        edges: Array.from(summary.edges, shortNumber),
        counts: Array.from(summary.counts),
        mean: shortNumber(summary.mean),
        median: shortNumber(summary.median),
        min: shortNumber(summary.min),
        max: shortNumber(summary.max),
        total_users: head.total_users,
        note: notes[index],
        calibration: calibrations[index],
      };
      await file.write(`${index === 0 ? '' : ','}\n${JSON.stringify(entry)}`);
    }
    await file.write(']}\n');
  };
}

function csvWriter({ queries, summaries }: DistributionResult): ResultWriter {
  return async (file) => {
    await file.write(csvLine(['query', 'attribute', 'value', 'bin', 'from', 'to', 'users']));
    for (const [index, { attribute, value }] of queries.entries()) {
      const summary = summaries[index];
      for (let bin = 0; bin < summary.counts.length; bin++) {
        const range = [shortNumber(summary.edges[bin]), shortNumber(summary.edges[bin + 1])];
        await file.write(csvLine([index + 1, attribute, value, bin + 1, ...range, summary.counts[bin]]));
      }
    }
  };
}

function svgWriter({ head, queries, summaries, notes }: DistributionResult): ResultWriter {
  const panels = queries.map(
    (query, index): HistogramPanel => ({
      title: pairInWords(query),
      ...summaries[index],
      totalUsers: head.total_users,
      note: notes[index],
    }),
  );
  return (file) => file.writeAll(histogramSvg(panels));
}
