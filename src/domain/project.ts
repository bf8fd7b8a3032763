// Projects and algorithm configurations.
import type { Automation } from './automation.ts';
import type { SegmentMapping } from './segment-mapping.ts';

export const PROJECT_TYPES = ['RECOMMEND_ITEMS_TO_USER'] as const;
export const ALGORITHM_TYPES = ['G1'] as const;
export type ProjectType = (typeof PROJECT_TYPES)[number];
export type AlgorithmType = (typeof ALGORITHM_TYPES)[number];

export interface Project {
  account_id: string;
  project_id: string;
  name: string;
  project_type: ProjectType;
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
  target_event_type: string;
  /** How messages of Segment and RudderStack become events; if left out, by the defaults. */
  segment_mapping?: SegmentMapping;
  /** Automatic training and deployment; if left out, none. */
  automation?: Automation;
  /** For how many hours after it was shown an item assists events (store/outcomes/outcome-rules.ts); if left out, the default. */
  assist_window_hours?: number;
  created_ts: number;
}

export const DEFAULT_ASSIST_HOURS = 24;
/** Shorter than lists count (domain/recommendation.ts). */
export const MAX_ASSIST_HOURS = 30 * 24;

export interface Algorithm {
  account_id: string;
  project_id: string;
  algorithm_id: string;
  name: string;
  algorithm_type: AlgorithmType;
  algorithm_parameters: Record<string, unknown>;
  created_ts: number;
}
