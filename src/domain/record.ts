// Users, items and events as stored.

export type AttributeValue = unknown;
export type Attributes = Record<string, AttributeValue>;

/** A user or an item: an id and attributes. */
export interface EntityRecord {
  id: string;
  attributes: Attributes;
}

export interface EventRecord {
  event_id: string;
  user_id: string;
  item_id: string;
  /** milliseconds, integer, 0 to 8.64e15 */
  ts: number;
  event_type: string;
  event_value: number;
  attributes: Attributes;
  /** Id of the list that led to the event. Its signature was verified. */
  recommendation_id?: string;
}

/** Why a record of a batch was not stored. */
export type RecordFailureCode =
  | 'INVALID_RECORD'
  | 'RECORD_TOO_LARGE'
  | 'ATTRIBUTE_TYPE_MISMATCH'
  | 'DATASET_FULL'
  | 'RECORD_NOT_FOUND'
  | 'INVALID_RECOMMENDATION_ID';

export interface RecordFailure {
  index: number;
  /** The id as given, as text; `#12` (the index) if the record has none. */
  id: string;
  code: RecordFailureCode;
  message: string;
}

/** A likely mistake in a record that was stored. */
export type RecordWarningCode = 'SUSPICIOUS_TIME' | 'UNKNOWN_ITEM' | 'UNKNOWN_TYPE' | 'RECOMMENDATION_EXPIRED';

export interface RecordWarning {
  index: number;
  id: string;
  code: RecordWarningCode;
  message: string;
}
