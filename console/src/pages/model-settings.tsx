// What training chose: the experts with their weights, what it tried, and every other setting.
import type { Model } from '../../../src/client/index.ts';
import { familyInWords, settingsInWords, triedOf, type Variant, variantsOf } from '../api/variants.ts';
import { TriedChart } from '../charts/tried-chart.tsx';
import { formatNumber, formatValue } from '../format.ts';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';

type Settings = Record<string, unknown>;

function settingsOf(model: Model): Settings {
  const { settings } = model.training as { settings?: unknown };
  return typeof settings === 'object' && settings !== null ? (settings as Settings) : {};
}

/** The curve of the training; renders nothing for models without one. */
export function TriedCard({ model }: { model: Model }) {
  const settings = settingsOf(model);
  const tried = triedOf(settings.tried);
  if (tried.length < 2) return null;
  return (
    <Card
      title="What training tried"
      lead="Each dot is one way of scoring, measured on held-out events. The solid line is the best so far, the dashed line the blend."
    >
      <TriedChart tried={tried} blended={typeof settings.tuned_ndcg === 'number' ? settings.tuned_ndcg : undefined} />
    </Card>
  );
}

export function ExpertsCard({ model }: { model: Model }) {
  const experts = variantsOf(settingsOf(model).experts).filter((expert) => expert.weight !== 0);
  if (experts.length === 0) return null;
  const top = Math.max(1e-9, ...experts.map((expert) => Math.abs(expert.weight ?? 0)));
  return (
    <Card title="The blend" lead="How much each expert counts in the final score. A negative weight lowers it.">
      <DataTable<Variant>
        caption="Experts of the blend"
        rows={experts}
        keyOf={(_, index) => String(index)}
        columns={[
          { head: 'Expert', cell: familyInWords },
          { head: 'Settings', cell: (expert) => <span className="soft">{settingsInWords(expert) || '–'}</span> },
          {
            head: 'Weight',
            wide: true,
            cell: (expert) => (
              <span className="usage-bar">
                <span className="value-track">
                  <span
                    className={(expert.weight ?? 0) < 0 ? 'value-fill negative' : 'value-fill'}
                    style={{ width: `${(Math.abs(expert.weight ?? 0) / top) * 100}%` }}
                  />
                </span>
                <span className="numbers">{formatNumber(expert.weight ?? 0)}</span>
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}

const SHOWN_ELSEWHERE = new Set(['experts', 'tried', 'given', 'tuned_ndcg']);

export function ParametersCard({ model }: { model: Model }) {
  const given = Object.entries(model.algorithm_parameters);
  const chosen = Object.entries(settingsOf(model)).filter(
    ([name]) => !(name in model.algorithm_parameters) && !SHOWN_ELSEWHERE.has(name),
  );
  return (
    <Card title="Parameters" lead="What you set, and what the service chose on held-out events.">
      <div className="stack">
        {given.length === 0 ? <p className="hint">All parameters were chosen automatically.</p> : null}
        <dl className="parameter-list">
          {given.map(([name, value]) => (
            <Parameter key={`given-${name}`} name={name} value={value} by="you" />
          ))}
          {chosen.map(([name, value]) => (
            <Parameter key={name} name={name} value={value} by="auto" />
          ))}
        </dl>
      </div>
    </Card>
  );
}

function Parameter({ name, value, by }: { name: string; value: unknown; by: 'you' | 'auto' }) {
  const text = inOneLine(value);
  return (
    <div>
      <dt>
        <code>{name}</code> <span className={by === 'you' ? 'tag second' : 'tag'}>{by}</span>
      </dt>
      <dd>{text ?? <pre>{JSON.stringify(value, null, 1)}</pre>}</dd>
    </div>
  );
}

/** Plain values, lists of them and small maps as one line; null if the value needs JSON. */
function inOneLine(value: unknown): string | null {
  if (value === null) return 'none';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value !== 'object') return formatValue(value);
  const isPlain = (entry: unknown) => typeof entry !== 'object' || entry === null;
  if (Array.isArray(value))
    return value.length <= 12 && value.every(isPlain) ? value.map(formatValue).join(', ') : null;
  const entries = Object.entries(value);
  if (entries.length > 8 || !entries.every(([, entry]) => isPlain(entry))) return null;
  // The kind of a setting is its name: "log", not "kind log".
  return entries.map(([key, entry]) => (key === 'kind' ? String(entry) : `${key} ${formatValue(entry)}`)).join(', ');
}
