import { afterAll, beforeAll } from 'vitest';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** A reply of the data service. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body read as JSON. */
  json(): unknown;
}

/** The product with the tables and functions of a test file, as the server's own key reaches them. */
export interface RestRequests {
  readonly app: TestApp;
  /**
   * Sends a request, as the server's own key where `headers` has no other.
   *
   * @param line method and path below `/rest/v1`, such as `GET notes?id=eq.1`
   */
  ask(line: string, headers?: Record<string, string>, body?: string): Promise<RestAnswer>;
}

/** Starts the product before the tests of a file and creates `sql` in it, all of which the server's key may use. */
export function openRest(sql: string): RestRequests {
  let app: TestApp | undefined;
  const started = (): TestApp => {
    if (app === undefined) throw new Error('the product has not been started');
    return app;
  };
  beforeAll(async () => {
    app = await startTestApp();
    const grants = `grant all on all tables in schema public to service_role;
      grant all on all sequences in schema public to service_role`;
    await app.resources.database.run(uncheckedSql(`${sql};\n${grants}`, 'command'));
  });
  afterAll(() => app?.close());
  return {
    get app() {
      return started();
    },
    async ask(line, headers = {}, body) {
      const [method = '', path = ''] = line.split(/ (.*)/s);
      const { url, serviceKey } = started();
      const reply = await fetch(`${url}/rest/v1/${path}`, {
        method,
        headers: { apikey: serviceKey, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, text, json: () => JSON.parse(text) as unknown };
    },
  };
}
