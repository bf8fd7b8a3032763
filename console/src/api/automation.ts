// Automation of a project: its rules, what it decided, and switching it on and off.
import type { Project, RequestOf } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';
import { useCall, useRefresh } from './use-call.ts';

export type AutomationRules = NonNullable<RequestOf<'/update-project'>['automation']>;
export type { AutomationDecision as GateDecision, AutomationStatus } from '../../../src/client/index.ts';

/** What the switch turns on: fresh within a day, sooner when much happens. */
export const DEFAULT_RULES: AutomationRules = { retrain: { every_hours: 24, after_new_events: 1000 } };

const POLL_MS = 5000;

export function useAutomationStatus(projectId: string) {
  return useCall('/get-automation-status', { project_id: projectId }, { pollMs: POLL_MS });
}

export function useDecisions(projectId: string) {
  return useCall('/list-automation-decisions', { project_id: projectId, page_size: 50 }, { pollMs: POLL_MS });
}

export function useSaveAutomation(projectId: string): (rules: AutomationRules | null) => Promise<Project> {
  const client = useClient();
  const refresh = useRefresh();
  return async (automation) => {
    const project = await client.updateProject({ project_id: projectId, automation });
    await refresh('/get-project', '/list-projects', '/get-automation-status');
    return project;
  };
}

/** "every 24 hours or after 1,000 new events" */
export function rulesInWords({ retrain: { every_hours: hours, after_new_events: events } }: AutomationRules): string {
  const parts = [
    ...(hours ? [hours === 1 ? 'every hour' : `every ${hours.toLocaleString('en')} hours`] : []),
    ...(events ? [`after ${events.toLocaleString('en')} new events`] : []),
  ];
  return parts.join(' or ');
}
