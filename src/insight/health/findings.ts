// Turns counts into findings: what is suspicious, what it costs in quality and how to fix it. The most serious come
// first.

import { plural } from '../../base/plural.ts';
import { type HealthCode, type HealthFinding, MAX_HEALTH_EXAMPLES, type TypeHealth } from '../../domain/data-health.ts';
import { similarType } from '../../domain/look-alike.ts';
import type { MixedAttribute } from './attribute-kinds.ts';
import type { EventCounts } from './event-counts.ts';

export interface ItemHealth {
  readonly withEvents: number;
  readonly records: number;
  /** records without any attribute that has a value */
  readonly bare: number;
  readonly bareExamples: readonly string[];
  /** attributes of numbers with a few texts */
  readonly mixed: readonly MixedAttribute[];
  /** items of events without a record, not counting deleted items */
  readonly unknownItems: number;
  readonly unknownEvents: number;
  /** ids of the unknown items with the most events */
  readonly unknownExamples: readonly string[];
  readonly duplicateItem: string | null;
}

export interface HealthFacts {
  readonly counts: EventCounts;
  /** event types, the most frequent first */
  readonly types: readonly TypeHealth[];
  readonly items: ItemHealth;
  readonly targetType: string;
}

/** Share from which a fault costs quality that a shop would notice. */
const NOTICEABLE = 0.01;
/** If this share of the events has the same time, times are meaningless. */
const COMMON_TIME = 0.2;
const MIDNIGHT_SHARE = 0.8;
const ONE_EVENT_SHARE = 0.5;
/** Below this number of events or users, shares mean nothing. */
const FEW = 20;
/** A type this rare compared with a similar one is a misspelling, not a name of its own. */
const RARE = 0.01;
/** Most types that are looked at and compared. */
const MAX_TYPES = 1000;
const MAX_COMPARED_TYPES = 50;
/** Characters of a text that are shown. */
const MAX_TEXT = 40;

export function findingsOf(facts: HealthFacts): HealthFinding[] {
  if (facts.counts.events === 0) return [noEvents];
  return [
    ...targetFindings(facts),
    ...timeFindings(facts),
    ...typeFindings(facts),
    ...itemFindings(facts),
    ...repeatFindings(facts),
  ].sort((a, b) => Number(a.level === 'note') - Number(b.level === 'note'));
}

const noEvents: HealthFinding = {
  code: 'NO_EVENTS',
  level: 'warning',
  count: 0,
  share: 0,
  examples: [],
  title: 'There are no events.',
  cost: 'Nothing can be learned: only the newest items can be listed.',
  fix: 'Import events of the past (kindred import, or Import files in the console), then send new ones as they happen.',
};

function targetFindings({ types, targetType }: HealthFacts): HealthFinding[] {
  if (types.some(({ event_type }) => event_type === targetType)) return [];
  return [
    {
      code: 'NO_TARGET_EVENTS',
      level: 'warning',
      count: 0,
      share: 0,
      title: `No event has the type ${quoted(targetType)}, which the project optimizes for.`,
      cost: 'A model cannot learn what leads to it, and reports count no conversions.',
      fix: `Send events of this type, or create a project with a type that occurs: ${types
        .slice(0, MAX_HEALTH_EXAMPLES)
        .map(({ event_type }) => quoted(event_type))
        .join(', ')}.`,
      examples: types.slice(0, MAX_HEALTH_EXAMPLES).map(({ event_type }) => event_type),
    },
  ];
}

