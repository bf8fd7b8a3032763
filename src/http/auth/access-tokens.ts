// Access tokens: JWTs signed with a key that all nodes share through the store, so that any node can verify the tokens of
// any other node without a database call.
import { errors, jwtVerify, SignJWT } from 'jose';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { newSecret } from '../../base/system.ts';
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
  /** The version of the key's secret that the token was issued for. */
  secretVersion: number;
  expiresAtMs: number;
}

export class AccessTokens {
  readonly #secret: Uint8Array;
  readonly #runtime: Runtime;

  constructor(secret: Uint8Array, runtime: Runtime = systemRuntime) {
    this.#secret = secret;
    this.#runtime = runtime;
  }

  static async open(accounts: AccountStore, runtime?: Runtime): Promise<AccessTokens> {
    const secret = await accounts.sharedSecret('token-signing-key', () => newSecret(32));
    return new AccessTokens(Buffer.from(secret, 'base64url'), runtime);
  }

  /**
   * The token expires after an hour, or at `notAfterMs` if that is earlier: when the key expires, or the grace period of an old
   * secret ends.
   */
  async sign(
    claims: Omit<TokenClaims, 'expiresAtMs'>,
    notAfterMs: number = Number.POSITIVE_INFINITY,
  ): Promise<{ token: string; lifeSec: number }> {
    const nowSec = Math.floor(this.#runtime.nowMs() / 1000);
    const endSec = Math.min(nowSec + TOKEN_LIFE_SEC, Math.floor(notAfterMs / 1000));
    const { keyId, keyHash, scope, secretVersion } = claims;
    const token = await new SignJWT({ key: keyId, kh: keyHash, sv: secretVersion, scope })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setSubject(claims.accountId)
      .setIssuedAt(nowSec)
      .setExpirationTime(endSec)
      .sign(this.#secret);
    return { token, lifeSec: endSec - nowSec };
  }

  async verify(token: string): Promise<TokenClaims> {
    try {
      const { payload } = await jwtVerify(token, this.#secret, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp', 'scope', 'key', 'kh'],
        clockTolerance: CLOCK_TOLERANCE_SEC,
        currentDate: new Date(this.#runtime.nowMs()),
      });
      return {
        accountId: String(payload.sub),
        keyId: String(payload.key),
        keyHash: String(payload.kh),
        scope: String(payload.scope),
        // Tokens of earlier versions, which had no rotation, have no `sv`.
        secretVersion: Number(payload.sv ?? 1),
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
