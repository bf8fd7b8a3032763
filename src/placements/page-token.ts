// The token of the next page of a list: the items that the pages before showed, signed. It is bound to the account and to the
// list, so that one of another list, or a changed one, is refused. No state is stored: any node serves the next page.
//
//   base64url(ids of shown items, a line each).signature
//
// A list can be paged as long as its token stays within MAX_SHOWN items and MAX_TOKEN_LENGTH characters; it ends there.
import { AccountSigner, SIGNATURE_LENGTH } from '../domain/account-signer.ts';
import { AppError } from '../errors.ts';

export const MAX_SHOWN = 1000;
/** Fits 1,000 ids of 48 bytes each. */
export const MAX_TOKEN_LENGTH = 64 * 1024;

/** What identifies a list across its pages, written as one text. Ids have no control characters. */
export interface PagedList {
  readonly accountId: string;
  readonly projectId: string;
  /** the call, its user and its subject */
  readonly identity: string;
}

export class PageTokens {
  readonly #signer: AccountSigner;

  /** `secret`: one that all nodes share. */
  constructor(secret: string) {
    this.#signer = new AccountSigner(secret, 'page-token');
  }

  /** Returns null if the list ends here. */
  make(list: PagedList, shown: readonly string[]): string | null {
    if (shown.length > MAX_SHOWN) return null;
    const ids = Buffer.from(shown.join('\n')).toString('base64url');
    if (ids.length + 1 + SIGNATURE_LENGTH > MAX_TOKEN_LENGTH) return null;
    return `${ids}.${this.#signer.sign(list.accountId, messageOf(list, ids))}`;
  }

  /** Ids of the items that were shown. */
  read(list: PagedList, token: string): string[] {
    const dot = token.length - SIGNATURE_LENGTH - 1;
    const ids = token.slice(0, Math.max(0, dot));
    const isOurs = dot > 0 && token[dot] === '.' && this.#isSigned(list, ids, token.slice(dot + 1));
    if (isOurs) return Buffer.from(ids, 'base64url').toString().split('\n');
    const message = 'is not of this list: send next_page_token of the page before, unchanged, with the same request';
    throw new AppError('INVALID_PAGE_TOKEN', `page_token ${message}, or none for the first page.`, {
      errors: [{ pointer: '/page_token', message }],
    });
  }

  #isSigned(list: PagedList, ids: string, signature: string): boolean {
    return this.#signer.isSigned(list.accountId, messageOf(list, ids), signature);
  }
}

function messageOf({ projectId, identity }: PagedList, ids: string): string {
  return `${projectId}\n${identity}\n${ids}`;
}