function timeFindings({ counts }: HealthFacts): HealthFinding[] {
  const { seconds, before_2000: old, future } = counts.faults;
  const order = 'Their order and age are wrong, so they mislead trends, sessions and what comes next';
  const ofEvents = share(counts.events);
  return [
    ...finding('TIMES_IN_SECONDS', seconds.count, ofEvents, {
      title: `${plural(seconds.count, 'event')} ${isAre(seconds.count)} dated January 1970: the time was probably sent in seconds.`,
      cost: `${order}. They count as the oldest events there are.`,
      fix: 'Multiply ts by 1,000 and send the events again with the same event_id: they are replaced.',
      examples: [String(seconds.example)],
    }),
    ...finding('TIMES_BEFORE_2000', old.count, ofEvents, {
      title: `${plural(old.count, 'event')} ${isAre(old.count)} dated before the year 2000.`,
      cost: `${order}, unless they really are that old.`,
      fix: 'Times (ts) are milliseconds since 1970. Send the events again with the same event_id and the right time.',
      examples: [timeText(old.example)],
    }),
    ...finding('TIMES_IN_FUTURE', future.count, ofEvents, {
      title: `${plural(future.count, 'event')} ${isAre(future.count)} more than a day in the future.`,
      cost: `${order}. They count as now until their time comes, so lists follow them as if users had just done them.`,
      fix: 'Times (ts) are milliseconds since 1970. Was it sent in microseconds, or is a clock wrong? Send the events again with the same event_id.',
      examples: [timeText(future.example)],
    }),
    ...clocklessFindings(counts),
  ];
}

/** Times from which no order can be read. */
function clocklessFindings(counts: EventCounts): HealthFinding[] {
  const { ts, atLeast } = counts.commonTime();
  if (counts.events < FEW) return [];
  if (atLeast >= COMMON_TIME * counts.events) {
    return finding('TIMES_EQUAL', atLeast, share(counts.events), {
      title: `At least ${plural(atLeast, 'event')} have the same time.`,
      cost: 'What users did first and last is lost: what comes next, sessions and trends cannot be learned from them.',
      fix: 'Send when each event happened, not when it was exported or imported.',
      examples: [timeText(ts)],
    });
  }
  if (counts.atMidnight < MIDNIGHT_SHARE * counts.events) return [];
  return finding('TIMES_WITHOUT_CLOCK', counts.atMidnight, share(counts.events), {
    title: `${plural(counts.atMidnight, 'event')} are at midnight: only the day is known.`,
    cost: 'The order within a day is lost: what comes next and sessions are learned from days only.',
    fix: 'Send the time of day too, if your system has it.',
    examples: [],
  });
}

function typeFindings({ types, counts, targetType }: HealthFacts): HealthFinding[] {
  const pairs = types.slice(0, MAX_TYPES).flatMap(({ event_type, count }) => {
    const others = types.slice(0, MAX_COMPARED_TYPES).filter((other) => other.count > count);
    const meant = similarType(
      event_type,
      others.filter((other) => couldBe(event_type, count, other)).map((other) => other.event_type),
    );
    return meant === null ? [] : [{ event_type, count, meant }];
  });
  const events = pairs.reduce((sum, pair) => sum + pair.count, 0);
  const lost = pairs.filter(({ meant }) => meant === targetType).reduce((sum, pair) => sum + pair.count, 0);
  const target = types.find(({ event_type }) => event_type === targetType)?.count ?? 0;
  return finding('SIMILAR_TYPES', events, share(counts.events), {
    title: `${plural(pairs.length, 'event type looks', 'event types look')} like another one, in ${plural(events, 'event')}.`,
    cost:
      lost > 0
        ? `${plural(lost, 'event')} do not count as ${quoted(targetType)}: ${percent(lost / (target + lost))} of what the project optimizes for is missing.`
        : 'Each spelling is weighed on its own, and a rare one hardly counts.',
    fix: 'Use one spelling, and send the events again with the same event_id.',
    examples: pairs
      .slice(0, MAX_HEALTH_EXAMPLES)
      .map(({ event_type, meant }) => `${quoted(event_type)} looks like ${quoted(meant)}`),
  });
}

/** Spelled the same but for case and separators, or rare and one letter off. Numbered names are names of their own. */
function couldBe(type: string, count: number, other: TypeHealth): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '');
  if (plain(type) === plain(other.event_type)) return true;
  const withoutNumbers = (text: string) => text.replace(/\d+/g, '');
  return count <= RARE * other.count && withoutNumbers(type) !== withoutNumbers(other.event_type);
}

