import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { MOST_FILE_BYTES } from '../../src/voice/console/assistants/assistant-editor.contract.ts';
import type { World } from './neighbour-world.ts';

/** One request of a load; `{n}` in it is replaced by a different number each time. */
export interface DoorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A group of routes, and the heaviest allowed request for it. */
export interface DoorLoad {
  readonly name: string;
  readonly who: 'anonymous' | 'customer' | 'operator';
  /**
   * Routes for which this is the heaviest request; undefined for requests that are answered before routing.
   */
  readonly routes?: RegExp;
  /** Statuses that mean that the work was done. */
  readonly done: readonly number[];
  /** Sent one after another, again and again. */
  requests(world: World): readonly DoorRequest[];
}

/** Routes without a request of their own, with the reason. */
export interface LightRoutes {
  readonly routes: RegExp;
  readonly why: string;
}

const MEGABYTE = 1024 * 1024;
/** Ten patterns, the most that a request may have (`query-parser.server.ts`), none of them anchored. */
const PATTERNS = Array.from(
  { length: 10 },
  (_, at) => `content=imatch.(a|e|i).*(o|u).*${'abcdefghij'[at]}`,
).join('&');
const json = (value: unknown): string => JSON.stringify(value);
/** JSON of about `bytes` bytes with as many small values as possible. */
const manyValues = (bytes: number): string =>
  json(Array.from({ length: Math.floor(bytes / 12) }, (_, n) => ({ n })));
const longText = (bytes: number): string => 'harbour lantern '.repeat(Math.ceil(bytes / 16)).slice(0, bytes);
const anonymously = ({ anonKey }: World) => ({ apikey: anonKey });
const asCustomer = ({ anonKey, noisy }: World) => ({
  apikey: anonKey,
  authorization: `Bearer ${noisy.accessToken}`,
});
const asOperator = ({ anonKey, operator }: World) => ({
  apikey: anonKey,
  authorization: `Bearer ${operator.accessToken}`,
});
const asServer = ({ serviceKey }: World) => ({ apikey: serviceKey, authorization: `Bearer ${serviceKey}` });
const asVoice = ({ voiceKey }: World) => ({ authorization: `Bearer ${voiceKey}` });

const get = (path: string, headers: DoorRequest['headers'] = {}): DoorRequest => ({
  method: 'GET',
  path,
  headers,
});
const post = (
  path: string,
  headers: DoorRequest['headers'],
  body: string,
  type = 'application/json',
): DoorRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': type, ...headers },
  body,
});

