// Uploads in parts whose process was killed. S3 keeps their parts, and bills them, until the upload is ended.
import type { MultipartUpload } from '@aws-sdk/client-s3';
import { DAY_MS } from '../../base/durations.ts';
import { BLOB_PREFIXES } from '../blob-store.ts';
import type { S3Connection } from './s3-connection.ts';

/** No upload takes that long. */
const CUT_OFF_MS = DAY_MS;

interface S3Error {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Ends those that began more than a day ago, if S3 lets us; returns how many. */
export async function endCutOffUploads(
  connection: S3Connection,
  { bucket, prefix }: { bucket: string; prefix: string },
  nowMs: number,
): Promise<number> {
  const { client, sdk } = connection;
  let ended = 0;
  try {
    for (const own of BLOB_PREFIXES) {
      for await (const { Key, UploadId, Initiated } of uploadsBelow(connection, bucket, prefix + own)) {
        // By the clock of S3: the SDK knows by how much it differs from that of this machine.
        const ageMs = nowMs + client.config.systemClockOffset - (Initiated?.getTime() ?? nowMs);
        if (ageMs < CUT_OFF_MS) continue;
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch(ignoreEnded);
        ended++;
      }
    }
  } catch (error) {
    if (!isRefusal(error as S3Error)) throw error;
  }
  return ended;
}

async function* uploadsBelow(
  { client, sdk }: S3Connection,
  Bucket: string,
  Prefix: string,
): AsyncGenerator<MultipartUpload> {
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...after }));
    yield* page.Uploads ?? [];
    // A store that does not have this call may list the bucket.
    if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
    after = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** The credentials do not allow the call, or a compatible store does not have it. */
function isRefusal({ $metadata }: S3Error): boolean {
  const status = $metadata?.httpStatusCode ?? 500;
  return status < 500 || status === 501;
}

/** Another process has ended it. */
function ignoreEnded(error: S3Error): void {
  if (error.name !== 'NoSuchUpload') throw error;
}