function itemFindings({ counts, items }: HealthFacts): HealthFinding[] {
  const { records, bare, unknownItems, unknownEvents } = items;
  // Without any records the project recommends by events alone, which may be intended.
  const unknown =
    records === 0
      ? []
      : finding('UNKNOWN_ITEMS', unknownItems, share(items.withEvents), {
          title: `${plural(unknownItems, 'item')} of events ${unknownItems === 1 ? 'has' : 'have'} no record.`,
          cost: `They are never recommended, and ${percent(unknownEvents / counts.events)} of the events lead to them.`,
          fix: 'Upsert the missing items. If an id is spelled another way in events than in records, send the events again with the right item_id. Items that are no longer sold can be deleted: they are not counted here.',
          examples: [...items.unknownExamples],
        });
  return [
    ...unknown,
    ...finding('ITEMS_WITHOUT_ATTRIBUTES', bare, share(records), {
      title: `${plural(bare, 'item record')} ${bare === 1 ? 'has' : 'have'} no attributes.`,
      cost: 'Until an item has events, attributes are all that is known of it: new items without them are not recommended, and filters and rules do not find them.',
      fix: 'Upsert the items with title, category, price or whatever describes them.',
      examples: [...items.bareExamples],
    }),
    ...mixedFindings(items),
  ];
}

function mixedFindings({ mixed, records }: ItemHealth): HealthFinding[] {
  // The one with the most values counts: items with several would count twice.
  const [most] = mixed;
  if (most === undefined) return [];
  return finding('TEXTS_AMONG_NUMBERS', most.numbers + most.texts, share(records), {
    title: `${plural(mixed.length, 'attribute')} of numbers ${mixed.length === 1 ? 'has' : 'have'} a few texts among them.`,
    cost: 'The whole attribute counts as a category, so models do not compare its numbers. Filters such as price < 20 leave out the items with a text.',
    fix: 'Upsert the items with a number: 5.5, without quotes, unit or comma. A dataset whose attribute_schema says NUMERICAL refuses texts, and one that says CATEGORICAL is not reported here.',
    examples: mixed
      .slice(0, MAX_HEALTH_EXAMPLES)
      .map(
        ({ name, numbers, texts, example: { id, text } }) =>
          `${quoted(name)} has ${plural(numbers, 'number')} and ${plural(texts, 'text')}: ${quoted(shortened(text))} of ${id}`,
      ),
  });
}

function repeatFindings({ counts, items }: HealthFacts): HealthFinding[] {
  const { users, usersWithOneEvent: single, duplicates } = counts;
  // Without real times, doing the same thing twice cannot be told from a repeated event.
  const repeats = clocklessFindings(counts).length > 0 ? 0 : duplicates;
  const isSparse = users >= FEW && single >= ONE_EVENT_SHARE * users;
  return [
    ...(isSparse
      ? finding('USERS_WITH_ONE_EVENT', single, share(users), {
          title: `${plural(single, 'user')} of ${whole(users)} have one event only.`,
          cost: `One event shows no connection between items: ${percent(single / counts.events)} of the events teach popularity and nothing else.`,
          fix: 'Check that user_id stays the same between visits. If ids change at sign-in, call /merge-users; in a browser, keep the visitor id.',
          examples: [],
        })
      : []),
    ...finding('DUPLICATE_EVENTS', repeats, share(counts.events), {
      title: `${plural(repeats, 'event')} repeat another one: same user, item, type and time.`,
      cost: 'Each repeat weighs like an action of its own, so items with repeats look more popular than they are.',
      fix: 'Give an event the same event_id whenever it is sent again. Delete the repeats with /delete-dataset-events.',
      examples: items.duplicateItem === null ? [] : [items.duplicateItem],
    }),
  ];
}

type Texts = Pick<HealthFinding, 'title' | 'cost' | 'fix' | 'examples'>;

function finding(code: HealthCode, count: number, shareOf: (count: number) => number, texts: Texts): HealthFinding[] {
  if (count === 0) return [];
  const part = shareOf(count);
  return [{ code, level: part >= NOTICEABLE ? 'warning' : 'note', count, share: part, ...texts }];
}

const share = (all: number) => (count: number) => (all === 0 ? 0 : Math.min(1, count / all));
const whole = (count: number): string => count.toLocaleString('en-US');
const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
const isAre = (count: number): string => (count === 1 ? 'is' : 'are');
const quoted = (text: string): string => `“${text}”`;

function percent(part: number): string {
  const value = part * 100;
  return value > 0 && value < 0.1 ? 'less than 0.1%' : `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}%`;
}

const timeText = (ts: number): string => (ts <= 8.64e15 ? new Date(ts).toISOString() : String(ts));
