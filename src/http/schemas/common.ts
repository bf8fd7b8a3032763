// Schemas every resource uses. Lengths count Unicode code points, as JSON Schema does.
import { type Static, type TObjectOptions, type TProperties, type TSchema, type TString, Type } from 'typebox';

const CONTROL_CHARACTERS = '\\u0000-\\u001f\\u007f-\\u009f';
/** Excludes control characters (C0, DEL, C1) and lone surrogates. */
export const CLEAN_TEXT_PATTERN = `^[^${CONTROL_CHARACTERS}\\ud800-\\udfff]*$`;
/** The pattern in the API reference: without surrogates, which few regular expression dialects can express. */
export const SHOWN_TEXT_PATTERN = `^[^${CONTROL_CHARACTERS}]*$`;
export const S3_URL_PATTERN = '^s3://';

/** An object that rejects unknown fields. Use it for every request. */
export function closed<T extends TProperties>(properties: T, options: TObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A response. Fields may be added, so clients must ignore unknown ones. */
export function open<T extends TProperties>(properties: T, options: TObjectOptions = {}) {
  return Type.Object(properties, options);
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** An object with names chosen by the client. Every name is checked; TypeBox's Record would keep only the pattern of its names. */
export function mapOf<T extends TSchema>(
  name: TString,
  value: T,
  options: { maxProperties: number; description: string },
) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    propertyNames: name,
    additionalProperties: value,
    ...options,
  });
}

/** The same optional field with another description. */
export function describedAs<T extends TSchema>(field: T, description: string) {
  return Type.Optional(Type.Unsafe<Static<T>>({ ...field, description }));
}

/** A string that is one of these values. */
export function oneOf<const T extends readonly string[]>(values: T, options: { description?: string } = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/**
 * A value the handler checks itself, shown in the API reference with `shown`. `checked` is what validation still checks,
 * e.g. that it is an object.
 */
export function shownAs<T>(shown: object, checked: object = {}) {
  return Type.Unsafe<T>({ ...checked, [SHOWN_AS]: shown });
}
export const SHOWN_AS = 'x-shown-as';

/** Records of a batch: the handler checks them one by one (src/domain), because one invalid record must not reject the others. */
export function recordsOf(record: TSchema, description: string) {
  return Type.Array(shownAs<unknown>(record), { description, [RECORDS]: true });
}
/** Marks the records of a bulk call; a symbol, so that neither validation nor the API reference sees it. */
export const RECORDS = Symbol('records');

/** An id created by the service; opaque to clients. */
export const ServiceId = Type.String({ minLength: 1, maxLength: 128, pattern: CLEAN_TEXT_PATTERN });
/** An id chosen by the client, such as a user id. */
export const ClientId = Type.String({ minLength: 1, maxLength: 256, pattern: CLEAN_TEXT_PATTERN });
export const Name = Type.String({ minLength: 1, maxLength: 128, pattern: CLEAN_TEXT_PATTERN });
/** A time in milliseconds since 1970. */
export const TimeMs = Type.Integer({ minimum: 0, maximum: 8.64e15 });

export const pageSize = (byDefault: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: `Entries per page, fewer if they are large. Default ${byDefault}.`,
    }),
  );

/** Query parameters of every list. */
export const pageQuery = {
  page_size: pageSize(1000),
  // Fits a token with the longest id.
  page_token: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, pattern: CLEAN_TEXT_PATTERN })),
};

export const NextPageToken = nullable(Type.String({ description: 'Send it as page_token to get the next page.' }));

/** Converts the query for the stores. */
export function toPageRequest(query: { page_size?: number; page_token?: string }) {
  return { page_size: query.page_size ?? 1000, page_token: query.page_token ?? null };
}
