// Whether recommendations work: lists served, click and conversion rate with their 95% intervals, and value, each with a small
// chart. Where an experiment holds visitors out, rates are compared with what those visitors do.
import { useState } from 'react';
import { Link } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import type { Interval } from '../../../src/domain/intervals.ts';
import type { Compared, HoldoutComparison } from '../api/holdout.ts';
import { SPANS, type SpanName } from '../api/outcome-span.ts';
import { useOutcomes } from '../api/outcomes.ts';
import type { OutcomePoint, Outcomes } from '../api/sum-outcomes.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { formatCompact, formatDateTime, formatNumber, formatShare, formatUtcDay } from '../format.ts';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Segments } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';

export function OutcomeTiles({ project }: { project: Project }) {
  const [span, setSpan] = useState<SpanName>('7');
  const { outcomes, holdout, error, refetch } = useOutcomes(project.project_id, span);
  return (
    <Card
      title="What recommendations do"
      actions={<Segments label="Time" choices={[...SPANS]} value={span} onChange={setSpan} />}
    >
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : outcomes === null ? (
        <Skeleton height={180} label="Loading what recommendations do" />
      ) : outcomes.total.served === 0 ? (
        <NothingServed projectId={project.project_id} />
      ) : (
        <Tiles outcomes={outcomes} holdout={holdout} project={project} isHourly={span === '1'} />
      )}
    </Card>
  );
}

function NothingServed({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title="No recommendations in this time"
      action={
        <>
          <LinkButton needs="/create-placement" look="primary" to={`/placements/${projectId}`}>
            Make a placement
          </LinkButton>
          <LinkButton to={`/playground/${projectId}`}>Try it in the playground</LinkButton>
        </>
      }
    >
      A placement is a list on your page. Show it with the browser element or call it from your server, and this page
      says how often it is shown, clicked and bought from.
    </EmptyState>
  );
}

interface TilesProps {
  outcomes: Outcomes;
  holdout: HoldoutComparison | null;
  project: Project;
  isHourly: boolean;
}

function Tiles({ outcomes, holdout, project, isHourly }: TilesProps) {
  const { total, points, clickRate, conversionRate, ratesOf } = outcomes;
  const when = ({ ts }: OutcomePoint) => (isHourly ? formatDateTime(ts) : formatUtcDay(ts));
  const of = `of the items ${ratesOf}`;
  const counts = (read: (point: OutcomePoint) => number) =>
    points.map((point) => ({
      ts: point.ts,
      value: read(point),
      title: `${when(point)}: ${formatNumber(read(point), 2)}`,
    }));
  const rates = (read: (point: OutcomePoint) => number) =>
    points.map((point) => ({
      ts: point.ts,
      value: point.items === 0 ? null : Math.min(1, read(point) / point.items),
      title: point.items === 0 ? when(point) : `${when(point)}: ${formatShare(Math.min(1, read(point) / point.items))}`,
    }));
  const isUnattributed = total.clicked === 0 && total.served >= 100;
  return (
    <>
      <div className="tiles">
        <Tile name="Recommendations served" value={formatCompact(total.served)} note="lists">
          <Sparkline shape="columns" points={counts((point) => point.served)} />
        </Tile>
        <Tile name="Click rate" value={rateText(clickRate)} note={intervalText(clickRate, of)}>
          {holdout && <Against {...holdout.clicks} did="clicked" />}
          <Sparkline shape="line" points={rates((point) => point.clicked)} />
        </Tile>
        <Tile name="Conversion rate" value={rateText(conversionRate)} note={intervalText(conversionRate, of)}>
          {holdout && <Against {...holdout.conversions} did="converted" />}
          <Sparkline shape="line" points={rates((point) => point.converted)} />
        </Tile>
        <Tile
          name="Value"
          value={formatCompact(total.value)}
          note={`of “${project.target_event_type}” events, ${formatNumber((total.value / total.served) * 1000, 1)} per 1,000 lists`}
        >
          <Sparkline shape="columns" points={counts((point) => point.value)} />
        </Tile>
      </div>
      <p className="hint">
        {isUnattributed ? (
          <>
            No event named the list it came from. Send <code>recommendation_id</code> with events; the browser tracker
            does it for you.
          </>
        ) : holdout ? (
          <>
            Compared with visitors of{' '}
            <Link href={`/experiments/${project.project_id}/${holdout.experimentId}`}>{holdout.name}</Link> who see
            popular items instead, since it began. The range is valid however often you look.
          </>
        ) : (
          <>
            Rates come without a comparison.{' '}
            <Link href={`/new-experiment/${project.project_id}`}>Show some visitors popular items</Link> to see what
            recommendations add.
          </>
        )}
      </p>
    </>
  );
}

function Tile({
  name,
  value,
  note,
  children,
}: {
  name: string;
  value: string;
  note: string;
  children: React.ReactNode;
}) {
  return (
    <section className="tile" aria-label={name}>
      <h3>{name}</h3>
      <p className="tile-value">{value}</p>
      <p className="hint">{note}</p>
      {children}
    </section>
  );
}

function Against({ lift, rate, holdoutRate, did }: Compared & { did: string }) {
  if (lift === null) return <p className="hint">Too few in the holdout to compare yet</p>;
  const tone = lift.low > 0 ? 'accent' : lift.high < 0 ? 'danger' : '';
  return (
    <p className="against">
      <span className={`tag ${tone}`}>{signed(lift.estimate)} over the holdout</span>
      <span className="hint">
        {signed(lift.low)} to {signed(lift.high)}: {percent(rate)} of visitors {did}, {percent(holdoutRate)} in the
        holdout
      </span>
    </p>
  );
}

const rateText = (rate: Interval | null): string => (rate === null ? '–' : percent(rate.estimate));
const intervalText = (rate: Interval | null, of: string): string =>
  rate === null ? of : `${percent(rate.low)} to ${percent(rate.high)} ${of}`;
const signed = (value: number): string => `${value > 0 ? '+' : ''}${formatShare(value)}`;

/** Rates are small: two decimals below 1%. */
function percent(value: number): string {
  return value > 0 && value < 0.01 ? `${Number((value * 100).toFixed(2))}%` : formatShare(value);
}
