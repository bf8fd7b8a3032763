// Recommended items as cards: rank, name, attributes, score and the reasons in words.
import { Plus } from 'lucide-react';
import type { OperationPath, Project, Reason, RecommendedItem } from '../../../src/client/index.ts';
import { type ItemInfo, itemInfo, useItems, useKnownItems } from '../api/items.ts';
import { formatAgo, formatNumber, formatValue } from '../format.ts';
import { Button } from '../ui/button.tsx';

type Result = RecommendedItem;

/** A button on each card. */
export interface ItemAction {
  text: string;
  /** What it does, for screen readers. */
  label: (itemName: string) => string;
  run: (itemId: string) => void;
  /** What it calls, if it changes something. */
  needs?: OperationPath;
}

export function RecommendationList({
  project,
  results,
  otherIds,
  freshIds,
  action,
}: {
  project: Project;
  results: Result[];
  /** Ids in the other list; items missing from it are highlighted here. */
  otherIds?: Set<string>;
  /** Ids that were not in the list before its last change. */
  freshIds?: Set<string>;
  action?: ItemAction;
}) {
  const reasonIds = results.flatMap((result) => reasonsOf(result).flatMap((reason) => reason.item_id ?? []));
  const items = useItems(project.item_dataset_id, reasonIds);
  const infos = results.map(({ item: { item_id, ...attributes } }) => itemInfo(item_id, attributes));
  useKnownItems(project.item_dataset_id, infos);
  return (
    <ol className="item-list">
      {results.map((result, index) => {
        const { item_id } = result.item;
        const info = infos[index];
        const onlyHere = otherIds && !otherIds.has(item_id);
        const look = ['item-card', onlyHere ? 'only-here' : '', freshIds?.has(item_id) ? 'fresh' : ''].filter(Boolean);
        return (
          <li key={item_id} className={look.join(' ')}>
            <span className="item-rank">{index + 1}</span>
            <div className="item-body">
              <ItemName info={info} />
              <ItemAttributes info={info} />
              <ReasonText reasons={reasonsOf(result)} items={items} />
              {result.filled && <span className="hint">Fills up the list. Not new to this user.</span>}
              {onlyHere && <span className="visually-hidden">Only in this list.</span>}
            </div>
            <div className="item-side">
              {result.score !== undefined && <div title="Score">{formatNumber(result.score, 3)}</div>}
              {action && (
                <Button
                  needs={action.needs}
                  look="quiet"
                  size="small"
                  aria-label={action.label(info.name)}
                  onPress={() => action.run(item_id)}
                >
                  <Plus size={14} aria-hidden /> {action.text}
                </Button>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

export function ItemName({ info }: { info: ItemInfo }) {
  return (
    <span className="item-name">
      {info.name}
      {info.name !== info.id && <code className="item-id">{info.id}</code>}
    </span>
  );
}

export function ItemAttributes({ info, most = 5 }: { info: ItemInfo; most?: number }) {
  const values = Object.entries(info.attributes).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return (
    <span className="tags">
      {values.slice(0, most).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).slice(0, 4).map((entry) => (
          <span key={`${name}-${String(entry)}`} className="tag" title={name}>
            {typeof entry === 'number' || typeof entry === 'boolean'
              ? `${name} ${formatValue(entry)}`
              : formatValue(entry)}
          </span>
        )),
      )}
    </span>
  );
}

function reasonsOf(result: Result): Reason[] {
  return (result.reasons ?? []).filter((reason) => reason.contribution > 0);
}

/** "cart 2 days ago", "watch 3 times, last 12 days ago". */
function touchText({ kind, event_type, ts, count = 1 }: Reason): string[] {
  if ((kind !== 'continue' && kind !== 'again') || ts === undefined) return [];
  const ago = formatAgo(ts);
  return [count > 1 ? `${event_type} ${count} times, last ${ago}` : `${event_type} ${ago}`];
}

function ReasonText({ reasons, items }: { reasons: Reason[]; items: Map<string, ItemInfo> }) {
  if (reasons.length === 0) return null;
  const history = reasons.filter((reason) => reason.kind === 'history');
  const attributes = reasons.filter((reason) => reason.kind === 'user-attribute');
  const context = reasons.filter((reason) => reason.kind === 'context');
  const related = reasons.filter((reason) => reason.kind === 'related');
  const namesOf = (some: Reason[]) => some.map(({ item_id = '' }) => items.get(item_id)?.name ?? item_id).join(', ');
  const parts: string[] = reasons.flatMap(touchText);
  if (related.length > 0) parts.push(`related to ${namesOf(related)}`);
  if (history.length > 0) parts.push(`because of ${namesOf(history)}`);
  if (attributes.length > 0) {
    parts.push(
      `liked by users with ${attributes.map((reason) => `${reason.attribute} ${formatValue(reason.value)}`).join(', ')}`,
    );
  }
  if (context.length > 0) {
    parts.push(
      `chosen more with ${context.map((reason) => `${reason.attribute} ${formatValue(reason.value)}`).join(', ')}`,
    );
  }
  if (history.length === 0 && reasons.some((reason) => reason.kind === 'popularity')) parts.push('popular now');
  return <span className="reason">{parts.join('; ')}</span>;
}
