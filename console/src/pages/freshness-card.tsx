// How fresh data and model are, and how fast lists are returned; and what needs attention, each with what to do about it.
import { Link } from 'wouter';
import { DAY_MS } from '../../../src/base/durations.ts';
import type { Project, ProjectStatus } from '../../../src/client/index.ts';
import { formatAgo, formatCompact, formatNumber, formatShare, formatSilence, plural } from '../format.ts';
import { Card, Facts } from '../ui/card.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';

/** Share of new events from which on a model should be trained again. */
const MANY_NEW = 0.2;

export function FreshnessCard({ status }: { status: ProjectStatus | undefined }) {
  if (!status) return <Skeleton height={110} label="Loading how fresh data and model are" />;
  const { data, model, serving } = status;
  return (
    <Card title="Fresh and fast">
      <Facts
        facts={[
          {
            name: 'Newest event',
            value: (
              <Noted note={`${plural(data.events, 'event')}, ${plural(data.items, 'item')} stored`}>
                {data.newest_event_ts === null ? 'none yet' : formatAgo(data.newest_event_ts)}
              </Noted>
            ),
          },
          {
            name: 'Model trained',
            value: (
              <Noted note={model?.events == null ? null : `on ${plural(model.events, 'event')}`}>
                {model === null ? 'nothing is deployed' : formatAgo(model.created_ts)}
              </Noted>
            ),
          },
          {
            name: 'New events since',
            value: (
              <Noted note={shareOfNew(model)}>
                {model?.new_events == null ? '–' : formatCompact(model.new_events)}
              </Noted>
            ),
          },
          {
            name: 'Response time, 99th percentile',
            value: (
              <Noted
                note={`${serving.calls === 0 ? 'no calls' : plural(serving.calls, 'call')} of all projects in ${plural(serving.minutes, 'minute')}`}
              >
                {serving.p99_ms === null ? '–' : `${formatNumber(serving.p99_ms, 1)} ms`}
              </Noted>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Noted({ note, children }: { note: string | null; children: React.ReactNode }) {
  return (
    <>
      {children}
      {note !== null && <div className="hint">{note}</div>}
    </>
  );
}

function shareOfNew(model: ProjectStatus['model']): string | null {
  if (model?.new_events == null || !model.events) return null;
  return `${formatShare(model.new_events / model.events)} of the events it was trained on`;
}

export function Warnings({ project, status }: { project: Project; status: ProjectStatus }) {
  const { project_id } = project;
  const { data, model, health, streams, failed_job: failed } = status;
  const isStale = data.newest_event_ts !== null && data.newest_event_ts < Date.now() - DAY_MS;
  const isFuture = data.newest_event_ts !== null && data.newest_event_ts > Date.now() + DAY_MS;
  const isOutgrown = model?.new_events != null && model.events !== null && model.new_events > MANY_NEW * model.events;
  return (
    <>
      {failed && (
        <Notice tone="danger">
          <strong>
            {failed.name} failed: {failed.message}
          </strong>
          <Link href={`/jobs/${project_id}/${failed.job_id}`}>See the job</Link>
        </Notice>
      )}
      {streams
        .filter(({ lost }) => lost > 0)
        .map(({ stream, lost }) => (
          <Notice key={stream} tone="danger">
            <strong>Kafka deleted {plural(lost, 'message')} before they were read.</strong> Make the retention of the
            topic longer ({stream}).
          </Notice>
        ))}
      {health !== null && health.warnings > 0 && (
        <Notice tone="warn">
          <strong>{plural(health.warnings, 'warning')} about your data.</strong>
          <Link href={`/health/${project_id}`}>See what each costs and how to fix it</Link>
        </Notice>
      )}
      {isFuture && health === null && (
        <Notice tone="warn">
          <strong>The newest event is in the future.</strong>
          <Link href={`/health/${project_id}`}>Check your data</Link>
        </Notice>
      )}
      {model !== null && isStale && (
        <Notice tone="warn">
          <strong>No events for {formatSilence(Date.now() - data.newest_event_ts!)}.</strong> Recommendations follow
          what users do: check that your pages or servers still send events.
        </Notice>
      )}
      {isOutgrown && project.automation === null && (
        <Notice tone="warn">
          <strong>The model was trained without {plural(model.new_events!, 'new event')}.</strong>
          <Link href={`/projects/${project_id}`}>Train again</Link>, or turn on automatic training below.
        </Notice>
      )}
    </>
  );
}
