// Shows a failed call: what happened, in the service's words, and what to do next.
import { CircleAlert } from 'lucide-react';
import { KindredError } from '../../../src/client/index.ts';
import { Button } from './button.tsx';

const WHAT_TO_DO: Record<string, string> = {
  CONNECTION_FAILED: 'Check that the service is running and that this page was opened from it, then try again.',
  TIMEOUT: 'The service took too long. Try again in a moment. If it keeps happening, check the service’s log.',
  UNAUTHENTICATED: 'Sign in again.',
  TOKEN_EXPIRED: 'Your sign-in has ended. Sign in again.',
  INVALID_CLIENT: 'Check the API key and the client secret. You’ll find both in credentials.json in the data folder.',
  PLAN_LIMIT_EXCEEDED: 'Delete an event dataset or disable a key, or raise the plan with npx kindred account update.',
  INSUFFICIENT_SCOPE: 'Ask an admin, or sign in with a key that covers it.',
  API_KEY_MISMATCH: 'Sign out and in again.',
  BODY_TOO_LARGE: 'Send fewer or smaller records at a time.',
  RECORD_NOT_FOUND: 'Check the id. It must match exactly.',
  DATASET_IN_USE: 'Delete the projects that use this dataset first.',
  PROJECT_IN_USE: 'Shut down its deployment, wait for its jobs to end or cancel them, then delete it.',
  MODEL_DEPLOYED: 'Deploy another model or shut down the deployment, then delete it.',
  NO_MODEL_DEPLOYED: 'Deploy a model of this project first.',
  JOB_FINISHED: 'The job has already ended. Reload the list.',
  LAST_KEY: 'Create another key first, so that you do not lock yourself out.',
  LINK_EXPIRED: 'Run the job again for a fresh result.',
  RATE_LIMITED: 'Wait a second and try again, or deploy with a higher qps.',
  OVERLOADED: 'The service is busy. Try again in a moment.',
  STARTING: 'The service is starting. Try again in a moment.',
  SHUTTING_DOWN: 'The service is restarting. Try again in a moment.',
  STORE_UNAVAILABLE: 'Cannot reach the database, or its disk is full. Check the service’s log.',
  INTERNAL_ERROR: 'This is a bug in the service. Its log has the details under the request id.',
};

function problemOf(error: unknown): { title: string; whatToDo?: string; requestId?: string } {
  if (error instanceof KindredError) {
    const gone = error.status === 404 ? 'It may have been deleted. Go back to the list and choose another.' : undefined;
    return { title: error.message, whatToDo: WHAT_TO_DO[error.code] ?? gone, requestId: error.requestId };
  }
  return { title: error instanceof Error ? error.message : String(error) };
}

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, whatToDo, requestId } = problemOf(error);
  return (
    <div className="notice danger" role="alert">
      <CircleAlert size={17} aria-hidden />
      <div className="grow">
        <strong>{title}</strong>
        {whatToDo && <span className="what-to-do">{whatToDo}</span>}
        {requestId && (
          <div>
            Request <code>{requestId}</code>
          </div>
        )}
      </div>
      {onRetry && (
        <Button size="small" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
