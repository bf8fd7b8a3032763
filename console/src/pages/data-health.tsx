// What is wrong with the data of a project, what each fault costs and how to fix it; events per hour and per type.
import { CircleAlert, HeartPulse, Info } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { HealthFinding, HealthReport, Project } from '../../../src/client/index.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useJob } from '../api/use-jobs.ts';
import { HoursChart } from '../charts/hours-chart.tsx';
import { ValueBars } from '../charts/value-bars.tsx';
import { formatAgo, formatCompact, formatDateTime, formatDuration, formatShare, plural } from '../format.ts';
import { useClient, useRefusal } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { ProjectPage } from '../shell/project-page.tsx';
import { useAction } from '../ui/action.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { JobOutcome } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';

const LEAD = 'What is wrong with your data, what it costs and how to fix it.';
const OTHER_TYPES = 'other types';

export default function DataHealthPage() {
  return (
    <ProjectPage
      title="Data health"
      lead={LEAD}
      path="/health"
      empty={
        <EmptyState title="No project yet" action={<LinkButton to="/start">Create a project</LinkButton>}>
          A check reads the events and items of a project.
        </EmptyState>
      }
    >
      {(project, picker) => <ProjectHealth key={project.project_id} project={project} picker={picker} />}
    </ProjectPage>
  );
}

function ProjectHealth({ project: { project_id }, picker }: { project: Project; picker: React.ReactNode }) {
  const client = useClient();
  const refresh = useRefresh();
  const health = useCall('/get-data-health', { project_id });
  const runningId = health.data?.running_job_id ?? null;
  // The last check seen, so that its failure can be told after its end.
  const [lastId, setLastId] = useState<string | null>(null);
  useEffect(() => {
    if (runningId !== null) setLastId(runningId);
  }, [runningId]);
  const { data: job } = useJob(project_id, runningId ?? lastId);
  const check = useAction(async () => {
    setLastId((await client.submitDataHealthJob({ project_id })).job_id);
    await refresh('/get-data-health', '/list-jobs');
  });
  const refusal = useRefusal('/submit-data-health-job');
  const isFirst = health.data !== undefined && health.data.report === null && runningId === null;
  // Whoever opens the page for the first time wants to know. Only once: a check that fails is not repeated.
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current || !health.data) return;
    hasBegun.current = true;
    if (isFirst && refusal === null) check.start();
  }, [health.data, isFirst, refusal, check]);
  const report = health.data?.report ?? null;
  const isRunning = runningId !== null;
  const hasFailed =
    (job?.job_status === 'FAILED' || job?.job_status === 'CANCELLED') &&
    (report?.checked_ts ?? 0) < (job.finished_ts ?? Date.now());
  return (
    <Page
      title="Data health"
      lead={LEAD}
      actions={
        <>
          {picker}
          <Button
            needs="/submit-data-health-job"
            look="primary"
            onPress={check.start}
            isDisabled={isRunning || !health.data}
          >
            <HeartPulse size={16} aria-hidden /> Check now
          </Button>
        </>
      }
    >
      {check.error !== null && <Problem error={check.error} />}
      {job && (isRunning || hasFailed) && (
        <Card>
          <JobOutcome job={job} />
        </Card>
      )}
      {health.error ? (
        <Problem error={health.error} onRetry={() => health.refetch()} />
      ) : report ? (
        <ReportView report={report} />
      ) : isFirst && (refusal !== null || hasFailed || check.error !== null) ? (
        <EmptyState title="Not checked yet">{refusal ?? 'Press “Check now” to try again.'}</EmptyState>
      ) : (
        <Skeleton height={320} label="Checking your data" />
      )}
    </Page>
  );
}

function ReportView({ report }: { report: HealthReport }) {
  const { findings, hours, types } = report;
  const checked = `Checked ${formatAgo(report.checked_ts)}: ${plural(report.events, 'event')} in ${formatDuration(report.took_ms)}.`;
  return (
    <>
      {findings.length === 0 ? (
        <Notice tone="accent">
          <strong>Nothing is wrong.</strong> {checked}
        </Notice>
      ) : (
        <Card title={titleOf(findings)} lead={checked}>
          {findings.map((finding) => (
            <FindingView key={finding.code} finding={finding} />
          ))}
        </Card>
      )}
      {hours && (
        <Card title="Events per hour" lead="The two weeks up to the newest event. A gap means that nothing was sent.">
          <HoursChart
            fromMs={hours.from_ts}
            series={hours.types.map(({ event_type, counts }) => ({ name: event_type || OTHER_TYPES, counts }))}
            label="Events per day"
          />
        </Card>
      )}
      <div className="grid-2">
        <Card title="Events by type">
          {types.length === 0 ? (
            <p className="hint">No events.</p>
          ) : (
            <ValueBars
              label="Events by type"
              values={types.slice(0, 20).map(({ event_type, count }) => ({ value: event_type, count }))}
              total={report.events}
            />
          )}
        </Card>
        <Card title="Your data">
          <Facts
            facts={[
              { name: 'Users with events', value: formatCompact(report.users) },
              { name: 'of them with one event', value: formatCompact(report.users_with_one_event) },
              { name: 'Items with events', value: formatCompact(report.items) },
              { name: 'Item records', value: formatCompact(report.item_records) },
              { name: 'First event', value: report.first_ts === null ? '–' : formatDateTime(report.first_ts) },
              { name: 'Last event', value: report.last_ts === null ? '–' : formatDateTime(report.last_ts) },
            ]}
          />
        </Card>
      </div>
    </>
  );
}

function titleOf(findings: readonly HealthFinding[]): string {
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const notes = findings.length - warnings;
  return [...(warnings > 0 ? [plural(warnings, 'warning')] : []), ...(notes > 0 ? [plural(notes, 'note')] : [])].join(
    ', ',
  );
}

function FindingView({ finding: { level, title, share, cost, fix, examples } }: { finding: HealthFinding }) {
  const isWarning = level === 'warning';
  return (
    <article className="finding">
      <span className={`tag ${isWarning ? 'warn' : ''}`}>
        {isWarning ? <CircleAlert size={13} aria-hidden /> : <Info size={13} aria-hidden />}
        {isWarning ? 'Warning' : 'Note'}
      </span>
      <div>
        <h3>
          {title} {share > 0 && <span className="hint">{shareText(share)}</span>}
        </h3>
        <dl>
          <dt>Costs</dt>
          <dd>{cost}</dd>
          <dt>Fix</dt>
          <dd>{fix}</dd>
          {examples.length > 0 && (
            <>
              <dt>Such as</dt>
              <dd>
                {examples.map((example, n) => (
                  <span key={example}>
                    {n > 0 && ', '}
                    <code>{example}</code>
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
      </div>
    </article>
  );
}

const shareText = (share: number): string => (share < 0.001 ? 'less than 0.1%' : formatShare(share));
