// Placeholders for missing data: loading, empty, or a notice.
import { CircleAlert, CircleCheck, Info } from 'lucide-react';
import type { ReactNode } from 'react';

/** Reserves the space of what is loading, so that the layout does not shift. */
export function Skeleton({ height = 20, label = 'Loading' }: { height?: number; label?: string }) {
  return (
    <div className="skeleton" style={{ height }} role="status">
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div className="row">{action}</div>}
    </div>
  );
}

export function Notice({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'accent' | 'warn' | 'danger';
  children: ReactNode;
}) {
  const Icon = tone === 'accent' ? CircleCheck : tone === 'plain' ? Info : CircleAlert;
  return (
    <div className={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon size={17} aria-hidden />
      <div className="grow">{children}</div>
    </div>
  );
}
