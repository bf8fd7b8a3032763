// A project's mapping of Segment and RudderStack messages over the wire, see domain/segment-mapping.ts.
import { Type } from 'typebox';
import { CLEAN_TEXT_PATTERN, ClientId, mapOf, nullable } from './common.ts';
import { closedAs } from './named.ts';

const MAX_EVENT_RULES = 200;
const MAX_NAMES = 50;
const Path = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: CLEAN_TEXT_PATTERN, description }));
const Text = Type.String({ minLength: 1, maxLength: 128, pattern: CLEAN_TEXT_PATTERN });

const EventRule = closedAs('SegmentRule', {
  event_type: ClientId,
  item_id: Path('Path of the item id in the message, or in each product. Default: `product_id`, `sku` or `id`.'),
  value: Path('Path of the event value. Default: 1.'),
  products: Path('Path of an array: one event for each of its entries.'),
});

export const SegmentMapping = closedAs(
  'SegmentMapping',
  {
    events: Type.Optional(
      mapOf(Text, nullable(EventRule), {
        maxProperties: MAX_EVENT_RULES,
        description: 'Event name to rule; null skips it. Names that are not here follow the defaults.',
      }),
    ),
    traits: Type.Optional(
      Type.Array(Text, {
        maxItems: MAX_NAMES,
        description: 'Traits that become user attributes. Default: all but those that name a person, such as `email`.',
      }),
    ),
    attributes: Type.Optional(
      mapOf(Text, Text, { maxProperties: MAX_NAMES, description: 'Event attribute to its path in the message.' }),
    ),
  },
  {
    description: 'How messages of Segment and RudderStack become events; null: the defaults.',
  },
);

export const EXAMPLE_MAPPING = {
  events: { 'Song Played': { event_type: 'play', item_id: 'properties.song_id' }, 'Product Clicked': null },
  attributes: { device: 'context.device.type' },
};
