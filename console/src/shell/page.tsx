// A page: its title in the window and as the heading, breadcrumbs and actions.
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

export interface Crumb {
  name: string;
  path: string;
}

export function Page({
  title,
  lead,
  crumbs,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  crumbs?: Crumb[];
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Kindred`;
  }, [title]);
  return (
    <div className="page">
      <div className="page-head">
        <div>
          {crumbs && (
            <nav aria-label="You are here">
              <ol className="crumbs">
                {crumbs.map((crumb) => (
                  <li key={crumb.path}>
                    <Link href={crumb.path}>{crumb.name}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
