// The address of another server as `--to` gives it, and as postgres_fdw keeps it: options of a foreign server and of a user mapping.
import pg from 'pg';

export type Options = Record<string, string>;

export interface ServerAddress {
  /** Host, port and dbname, which identify a server. */
  place: Options;
  user: string;
  /** Empty if there is none. */
  password: string;
  /** Only the options in the address. */
  ssl: Options;
}

/** TLS options in the address that both the driver and PostgreSQL's library know. */
const SSL_OPTIONS = ['sslmode', 'sslrootcert'];

export function readAddress(url: string): ServerAddress {
  const address = new URL(url);
  const ssl: Options = {};
  for (const name of SSL_OPTIONS) {
    const value = address.searchParams.get(name);
    if (value !== null) ssl[name] = value;
    // The driver would interpret these options differently, and read files.
    address.searchParams.delete(name);
  }
  const { host, port, database = '', user = '', password } = new pg.Client({ connectionString: address.href });
  return {
    place: { host, port: String(port), dbname: database },
    user,
    ssl,
    password: typeof password === 'string' ? password : '',
  };
}

/** Reads a list of options from PostgreSQL's catalog, e.g. srvoptions. */
export function optionsOf(list: readonly string[] | null): Options {
  return Object.fromEntries(
    (list ?? []).map((option) => {
      const at = option.indexOf('=');
      return [option.slice(0, at), option.slice(at + 1)];
    }),
  );
}

/** The text for CREATE … OPTIONS. */
export function listOf(options: Options): string {
  return Object.entries(options)
    .map(([name, value]) => `${name} ${pg.escapeLiteral(value)}`)
    .join(', ');
}

/**
 * The text for ALTER … OPTIONS; empty if nothing differs. null removes an option. Options that are not named stay
 * unchanged.
 */
export function changesOf(current: Options, wanted: Record<string, string | null>): string {
  return Object.entries(wanted)
    .flatMap(([name, value]) => {
      if (value === (current[name] ?? null)) return [];
      if (value === null) return [`DROP ${name}`];
      return [`${name in current ? 'SET' : 'ADD'} ${name} ${pg.escapeLiteral(value)}`];
    })
    .join(', ');
}
