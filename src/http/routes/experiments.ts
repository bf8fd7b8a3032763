// Experiments on placements: started, read, stopped with or without a winner. All calls hold on every live node when they return.

import { type Static, Type } from 'typebox';
import { HOUR_MS } from '../../base/durations.ts';
import {
  canReplace,
  DEFAULT_MIN_DAYS,
  type Experiment,
  type VariantOverrides,
  withOverrides,
} from '../../domain/experiment.ts';
import { newId } from '../../domain/ids.ts';
import { experimentNotFound, modelNotFound, placementNotFound } from '../../domain/not-found.ts';
import type { Placement } from '../../domain/placement.ts';
import { AppError, invalidField } from '../../errors.ts';
import { readExperiment } from '../../outcomes/experiments/read-experiment.ts';
import { checkDefinition } from '../../placements/check-definition.ts';
import type { ExperimentPoint } from '../../store/experiment-store.ts';
import type { Store } from '../../store/store.ts';
import { projectById } from '../find-project.ts';
import { type Call, type Caller, defineRoute, type Route } from '../route.ts';
import { closed, NextPageToken, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import {
  CreateExperimentBody,
  ExperimentFields,
  ExperimentHistory,
  ExperimentResponse,
  ExperimentResults,
} from '../schemas/experiments.ts';
import { openAs } from '../schemas/named.ts';
import { PlacementName } from '../schemas/placements.ts';
import { changedBy } from './changed-by.ts';

export interface ExperimentParts
  extends Pick<Store, 'experiments' | 'placements' | 'projects' | 'models' | 'outcomes' | 'accounts' | 'deployments'> {
  followedEverywhere(epoch: number): Promise<void>;
}

const tag = 'Experiments';
/** Most points in a history: a chart has no room for more. */
const SHOWN_POINTS = 300;
/** How often promoting is tried while others change the placement at the same moment. */
const PROMOTE_TRIES = 5;

const EXPERIMENT_ID = 'exp_01k9zq4m2v8h3c7f5x1d0b6n9e';
const EXAMPLE_IDS = { project_id: EXAMPLE_PROJECT_ID, experiment_id: EXPERIMENT_ID };
const EXAMPLE_VARIANTS = [
  { name: 'today', share: 1, overrides: {} },
  { name: 'diverse', share: 1, overrides: { diversity: 0.3 } },
];
const EXAMPLE = {
  ...EXAMPLE_IDS,
  name: 'More variety',
  placement: 'home-page',
  variants: EXAMPLE_VARIANTS,
  metric: 'click' as const,
  min_days: 7,
  status: 'RUNNING' as const,
  created_ts: 1_762_000_000_000,
  stopped_ts: null,
  promoted: null,
  decided: null,
};
const UNREAD = { lift: null, lift_interval: null };
const EXAMPLE_METRICS = {
  today: {
    click: { rate: 0.1, rate_interval: [0.092, 0.109], ...UNREAD },
    target: { rate: 0.009, rate_interval: [0.006, 0.013], ...UNREAD },
    value: { rate: 0.27, rate_interval: [0.18, 0.36], ...UNREAD },
  },
  diverse: {
    click: { rate: 0.12, rate_interval: [0.111, 0.13], lift: 0.204, lift_interval: [0.07, 0.354] },
    target: { rate: 0.01, rate_interval: [0.007, 0.014], lift: 0.117, lift_interval: [-0.32, 0.83] },
    value: { rate: 0.31, rate_interval: [0.21, 0.41], lift: 0.148, lift_interval: [-0.36, 1.06] },
  },
};
const EXAMPLE_RESULTS = {
  variants: [
    {
      name: 'today',
      share: 1,
      visitors: 10_000,
      converted: 1000,
      ...EXAMPLE_METRICS.today.click,
      visitors_with: { click: 1000, target: 90, value: 90 },
      metrics: EXAMPLE_METRICS.today,
    },
    {
      name: 'diverse',
      share: 1,
      visitors: 10_050,
      converted: 1210,
      ...EXAMPLE_METRICS.diverse.click,
      visitors_with: { click: 1210, target: 101, value: 101 },
      metrics: EXAMPLE_METRICS.diverse,
    },
  ],
  split_as_planned: true,
  winner: 'diverse',
  sentence: 'diverse is better: its click rate is 20.4% above today (95% interval 7.0% to 35.4%).',
};

export function experimentRoutes(parts: ExperimentParts): Route[] {
  const { experiments, placements, projects, models, outcomes, accounts, deployments, followedEverywhere } = parts;

  const findPlacement = async (accountId: string, projectId: string, name: string): Promise<Placement> => {
    const placement = await placements.get({ accountId, projectId, name });
    if (placement !== null) return placement;
    await projectById(projects, accountId, projectId);
    throw placementNotFound(projectId, name, 'placement');
  };
  const find = async ({ accountId }: Caller, ids: { project_id: string; experiment_id: string }) => {
    const experiment = await experiments.get(accountId, ids.project_id, ids.experiment_id);
    if (experiment !== null) return experiment;
    await projectById(projects, accountId, ids.project_id);
    throw experimentNotFound(ids.project_id, ids.experiment_id);
  };
  /** Rejects overrides with which calls of the placement could fail. */
  const checkOverrides = async (placement: Placement, overrides: VariantOverrides, where: string): Promise<void> => {
    const { definition } = placement.current;
    if (overrides.kind !== undefined && !canReplace(definition.kind, overrides.kind)) {
      throw invalidField(
        `${where}/kind`,
        `cannot be ${overrides.kind}: calls of a ${definition.kind} placement lack what it needs`,
      );
    }
    checkDefinition(withOverrides(definition, overrides), where);
    const { account_id, project_id } = placement;
    const { model_id } = overrides;
    if (model_id !== undefined && (await models.get(account_id, project_id, model_id)) === null) {
      throw modelNotFound(project_id, model_id, `${where.slice(1)}/model_id`);
    }
  };
  /** Writes the overrides into the placement's next version and stops the experiment; null if an earlier request did so. */
  const promote = async (
    { caller, runtime }: Pick<Call<unknown, unknown, unknown>, 'caller' | 'runtime'>,
    { variants, ...ids }: Experiment,
    name: string,
  ): Promise<number | null> => {
    const { overrides } = variants.find((variant) => variant.name === name)!;
    for (let tries = 0; tries < PROMOTE_TRIES; tries++) {
      const experiment = await find(caller, ids);
      // Promoted already: a further version would be the one that /rollback-placement reverts.
      if (experiment.promoted === name) return null;
      // The overrides would be combined with those of the other variant, and the placement would be neither of the two.
      if (experiment.promoted !== null) throw promotedBefore(experiment.promoted);
      const { current } = await findPlacement(caller.accountId, experiment.project_id, experiment.placement);
      const definition = withOverrides(current.definition, overrides);
      checkDefinition(definition);
      const nowMs = runtime.nowMs();
      const version = {
        version: current.version + 1,
        definition,
        change: 'updated' as const,
        changed_ts: nowMs,
        changed_by: await changedBy(accounts, caller),
      };
      const epoch = await experiments.stop(experiment, { nowMs, promote: { variant: name, version } });
      if (epoch !== null) return epoch;
    }
    throw new AppError('PLACEMENT_CHANGED', 'Somebody else is changing the placement. Send the call again.');
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/create-experiment',
      tag,
      summary: 'Compare variants of a placement',
      description:
        'Starts immediately. A user always gets the same variant; calls without a user_id take no part. One experiment runs on a placement at a time.',
      body: CreateExperimentBody,
      response: ExperimentResponse,
      errors: [
        ...(['PROJECT_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'MODEL_NOT_FOUND', 'EXPERIMENT_RUNNING'] as const),
        'INVALID_FILTER',
      ],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, placement: 'home-page', variants: EXAMPLE_VARIANTS },
        response: EXAMPLE,
      },
      async handler({ body, caller, runtime }) {
        const nowMs = runtime.nowMs();
        const placement = await findPlacement(caller.accountId, body.project_id, body.placement);
        const variants = body.variants.map(({ name, share, overrides = {} }) => ({ name, share, overrides }));
        for (const [n, { name, overrides }] of variants.entries()) {
          const isTwice = variants.findIndex((other) => other.name === name) < n;
          if (isTwice) throw invalidField(`/variants/${n}/name`, 'is the name of another variant');
          await checkOverrides(placement, overrides, `/variants/${n}/overrides`);
        }
        const experiment: Experiment = {
          account_id: caller.accountId,
          project_id: body.project_id,
          experiment_id: newId('experiment', runtime, nowMs),
          name: body.name ?? `Experiment on ${body.placement}`,
          placement: body.placement,
          variants,
          metric: body.metric ?? 'click',
          min_days: body.min_days ?? DEFAULT_MIN_DAYS,
          status: 'RUNNING',
          created_ts: nowMs,
          stopped_ts: null,
          promoted: null,
          decided: null,
        };
        const created = await experiments.create(experiment);
        if (created === 'missing-placement') throw placementNotFound(body.project_id, body.placement);
        if (created === 'running') {
          throw new AppError(
            'EXPERIMENT_RUNNING',
            `An experiment runs on placement ${body.placement}. Stop it first (/stop-experiment).`,
          );
        }
        await followedEverywhere(created);
        return toResponse(experiment);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-experiment',
      tag,
      summary: 'Read an experiment and its result so far',
      description:
        'Look as often as you like: the intervals are valid for all looks together, and the chance that an experiment without a difference ever names a winner is below 5%.',
      query: closed({ project_id: ServiceId, experiment_id: ServiceId }),
      response: openAs('ExperimentReport', {
        ...ExperimentFields,
        results: ExperimentResults,
        history: ExperimentHistory,
      }),
      errors: ['PROJECT_NOT_FOUND', 'EXPERIMENT_NOT_FOUND'],
      examples: { request: EXAMPLE_IDS, response: { ...EXAMPLE, results: EXAMPLE_RESULTS, history: [] } },
      async handler({ query, caller, runtime }) {
        const experiment = await find(caller, query);
        const [users, points] = await Promise.all([
          outcomes.usersOf(query.project_id, query.experiment_id),
          experiments.points(query.experiment_id),
        ]);
        const { winner, ...results } = readExperiment(experiment, users, experiment.stopped_ts ?? runtime.nowMs());
        return {
          ...toResponse(experiment),
          results: { ...results, winner } as Static<typeof ExperimentResults>,
          history: historyOf(experiment, points),
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-experiments',
      tag,
      summary: "List a project's experiments, newest first",
      query: closed({ project_id: ServiceId, placement: Type.Optional(PlacementName), ...pageQuery }),
      response: open({ experiments: Type.Array(ExperimentResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { experiments: [EXAMPLE], next_page_token: null },
      },
      async handler({ query, caller }) {
        await projectById(projects, caller.accountId, query.project_id);
        const page = await experiments.list(caller.accountId, query.project_id, query.placement, toPageRequest(query));
        return { experiments: page.entries.map(toResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/stop-experiment',
      tag,
      summary: 'Stop an experiment, and promote a variant if you want',
      description:
        'With `promote` the overrides of that variant become the next version of the placement, which /rollback-placement can undo. No call fails in between. Also works on an experiment that was stopped before; the same request again changes nothing.',
      body: closed({
        project_id: ServiceId,
        experiment_id: ServiceId,
        promote: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Name of a variant.' })),
      }),
      response: ExperimentResponse,
      errors: [
        ...(['PROJECT_NOT_FOUND', 'EXPERIMENT_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'PLACEMENT_CHANGED'] as const),
        ...(['VARIANT_PROMOTED', 'INVALID_FILTER'] as const),
      ],
      examples: {
        request: { ...EXAMPLE_IDS, promote: 'diverse' },
        response: { ...EXAMPLE, status: 'STOPPED', stopped_ts: 1_762_900_000_000, promoted: 'diverse' },
      },
      async handler({ body, caller, runtime }) {
        const experiment = await find(caller, body);
        const { promote: name } = body;
        if (name !== undefined && !experiment.variants.some((variant) => variant.name === name)) {
          const names = experiment.variants.map((variant) => variant.name).join(', ');
          throw invalidField('/promote', `is not a variant of the experiment: it has ${names}`);
        }
        const epoch =
          name === undefined
            ? await experiments.stop(experiment, { nowMs: runtime.nowMs(), promote: null })
            : await promote({ caller, runtime }, experiment, name);
        // An earlier request may still be waiting for other nodes.
        await followedEverywhere(epoch ?? (await deployments.epoch()));
        return toResponse(await find(caller, body));
      },
    }),
  ];
}

function toResponse({ account_id: _, variants, ...experiment }: Experiment) {
  return {
    ...experiment,
    variants: variants.map(({ overrides, ...variant }) => ({ ...variant, overrides: { ...overrides } })),
  } as Static<typeof ExperimentResponse>;
}

/** Returns at most SHOWN_POINTS points, evenly chosen, including the newest. */
function historyOf(experiment: Experiment, points: readonly ExperimentPoint[]): Static<typeof ExperimentHistory> {
  const step = Math.max(1, Math.ceil(points.length / SHOWN_POINTS));
  return points
    .filter((_, n) => (points.length - 1 - n) % step === 0)
    .map(({ hour, users }) => ({
      ts: hour * HOUR_MS,
      variants: readExperiment(experiment, users, hour * HOUR_MS).variants.map(({ name, lift, lift_interval }) => ({
        name,
        lift,
        lift_interval,
      })),
    }));
}

const promotedBefore = (variant: string): AppError =>
  new AppError(
    'VARIANT_PROMOTED',
    `Variant ${variant} was promoted. Undo it with /rollback-placement, then change the placement with /update-placement.`,
  );
