// The parts of oidc-provider that tests use; the package has no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Account {
    accountId: string;
    claims(): Record<string, unknown>;
  }

  export default class Provider {
    constructor(
      issuer: string,
      configuration: { findAccount(context: unknown, id: string): Promise<Account> } & Record<string, unknown>,
    );
    callback(): RequestListener;
    on(event: string, listener: (...details: unknown[]) => void): void;
  }
}
