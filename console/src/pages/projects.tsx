// The projects of the account.
import { Boxes, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import { useProjectModels } from '../api/deployment.ts';
import { useCall } from '../api/use-call.ts';
import { plural } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { ProjectForm } from './project-form.tsx';

export default function ProjectsPage() {
  const pages = usePages();
  const projects = useCall('/list-projects', { page_size: 24, page_token: pages.token }, { keepPrevious: true });
  const [creating, setCreating] = useState(false);
  const create = (
    <Button needs="/create-project" look="primary" onPress={() => setCreating(true)}>
      <Plus size={17} aria-hidden /> New project
    </Button>
  );
  return (
    <Page
      title="Projects"
      lead="A project combines a user, an item and an event dataset with the event type you want more of."
      actions={create}
    >
      {projects.error ? (
        <Problem error={projects.error} onRetry={() => projects.refetch()} />
      ) : !projects.data ? (
        <Skeleton height={200} label="Loading projects" />
      ) : projects.data.projects.length === 0 ? (
        <div className="card">
          <EmptyState icon={<Boxes size={36} strokeWidth={1.4} aria-hidden />} title="No projects yet" action={create}>
            Create one from your datasets, then train and deploy a model.
          </EmptyState>
        </div>
      ) : (
        <>
          <ul className="grid-3">
            {projects.data.projects.map((project) => (
              <ProjectCard key={project.project_id} project={project} />
            ))}
          </ul>
          <Pager pages={pages} list={projects} />
        </>
      )}
      <Dialog title="New project" isOpen={creating} onClose={() => setCreating(false)}>
        <ProjectForm />
      </Dialog>
    </Page>
  );
}

function ProjectCard({ project }: { project: Project }) {
  const models = useProjectModels(project.project_id);
  const deployed = models.data?.some((model) => model.deployed);
  return (
    <li>
      <Link href={`/projects/${project.project_id}`} className="card card-link">
        <div className="row spread">
          <h2 className="clip">{project.name}</h2>
          {deployed && <span className="tag accent">serving</span>}
        </div>
        <p className="hint">
          {models.data ? plural(models.data.length, 'model') : '…'} · optimized for “{project.target_event_type}”
        </p>
      </Link>
    </li>
  );
}
