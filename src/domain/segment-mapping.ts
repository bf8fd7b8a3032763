// How messages of Segment and RudderStack become events: the mapping of a project, and the defaults behind it.

/** How a `track` message becomes events. A path has names joined by dots. */
export interface SegmentEventRule {
  event_type: string;
  /** A path in the message or in each product; default: product_id, sku or id. */
  item_id?: string;
  /** The path of the event's value; default: the value is 1. */
  value?: string;
  /** An array in the message: one event for each. */
  products?: string;
}

export interface SegmentMapping {
  /** Rules by the name of the event; null skips the event. They take precedence over the defaults. */
  events?: Record<string, SegmentEventRule | null>;
  /** Traits that become attributes of users; default: all but those that name a person. */
  traits?: readonly string[];
  /** Attributes of events, each with its path in the message. */
  attributes?: Record<string, string>;
}

const PRODUCTS = 'properties.products';

/** The e-commerce events that both products define. */
export const SEGMENT_DEFAULTS: Readonly<Record<string, SegmentEventRule>> = {
  'Product Viewed': { event_type: 'view' },
  'Product Clicked': { event_type: 'click' },
  'Product Added': { event_type: 'cart', value: 'properties.quantity' },
  'Product Added to Wishlist': { event_type: 'wishlist' },
  'Order Completed': { event_type: 'purchase', products: PRODUCTS, value: 'quantity' },
};
