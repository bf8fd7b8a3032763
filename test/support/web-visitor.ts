// A browser without pages: keeps cookies per host as browsers do, follows redirects, and fills in forms.

export interface Visit {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

export class WebVisitor {
  /** By host and name. */
  readonly cookies = new Map<string, string>();
  readonly setCookies: string[] = [];

  async send(address: string | URL, init: RequestInit = {}): Promise<Visit> {
    const url = new URL(address);
    const own = [...this.cookies].filter(([key]) => key.startsWith(`${url.host} `));
    const cookie = own.map(([key, value]) => `${key.slice(url.host.length + 1)}=${value}`).join('; ');
    const headers = { ...(cookie !== '' && { cookie }), ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [pair] = line.split(';');
      const at = pair.indexOf('=');
      const key = `${url.host} ${pair.slice(0, at)}`;
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(key);
      else this.cookies.set(key, pair.slice(at + 1));
    }
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Until something other than a redirect, or a redirect whose target `until` accepts. */
  async follow(
    address: string | URL,
    init: RequestInit = {},
    until: (url: URL) => boolean = () => false,
  ): Promise<Visit> {
    let visit = await this.send(address, init);
    for (let steps = 0; steps < 20; steps++) {
      const location = visit.headers.get('location');
      if (location === null || visit.status < 300 || visit.status > 399) return visit;
      const next = new URL(location, visit.url);
      if (until(next)) return { ...visit, url: next };
      visit = await this.send(next);
    }
    throw new Error(`too many redirects at ${visit.url}`);
  }

  /** Sends the page's form with its hidden fields and these. */
  submit(page: Visit, fields: Record<string, string>, until?: (url: URL) => boolean): Promise<Visit> {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`no form at ${page.url}: ${page.text.slice(0, 500)}`);
    const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="(\w*)"/g)];
    const body = new URLSearchParams([...hidden.map(([, name, value]) => [name, value]), ...Object.entries(fields)]);
    return this.follow(new URL(action, page.url), { method: 'POST', body }, until);
  }
}

/** Signs in at the provider as that person. Returns where the service sent the browser in the end. */
export async function signInAs(visitor: WebVisitor, baseUrl: string, person: string): Promise<Visit> {
  const isConsole = (url: URL) => url.origin === baseUrl && url.pathname === '/console/';
  const login = await visitor.follow(`${baseUrl}/console/sign-in?page=/placements`, {}, isConsole);
  if (isConsole(login.url)) return login;
  const consent = await visitor.submit(login, { login: person, password: 'any' }, isConsole);
  return isConsole(consent.url) ? consent : visitor.submit(consent, {}, isConsole);
}
