// A titled section of a page. Screen readers use its heading as the section's name.
import { type ReactNode, useId } from 'react';

export function Card({
  title,
  lead,
  actions,
  children,
}: {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const headingId = useId();
  return (
    <section className="card" aria-labelledby={title ? headingId : undefined}>
      {title && (
        <header>
          <h2 id={headingId}>{title}</h2>
          {actions && <div className="row">{actions}</div>}
          {lead && <p className="card-lead">{lead}</p>}
        </header>
      )}
      {children}
    </section>
  );
}

export interface Fact {
  name: string;
  value: ReactNode;
}

export function Facts({ facts, big }: { facts: Fact[]; big?: boolean }) {
  return (
    <dl className={big ? 'facts big' : 'facts'}>
      {facts.map((fact) => (
        <div key={fact.name}>
          <dt>{fact.name}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