/** Requests that need no account. */
const ANONYMOUS: readonly DoorLoad[] = [
  { name: 'page', who: 'anonymous', done: [200], requests: () => [get('/')] },
  {
    name: 'page that is not there',
    who: 'anonymous',
    done: [404],
    requests: () => [get('/nothing/{n}', { accept: 'text/html' })],
  },
  {
    name: 'sign-up',
    who: 'anonymous',
    routes: /^POST \/auth\/v1\/signup$/,
    done: [200],
    requests: (world) => [
      post(
        '/auth/v1/signup',
        anonymously(world),
        json({ email: 'door-{n}@people.example', password: 'harbour lantern {n}' }),
      ),
    ],
  },
  {
    name: 'wrong password',
    who: 'anonymous',
    routes: /^POST \/auth\/v1\/token$/,
    done: [400],
    requests: (world) => [
      post(
        '/auth/v1/token?grant_type=password',
        anonymously(world),
        json({ email: world.noisy.email, password: 'not harbour {n}' }),
      ),
    ],
  },
  {
    name: 'mails about an account',
    who: 'anonymous',
    routes: /^POST \/auth\/v1\/(recover|otp|magiclink|resend|sso)$/,
    done: [200],
    requests: (world) => [
      post('/auth/v1/recover', anonymously(world), json({ email: 'nobody-{n}@people.example' })),
    ],
  },
  {
    name: 'codes and links',
    who: 'anonymous',
    routes: /^(GET|POST) \/auth\/v1\/(verify|keep)$/,
    done: [403],
    requests: (world) => [
      post(
        '/auth/v1/verify',
        anonymously(world),
        json({ type: 'email', email: 'door-{n}@people.example', token: '000000' }),
      ),
    ],
  },
  {
    name: 'passkey options',
    who: 'anonymous',
    routes: /^POST \/auth\/v1\/passkeys\/authentication\/\w+$/,
    done: [200],
    requests: (world) => [post('/auth/v1/passkeys/authentication/options', anonymously(world), '{}')],
  },
  {
    name: 'largest body without an account',
    who: 'anonymous',
    routes: /^(POST|PUT|PATCH|DELETE|GET) \/rest\/v1\/rpc\/:name$/,
    done: [400, 404],
    requests: (world) => [post('/rest/v1/rpc/nothing', anonymously(world), manyValues(MEGABYTE - 2048))],
  },
  {
    name: 'ten patterns over all news',
    who: 'anonymous',
    routes: /^GET \/rest\/v1\/:name$/,
    done: [200, 503],
    requests: (world) => [get(`/rest/v1/news_posts?select=*&${PATTERNS}`, anonymously(world))],
  },
  {
    name: 'description of the data service',
    who: 'anonymous',
    routes: /^GET \/rest\/v1$/,
    done: [200],
    requests: (world) => [get('/rest/v1', anonymously(world))],
  },
  {
    name: 'a hundred broadcasts',
    who: 'anonymous',
    routes: /^POST \/realtime\/v1\/api\/broadcast/,
    done: [202],
    requests: (world) => [
      post(
        '/realtime/v1/api/broadcast',
        anonymously(world),
        json({
          messages: Array.from({ length: 100 }, (_, n) => ({
            topic: `door ${n}`,
            event: 'said',
            payload: { text: longText(2000) },
          })),
        }),
      ),
    ],
  },
  {
    name: 'proof of work',
    who: 'anonymous',
    routes: /^(GET|POST) \/functions\/v1\/(enquiry-challenge|enquiry|course-inquiry)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/enquiry-challenge', anonymously(world))],
  },
  {
    name: 'news',
    who: 'anonymous',
    routes: /^GET \/functions\/v1\/(news|news-article|statistics|sample-call)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/news', anonymously(world))],
  },
  {
    name: 'checkout',
    who: 'anonymous',
    routes: /^POST \/functions\/v1\/(checkout|checkout-outcome)$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/checkout',
        anonymously(world),
        json({
          price_id: SPECIFIED_PLANS[0]?.priceId,
          mode: SPECIFIED_PLANS[0]?.mode,
          success_url: `${world.url}/success`,
          cancel_url: `${world.url}/plans`,
        }),
      ),
    ],
  },
  {
    name: 'shared report',
    who: 'anonymous',
    routes: /^POST \/functions\/v1\/read-shared-(report|scan)$/,
    done: [404],
    requests: (world) => [
      post('/functions/v1/read-shared-report', anonymously(world), json({ token: 'x'.repeat(43) })),
      post('/functions/v1/read-shared-scan', anonymously(world), json({ token: 'x'.repeat(43) })),
    ],
  },
  {
    name: 'description of the voice API',
    who: 'anonymous',
    routes: /^GET \/voice\/v1\/openapi\.json$/,
    done: [200],
    requests: () => [get('/voice/v1/openapi.json')],
  },
  {
    name: 'a room that is not there',
    who: 'anonymous',
    routes: /^(GET|POST|DELETE) \/voice\/v1\/(room|monitor|inbound)\//,
    done: [404],
    requests: () => [
      post(
        `/voice/v1/room/00000000-0000-4000-8000-000000000000/${'t'.repeat(32)}/offer`,
        {},
        json({ sdp: longText(90_000) }),
      ),
    ],
  },
  {
    name: 'an assistant for a page of a site that is not named',
    who: 'anonymous',
    routes: /^(GET|POST) \/voice\/v1\/website\//,
    done: [404],
    requests: () => [
      post(
        '/voice/v1/website/00000000-0000-4000-8000-000000000000/message',
        { origin: 'https://shop.example' },
        json({ name: 'Ann', email: 'ann@example.com', message: longText(4000) }),
      ),
    ],
  },
  {
    name: 'an invalid offer to a connection test',
    who: 'anonymous',
    routes: /^POST \/voice\/v1\/connection-test\/offer$/,
    done: [400],
    requests: () => [post('/voice/v1/connection-test/offer', {}, json({ sdp: longText(90_000) }))],
  },
  {
    name: 'unsigned webhook',
    who: 'anonymous',
    routes: /^POST \/webhooks\//,
    done: [400, 401],
    requests: () => [
      // With the time of a valid signature, so that the body has to be hashed.
      post(
        '/webhooks/stripe',
        { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` },
        manyValues(MEGABYTE - 2048),
      ),
    ],
  },
];

/** Requests of customers. */
const CUSTOMERS: readonly DoorLoad[] = [
  {
    name: 'all own files, counted, with their reports',
    who: 'customer',
    done: [200, 206],
    requests: (world) => [
      get('/rest/v1/files?select=*,analysis_reports(*)&order=file_name.desc', {
        ...asCustomer(world),
        'accept-profile': 'northline_app',
        prefer: 'count=exact',
      }),
    ],
  },
  {
    name: 'all own files as a table',
    who: 'customer',
    done: [200],
    requests: (world) => [get('/rest/v1/user_files?select=*', { ...asCustomer(world), accept: 'text/csv' })],
  },
  {
    name: 'thousands of rows that are refused',
    who: 'customer',
    routes: /^(POST|PUT|PATCH|DELETE) \/rest\/v1\/:name$/,
    done: [400, 401, 403, 409, 413],
    requests: (world) => [post('/rest/v1/user_files', asCustomer(world), manyValues(MEGABYTE - 2048))],
  },
  {
    name: 'upload of 20 MB',
    who: 'customer',
    routes: /^(POST|PUT|PATCH|DELETE) \/storage\/v1\/(object\/(:bucket\/\*|upload\/)|upload\/)/,
    done: [200],
    requests: (world) => [
      post(
        '/rest/v1/rpc/use_credits',
        asCustomer(world),
        json({ p_user_id: world.noisy.id, p_amount: 1, p_description: CREDIT_DESCRIPTION }),
      ),
      post(
        `/storage/v1/object/${UPLOADS_BUCKET}/${world.noisy.id}/door-{n}.txt`,
        asCustomer(world),
        longText(20 * MEGABYTE),
        'text/plain',
      ),
      // A plan stores some gigabytes, which are full after a hundred of these.
      {
        method: 'DELETE',
        path: `/storage/v1/object/${UPLOADS_BUCKET}`,
        headers: { 'content-type': 'application/json', ...asCustomer(world) },
        body: json({ prefixes: [`${world.noisy.id}/door-{n}.txt`] }),
      },
    ],
  },
  {
    name: 'download of 20 MB',
    who: 'customer',
    routes: /^GET \/storage\/v1\/object\//,
    done: [200],
    requests: (world) => [
      get(`/storage/v1/object/authenticated/${UPLOADS_BUCKET}/${world.largeFile}`, asCustomer(world)),
    ],
  },
  {
    name: 'list of a folder',
    who: 'customer',
    routes: /^POST \/storage\/v1\/object\/(list|list-v2)\/:bucket$/,
    done: [200],
    requests: (world) => [
      post(
        `/storage/v1/object/list/${UPLOADS_BUCKET}`,
        asCustomer(world),
        json({
          prefix: world.noisy.id,
          limit: 1000,
          search: 'e',
          sortBy: { column: 'created_at', order: 'desc' },
        }),
      ),
    ],
  },
  {
    name: 'many signed addresses, copies and deletions',
    who: 'customer',
    routes: /^(POST|DELETE) \/storage\/v1\/object\/(sign\/.*|move|copy|:bucket)$/,
    done: [200],
    requests: (world) => [
      post(
        `/storage/v1/object/sign/${UPLOADS_BUCKET}`,
        asCustomer(world),
        json({
          expiresIn: 60,
          paths: Array.from({ length: 500 }, (_, n) => `${world.noisy.id}/none-${n}.txt`),
        }),
      ),
    ],
  },
  {
    name: 'reading a document',
    who: 'customer',
    routes: /^POST \/functions\/v1\/(list|read)-documents?$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/read-document',
        asCustomer(world),
        json({ file_id: world.documents[0], part: 'text' }),
      ),
    ],
  },
  {
    name: 'search over all documents',
    who: 'customer',
    routes: /^POST \/functions\/v1\/search-documents$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/search-documents',
        asCustomer(world),
        json({ query: 'parties agree sum due period of notice months end of a quarter' }),
      ),
    ],
  },
  {
    name: 'documents like this one',
    who: 'customer',
    routes: /^POST \/functions\/v1\/similar-documents$/,
    done: [200],
    requests: (world) => [
      post('/functions/v1/similar-documents', asCustomer(world), json({ file_id: world.documents[0] })),
    ],
  },
  {
    name: 'comparison of two long documents',
    who: 'customer',
    routes: /^POST \/functions\/v1\/compare-documents$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/compare-documents',
        asCustomer(world),
        json({ file_id: world.documents[0], other_id: world.documents[1] }),
      ),
    ],
  },
  {
    name: 'question about all documents',
    who: 'customer',
    routes: /^POST \/functions\/v1\/ask-documents$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/ask-documents',
        asCustomer(world),
        json({ question: 'What is the period of notice to the end of a quarter?' }),
      ),
    ],
  },
  {
    name: 'report as PDF',
    who: 'customer',
    routes: /^(GET|POST) \/functions\/v1\/(export-report|searchable-pdf|share-report|withdraw-share)$/,
    done: [200],
    requests: (world) => [
      get(`/functions/v1/export-report?file_id=${world.documents[0]}&format=pdf`, asCustomer(world)),
    ],
  },
  {
    name: 'all invoices as a workbook',
    who: 'customer',
    routes: /^(GET|POST) \/functions\/v1\/(list-invoices|mark-invoice|export-invoices)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/export-invoices?format=xlsx', asCustomer(world))],
  },
  {
    name: 'dry run of a rule',
    who: 'customer',
    routes: /^POST \/functions\/v1\/(list-rules|save-rule|remove-rule|try-rule)$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/try-rule',
        asCustomer(world),
        json({ wanted: { kind: 'invoice' }, acts: { tag: 'Energy' } }),
      ),
    ],
  },
  {
    name: 'own fields of all invoices as a workbook',
    who: 'customer',
    routes:
      /^(GET|POST) \/functions\/v1\/(forget-correction|define-own-field|remove-own-field|teach-own-field|own-field-table|export-own-fields)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/export-own-fields?kind=invoice&format=xlsx', asCustomer(world))],
  },
  {
    name: 'everything that is kept of one',
    who: 'customer',
    routes: /^POST \/functions\/v1\/(export-account|delete-account|keep-account|claim-console)$/,
    done: [200],
    requests: (world) => [post('/functions/v1/export-account', asCustomer(world), '{}')],
  },
  {
    name: 'team',
    who: 'customer',
    routes:
      /^(GET|POST) \/functions\/v1\/(team|create-team|rename-team|invite-member|withdraw-invitation|accept-invitation|read-invitation|(accept|read)-console-invitation|change-member|remove-member|pay-for-team)$/,
    // The first request creates it; all others find that it exists.
    done: [200, 409],
    requests: (world) => [post('/functions/v1/create-team', asCustomer(world), json({ name: 'Harbour' }))],
  },
  {
    name: 'billing',
    who: 'customer',
    routes:
      /^(GET|POST) \/functions\/v1\/(billing-overview|billing-details|save-billing-details|billing-portal|open-billing-portal|credit-packs|buy-credits|link-customer|preview-plan-change|change-plan|cancel-subscription|resume-subscription|download-invoice)$/,
    done: [200],
    requests: (world) => [post('/functions/v1/billing-overview', asCustomer(world), '{}')],
  },
  {
    name: 'account',
    who: 'customer',
    routes:
      /^(GET|POST|PUT|PATCH|DELETE) \/auth\/v1\/(user|factors|sessions|logout|reauthenticate|passkeys)(\/(?!oauth|authentication).*)?$/,
    done: [400, 422],
    // The current password again: its hash is compared before the request is refused.
    requests: (world) => [
      {
        method: 'PUT',
        path: '/auth/v1/user',
        headers: { ...asCustomer(world), 'content-type': 'application/json' },
        body: json({ password: world.noisy.password }),
      },
    ],
  },
];

/** Requests of the agency's people and servers. */
const OPERATORS: readonly DoorLoad[] = [
  {
    name: 'all enquiries as a table',
    who: 'operator',
    routes:
      /^(GET|POST) \/functions\/v1\/operator-(free-times|book-call|move-booking|home|enquiries|enquiries\.csv|overview|bookings)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/operator-enquiries.csv?list=all', asOperator(world))],
  },
  {
    name: 'search for customers',
    who: 'operator',
    routes:
      /^(GET|POST) \/functions\/v1\/operator-(api-keys|end-api-key|customers?|search|refund|portal|portal-file|events?|mails|audit|settings|save-settings|try-settings|restart|act|health|demo-data|threads?|send-message|read-thread|message-file|colleagues|leave|(invite|withdraw|change|remove)-colleague)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/operator-customers?q=e', asOperator(world))],
  },
  {
    name: 'figures of calls',
    who: 'operator',
    routes:
      /^(GET|POST) \/functions\/v1\/operator-(calls?|live-calls|end-call|delete-call|call-recording|(play-|delete-)?meeting-recordings?|call-figures|call-headset|direct-call)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/operator-call-figures?days=90', asOperator(world))],
  },
  {
    name: 'search for assistants',
    who: 'operator',
    routes:
      /^(GET|POST) \/functions\/v1\/operator-(assistants?|(save|restore|delete|try)-assistant|(tools?|credentials?|campaigns?)|(save|delete|try|end)-(tool|credential|campaign))$/,
    done: [200],
    requests: (world) => [get('/functions/v1/operator-assistants?q=o', asOperator(world))],
  },
  {
    name: 'a sentence in a voice',
    who: 'operator',
    routes: /^POST \/functions\/v1\/operator-voice-preview$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/operator-voice-preview',
        asOperator(world),
        json({ voice: { provider: 'embedded', choice: '' }, text: longText(200) }),
      ),
    ],
  },
  {
    name: 'file of 10 MB in base64',
    who: 'operator',
    routes: /^POST \/functions\/v1\/operator-add-file$/,
    done: [200],
    requests: (world) => [
      post(
        '/functions/v1/operator-add-file',
        asOperator(world),
        json({ name: 'door-{n}.txt', content: Buffer.from(longText(MOST_FILE_BYTES)).toString('base64') }),
      ),
    ],
  },
  {
    name: 'meeting rooms',
    who: 'operator',
    routes: /^(GET|POST|DELETE) \/voice\/v1\/(rooms|meeting-tokens|recordings)/,
    done: [200],
    requests: (world) => [get('/voice/v1/rooms?limit=100', asVoice(world))],
  },
  {
    name: 'content of the site',
    who: 'operator',
    routes:
      /^(GET|POST) \/functions\/v1\/operator-(content|content-version|content-names|keep-draft|check-logo|publish-content|preview-content|import-content|site\.yaml|news|save-news|delete-news|lessons?|lesson-video|lesson-state|lesson-answer)$/,
    done: [200],
    requests: (world) => [get('/functions/v1/operator-site.yaml', asOperator(world))],
  },
  {
    name: 'a thousand accounts',
    who: 'operator',
    routes: /^(GET|POST|PUT|DELETE) \/auth\/v1\/(admin\/(?!oauth|custom-providers)|invite)/,
    done: [200],
    requests: (world) => [get('/auth/v1/admin/users?page=1&per_page=1000', asServer(world))],
  },
  {
    name: 'thousands of rows written by the server',
    who: 'operator',
    done: [201],
    requests: (world) => [
      post(
        '/rest/v1/news_posts',
        { ...asServer(world), prefer: 'return=minimal' },
        json(
          Array.from({ length: 500 }, (_, n) => ({ title: `Load ${n}`, content: longText(2000), url: '/' })),
        ),
      ),
    ],
  },
  {
    name: 'buckets',
    who: 'operator',
    routes: /^(GET|POST|PUT|DELETE) \/storage\/v1\/(bucket|cdn)/,
    done: [200],
    requests: (world) => [get('/storage/v1/bucket?limit=1000', asServer(world))],
  },
  {
    name: 'billing of all customers',
    who: 'operator',
    routes: /^POST \/functions\/v1\/(reconcile|operate)-billing$/,
    done: [200, 409],
    requests: (world) => [post('/functions/v1/reconcile-billing', asServer(world), '{}')],
  },
  {
    name: 'list of a thousand calls',
    who: 'operator',
    routes:
      /^(GET|POST|PUT|PATCH|DELETE) \/voice\/v1\/(v2\/)?(call|phone-number|campaign|do-not-call|evidence|log|metrics)/,
    done: [200],
    requests: (world) => [get('/voice/v1/call?limit=1000', asVoice(world))],
  },
  {
    name: 'analytics of calls',
    who: 'operator',
    routes: /^POST \/voice\/v1\/analytics$/,
    done: [200, 201],
    requests: (world) => [
      post(
        '/voice/v1/analytics',
        asVoice(world),
        json({
          queries: [{ table: 'call', name: 'all', operations: [{ operation: 'count', column: 'id' }] }],
        }),
      ),
    ],
  },
  {
    name: 'assistant with a long prompt',
    who: 'operator',
    routes: /^(GET|POST|PUT|PATCH|DELETE) \/voice\/v1\/(assistant|squad|tool|credential)/,
    done: [201],
    requests: (world) => [
      post(
        '/voice/v1/assistant',
        asVoice(world),
        json({
          name: 'Load {n}',
          model: { provider: 'embedded', messages: [{ role: 'system', content: longText(30_000) }] },
        }),
      ),
    ],
  },
  {
    name: 'test of an assistant',
    who: 'operator',
    routes:
      /^(GET|POST|PATCH|DELETE) \/(voice\/v1\/eval|functions\/v1\/operator-(tests|test-run|save-test|delete-test|run-tests)$)/,
    done: [201, 429],
    requests: (world) => [
      post(
        '/voice/v1/eval/run',
        asVoice(world),
        json({
          type: 'eval',
          eval: {
            type: 'chat.mockConversation',
            messages: Array.from({ length: 100 }, (_, line) =>
              line % 2 === 0
                ? { role: 'user', content: longText(1000) }
                : { role: 'assistant', judgePlan: { type: 'regex', content: '(harbour|lantern)*$' } },
            ),
          },
          target: { type: 'assistant', assistant: { name: 'Load {n}', firstMessage: 'Hello.' } },
        }),
      ),
    ],
  },
  {
    name: 'file of an assistant',
    who: 'operator',
    routes: /^(GET|POST|PATCH|DELETE) \/voice\/v1\/file/,
    done: [201],
    requests: (world) => [
      post(
        '/voice/v1/file',
        asVoice(world),
        [
          '--door',
          'content-disposition: form-data; name="file"; filename="door-{n}.txt"',
          'content-type: text/plain',
          '',
          longText(MEGABYTE),
          '--door--',
          '',
        ].join('\r\n'),
        'multipart/form-data; boundary=door',
      ),
    ],
  },
];

/** A month of free times in each answer. */
const BOOKING_PAGE: DoorLoad = {
  name: 'the booking page',
  who: 'anonymous',
  routes: /^(GET|POST|HEAD) \/(book(-embedded)?(\/:service)?|functions\/v1\/own-bookings)$/,
  done: [200, 429],
  requests: () => [get('/book')],
};

/** Queued work continues for a while, so this comes last. */
const ANALYSIS: DoorLoad = {
  name: 'analysis of a long document',
  who: 'customer',
  routes: /^POST \/functions\/v1\/(analyze|split-document|analysis-queue|delete-analysis|correct-fact)$/,
  done: [200, 202, 409, 429],
  requests: (world) => [
    post('/functions/v1/analyze', asCustomer(world), json({ file_id: world.documents[0] })),
  ],
};

/** Every group of routes, with the heaviest allowed request for each. */
export const DOORS: readonly DoorLoad[] = [...ANONYMOUS, BOOKING_PAGE, ...CUSTOMERS, ...OPERATORS, ANALYSIS];

/** Routes that need no request of their own. */
export const LIGHT_ROUTES: readonly LightRoutes[] = [
  { routes: / \/(livez|readyz|favicon\.ico|\.well-known\/.*)$/, why: 'an answer out of memory' },
  { routes: / \/metrics$/, why: 'one reading for all who ask within seconds, and only with its token' },
  { routes: / \/mcp$/, why: 'its tools call functions, whose limits and queues hold for them; see those' },
  { routes: / \/dev\//, why: 'on this machine only, and not beside a mail server' },
  { routes: /^GET \/auth\/v1\/(settings|health|\.well-known\/.*)$/, why: 'an answer out of memory' },
  {
    routes: / \/(graphql\/v1$|auth\/v1\/(user\/|admin\/)?(oauth|custom-providers))/,
    why: 'refused in the same words, whatever is asked',
  },
  { routes: /^(DELETE|PATCH|POST|PUT) \/rest\/v1\/?$/, why: 'refused in the same words, whatever is asked' },
  {
    routes: / \/auth\/v1\/(authorize|callback|sso\/|saml\/)/,
    why: 'refused before any work while no provider is set up; with one, its signature is checked: see codes and links',
  },
  {
    routes: / \/(booking(\.ics|\/confirm)?|mail\/unsubscribe|site-preview\/.*)$/,
    why: 'one digest, and one row by its key',
  },
  {
    routes:
      / \/functions\/v1\/(api-keys|create-api-key|end-api-key|report-schema|\*|course-message|send-message|push-(devices|subscribe|unsubscribe))$/,
    why: 'an answer out of memory, or one row by its key, of ten at most',
  },
  {
    routes: / \/functions\/v1\/(inbox|(new|ask|prove|remove)-inbox-(address|sender))$/,
    why: 'some rows by their key, twenty mails at most',
  },
  {
    routes: /^(GET|POST|PUT|DELETE) \/storage\/v1\/(status|version|render\/.*|s3(\/.*)?)$/,
    why: 'an answer out of memory',
  },
  {
    routes: / \/test-provider\//,
    why: 'the embedded payment provider: none beside a real one; its API has a key of its own',
  },
  {
    routes: / \/embedded\/analysis$/,
    why: 'signed by this installation; its work is measured at the analysis',
  },
  { routes: /^GET \/voice\/v1\/geo$/, why: 'an answer out of memory' },
];
