// The bytes of stored events, counted as stored-bytes.ts counts those of new ones.
import { EVENT_ROW_BYTES } from '../stored-bytes.ts';

export const EVENT_BYTES_SQL = `${EVENT_ROW_BYTES} + octet_length(event_id) + COALESCE(octet_length(attributes), 0)
  + COALESCE(octet_length(recommendation), 0) AS bytes`;
