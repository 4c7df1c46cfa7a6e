import type { Random } from '../histories/random.ts';
import type { DoorInput } from './door-input.ts';
import { changedBytes, changedJson, hostileValue, TOKENS } from './hostile-values.ts';

/** A request that the server knows how to answer; the inputs are changes of such. */
export interface SeedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Whether each request takes only some fields of `json`. */
  readonly takesSome?: boolean;
  readonly body?: Buffer;
}

/** The keys that the fuzzer may show: nothing, the public key, a person's token, the service key, the voice key. */
export interface Credentials {
  readonly anon: string;
  readonly user: string;
  readonly service: string;
  readonly voice: string;
}

const UUID = '5b2f8a4c-3f1e-4c5d-9a7b-0d6e1f2a3b4c';
const FORM_BOUNDARY = 'x';

function form(parts: Readonly<Record<string, string>>, file: Buffer): Buffer {
  const fields = Object.entries(parts).map(
    ([name, value]) =>
      `--${FORM_BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${FORM_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(fields.join('') + head),
    file,
    Buffer.from(`\r\n--${FORM_BOUNDARY}--\r\n`),
  ]);
}

const MULTIPART = { 'content-type': `multipart/form-data; boundary=${FORM_BOUNDARY}` };
const TUS = { 'tus-resumable': '1.0.0' };
const tusName = (name: string): string =>
  `bucketName ${Buffer.from('documents').toString('base64')},objectName ${Buffer.from(name).toString('base64')}`;

/** Requests of the doors that no description lists. */
export const KNOWN_REQUESTS: readonly SeedRequest[] = [
  ...[
    '/',
    '/login',
    '/dashboard',
    '/services/x',
    '/report/abc',
    '/news',
    '/config.json',
    '/livez',
    '/readyz',
    '/metrics',
    '/sitemap.xml',
    '/robots.txt',
    '/llms.txt',
    '/.well-known/security.txt',
    '/booking?token=a',
    '/mail/unsubscribe?token=a',
    '/site-preview/a/',
    '/dev/mail',
    '/assets/a.js',
    '//',
    '/*',
  ].map((path) => ({ method: 'GET', path })),
  {
    method: 'POST',
    path: '/auth/v1/signup',
    json: { email: 'a@b.example', password: 'a long pass phrase', data: { full_name: 'A' } },
  },
  {
    method: 'POST',
    path: '/auth/v1/token?grant_type=password',
    json: { email: 'a@b.example', password: 'x' },
  },
  { method: 'POST', path: '/auth/v1/token?grant_type=refresh_token', json: { refresh_token: 'abc' } },
  {
    method: 'POST',
    path: '/auth/v1/token?grant_type=id_token',
    json: { provider: 'google', id_token: 'a.b.c' },
  },
  {
    method: 'POST',
    path: '/auth/v1/verify',
    json: { type: 'signup', token: '123456', email: 'a@b.example' },
  },
  { method: 'GET', path: '/auth/v1/verify?type=signup&token_hash=abc' },
  { method: 'POST', path: '/auth/v1/recover', json: { email: 'a@b.example' } },
  { method: 'POST', path: '/auth/v1/otp', json: { phone: '+12025550123', channel: 'sms' } },
  { method: 'GET', path: '/auth/v1/authorize?provider=google&redirect_to=http://a' },
  { method: 'PUT', path: '/auth/v1/user', json: { data: { a: 1 }, email: 'b@b.example' } },
  { method: 'POST', path: '/auth/v1/factors', json: { factor_type: 'totp', friendly_name: 'x' } },
  { method: 'GET', path: '/auth/v1/sessions' },
  { method: 'POST', path: '/auth/v1/logout?scope=local' },
  { method: 'GET', path: '/auth/v1/admin/users?page=1&per_page=5' },
  { method: 'POST', path: '/auth/v1/admin/users', json: { email: 'c@b.example', app_metadata: {} } },
  { method: 'POST', path: '/auth/v1/admin/generate_link', json: { type: 'magiclink', email: 'c@b.example' } },
  {
    method: 'GET',
    path: '/rest/v1/user_files?select=*,customers(*)&or=(id.eq.1,name.like.*a*)&order=created_at.desc&limit=5',
  },
  { method: 'GET', path: '/rest/v1/news_posts?select=id,title->a->>b&title=fts(english).word&offset=2' },
  {
    method: 'POST',
    path: '/rest/v1/enquiries',
    json: { name: 'A', email: 'a@b.example', message: 'Hello', service: 'x' },
    headers: { prefer: 'return=representation,missing=default' },
  },
  {
    method: 'PATCH',
    path: `/rest/v1/user_files?id=eq.${UUID}`,
    json: { name: 'b.pdf' },
    headers: { prefer: 'return=minimal,max-affected=1' },
  },
  { method: 'DELETE', path: `/rest/v1/user_files?id=in.(${UUID})` },
  { method: 'POST', path: '/rest/v1/rpc/use_credits', json: { p_amount: 1 } },
  {
    method: 'POST',
    path: '/rest/v1/user_files?columns=name',
    headers: { 'content-type': 'text/csv' },
    body: Buffer.from('name\na,b\n"c'),
  },
  {
    method: 'POST',
    path: '/storage/v1/object/documents/a/b.txt',
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('words'),
  },
  {
    method: 'POST',
    path: '/storage/v1/object/documents/a/c.txt',
    headers: MULTIPART,
    body: form({ cacheControl: '3600', metadata: '{}' }, Buffer.from('words')),
  },
  {
    method: 'POST',
    path: '/storage/v1/object/list/documents',
    json: { prefix: 'a', limit: 10, sortBy: { column: 'name', order: 'asc' } },
  },
  { method: 'POST', path: '/storage/v1/object/sign/documents/a/b.txt', json: { expiresIn: 60 } },
  {
    method: 'POST',
    path: '/storage/v1/object/move',
    json: { bucketId: 'documents', sourceKey: 'a/b', destinationKey: 'a/c' },
  },
  { method: 'GET', path: '/storage/v1/object/documents/a/b.txt', headers: { range: 'bytes=0-3' } },
  {
    method: 'POST',
    path: '/storage/v1/upload/resumable',
    headers: { ...TUS, 'upload-length': '9', 'upload-metadata': tusName('a/t.txt') },
  },
  {
    method: 'PATCH',
    path: `/storage/v1/upload/resumable/${UUID}`,
    headers: { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: Buffer.from('words'),
  },
  { method: 'HEAD', path: `/storage/v1/upload/resumable/${UUID}`, headers: TUS },
  {
    method: 'POST',
    path: '/webhooks/stripe',
    json: { id: 'evt_1', type: 'invoice.paid' },
    headers: { 'stripe-signature': 't=1,v1=a' },
  },
  { method: 'POST', path: `/webhooks/analysis/${UUID}`, json: { status: 'done' } },
  {
    method: 'POST',
    path: '/webhooks/mail-in',
    headers: {
      'content-type': 'message/rfc822',
      'webhook-id': 'a',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,a',
    },
    body: Buffer.from('From: a@b.example\r\n\r\nHello'),
  },
  { method: 'POST', path: '/webhooks/mail', json: [{ event: 'bounce', email: 'a@b.example' }] },
  {
    method: 'POST',
    path: '/test-provider/v1/customers',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('email=a%40b.example&metadata[a]=1'),
  },
  {
    method: 'POST',
    path: '/realtime/v1/api/broadcast',
    json: { messages: [{ topic: 'a', event: 'b', payload: {} }] },
  },
];

/** Fields that many functions take. The word that deletes an account is not among them: the person is needed. */
const FIELDS = {
  ...{ id: UUID, file_id: UUID, call_id: UUID, field_id: UUID, rule_id: UUID, user_id: UUID },
  ...{ email: 'a@b.example', name: 'A', text: 'a', title: 'a', content: 'a', yaml: 'a: [1]', query: 'rent' },
  ...{ question: 'What is the rent?', key: 'total', original: '1', value: '2', kind: 'invoice', days: 3 },
  ...{ do: 'done', list: 'open', limit: 5, offset: 0, role: 'member', token: 'abc', begins: [1, 2] },
  ...{ price_id: 'price_a', success_url: '/success', cancel_url: '/cancel', mode: 'subscription' },
};

/** Requests for functions by their names, with fields of which each takes some. */
export const functionRequests = (names: Iterable<string>): SeedRequest[] =>
  [...names].flatMap((name) => [
    { method: 'POST', path: `/functions/v1/${name}`, json: FIELDS, takesSome: true },
    { method: 'GET', path: `/functions/v1/${name}?id=${UUID}&file_id=${UUID}&format=csv&kind=invoice&q=a` },
  ]);

/** Requests for every operation of an OpenAPI description, with bodies drawn from its schemas. */
export function describedRequests(description: Described, prefix: string): SeedRequest[] {
  return Object.entries(description.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: prefix + path.replace(/\{[^}]+\}/g, UUID),
        ...(operation.requestBody === undefined
          ? {}
          : { json: sampleOf(operation.requestBody.content?.['application/json']?.schema, 0) }),
      })),
  );
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Described {
  readonly paths?: Readonly<
    Record<
      string,
      Readonly<Record<string, { requestBody?: { content?: Record<string, { schema?: Schema }> } }>>
    >
  >;
}

const DEEPEST = 6;

function sampleOf(schema: Schema | undefined, depth: number): unknown {
  if (schema === undefined || depth > DEEPEST) return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return sampleOf(variant, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return [sampleOf(schema.items, depth + 1)];
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'string') return 'text';
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sampleOf(one, depth + 1)]),
  );
}

const someFields = (fields: object, random: Random): object =>
  Object.fromEntries(Object.entries(fields).filter(() => random.chance(0.25)));

function keysFor({ anon, user, service, voice }: Credentials, path: string, random: Random): string {
  const key = path.startsWith('/voice/') ? voice : random.pick([anon, user, user, service]);
  if (random.chance(0.04)) return '';
  if (random.chance(0.04))
    return `authorization: Bearer ${changedBytes(Buffer.from(key), random, 1).toString('latin1')}\r\n`;
  return `apikey: ${anon}\r\nauthorization: Bearer ${key}\r\n`;
}

/** One request, changed in its parts, in its bytes or not at all. */
export function httpInput(
  seeds: readonly SeedRequest[],
  credentials: Credentials,
  random: Random,
): Omit<DoorInput, 'delivery'> {
  const seed = random.pick(seeds);
  const method = random.chance(0.05)
    ? random.pick(['PUT', 'TRACE', 'CONNECT', 'PROPFIND', 'get', 'OPTIONS'])
    : seed.method;
  const path = random.chance(0.12)
    ? changedBytes(Buffer.from(seed.path), random, 2).toString('latin1')
    : seed.path.replace(UUID, () =>
        random.chance(0.3)
          ? encodeURIComponent(JSON.stringify(hostileValue(random)).slice(0, 200).toWellFormed())
          : UUID,
      );
  let json = seed.takesSome ? someFields(seed.json as object, random) : seed.json;
  for (let left = random.below(4); left > 0 && json !== undefined; left -= 1)
    json = changedJson(json, random);
  let body = seed.body ?? Buffer.from(seed.json === undefined ? '' : (JSON.stringify(json) ?? ''));
  if (random.chance(0.12)) body = changedBytes(body, random);
  const lines = {
    ...(seed.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...seed.headers,
  };
  const extra = random.chance(0.05) ? random.pick(TOKENS) : '';
  const length = random.chance(0.02) ? random.pick(['-1', '5, 5', '99999999', 'abc']) : String(body.length);
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${keysFor(credentials, path, random)}` +
    Object.entries(lines)
      .map(([name, value]) => `${name}: ${random.chance(0.02) ? random.pick(TOKENS) : value}\r\n`)
      .join('') +
    `${extra}content-length: ${length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
  return { door: 'http', bytes: random.chance(0.08) ? changedBytes(bytes, random, 3) : bytes };
}
