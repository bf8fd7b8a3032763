// A page about one project: the one in its address, or the one chosen last.
import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import { useProjectChoice } from '../api/project-choice.ts';
import { Problem } from '../ui/problem.tsx';
import { ProjectPicker } from '../ui/project-picker.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Page } from './page.tsx';

export function ProjectPage({
  title,
  lead,
  path,
  empty,
  children,
}: {
  title: string;
  lead: string;
  /** The page's address without the project. */
  path: string;
  /** Shown where there is no project yet. */
  empty: ReactNode;
  children: (project: Project, picker: ReactNode) => ReactNode;
}) {
  const { projectId } = useParams();
  const { projects, project } = useProjectChoice(projectId);
  const [, navigate] = useLocation();
  const list = projects.data ?? [];
  if (project) {
    return children(
      project,
      <ProjectPicker projects={list} project={project} onPick={(id) => navigate(`${path}/${id}`)} />,
    );
  }
  return (
    <Page title={title} lead={lead}>
      {projects.error ? (
        <Problem error={projects.error} onRetry={() => projects.refetch()} />
      ) : projects.data ? (
        <div className="card">{empty}</div>
      ) : (
        <Skeleton height={300} label="Loading projects" />
      )}
    </Page>
  );
}
