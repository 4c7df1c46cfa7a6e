import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { evalListSchema, evalRunSchema, evalSchema } from '../evaluations/evaluation.contract.ts';
import { campaignListSchema, campaignSchema, changeCampaignSchema } from '../records/campaign.contract.ts';
import { assistantSchema, squadSchema } from '../records/voice-assistant.contract.ts';
import {
  buyNumberSchema,
  callListSchema,
  changeCallSchema,
  changeFileSchema,
  changeNumberSchema,
  createNumberSchema,
  credentialSchema,
  doNotCallListSchema,
  doNotCallSchema,
  fileFieldsSchema,
  fileListSchema,
  importTwilioSchema,
  importVonageSchema,
  listSchema,
  logListSchema,
  metricsSchema,
  pagedCallSchema,
  pagedNumberSchema,
  phoneCallSchema,
  webCallSchema,
} from '../records/voice-resources.contract.ts';
import { toolSchema } from '../records/voice-tool.contract.ts';
import { websiteCallSchema, websiteMessageSchema } from '../records/website.contract.ts';
import {
  ejectSchema,
  entrySchema,
  meetingRoomSchema,
  meetingTokenSchema,
} from '../rooms/meeting-room.contract.ts';
import { versionListSchema } from './assistant-version-routes.server.ts';
import { soundCheckSchema } from './record-routes.server.ts';
import { analyticsSchema } from './voice-analytics.contract.ts';

interface Operation {
  readonly call: `${'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'} /${string}`;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  /** The fields of a form, where the body is one. */
  readonly form?: z.ZodType;
}

const uploadSchema = fileFieldsSchema.extend({ file: z.string().meta({ format: 'binary' }) });

const kept = (path: string, name: string, body: z.ZodType): Operation[] => [
  { call: `POST /${path}`, summary: `Create ${name}`, body },
  { call: `GET /${path}`, summary: `List, newest first: ${name}`, query: listSchema },
  { call: `GET /${path}/{id}`, summary: `Read ${name}` },
  { call: `DELETE /${path}/{id}`, summary: `Delete ${name}` },
];
const change = (path: string, name: string): Operation => ({
  call: `PATCH /${path}/{id}`,
  summary: `Change fields of ${name}; null removes a field`,
});

