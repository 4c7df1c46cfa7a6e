import type { Keys } from '../../../src/kernel/resources/crypto/keys.ts';
import { connectPeer, until, type VoicePeer } from './voice-peer.ts';

const PATIENCE = Number(process.env.TEST_PATIENCE ?? 1);

/** A call's record as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape are read
export type CallRecord = any;

/** What a client of the voice API needs to know of a running product. */
export interface CalledProduct {
  readonly url: string;
  readonly resources: { readonly keys: Keys };
}

/** A call in a test: its creation, its other end, and its record. */
export interface TestCall {
  readonly id: string;
  readonly url: string;
  readonly peer: VoicePeer;
  /** Parsed app messages of one type, in order. */
  messages(type: string): CallRecord[];
  /** The record, once the call is over. */
  over(): Promise<CallRecord>;
}

/** A request to the voice API with the private key. */
export async function voiceApi(
  app: CalledProduct,
  method: string,
  at: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: CallRecord }> {
  const reply = await fetch(at.startsWith('http') ? at : `${app.url}/voice/v1${at}`, {
    method,
    headers: {
      authorization: `Bearer ${app.resources.keys.voice_private_key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Repeats `look` until it finds something, and returns that. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let round = 0; round < 1000 * PATIENCE; round += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`Waited in vain: ${what}`);
}

/** Headers of a page of the site, which has only the public key. */
export const asBrowser = (app: CalledProduct): Record<string, string> => ({
  authorization: `Bearer ${app.resources.keys.voice_public_key}`,
  origin: app.url,
});

/** Creates a call with `request` and joins it as a browser would, with or without a camera. */
export async function startCall(
  app: CalledProduct,
  request: object = { assistantId: app.resources.keys.voice_assistant_id },
  headers: Record<string, string> = {},
  hasCamera = false,
): Promise<TestCall> {
  const created = await voiceApi(app, 'POST', '/call/web', request, headers);
  if (created.status !== 201) throw new Error(`No call: ${created.status} ${JSON.stringify(created.body)}`);
  const { id, webCallUrl } = created.body;
  const peer = await connectPeer(async (sdp) => {
    const answer = await voiceApi(app, 'POST', `${webCallUrl}/offer`, { sdp, type: 'offer' });
    if (answer.status !== 201) throw new Error(`No answer: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.sdp;
  }, hasCamera);
  const record = async (): Promise<CallRecord> => (await voiceApi(app, 'GET', `/call/${id}`)).body;
  return {
    id,
    url: webCallUrl,
    peer,
    messages: (type) =>
      peer.messages
        .filter((text) => text.startsWith('{'))
        .map((text) => JSON.parse(text))
        .filter((message) => message.type === type),
    async over() {
      for (let round = 0; round < 500 * PATIENCE; round += 1) {
        const call = await record();
        if (call.status === 'ended') return call;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('The call did not end');
    },
  };
}

/** The same, after the first message has been heard. */
export async function greetedCall(...given: Parameters<typeof startCall>): Promise<TestCall> {
  const call = await startCall(...given);
  call.peer.send('playable');
  await until('the assistant has greeted', () =>
    call.messages('speech-update').some(({ role, status }) => role === 'assistant' && status === 'stopped'),
  );
  return call;
}
