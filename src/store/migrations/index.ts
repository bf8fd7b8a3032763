// Every schema migration, oldest first.

import { catalogue } from './0001-catalogue.ts';
import { recordsAndEvents } from './0002-records-and-events.ts';
import { jobsAndModels } from './0003-jobs-and-models.ts';
import { jobsByAccount } from './0004-jobs-by-account.ts';
import { changedUsers } from './0005-changed-users.ts';
import { rememberedDeletions } from './0006-remembered-deletions.ts';
import { keyScopes } from './0007-key-scopes.ts';
import { servingEpoch } from './0008-serving-epoch.ts';
import { fairJobs } from './0009-fair-jobs.ts';
import { forgottenUsers } from './0010-forgotten-users.ts';
import { storedBytes } from './0011-stored-bytes.ts';
import { resultsByTime } from './0012-results-by-time.ts';
import { mergedUsers } from './0013-merged-users.ts';
import { keyKinds } from './0014-key-kinds.ts';
import { placements } from './0015-placements.ts';
import { eventTallies } from './0016-event-tallies.ts';
import { auditLog } from './0017-audit-log.ts';
import { webhooks } from './0018-webhooks.ts';
import { segmentMapping } from './0019-segment-mapping.ts';
import { outcomes } from './0020-outcomes.ts';
import { automation } from './0021-automation.ts';
import { experiments } from './0022-experiments.ts';
import { outcomeDays } from './0023-outcome-days.ts';
import { shownItems } from './0024-shown-items.ts';
import { dataHealth } from './0025-data-health.ts';
import { consoleSessions } from './0026-console-sessions.ts';
import { jobParts } from './0027-job-parts.ts';
import { streamPositions } from './0028-stream-positions.ts';
import { failedJobs } from './0029-failed-jobs.ts';
import { streamLosses } from './0030-stream-losses.ts';
import { eventPartitions } from './0031-event-partitions.ts';
import { assistWindow } from './0032-assist-window.ts';
import { claimedWebhooks } from './0033-claimed-webhooks.ts';
import { servedByTime } from './0034-served-by-time.ts';
import { exactSquares } from './0035-exact-squares.ts';
import { mergedVisitors } from './0036-merged-visitors.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  catalogue,
  recordsAndEvents,
  jobsAndModels,
  jobsByAccount,
  changedUsers,
  rememberedDeletions,
  keyScopes,
  servingEpoch,
  fairJobs,
  forgottenUsers,
  storedBytes,
  resultsByTime,
  mergedUsers,
  keyKinds,
  placements,
  eventTallies,
  auditLog,
  webhooks,
  segmentMapping,
  outcomes,
  automation,
  experiments,
  outcomeDays,
  shownItems,
  dataHealth,
  consoleSessions,
  jobParts,
  streamPositions,
  failedJobs,
  streamLosses,
  eventPartitions,
  assistWindow,
  claimedWebhooks,
  servedByTime,
  exactSquares,
  mergedVisitors,
];