/** Every call that is offered; a test compares them with the mounted routes. */
const OPERATIONS: readonly Operation[] = [
  ...kept('assistant', 'an assistant', assistantSchema),
  change('assistant', 'an assistant'),
  { call: 'PUT /assistant/{id}', summary: 'Replace an assistant', body: assistantSchema },
  {
    call: 'GET /assistant/{id}/versions',
    summary: 'What an assistant was, newest first',
    query: versionListSchema,
  },
  {
    call: 'POST /assistant/background-sound/validate',
    summary: 'Whether an address gives a background sound',
    body: soundCheckSchema,
  },
  { call: 'GET /assistant/{id}/versions/{version}', summary: 'What an assistant was as one version' },
  {
    call: 'POST /assistant/{id}/restore/{version}',
    summary: 'Make a version the next one; secrets stay with settings that are the same',
  },
  ...kept('squad', 'a squad', squadSchema),
  change('squad', 'a squad'),
  ...kept('tool', 'a tool', toolSchema),
  change('tool', 'a tool'),
  ...kept('credential', 'a credential (its secrets are never shown)', credentialSchema),
  change('credential', 'a credential'),
  { call: 'PUT /credential/{id}', summary: 'Replace a credential', body: credentialSchema },
  ...kept('phone-number', 'a phone number', createNumberSchema),
  { call: 'POST /phone-number/buy', summary: 'Take a number of the loopback trunk', body: buyNumberSchema },
  {
    call: 'POST /phone-number/import/twilio',
    summary: 'Have calls of a Twilio number brought here',
    body: importTwilioSchema,
  },
  {
    call: 'POST /phone-number/import/vonage',
    summary: 'Have calls of a Vonage number brought here',
    body: importVonageSchema,
  },
  { call: 'GET /v2/phone-number', summary: 'List phone numbers by pages', query: pagedNumberSchema },
  { call: 'POST /inbound/{id}/{token}', summary: 'Asked by a provider about a call that comes in' },
  { call: 'POST /inbound/{id}/{token}/events', summary: 'Told by a provider how a call goes on' },
  { ...change('phone-number', 'a phone number'), body: changeNumberSchema },
  {
    call: 'POST /eval',
    summary: 'Keep a test: lines of a caller, and how replies are judged',
    body: evalSchema,
  },
  { call: 'GET /eval', summary: 'List tests by pages', query: evalListSchema },
  { call: 'GET /eval/{id}', summary: 'Read a test' },
  change('eval', 'a test'),
  { call: 'DELETE /eval/{id}', summary: 'Delete a test; its runs stay' },
  {
    call: 'POST /eval/run',
    summary:
      'Hold the conversation of a test with an assistant, typed; nothing is stored, booked or sent in it',
    body: evalRunSchema,
  },
  { call: 'GET /eval/run', summary: 'List runs of tests by pages', query: evalListSchema },
  { call: 'GET /eval/run/{id}', summary: 'Read a run: what was said, and what was not as it should be' },
  { call: 'DELETE /eval/run/{id}', summary: 'Delete a run' },
  { call: 'POST /campaign', summary: 'Call many customers, by hours and pace', body: campaignSchema },
  { call: 'GET /campaign', summary: 'List campaigns by pages', query: campaignListSchema },
  { call: 'GET /campaign/{id}', summary: 'Read a campaign: its customers, its calls, how far it is' },
  {
    call: 'PATCH /campaign/{id}',
    summary: 'Change a campaign, or end it by its status',
    body: changeCampaignSchema,
  },
  { call: 'DELETE /campaign/{id}', summary: 'Delete a campaign with its customers; calls stay' },
  { call: 'POST /do-not-call', summary: 'Never call a number or an address again', body: doNotCallSchema },
  {
    call: 'GET /do-not-call',
    summary: 'The last entries of the do-not-call list',
    query: doNotCallListSchema,
  },
  { call: 'GET /do-not-call/{whom}', summary: 'Whether a number or an address may not be called' },
  { call: 'DELETE /do-not-call/{whom}', summary: 'Take a number or an address off the list' },
  {
    call: 'POST /file',
    summary: 'Keep a file that assistants consult: multipart/form-data, the bytes in the field file',
    form: uploadSchema,
  },
  { call: 'POST /file/upload', summary: 'The same', form: uploadSchema },
  { call: 'GET /file', summary: 'List files, newest first', query: fileListSchema },
  { call: 'GET /file/{id}', summary: 'Read a file; its url works for an hour' },
  { call: 'PATCH /file/{id}', summary: 'Name a file', body: changeFileSchema },
  { call: 'DELETE /file/{id}', summary: 'Delete a file with its bytes and its text' },
  { call: 'POST /call', summary: 'A phone call or a web call, by its fields', body: phoneCallSchema },
  { call: 'POST /call/web', summary: 'Start a call in the browser', body: webCallSchema },
  { call: 'POST /call/phone', summary: 'Call a customer by telephone', body: phoneCallSchema },
  { call: 'GET /call', summary: 'List calls, newest first', query: callListSchema },
  { call: 'GET /v2/call', summary: 'List calls by pages', query: pagedCallSchema },
  { call: 'GET /call/{id}', summary: 'Read a call' },
  { call: 'PATCH /call/{id}', summary: 'Name a call', body: changeCallSchema },
  { call: 'DELETE /call/{id}', summary: 'Delete a call with its log and its recording' },
  ...(['stereo', 'mono', 'customer', 'assistant'] as const).map((part) => ({
    call: `GET /call/{id}/${part}-recording` as const,
    summary: `The ${part} recording of a call whose caller agreed, audio/wav`,
  })),
  {
    call: 'GET /call/{id}/video-recording',
    summary: "The caller's camera and the call's sound in one, where the caller agreed, video/mp4",
  },
  { call: 'POST /rooms', summary: 'Create a meeting room', body: meetingRoomSchema },
  { call: 'GET /rooms', summary: 'List meeting rooms, newest first', query: listSchema },
  { call: 'GET /rooms/{name}', summary: 'Read a meeting room' },
  { call: 'DELETE /rooms/{name}', summary: 'Delete a meeting room; everybody in it is removed' },
  { call: 'GET /rooms/{name}/presence', summary: 'Who is in a meeting room, or in a call by its id' },
  { call: 'POST /rooms/{name}/eject', summary: 'Remove people by session or by user_id', body: ejectSchema },
  { call: 'GET /recordings', summary: 'List recorded meetings, newest first', query: listSchema },
  { call: 'GET /recordings/{id}', summary: 'Read a recorded meeting: who was heard, and what is kept' },
  { call: 'GET /recordings/{id}/access-link', summary: 'Where a recorded meeting is played, for an hour' },
  { call: 'DELETE /recordings/{id}', summary: 'Delete the recording of a meeting' },
  { call: 'POST /meeting-tokens', summary: 'A token for a meeting room or a call', body: meetingTokenSchema },
  { call: 'GET /geo', summary: 'The country that the call library is told it is in' },
  { call: 'GET /website/{id}', summary: 'What a page of another site needs to know of an assistant' },
  {
    call: 'POST /website/{id}/call',
    summary: 'Create a call from a page of another site, spoken or written',
    body: websiteCallSchema,
  },
  {
    call: 'POST /website/{id}/message',
    summary: 'Leave a message for a person, from a page of another site',
    body: websiteMessageSchema,
  },
  { call: 'GET /room/{id}/{token}', summary: 'The data that a caller needs to join a call' },
  {
    call: 'POST /room/{id}/{token}/offer',
    summary: 'Join a call or enter a meeting room: an SDP offer, answered',
    body: entrySchema,
  },
  {
    call: 'POST /room/{id}/{token}/access',
    summary: 'How far somebody would be let in with this token',
    body: entrySchema.pick({ token: true }),
  },
  {
    call: 'POST /connection-test/offer',
    summary: 'Test a connection: an SDP offer, answered; the sent picture comes back',
    body: entrySchema.pick({ sdp: true, type: true }),
  },
  { call: 'POST /room/{id}/{token}/leave', summary: 'Leave a call' },
  { call: 'POST /room/{id}/{token}/report', summary: "Report an error of the caller's client" },
  { call: 'GET /room/{id}/{token}/record', summary: 'What was kept of a call' },
  { call: 'DELETE /room/{id}/{token}/record', summary: 'Erase what was said in a call' },
  {
    call: 'POST /monitor/{id}/{token}/control',
    summary: 'Control a call in progress: say, add-message, control, transfer, end-call',
  },
  { call: 'GET /evidence', summary: 'Check the chain of evidence of one call or of all' },
  { call: 'GET /log', summary: 'The log of a call, by pages', query: logListSchema },
  {
    call: 'POST /analytics',
    summary: 'Sums and counts over calls; durations are minutes, costs US dollars',
    body: analyticsSchema,
  },
  { call: 'GET /metrics', summary: 'What the calls of a range came to', query: metricsSchema },
];

