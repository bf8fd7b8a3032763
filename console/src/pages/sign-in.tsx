// Sign-in: with the organization's provider if there is one, with API key and client secret, or by the one-time link with its code in
// the address.
import { useEffect, useState } from 'react';
import { signInAddress, takeFailure } from '../session/person-session.ts';
import { useSession } from '../session/session.tsx';
import { takeSignInCode } from '../session/sign-in-code.ts';
import { BrandMark } from '../shell/brand.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/states.tsx';

export function SignInPage() {
  const { signIn, signInByLink, signedOutReason, signInUrl } = useSession();
  const [apiKey, setApiKey] = useState('');
  const [secret, setSecret] = useState('');
  const [code] = useState(takeSignInCode);
  const [failure] = useState(takeFailure);
  const byForm = useAction(() => signIn(apiKey.trim(), secret.trim()));
  const byLink = useAction(() => signInByLink(code ?? ''));

  useEffect(() => {
    document.title = 'Sign in · Kindred';
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the code works once, so it is tried once
  useEffect(() => {
    if (code) byLink.start();
  }, [code]);

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <div className="brand">
          <BrandMark size={32} /> Kindred
        </div>
        <div className="stack-s">
          <h1>Sign in</h1>
          <p className="soft">Recommendations from your own data, on your own machine.</p>
        </div>
        {signedOutReason === 'expired' && (
          <Notice tone="warn">
            <strong>Your sign-in has ended</strong>
            Sign in again to return to the same page.
          </Notice>
        )}
        {signedOutReason === 'key-disabled' && (
          <Notice tone="warn">
            <strong>You disabled the key of your session</strong>
            Sign in with another key.
          </Notice>
        )}
        {failure !== null && (
          <Notice tone="danger">
            <strong>{failure.title}</strong>
            {failure.whatToDo}
          </Notice>
        )}
        {signInUrl !== null && (
          <>
            <a className="button primary" href={signInAddress(signInUrl)}>
              Sign in with your organization
            </a>
            <p className="hint">Or sign in with an API key:</p>
          </>
        )}
        {byLink.isPending && <Notice>Signing in with the one-time link…</Notice>}
        {byLink.error !== null && (
          <Notice tone="warn">
            <strong>The one-time link no longer works</strong>
            It works once, shortly after the service starts. Use the key and secret below, or restart the service for a
            new link.
          </Notice>
        )}
        <ActionForm action={byForm} submit="Sign in" isDisabled={!apiKey.trim() || !secret.trim()}>
          <TextField label="API key" value={apiKey} onChange={setApiKey} autoComplete="username" isRequired />
          <TextField
            label="Client secret"
            type="password"
            value={secret}
            onChange={setSecret}
            autoComplete="current-password"
            isRequired
            hint={
              <>
                You’ll find both in <code>credentials.json</code> in the service’s data folder.
              </>
            }
          />
        </ActionForm>
        <p className="hint">
          With a key you stay signed in for an hour, in this tab only. The secret is not stored.{' '}
          <a href="/docs">API reference</a>
        </p>
      </div>
    </main>
  );
}
