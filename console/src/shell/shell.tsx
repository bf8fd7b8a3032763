// The frame around every page: navigation at the side on a wide screen, behind a menu button on a narrow one.
import {
  Boxes,
  ChartNoAxesColumn,
  CircleUserRound,
  Database,
  FlaskConical,
  HeartPulse,
  House,
  LayoutList,
  ListChecks,
  LogOut,
  Menu,
  Monitor,
  Moon,
  Sparkles,
  Sun,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { useCall } from '../api/use-call.ts';
import { useActiveJobCount } from '../api/use-jobs.ts';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/button.tsx';
import { BrandMark } from './brand.tsx';
import { type Theme, useTheme } from './theme.ts';

const PLACES = [
  { path: '/', name: 'Overview', Icon: House },
  { path: '/datasets', name: 'Datasets', Icon: Database },
  { path: '/health', name: 'Data health', Icon: HeartPulse },
  { path: '/projects', name: 'Projects', Icon: Boxes },
  { path: '/jobs', name: 'Jobs', Icon: ListChecks },
  { path: '/playground', name: 'Playground', Icon: Sparkles },
  { path: '/placements', name: 'Placements', Icon: LayoutList },
  { path: '/experiments', name: 'Experiments', Icon: FlaskConical },
  { path: '/insight', name: 'Insight', Icon: ChartNoAxesColumn },
  { path: '/account', name: 'Account', Icon: CircleUserRound },
];

/** Pages that are not in the navigation highlight the entry they belong to. */
const BELONGS_TO: [prefix: string, place: string][] = [
  ['/start', '/'],
  ['/import', '/datasets'],
  ['/audit', '/account'],
  ['/new-placement', '/placements'],
  ['/new-experiment', '/experiments'],
  ['/storefront', '/placements'],
];

function isHere(path: string, location: string): boolean {
  const place = BELONGS_TO.find(([prefix]) => location.startsWith(prefix))?.[1] ?? location;
  return path === '/' ? place === '/' : place.startsWith(path);
}

const NEXT_THEME: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_NAMES: Record<Theme, string> = { system: 'system', light: 'light', dark: 'dark' };

function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const Icon = theme === 'light' ? Sun : theme === 'dark' ? Moon : Monitor;
  return (
    <Button
      look="quiet"
      icon
      aria-label={`Theme: ${THEME_NAMES[theme]}. Change to ${THEME_NAMES[NEXT_THEME[theme]]}.`}
      onPress={() => setTheme(NEXT_THEME[theme])}
    >
      <Icon size={18} aria-hidden />
    </Button>
  );
}

function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const [location] = useLocation();
  const { signOut, person } = useSession();
  const account = useCall('/get-account', {});
  const activeJobs = useActiveJobCount();
  return (
    <aside className="sidebar" aria-label="Kindred">
      <Link href="/" className="brand" onClick={onNavigate}>
        <BrandMark /> Kindred
      </Link>
      <nav className="nav" aria-label="Main">
        {PLACES.map(({ path, name, Icon }) => (
          <Link key={path} href={path} aria-current={isHere(path, location) ? 'page' : undefined} onClick={onNavigate}>
            <Icon size={18} strokeWidth={1.8} aria-hidden />
            {name}
            {path === '/jobs' && activeJobs > 0 && (
              <span className="count">
                {activeJobs}
                <span className="visually-hidden"> running</span>
              </span>
            )}
          </Link>
        ))}
      </nav>
      <div className="sidebar-foot">
        <span className="account-chip">{account.data?.name ?? '\u00a0'}</span>
        {person !== null && (
          <span className="account-chip" title={`Signed in as ${person.name}, ${person.role}`}>
            <span className="visually-hidden">Signed in as </span>
            {person.name} ({person.role})
          </span>
        )}
        <div className="row spread">
          <Button look="quiet" size="small" onPress={() => signOut('signed-out')}>
            <LogOut size={16} aria-hidden /> Sign out
          </Button>
          <ThemeButton />
        </div>
      </div>
    </aside>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const [menuOpen, setMenuOpen] = useState(false);
  const [location] = useLocation();
  const main = useRef<HTMLElement>(null);
  const lastLocation = useRef(location);

  // A new page starts at the top, and screen readers continue reading there.
  useEffect(() => {
    if (lastLocation.current === location) return;
    lastLocation.current = location;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [location]);

  return (
    <>
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <div className="shell">
        <header className="topbar">
          <Link href="/" className="brand">
            <BrandMark /> Kindred
          </Link>
          <Button look="quiet" icon aria-label="Menu" onPress={() => setMenuOpen(true)}>
            <Menu size={20} aria-hidden />
          </Button>
        </header>
        <Sidebar />
        <main className="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      <ModalOverlay className="drawer-overlay fade-in" isOpen={menuOpen} onOpenChange={setMenuOpen} isDismissable>
        <Modal className="drawer">
          <Dialog aria-label="Menu">
            <Sidebar onNavigate={() => setMenuOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  );
}
