// Providers and routes. Each page is its own chunk, loaded when first opened.
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { I18nProvider } from 'react-aria-components';
import { Route, Router, Switch, useLocation } from 'wouter';
import { chooseByAddress } from './api/project-choice.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { isSessionOver, SessionProvider, useSession } from './session/session.tsx';
import { CrashBoundary } from './shell/crash-boundary.tsx';
import { Shell } from './shell/shell.tsx';
import { useAddress } from './shell/use-address.ts';
import { Skeleton } from './ui/states.tsx';
import { ToastProvider } from './ui/toast.tsx';

const OverviewPage = lazy(() => import('./pages/overview.tsx'));
const StartPage = lazy(() => import('./pages/start.tsx'));
const DataHealthPage = lazy(() => import('./pages/data-health.tsx'));
const ImportPage = lazy(() => import('./pages/import.tsx'));
const DatasetsPage = lazy(() => import('./pages/datasets.tsx'));
const DatasetPage = lazy(() => import('./pages/dataset.tsx'));
const ProjectsPage = lazy(() => import('./pages/projects.tsx'));
const ProjectPage = lazy(() => import('./pages/project.tsx'));
const SegmentPage = lazy(() => import('./pages/segment.tsx'));
const ModelPage = lazy(() => import('./pages/model.tsx'));
const NewListsPage = lazy(() => import('./pages/new-lists.tsx'));
const ListJobPage = lazy(() => import('./pages/list-job.tsx'));
const JobsPage = lazy(() => import('./pages/jobs.tsx'));
const JobPage = lazy(() => import('./pages/job.tsx'));
const PlaygroundPage = lazy(() => import('./pages/playground.tsx'));
const PlacementsPage = lazy(() => import('./pages/placements.tsx'));
const PlacementPage = lazy(() => import('./pages/placement.tsx'));
const StorefrontPage = lazy(() => import('./pages/storefront.tsx'));
const NewPlacementPage = lazy(() => import('./pages/new-placement.tsx'));
const ExperimentsPage = lazy(() => import('./pages/experiments.tsx'));
const ExperimentPage = lazy(() => import('./pages/experiment.tsx'));
const NewExperimentPage = lazy(() => import('./pages/new-experiment.tsx'));
const InsightPage = lazy(() => import('./pages/insight.tsx'));
const InsightResultPage = lazy(() => import('./pages/insight-result.tsx'));
const AccountPage = lazy(() => import('./pages/account.tsx'));
const AuditPage = lazy(() => import('./pages/audit.tsx'));
const NotFoundPage = lazy(() => import('./pages/not-found.tsx'));

export function App() {
  return (
    <I18nProvider locale="en-GB">
      <SessionProvider>
        <Router hook={useAddress}>
          <SignedIn>
            <ToastProvider>
              <Shell>
                <Pages />
              </Shell>
            </ToastProvider>
          </SignedIn>
        </Router>
      </SessionProvider>
    </I18nProvider>
  );
}

function Pages() {
  const [location] = useLocation();
  chooseByAddress(location);
  return (
    // Keyed by path, so that one page's failure does not block the next page.
    <CrashBoundary place={location}>
      <Suspense fallback={<PageSkeleton />}>
        <Routes />
      </Suspense>
    </CrashBoundary>
  );
}

function Routes() {
  return (
    <Switch>
      <Route path="/" component={OverviewPage} />
      <Route path="/start/:projectId?" component={StartPage} />
      <Route path="/import" component={ImportPage} />
      <Route path="/health/:projectId?" component={DataHealthPage} />
      <Route path="/datasets" component={DatasetsPage} />
      <Route path="/datasets/:kind/:datasetId" component={DatasetPage} />
      <Route path="/projects" component={ProjectsPage} />
      {/* Keyed, so that an open dialog closes when the visitor moves to another project or model. */}
      <Route path="/projects/:projectId">{({ projectId }) => <ProjectPage key={projectId} />}</Route>
      <Route path="/projects/:projectId/models/:modelId">{({ modelId }) => <ModelPage key={modelId} />}</Route>
      <Route path="/projects/:projectId/segment">{({ projectId }) => <SegmentPage key={projectId} />}</Route>
      <Route path="/projects/:projectId/lists" component={NewListsPage} />
      <Route path="/projects/:projectId/lists/of/:queryId" component={NewListsPage} />
      <Route path="/projects/:projectId/lists/:jobId" component={ListJobPage} />
      <Route path="/jobs" component={JobsPage} />
      <Route path="/jobs/:projectId/:jobId" component={JobPage} />
      <Route path="/playground/:projectId?/:userId?" component={PlaygroundPage} />
      <Route path="/placements/:projectId?" component={PlacementsPage} />
      <Route path="/placements/:projectId/:name">{({ name }) => <PlacementPage key={name} />}</Route>
      <Route path="/storefront/:projectId" component={StorefrontPage} />
      <Route path="/new-placement/:projectId" component={NewPlacementPage} />
      <Route path="/experiments/:projectId?" component={ExperimentsPage} />
      <Route path="/experiments/:projectId/:experimentId">
        {({ experimentId }) => <ExperimentPage key={experimentId} />}
      </Route>
      <Route path="/new-experiment/:projectId" component={NewExperimentPage} />
      <Route path="/insight" component={InsightPage} />
      <Route path="/insight/:projectId/:jobId" component={InsightResultPage} />
      <Route path="/account" component={AccountPage} />
      <Route path="/audit" component={AuditPage} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** The client and the cache live as long as the session. */
function SignedIn({ children }: { children: ReactNode }) {
  const { client, signOut, isLooking } = useSession();
  const queries = useMemo(() => {
    const onError = (error: unknown) => {
      if (isSessionOver(error)) signOut('expired');
    };
    return new QueryClient({
      // The client itself retries what is safe to retry. The service may be on this machine: a browser that is offline reaches it.
      defaultOptions: {
        queries: { retry: false, staleTime: 3000, networkMode: 'always' },
        mutations: { retry: false, networkMode: 'always' },
      },
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError: client ? onError : undefined }),
    });
  }, [client, signOut]);
  return <QueryClientProvider client={queries}>{client ? children : !isLooking && <SignInPage />}</QueryClientProvider>;
}

function PageSkeleton() {
  return (
    <div className="page">
      <Skeleton height={64} label="Loading the page" />
      <Skeleton height={280} />
    </div>
  );
}
