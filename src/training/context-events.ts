// The events that say in which circumstances users chose items: target events with attributes, the newest ones, read once.
import type { Project } from '../domain/project.ts';
import type { EventStore } from '../store/event-store.ts';

export interface ContextEventsInput {
  readonly events: EventStore;
  readonly project: Pick<Project, 'event_dataset_id' | 'target_event_type'>;
  readonly signal?: AbortSignal | undefined;
}

export interface ContextEvent {
  readonly user: number;
  readonly item: number;
  /** attributes as JSON */
  readonly text: string;
}

/** Target events that say what attributes look like: fewer where their texts are long, as they are kept meanwhile. */
const SAMPLED_EVENTS = 50_000;
const SAMPLED_CHARACTERS = 32_000_000;
/** The newest target events with attributes: these are counted. */
const COUNTED_EVENTS = 2_000_000;
/** The newest events that are looked through for them, with attributes or without. */
const SEARCHED_EVENTS = 10_000_000;

/** In blocks, newest first. */
export async function* contextBlocks({
  events,
  project,
  signal,
}: ContextEventsInput): AsyncGenerator<ContextEvent[], void, undefined> {
  const type = await targetTypeNumber({ events, project });
  if (type < 0) return;
  let left = COUNTED_EVENTS;
  const blocks = events.attributeBlocks(project.event_dataset_id, { type, newest: SEARCHED_EVENTS });
  for await (const { length, user, item, value, attributes } of blocks) {
    signal?.throwIfAborted();
    const found: ContextEvent[] = [];
    for (let row = 0; row < length && found.length < left; row++) {
      // As in all training, an event with a value of 0 or less is no choice of the item.
      if (!(value[row] > 0)) continue;
      found.push({ user: user[row], item: item[row], text: attributes[row] });
    }
    left -= found.length;
    if (found.length > 0) yield found;
    if (left === 0) return;
  }
}

/** Takes the first blocks. */
export async function contextSample(blocks: AsyncGenerator<ContextEvent[], void, undefined>): Promise<ContextEvent[]> {
  const sample: ContextEvent[] = [];
  for (let characters = 0; sample.length < SAMPLED_EVENTS && characters < SAMPLED_CHARACTERS; ) {
    const next = await blocks.next();
    if (next.done) break;
    for (const event of next.value) {
      sample.push(event);
      characters += event.text.length;
    }
  }
  return sample;
}

async function targetTypeNumber({ events, project }: ContextEventsInput): Promise<number> {
  let number = 0;
  for await (const block of events.internedIds(project.event_dataset_id, 'type')) {
    const at = block.indexOf(project.target_event_type);
    if (at >= 0) return number + at;
    number += block.length;
  }
  return -1;
}
