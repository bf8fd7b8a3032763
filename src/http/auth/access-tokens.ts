// Access tokens: JWTs signed with a key that all nodes share through the store, so that any node can verify the tokens of
// any other node without a database call.
import { randomBytes } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';

export const TOKEN_LIFE_SEC = 3600;
const ALGORITHM = 'HS256';
const ISSUER = 'kindred';
const CLOCK_TOLERANCE_SEC = 5;

export interface TokenClaims {
  accountId: string;
  keyId: string;
  /** Hash of the API key it was issued for; a call with the same key needs no lookup. */
  keyHash: string;
  scope: string;
  expiresAtMs: number;
}

export class AccessTokens {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  static async open(accounts: AccountStore): Promise<AccessTokens> {
    const secret = await accounts.sharedSecret('token-signing-key', () => randomBytes(32).toString('base64url'));
    return new AccessTokens(Buffer.from(secret, 'base64url'));
  }

  sign(claims: Omit<TokenClaims, 'expiresAtMs'>): Promise<string> {
    return new SignJWT({ key: claims.keyId, kh: claims.keyHash, scope: claims.scope })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setSubject(claims.accountId)
      .setIssuedAt()
      .setExpirationTime(`${TOKEN_LIFE_SEC}s`)
      .sign(this.#secret);
  }

  async verify(token: string): Promise<TokenClaims> {
    try {
      const { payload } = await jwtVerify(token, this.#secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp', 'scope', 'key', 'kh'],
        clockTolerance: CLOCK_TOLERANCE_SEC,
      });
      return {
        accountId: String(payload.sub),
        keyId: String(payload.key),
        keyHash: String(payload.kh),
        scope: String(payload.scope),
        expiresAtMs: Number(payload.exp) * 1000,
      };
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        throw new AppError('TOKEN_EXPIRED', 'The access token has expired. Get a new one at /oauth2/token.');
      }
      throw new AppError('UNAUTHENTICATED', 'The access token is not valid. Get a new one at /oauth2/token.');
    }
  }
}