const jsonSchema = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' });

function describe({ summary, body, form, query, call }: Operation): object {
  const fields =
    query === undefined ? {} : (jsonSchema(query) as { properties?: object; required?: string[] });
  const { properties = {}, required = [] } = fields as { properties?: object; required?: string[] };
  const parameters = [
    ...(call.includes('{token}')
      ? [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }]
      : []),
    ...['whom', 'name', 'version']
      .filter((name) => call.includes(`{${name}}`))
      .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(call.includes('{id}')
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }]
      : []),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
  ];
  return {
    summary,
    parameters,
    ...contentOf(body ?? form, form === undefined ? 'application/json' : 'multipart/form-data'),
    responses: {
      [call.startsWith('POST') ? '201' : '200']: { description: 'Done' },
      default: { description: 'Refused: {message, error, statusCode, code}' },
    },
  };
}

function contentOf(schema: z.ZodType | undefined, type: string): object {
  if (schema === undefined) return {};
  return { requestBody: { required: true, content: { [type]: { schema: jsonSchema(schema) } } } };
}

/** The OpenAPI 3.1 description of the mounted routes. */
function describeVoice(serverUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const [method = '', path = ''] = operation.call.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Voice platform', version: '1' },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

/** The description as it is sent: its bytes, whole and by gzip. */
export interface PrintedDescription {
  readonly identity: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
}

/** The description as it is sent. It is printed and compressed once, since it has 800 KB. */
export function printedDescription(serverUrl: string): () => Promise<PrintedDescription> {
  let printed: Promise<PrintedDescription> | undefined;
  const print = async (): Promise<PrintedDescription> => {
    const identity = Buffer.from(JSON.stringify(describeVoice(serverUrl)));
    // Weak, since both encodings have it (RFC 9110 §8.8.1).
    const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
    return { identity, gzip: await promisify(gzip)(identity), etag };
  };
  return () => (printed ??= print());
}
