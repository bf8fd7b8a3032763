// The caller's account: plan and usage.

import { Type } from 'typebox';
import { projectNotFound } from '../../domain/not-found.ts';
import { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nullable, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';

export interface AccountParts {
  accounts: AccountStore;
  /** Resolves when every API node has followed the epoch. */
  followedEverywhere(epoch: number): Promise<void>;
}

const AccountResponse = openAs('Account', {
  account_id: Type.String(),
  name: Type.String(),
  plan: open({
    max_event_shards: Type.Integer(),
    max_training_hours: Type.Number(),
    max_qps: Type.Number(),
    max_storage_bytes: Type.Integer(),
  }),
  usage: open({
    event_shards: Type.Integer(),
    training_hours: Type.Number(),
    storage_bytes: Type.Integer({
      description: 'Bytes of users, items and events, including the overhead of their rows.',
    }),
  }),
  default_project_id: nullable(
    Type.String({
      description: 'Used by recommendation calls without a project_id; null before the first deployment.',
    }),
  ),
});

const EXAMPLE_ACCOUNT = {
  account_id: 'acc_01k9zq3a1b3c5d7e9f1g3h5j7k',
  name: 'default',
  plan: { max_event_shards: 1000, max_training_hours: 1000, max_qps: 10_000, max_storage_bytes: 107_374_182_400 },
  usage: { event_shards: 10, training_hours: 0.42, storage_bytes: 52_428_800 },
  default_project_id: EXAMPLE_PROJECT_ID,
};

export function accountRoutes({ accounts, followedEverywhere }: AccountParts): Route[] {
  const present = async (accountId: string) => {
    const [account, usage] = await Promise.all([accounts.get(accountId), accounts.usage(accountId)]);
    if (!account) throw new AppError('UNAUTHENTICATED', 'The account no longer exists.');
    const { account_id, name, plan, default_project_id } = account;
    return { account_id, name, plan, usage, default_project_id };
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/get-account',
      tag: 'Account',
      summary: 'Read plan and usage',
      response: AccountResponse,
      examples: { response: EXAMPLE_ACCOUNT },
      handler: ({ caller }) => present(caller.accountId),
    }),
    defineRoute({
      method: 'PUT',
      path: '/update-account',
      tag: 'Account',
      summary: 'Choose the default project',
      description:
        'Recommendation calls without a `project_id` use the default project. Returns when every API node uses it.',
      body: closed({ default_project_id: Type.Optional(ServiceId) }),
      response: AccountResponse,
      errors: ['PROJECT_NOT_FOUND'],
      examples: { request: { default_project_id: EXAMPLE_PROJECT_ID }, response: EXAMPLE_ACCOUNT },
      async handler({ body: { default_project_id }, caller }) {
        if (default_project_id !== undefined) {
          const epoch = await accounts.chooseDefaultProject(caller.accountId, default_project_id);
          if (epoch === null) throw projectNotFound(default_project_id);
          await followedEverywhere(epoch);
        }
        return present(caller.accountId);
      },
    }),
  ];
}
