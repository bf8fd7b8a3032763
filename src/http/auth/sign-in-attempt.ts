// A sign-in under way at the provider: what its response must match. It waits in a cookie that only the service can read, so it costs no
// memory, works on every node, and belongs to the browser that began.
import { EncryptJWT, jwtDecrypt } from 'jose';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { newSecret } from '../../base/system.ts';
import type { AccountStore } from '../../store/registry-store.ts';

export interface SignInAttempt {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The page of the console to return to. */
  page: string;
}

export const ATTEMPT_LIFE_SEC = 600;
const PURPOSE = 'sign-in';

export class SignInAttempts {
  readonly #key: Uint8Array;
  readonly #runtime: Runtime;

  constructor(key: Uint8Array, runtime: Runtime = systemRuntime) {
    this.#key = key;
    this.#runtime = runtime;
  }

  static async open(accounts: Pick<AccountStore, 'sharedSecret'>, runtime?: Runtime): Promise<SignInAttempts> {
    const secret = await accounts.sharedSecret('sign-in-attempt-key', () => newSecret(32));
    return new SignInAttempts(Buffer.from(secret, 'base64url'), runtime);
  }

  seal(attempt: SignInAttempt): Promise<string> {
    return new EncryptJWT({ ...attempt })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(PURPOSE)
      .setExpirationTime(Math.floor(this.#runtime.nowMs() / 1000) + ATTEMPT_LIFE_SEC)
      .encrypt(this.#key);
  }

  /** Returns null if the text was not sealed by this service or is too old. */
  async unseal(text: string): Promise<SignInAttempt | null> {
    try {
      const { payload } = await jwtDecrypt(text, this.#key, {
        audience: PURPOSE,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        currentDate: new Date(this.#runtime.nowMs()),
      });
      const { state, nonce, codeVerifier, page } = payload;
      return { state: String(state), nonce: String(nonce), codeVerifier: String(codeVerifier), page: String(page) };
    } catch {
      return null;
    }
  }
}
