// From the traits of `identify` messages to attributes of users. Each trait is checked alone: one that the dataset does not allow is
// reported, and the other traits of its user remain.
import type { Steps } from '../base/steps.ts';
import { valueProblem } from './attribute-check.ts';
import type { AttributeSchema } from './dataset.ts';
import type { Attributes, EntityRecord, RecordFailureCode } from './record.ts';
import { readEntities } from './record-batch.ts';

/** The traits of one message, not checked yet. */
export interface Identified {
  message: number;
  user_id: string;
  traits: Attributes;
}

export interface MessageFailure {
  /** Index of the message. */
  index: number;
  code: RecordFailureCode;
  message: string;
}

export interface ReadUsers {
  /** One per user, with the newest valid value of each trait. */
  records: EntityRecord[];
  /** The last message that gave records[i] a value. */
  messages: number[];
  failures: MessageFailure[];
}

export function* readUsers(identified: readonly Identified[], schema: AttributeSchema | null): Steps<ReadUsers> {
  const users = new Map<string, { message: number; attributes: Attributes }>();
  const failures: MessageFailure[] = [];
  for (const { message: index, user_id, traits } of identified) {
    for (const name in traits) {
      const attributes = { [name]: traits[name] };
      const handling = schema !== null && Object.hasOwn(schema, name) ? { [name]: schema[name] } : null;
      const [refusal] = readEntities([{ user_id, attributes }], 'user_id', handling).failures;
      const problem = refusal?.message ?? valueProblem(name, traits[name]);
      if (problem !== null) {
        failures.push({ index, code: refusal?.code ?? 'ATTRIBUTE_TYPE_MISMATCH', message: problem });
      } else {
        users.set(user_id, {
          message: index,
          attributes: Object.assign(users.get(user_id)?.attributes ?? {}, attributes),
        });
      }
      yield;
    }
  }
  return {
    records: [...users].map(([id, { attributes }]) => ({ id, attributes })),
    messages: [...users.values()].map(({ message }) => message),
    failures,
  };
}
