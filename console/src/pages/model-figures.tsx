// What the figures of a model mean: for each objective and moment in a sentence, and for each relation next to plain ways to count.
import type { Model } from '../../../src/client/index.ts';
import { measureSentence, questionName } from '../../../src/domain/figure-text.ts';
import type { ModelFigures, ModelMeasure } from '../../../src/domain/model-figures.ts';
import { formatNumber, formatShare, formatWhole } from '../format.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';

export function QuestionsCard({ model }: { model: Model }) {
  const figures = model.metrics as ModelFigures | null;
  const measures = figures?.by_question ?? [];
  if (figures === null || measures.length === 0) return null;
  const columns: Column<ModelMeasure>[] = [
    {
      head: 'Question',
      wide: true,
      cell: (measure) => (
        <>
          {questionName(measure)}
          <div className="hint">{measureSentence(measure, figures.cutoff)}</div>
        </>
      ),
    },
    {
      head: 'NDCG',
      align: 'number',
      cell: ({ model: own, intervals: { ndcg } }) => (
        <span title={`95% interval: ${formatNumber(ndcg[0])} to ${formatNumber(ndcg[1])}`}>
          {formatNumber(own.ndcg)}
        </span>
      ),
    },
    { head: 'Popularity', align: 'number', cell: ({ popularity }) => formatNumber(popularity.ndcg) },
    { head: 'Already touched', align: 'number', cell: ({ touched_share }) => formatShare(touched_share) },
    { head: 'Users', align: 'number', cell: ({ users }) => formatWhole(users) },
  ];
  return (
    <Card
      title="What the figures mean"
      lead="Each row asks a different question, so its figures cannot be compared with those of another row. Numbers in parentheses are 95% intervals."
    >
      <DataTable caption="Figures by question" columns={columns} rows={measures} keyOf={questionName} />
    </Card>
  );
}

type RelationRow = NonNullable<NonNullable<ModelFigures['relations']>['similar']> & { readonly name: string };

const RELATION_NAMES: Record<string, string> = {
  similar: 'Similar items',
  together: 'Often together',
  next: 'Up next',
};

export function RelationsCard({ model }: { model: Model }) {
  const { relations = {} } = (model.metrics as ModelFigures | null) ?? {};
  const rows: RelationRow[] = Object.entries(relations).map(([name, own]) => ({ ...own, name: RELATION_NAMES[name] }));
  if (rows.length === 0) return null;
  const columns: Column<RelationRow>[] = [
    { head: 'From items to items', wide: true, cell: ({ name }) => name },
    { head: 'NDCG', align: 'number', cell: ({ ndcg }) => formatNumber(ndcg) },
    { head: 'Cosine', align: 'number', cell: ({ cosine }) => formatNumber(cosine.ndcg) },
    { head: 'Popularity', align: 'number', cell: ({ popularity }) => formatNumber(popularity.ndcg) },
    { head: 'Questions', align: 'number', cell: ({ questions }) => formatWhole(questions) },
  ];
  return (
    <Card
      title="Relations"
      lead="From one item of a held-out visit to the others, next to plain cosine and popularity."
    >
      <DataTable caption="Figures of relations" columns={columns} rows={rows} keyOf={({ name }) => name} />
    </Card>
  );
}
