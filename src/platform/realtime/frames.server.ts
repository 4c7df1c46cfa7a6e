/** Version of the Phoenix serializer that a socket uses: objects (1), or arrays and binary broadcasts (2). */
export type Version = 1 | 2;

/** A message as a client sends it. */
export interface ClientMessage {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: unknown;
  /** A broadcast from a binary frame, passed on unchanged. */
  readonly broadcast?: Broadcast;
  /** True when the broadcast should be stored for a replay. */
  readonly isToBeStored?: boolean;
}

/** A broadcast's content: JSON text or bytes, never interpreted here. */
export interface Broadcast {
  readonly event: string;
  readonly encoding: 'json' | 'binary';
  readonly payload: Buffer;
}

const PUSH = 3;
const BROADCAST = 4;
const JSON_ENCODING = 1;

/** Reads a text frame; undefined for anything that is not a message (docs/contracts/platform.md §5). */
export function decodeText(text: string, version: Version): ClientMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { join_ref, ref, topic, event, payload } = (
    version === 2 && Array.isArray(value)
      ? { join_ref: value[0], ref: value[1], topic: value[2], event: value[3], payload: value[4] }
      : value
  ) as Record<string, unknown>;
  if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
  return { joinRef: asRef(join_ref), ref: asRef(ref), topic, event, payload };
}

function asRef(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 255) : null;
}

/** Reads a binary frame: a broadcast of version 2; undefined for anything else. */
export function decodeBinary(frame: Buffer): ClientMessage | undefined {
  if (frame.length < 7 || frame[0] !== PUSH) return undefined;
  const encoding = frame[6];
  if (encoding !== 0 && encoding !== JSON_ENCODING) return undefined;
  let offset = 7;
  const parts: string[] = [];
  for (let at = 1; at <= 5; at += 1) {
    const end = offset + (frame[at] ?? 0);
    if (end > frame.length) return undefined;
    parts.push(frame.toString('utf8', offset, end));
    offset = end;
  }
  const [joinRef = '', ref = '', topic = '', event = '', metadata = ''] = parts;
  const payload = frame.subarray(offset);
  if (encoding === JSON_ENCODING && !isJson(payload)) return undefined;
  return {
    joinRef: joinRef === '' ? null : joinRef,
    ref: ref === '' ? null : ref,
    topic,
    event: 'broadcast',
    payload: undefined,
    broadcast: { event, encoding: encoding === JSON_ENCODING ? 'json' : 'binary', payload },
    isToBeStored: /"persist":\s*(?:true|\{)/.test(metadata),
  };
}

function isJson(payload: Buffer): boolean {
  try {
    JSON.parse(payload.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A message to a client whose payload is JSON text already. */
export function encodeText(
  version: Version,
  message: { joinRef: string | null; ref: string | null; topic: string; event: string; payload: string },
): string {
  const { joinRef, ref, topic, event, payload } = message;
  const words = [joinRef, ref, topic, event].map((word) => JSON.stringify(word));
  if (version === 2) return `[${words.join(',')},${payload}]`;
  return `{"join_ref":${words[0]},"ref":${words[1]},"topic":${words[2]},"event":${words[3]},"payload":${payload}}`;
}

/** A broadcast to a client; undefined when the client's version cannot carry bytes. */
export function encodeBroadcast(
  version: Version,
  topic: string,
  broadcast: Broadcast,
): string | Buffer | undefined {
  const topicBytes = Buffer.from(topic);
  const eventBytes = Buffer.from(broadcast.event);
  const fits = topicBytes.length <= 255 && eventBytes.length <= 255;
  if (version === 2 && fits) {
    const json = broadcast.encoding === 'json' ? JSON_ENCODING : 0;
    const head = Buffer.from([BROADCAST, topicBytes.length, eventBytes.length, 0, json]);
    return Buffer.concat([head, topicBytes, eventBytes, broadcast.payload]);
  }
  if (broadcast.encoding === 'binary') return undefined;
  const payload = `{"type":"broadcast","event":${JSON.stringify(broadcast.event)},"payload":${broadcast.payload.toString('utf8')}}`;
  return encodeText(version, { joinRef: null, ref: null, topic, event: 'broadcast', payload });
}
