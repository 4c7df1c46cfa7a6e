/** The parts of a browser that a sign-in needs: it keeps cookies and follows redirects. */
export interface Walker {
  /**
   * Opens an address and follows redirects until one starts with `until`; returns that address without
   * opening it.
   *
   * @throws Error when a page answers with anything but a redirect
   */
  walk(address: string, until: string): Promise<URL>;
  /** `fetch` with this browser's cookies, as a page of the site does. */
  readonly fetch: typeof fetch;
}

const MOST_STEPS = 20;

/** A browser without any cookie. */
export function newWalker(): Walker {
  const jar = new Map<string, Map<string, string>>();
  const withCookies: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { hostname } = new URL(request.url);
    const cookies = jar.get(hostname) ?? new Map<string, string>();
    jar.set(hostname, cookies);
    if (cookies.size > 0) {
      request.headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    const reply = await fetch(request);
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
  return {
    fetch: withCookies,
    async walk(address, until) {
      let at = new URL(address);
      for (let step = 0; step < MOST_STEPS; step += 1) {
        if (at.href.startsWith(until)) return at;
        const reply = await withCookies(at, { redirect: 'manual' });
        const next = reply.headers.get('location');
        if (next === null) throw new Error(`${at.href} answered ${reply.status}: ${await reply.text()}`);
        await reply.body?.cancel();
        at = new URL(next, at);
      }
      throw new Error('too many redirects');
    },
  };
}

/** The fields of an address's fragment. */
export function fragmentOf(address: URL): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
}
