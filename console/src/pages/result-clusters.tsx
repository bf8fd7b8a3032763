// Groups of users: a map on which users with similar taste are close together, and a card per group that describes it.
import { useMemo, useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { Link } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import type { ClusterGroup, ResultFile } from '../api/results.ts';
import { groupColor, UserMap } from '../charts/user-map.tsx';
import { formatAffinity, formatShare, formatWhole, plural } from '../format.ts';
import { Card } from '../ui/card.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState } from '../ui/states.tsx';

const SHOWN_GROUPS = 12;
const SHOWN_ATTRIBUTES = 4;
const SHOWN_ITEMS = 5;
const SHOWN_USERS = 8;

export function ClusterResult({ job, result }: { job: Job; result: ResultFile }) {
  const groups = result.groups ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = useShowMore(groups, SHOWN_GROUPS, 'groups');
  const points = useMemo(
    () => (result.map ?? []).map(({ x, y, group_id }) => ({ x, y, group: group_id === null ? -1 : group_id - 1 })),
    [result.map],
  );
  if (groups.length === 0) {
    return (
      <Card>
        <EmptyState title="No groups">
          No group was large enough. Ask again with a lower smallest group size.
        </EmptyState>
      </Card>
    );
  }
  const group = chosen === null || chosen < 0 ? null : groups[chosen];
  return (
    <>
      <div className="insight-grid">
        <Card
          title="Map"
          lead={
            points.length < result.total_users
              ? `${formatWhole(points.length)} of ${formatWhole(result.total_users)} users shown. Close points have similar taste.`
              : 'Close points have similar taste. Select a point or a group to highlight it.'
          }
        >
          <UserMap
            points={points}
            chosen={chosen}
            onChoose={setChosen}
            label={`Map of users in ${groups.length} groups: ${groups.map((entry) => entry.label).join('; ')}`}
          />
          {(result.unassigned?.count ?? 0) > 0 && (
            <p className="hint">{plural(result.unassigned!.count, 'user')} in no group (gray).</p>
          )}
        </Card>
        <Card
          title={plural(groups.length, 'group')}
          lead={group ? group.label : 'Select one to highlight it on the map.'}
        >
          <ul className="group-list">
            {groups.map((entry, index) => (
              <li key={entry.group_id}>
                <ToggleButton
                  className="group-row"
                  isSelected={chosen === index}
                  onChange={(selected) => setChosen(selected ? index : null)}
                >
                  <span className="dot" style={{ background: groupColor(index) }} />
                  <span className="clip">{entry.label}</span>
                  <span className="hint numbers">
                    {formatWhole(entry.size)} · {formatShare(entry.share)}
                  </span>
                </ToggleButton>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      <div className="grid-3">
        {shown.rows.map((entry, index) => (
          <GroupCard
            key={entry.group_id}
            group={entry}
            color={groupColor(index)}
            projectId={job.project_id}
            isChosen={chosen === index}
          />
        ))}
      </div>
      {shown.more}
    </>
  );
}

function GroupCard({
  group,
  color,
  projectId,
  isChosen,
}: {
  group: ClusterGroup;
  color: string;
  projectId: string;
  isChosen: boolean;
}) {
  const attributes = group.attributes.slice(0, SHOWN_ATTRIBUTES).sort((a, b) => b.lift - a.lift);
  const top = Math.max(1, ...attributes.map((entry) => entry.lift));
  return (
    <section
      className="group-card"
      data-selected={isChosen || undefined}
      aria-label={`Group ${group.group_id}: ${group.label}`}
    >
      <div className="group-head">
        <span className="dot" style={{ background: color }} />
        <h3>{group.label}</h3>
      </div>
      <p className="hint">
        {plural(group.size, 'user')}, {formatShare(group.share)} of all
      </p>
      {group.attributes.length > 0 && (
        <div className="stack-s">
          <h4 className="label">Prefers more than others</h4>
          <ul className="lift-list">
            {attributes.map((entry) => (
              <li key={`${entry.attribute}-${String(entry.value)}`}>
                <span className="clip" title={`${entry.attribute}: ${String(entry.value)}`}>
                  {speaksForItself(entry.value) ? String(entry.value) : `${entry.attribute} ${String(entry.value)}`}
                </span>
                <span className="value-track">
                  <span className="value-fill" style={{ width: `${(entry.lift / top) * 100}%`, background: color }} />
                </span>
                <span
                  className="numbers"
                  title={`${formatAffinity(entry.usage)}; all users ${formatAffinity(entry.average)}`}
                >
                  {entry.lift.toFixed(1)} ×
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {group.top_items.length > 0 && (
        <div className="stack-s">
          <h4 className="label">Typical items</h4>
          <p className="small">
            {group.top_items
              .slice(0, SHOWN_ITEMS)
              .map((item) => item.name ?? item.item_id)
              .join(' · ')}
          </p>
        </div>
      )}
      <details className="disclosure">
        <summary>Some users of this group</summary>
        <p className="tags">
          {group.user_ids.slice(0, SHOWN_USERS).map((userId) => (
            <Link key={userId} className="tag" href={`/playground/${projectId}/${encodeURIComponent(userId)}`}>
              {userId}
            </Link>
          ))}
          {group.user_ids.length > SHOWN_USERS && <span className="hint">all users are in the CSV file</span>}
        </p>
      </details>
    </section>
  );
}

/** Text is clear by itself; numbers, ranges, true and false need the name of their attribute. */
function speaksForItself(value: unknown): boolean {
  return typeof value === 'string' && !/^[-+\d.,]/.test(value);
}
