import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A number in the Twilio account, as its pages would show it. */
export interface TwilioNumber {
  readonly sid: string;
  readonly phone_number: string;
  voice_url: string;
  voice_method: string;
  status_callback: string;
}

/** A number in the Vonage account. */
export interface VonageNumber {
  readonly country: string;
  readonly msisdn: string;
  app_id?: string;
}

/** Servers that reply as Twilio's and Vonage's number APIs do, for the requests of this product. */
export interface NumberProviders {
  readonly url: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  readonly twilio: { readonly sid: string; readonly token: string; readonly numbers: TwilioNumber[] };
  readonly vonage: {
    readonly apiKey: string;
    readonly apiSecret: string;
    readonly numbers: VonageNumber[];
    /** Applications by id, as the product described them. */
    // biome-ignore lint/suspicious/noExplicitAny: holds any value that was sent
    readonly applications: Map<string, any>;
  };
  /** How the next requests are answered; `no update` only refuses to change a number. */
  mode: 'well' | 'down' | 'busy' | 'garbled' | 'no update';
  close(): Promise<void>;
}

type Reply = readonly [status: number, body: unknown];
const VERSION = '2010-04-01';

/** Starts them on one free port of the loopback. */
export async function startNumberProviders(): Promise<NumberProviders> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const providers: NumberProviders = {
    url: `http://${host}`,
    host,
    twilio: { sid: `AC${'0123456789abcdef'.repeat(2)}`, token: 'twilio-auth-token-7731', numbers: [] },
    vonage: {
      apiKey: 'abcd1234',
      apiSecret: 'vonage-api-secret-9920',
      numbers: [],
      applications: new Map(),
    },
    mode: 'well',
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const send = ([status, body]: Reply): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (providers.mode === 'down') return send([503, { message: 'Service Unavailable' }]);
    if (providers.mode === 'busy') return send([429, { code: 20429, message: 'Too Many Requests' }]);
    if (providers.mode === 'garbled') return send([200, '<html>maintenance</html>']);
    const url = new URL(request.url ?? '/', providers.url);
    const asked = { method: request.method ?? '', url, body: Buffer.concat(chunks).toString('utf8') };
    const [user = '', password = ''] = Buffer.from(
      (request.headers.authorization ?? '').replace(/^Basic /, ''),
      'base64',
    )
      .toString()
      .split(':');
    const form = new URLSearchParams(
      request.headers['content-type'] === 'application/x-www-form-urlencoded' ? asked.body : '',
    );
    send(
      url.pathname.startsWith(`/${VERSION}/`)
        ? answerTwilio(asked, user, password, form)
        : answerVonage(asked, user, password, form),
    );
  }

  type Asked = { readonly method: string; readonly url: URL; readonly body: string };

  function answerTwilio(
    { method, url }: Asked,
    user: string,
    password: string,
    form: URLSearchParams,
  ): Reply {
    const { sid, token, numbers } = providers.twilio;
    if (user !== sid || password !== token)
      return [401, { code: 20003, message: 'Authenticate', status: 401 }];
    const missing: Reply = [
      404,
      { code: 20404, message: 'The requested resource was not found', status: 404 },
    ];
    const base = `/${VERSION}/Accounts/${sid}/IncomingPhoneNumbers`;
    if (method === 'GET' && url.pathname === `${base}.json`) {
      const wanted = url.searchParams.get('PhoneNumber');
      const found = numbers.filter(({ phone_number }) => wanted === null || phone_number === wanted);
      return [
        200,
        { incoming_phone_numbers: found, page: 0, page_size: 20, end: found.length, next_page_uri: null },
      ];
    }
    const number = numbers.find((one) => url.pathname === `${base}/${one.sid}.json`);
    if (number === undefined || method !== 'POST') return missing;
    if (providers.mode === 'no update')
      return [400, { code: 21502, message: 'Invalid VoiceUrl', status: 400 }];
    number.voice_url = form.get('VoiceUrl') ?? number.voice_url;
    number.voice_method = form.get('VoiceMethod') ?? number.voice_method;
    number.status_callback = form.get('StatusCallback') ?? number.status_callback;
    return [200, number];
  }

  function answerVonage(asked: Asked, user: string, password: string, form: URLSearchParams): Reply {
    const { method, url, body } = asked;
    const { apiKey, apiSecret, applications } = providers.vonage;
    if (user !== apiKey || password !== apiSecret)
      return [401, { 'error-code': '401', 'error-code-label': 'authentication failed' }];
    const route = `${method} ${url.pathname}`;
    if (route === 'GET /account/numbers') return listVonage(url.searchParams.get('pattern') ?? '');
    if (route === 'POST /number/update') return updateVonage(form);
    if (route === 'POST /v2/applications') return addApplication(body);
    const id = /^DELETE \/v2\/applications\/(.+)$/.exec(route)?.[1] ?? '';
    return applications.delete(id) ? [204, ''] : [404, { title: 'Not found' }];
  }

  function listVonage(pattern: string): Reply {
    const found = providers.vonage.numbers.filter(({ msisdn }) => msisdn.startsWith(pattern));
    return [200, found.length === 0 ? {} : { count: found.length, numbers: found }];
  }

  function updateVonage(form: URLSearchParams): Reply {
    const { numbers, applications } = providers.vonage;
    const number = numbers.find(
      (one) => one.country === form.get('country') && one.msisdn === form.get('msisdn'),
    );
    const application = form.get('app_id');
    const unknown = application !== null && !applications.has(application);
    if (number === undefined || unknown || providers.mode === 'no update')
      return [420, { 'error-code': '420', 'error-code-label': 'method failed' }];
    delete number.app_id;
    if (application !== null) number.app_id = application;
    return [200, { 'error-code': '200', 'error-code-label': 'success' }];
  }

  function addApplication(body: string): Reply {
    const id = randomUUID();
    const described = JSON.parse(body);
    if (typeof described.name !== 'string') return [400, { title: 'Bad Request' }];
    providers.vonage.applications.set(id, described);
    return [201, { id, ...described, keys: { public_key: 'p', private_key: 'a key that is not kept' } }];
  }

  return providers;
}
