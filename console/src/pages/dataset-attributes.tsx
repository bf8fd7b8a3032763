// The attributes of a dataset: declared or inferred, and how their values spread. The schema can be edited as declared.
import { useState } from 'react';
import type { AttributeHandling, AttributeSchema } from '../../../src/client/index.ts';
import type { DatasetInfo } from '../api/datasets.ts';
import { type AttributeStatistics, useAttributeStatistics } from '../api/statistics.ts';
import { useRefresh } from '../api/use-call.ts';
import { ValueBars } from '../charts/value-bars.tsx';
import { formatNumber, formatValue, formatWhole, plural } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';

const SHOWN_VALUES = 8;
const SHOWN_ATTRIBUTES = 12;

export function AttributeCard({ info }: { info: DatasetInfo }) {
  const statistics = useAttributeStatistics(info.kind, info.id);
  const [editing, setEditing] = useState(false);
  const { data } = statistics;
  const shown = useShowMore(data?.attributes ?? [], SHOWN_ATTRIBUTES, 'attributes');
  const names = [
    ...new Set([...Object.keys(info.schema ?? {}), ...(data?.attributes.map(({ attribute }) => attribute) ?? [])]),
  ];
  return (
    <Card
      title="Attributes"
      lead={
        data && data.sampled_records < data.num_records
          ? `From a sample of ${formatWhole(data.sampled_records)} records.`
          : 'Numbers compare by value, categories by match.'
      }
      actions={
        names.length > 0 && (
          <Button needs="/update-item-dataset" size="small" onPress={() => setEditing(true)}>
            Edit schema
          </Button>
        )
      }
    >
      {statistics.error ? (
        <Problem error={statistics.error} onRetry={() => statistics.refetch()} />
      ) : !data ? (
        <Skeleton height={200} label="Loading the attributes" />
      ) : data.attributes.length === 0 ? (
        <EmptyState title="No attributes">
          These records have no attributes. Recommendations work from events alone. Attributes help with new users and
          items, filters and insight.
        </EmptyState>
      ) : (
        <>
          <div className="attribute-grid">
            {shown.rows.map((attribute) => (
              <div key={attribute.attribute}>
                <div className="row">
                  <h3 className="clip">{attribute.attribute}</h3>
                  <span className="tag">{attribute.handling === 'NUMERICAL' ? 'number' : 'category'}</span>
                  {info.schema?.[attribute.attribute] ? (
                    <span className="tag second">declared</span>
                  ) : (
                    <span className="tag">inferred</span>
                  )}
                </div>
                <p className="hint">
                  {attribute.handling === 'NUMERICAL' && attribute.min !== null
                    ? `${formatValue(attribute.min)} to ${formatValue(attribute.max)}, mean ${formatValue(attribute.mean)}`
                    : `${attribute.distinct_is_lower_bound ? 'more than ' : ''}${plural(attribute.distinct, 'value')}`}
                  {attribute.records < data.sampled_records &&
                    `; missing in ${formatWhole(data.sampled_records - attribute.records)}`}
                </p>
                {attribute.histogram.length > 0 ? (
                  <MiniHistogram name={attribute.attribute} bins={attribute.histogram} />
                ) : isMostlyUnique(attribute) ? (
                  <p className="small soft">
                    For example{' '}
                    {attribute.top_values
                      .slice(0, 5)
                      .map(({ value }) => formatValue(value))
                      .join(' · ')}
                  </p>
                ) : (
                  <ValueBars
                    label={`Values of ${attribute.attribute}`}
                    total={attribute.records}
                    values={attribute.top_values
                      .slice(0, SHOWN_VALUES)
                      .map(({ value, count }) => ({ value: String(value), count }))}
                  />
                )}
              </div>
            ))}
          </div>
          {shown.more}
        </>
      )}
      <Dialog title="Attribute schema" isOpen={editing} onClose={() => setEditing(false)} wide>
        <SchemaForm info={info} names={names} onDone={() => setEditing(false)} />
      </Dialog>
    </Card>
  );
}

/** True for names and ids, where counts per value mean nothing. */
function isMostlyUnique(attribute: AttributeStatistics): boolean {
  return attribute.distinct > 50 && (attribute.top_values[0]?.count ?? 0) < attribute.records / 100;
}

function MiniHistogram({ name, bins }: { name: string; bins: { from: number; to: number; count: number }[] }) {
  const top = Math.max(1, ...bins.map((bin) => bin.count));
  const text = `${name} from ${formatValue(bins[0].from)} to ${formatValue(bins[bins.length - 1].to)}`;
  return (
    <div>
      <div className="mini-histogram" role="img" aria-label={`Distribution of ${text}`}>
        {bins.map((bin) => (
          <span
            key={bin.from}
            style={{ height: `${Math.max(2, (bin.count / top) * 100)}%` }}
            title={`${formatNumber(bin.from, 2)} to ${formatNumber(bin.to, 2)}: ${formatWhole(bin.count)}`}
          />
        ))}
      </div>
      <div className="row spread hint numbers">
        <span>{formatValue(bins[0].from)}</span>
        <span>{formatValue(bins[bins.length - 1].to)}</span>
      </div>
    </div>
  );
}

type SchemaChoice = AttributeHandling | 'INFER';

function SchemaForm({ info, names, onDone }: { info: DatasetInfo; names: string[]; onDone: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [schema, setSchema] = useState<AttributeSchema>(info.schema ?? {});
  const save = useAction(async () => {
    const attribute_schema = Object.keys(schema).length === 0 ? null : schema;
    if (info.kind === 'user') await client.updateUserDataset({ user_dataset_id: info.id, attribute_schema });
    else if (info.kind === 'item') await client.updateItemDataset({ item_dataset_id: info.id, attribute_schema });
    else await client.updateEventDataset({ event_dataset_id: info.id, attribute_schema });
    await refresh('/get-user-dataset', '/get-item-dataset', '/get-event-dataset', '/get-attribute-statistics');
    toast('Schema saved. The next training uses it.');
  }, onDone);
  const choose = (name: string, choice: SchemaChoice) => {
    const { [name]: _, ...others } = schema;
    setSchema(choice === 'INFER' ? others : { ...others, [name]: choice });
  };
  return (
    <div className="stack">
      <p className="soft">
        Declared attributes are validated when records are written. Others are inferred at training.
      </p>
      <div className="mapping">
        {names.map((name) => (
          <SelectField<SchemaChoice>
            key={name}
            label={name}
            value={schema[name] ?? 'INFER'}
            onChange={(choice) => choose(name, choice)}
            choices={[
              { value: 'INFER', label: 'Infer it' },
              { value: 'NUMERICAL', label: 'Number' },
              { value: 'CATEGORICAL', label: 'Category' },
            ]}
          />
        ))}
      </div>
      {save.error !== null && <Problem error={save.error} />}
      <div className="row end">
        <Button onPress={onDone}>Cancel</Button>
        <Button look="primary" isPending={save.isPending} onPress={save.start}>
          Save
        </Button>
      </div>
    </div>
  );
}
