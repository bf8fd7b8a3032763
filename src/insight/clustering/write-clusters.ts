// The files of a clustering job.

import { csvCell, csvLine } from '../../base/csv-line.ts';
import { percent } from '../../base/percent.ts';
import type { ClusteringParameters } from '../../domain/insight-request.ts';
import type { ResultWriter } from '../../results/publish-result.ts';
import type { InsightFormat } from '../../results/result-link.ts';
import { groupDigits } from '../charts/svg.ts';
import { userMapSvg } from '../charts/user-map.ts';
import { enumerate, openObject, type ResultHead } from '../result-head.ts';
import type { UserIds } from '../usage/usage-block.ts';
import type { GroupDescription } from './describe-groups.ts';

/** Why a user is in no group, as `labels` has it. */
export const NO_HISTORY = -1;
export const GROUP_TOO_SMALL = -2;

export interface ClusteringResult {
  readonly head: ResultHead;
  readonly parameters: ClusteringParameters;
  /** the groups, largest first */
  readonly groups: readonly (GroupDescription & { size: number })[];
  /** for each user: index in `groups`, NO_HISTORY or GROUP_TOO_SMALL */
  readonly labels: Int32Array;
  readonly userIds: UserIds;
  /** silhouette of the groups, −1 to 1, higher if they are clearer; null if it was not measured */
  readonly silhouette: number | null;
  readonly tried: readonly { k: number; silhouette: number }[];
  /** users who are drawn; `label` as in labels */
  readonly map: readonly { user_id: string; label: number; x: number; y: number }[];
}

export function clusteringMessage({ head, groups, labels, parameters }: ClusteringResult): string {
  const unassigned = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const outside =
    unassigned > 0 ? `; ${unassigned === 1 ? '1 user is' : `${groupDigits(unassigned)} users are`} in no group` : '';
  const total = groupDigits(head.total_users);
  if (groups.length === 0) {
    return `No group of at least ${groupDigits(parameters.min_user_num)} users among ${total} users was found.`;
  }
  const named = groups.map(({ label, size }) => `${label} (${percent(size / head.total_users)})`);
  const kind = groups.length === 1 ? '1 group' : `${groups.length} groups`;
  return `${kind} among ${total} users: ${enumerate(named, 3)}${outside}.`;
}

export function clusteringWriters(result: ClusteringResult): Record<InsightFormat, ResultWriter> {
  return { json: jsonWriter(result), csv: csvWriter(result), svg: svgWriter(result) };
}

function jsonWriter(result: ClusteringResult): ResultWriter {
  const { head, parameters, groups, labels, userIds } = result;
  const members = membersByGroup(labels, groups.length);
  return async (file) => {
    const summary = {
      ...head,
      cluster_type: 'user',
      parameters,
      message: clusteringMessage(result),
      num_groups: groups.length,
      silhouette: result.silhouette === null ? null : rounded(result.silhouette),
      tried: result.tried.map(({ k, silhouette }) => ({ num_clusters: k, silhouette: rounded(silhouette) })),
    };
    await file.write(`${openObject(summary)}"groups":[`);
    for (const [index, { label, size, top_items, attributes }] of groups.entries()) {
      const description = {
        group_id: index + 1,
        label,
        size,
        share: rounded(size / head.total_users),
        top_items: top_items.map((item) => ({ ...item, share: rounded(item.share), lift: rounded(item.lift) })),
        attributes: attributes.map((entry) => ({
          ...entry,
          usage: rounded(entry.usage),
          average: rounded(entry.average),
          lift: rounded(entry.lift),
        })),
      };
      await file.write(`${index === 0 ? '' : ','}\n${openObject(description)}"user_ids":[`);
      await writeIds(members(index));
      await file.write(']}');
    }
    const tooSmall = members(GROUP_TOO_SMALL);
    const noHistory = members(NO_HISTORY);
    const unassigned = {
      count: tooSmall.length + noHistory.length,
      group_too_small: tooSmall.length,
      no_history: noHistory.length,
    };
    await file.write(`],\n"unassigned":${openObject(unassigned)}"user_ids":[`);
    await writeIds(tooSmall);
    if (tooSmall.length > 0 && noHistory.length > 0) await file.write(',');
    await writeIds(noHistory);
    await file.write(']},\n"map":[');
    for (const [point, { user_id, label, x, y }] of result.map.entries()) {
      const entry = { user_id, group_id: label < 0 ? null : label + 1, x, y };
      await file.write(`${point === 0 ? '' : ','}\n${JSON.stringify(entry)}`);
    }
    await file.write(']}\n');

    async function writeIds(list: Uint32Array): Promise<void> {
      for (let n = 0; n < list.length; n++)
        await file.write((n === 0 ? '' : ',') + JSON.stringify(userIds.at(list[n])!));
    }
  };
}

function csvWriter({ groups, labels, userIds }: ClusteringResult): ResultWriter {
  return async (file) => {
    await file.write(csvLine(['user_id', 'group_id', 'label']));
    const endings = groups.map(({ label }, group) => csvLine([group + 1, label]));
    const none = csvLine([null, null]);
    for (let user = 0; user < labels.length; user++) {
      await file.write(`${csvCell(userIds.at(user)!)},${labels[user] < 0 ? none : endings[labels[user]]}`);
    }
  };
}

function svgWriter({ head, groups, labels, map }: ClusteringResult): ResultWriter {
  return (file) =>
    file.writeAll(
      userMapSvg({
        title: 'Groups of users by taste',
        totalUsers: head.total_users,
        groups: groups.map(({ label, size }, index) => ({
          id: index + 1,
          label,
          size,
          share: size / Math.max(1, head.total_users),
        })),
        unassignedUsers: labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0),
        x: map.map(({ x }) => x),
        y: map.map(({ y }) => y),
        group: map.map(({ label }) => Math.max(-1, label)),
      }),
    );
}

/** Counting sort: users of each label, in order, in one array. */
function membersByGroup(labels: Int32Array, groups: number): (label: number) => Uint32Array {
  const slots = groups + 2;
  const starts = new Uint32Array(slots + 1);
  for (const label of labels) starts[label + 3]++;
  for (let slot = 0; slot < slots; slot++) starts[slot + 1] += starts[slot];
  const next = starts.slice();
  const users = new Uint32Array(labels.length);
  for (let user = 0; user < labels.length; user++) users[next[labels[user] + 2]++] = user;
  return (label) => users.subarray(starts[label + 2], starts[label + 3]);
}

function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
