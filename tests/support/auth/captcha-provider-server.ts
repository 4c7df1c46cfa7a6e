import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A stand-in for `siteverify` as hCaptcha and Turnstile document it: a form in, JSON out, each token valid
 * once.
 */
export interface CaptchaProvider {
  readonly url: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  /** The requests that it received, in order. */
  readonly asked: URLSearchParams[];
  /** A token as for a person who solved the captcha. */
  solve(): string;
  /** Makes its replies invalid. */
  break(): void;
  close(): Promise<void>;
}

/** Starts one that accepts one secret. */
export async function startCaptchaProvider(secret: string): Promise<CaptchaProvider> {
  const asked: URLSearchParams[] = [];
  const good = new Set<string>();
  let broken = false;
  const judge = (form: URLSearchParams): string[] => {
    if (form.get('secret') !== secret) return ['invalid-input-secret'];
    const token = form.get('response') ?? '';
    if (token === '') return ['missing-input-response'];
    if (token.startsWith('used-')) return ['timeout-or-duplicate'];
    return good.delete(token) ? [] : ['invalid-input-response'];
  };
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
    const form = new URLSearchParams(isForm && request.method === 'POST' ? body : '');
    asked.push(form);
    const codes = judge(form);
    const verdict = { success: codes.length === 0, challenge_ts: new Date().toISOString(), hostname: 'site' };
    response.setHeader('content-type', broken ? 'text/html' : 'application/json');
    response.statusCode = broken ? 502 : 200;
    response.end(broken ? '<h1>Bad gateway</h1>' : JSON.stringify({ ...verdict, 'error-codes': codes }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/siteverify`,
    host,
    asked,
    solve() {
      const token = `P1_${crypto.randomUUID()}`;
      good.add(token);
      return token;
    },
    break() {
      broken = true;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
