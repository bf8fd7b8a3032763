// Updates the counts of the lists that led to the events of a write, in the same transaction; see
// store/outcomes/outcome-rules.ts. An event without such a list costs one comparison.
import type { DatabaseSync } from 'node:sqlite';
import { itemHash, userHash } from '../../base/id-hash.ts';
import type { Recommendation } from '../../domain/recommendation.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import { INTERNED_KIND_NO, type InternedKind } from '../event-store.ts';
import { countEvents, countedList, type EventChange, mayBeAssisted } from '../outcomes/outcome-rules.ts';
import { runSteps } from '../outcomes/outcome-tables.ts';
import { PlaceReader } from './event-place.ts';
import type { SqliteOutcomeSteps } from './outcome-steps.ts';
import type { WriteTarget } from './write-protocol.ts';

export interface TouchingEvent {
  user_id: string;
  item_id: string;
  event_type: string;
  ts: number;
  value: number;
}

export interface TouchedLists {
  /** Whether the list is of a project that does not use this dataset. Writes nothing. */
  isForeign(recommendationId: string): boolean;
  stored(event: TouchingEvent, recommendationId: string | null): void;
  gone(event: { place: Uint8Array; recommendation: string | null }): void;
  /** Updates the counters. Call it once, at the end. */
  count(): void;
}

export function touchedLists(db: DatabaseSync, lists: SqliteOutcomeSteps) {
  const interned = db.prepare('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?');
  const usesDataset = db.prepare('SELECT 1 FROM project WHERE project_id = ? AND event_dataset_id = ?');

  return (target: WriteTarget, counts: DatasetCounts, nowMs: number): TouchedLists => {
    const { dataset_no } = counts;
    const steps = lists.of({ dataset_no, dataset_id: target.dataset_id });
    const changes: EventChange[] = [];
    /** lists of one write by id, because several events carry the id of one list */
    const known = new Map<string, Recommendation | null>();
    /** by id of a project, whether it does not use this dataset */
    const foreign = new Map<string, boolean>();

    const idOf = (kind: InternedKind, no: number): string =>
      (interned.get(dataset_no, INTERNED_KIND_NO[kind], no) as { id: string }).id;

    function listOf(recommendationId: string | null): Recommendation | null {
      if (recommendationId === null) return null;
      let list = known.get(recommendationId);
      if (list === undefined) {
        list = countedList(recommendationId, nowMs);
        known.set(recommendationId, list);
      }
      return list;
    }

    function add(change: 1 | -1, event: TouchingEvent, recommendationId: string | null): void {
      const { ts, event_type, value } = event;
      changes.push({
        change,
        ts,
        event_type,
        value,
        list: listOf(recommendationId),
        userHash: mayBeAssisted(counts, ts) ? userHash(target.account_id, event.user_id) : 0,
        itemHash: itemHash(event.item_id),
      });
    }

    return {
      isForeign(recommendationId) {
        const list = listOf(recommendationId);
        if (list === null) return false;
        let isForeign = foreign.get(list.projectId);
        if (isForeign === undefined) {
          isForeign = usesDataset.get(list.projectId, target.dataset_id) === undefined;
          foreign.set(list.projectId, isForeign);
        }
        return isForeign;
      },
      stored(event, recommendationId) {
        if (recommendationId !== null || mayBeAssisted(counts, event.ts)) add(1, event, recommendationId);
      },
      gone({ place, recommendation }) {
        const read = new PlaceReader(place);
        const ts = read.ts(0);
        if (recommendation === null && !mayBeAssisted(counts, ts)) return;
        const user_id = idOf('user', read.user(0));
        const event = { user_id, item_id: idOf('item', read.item(0)), event_type: idOf('type', read.type(0)) };
        add(-1, { ...event, ts, value: read.value(0) }, recommendation);
      },
      count() {
        if (changes.length > 0) runSteps(countEvents(changes, counts), steps);
      },
    };
  };
}
