import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../tests/support/property-runs.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { decodeBinary, decodeText, encodeBroadcast, encodeText } from './frames.server.ts';
import { parseJoin } from './join-parser.server.ts';

const word = fc.oneof(
  fc.constantFrom(
    'phx_join',
    'realtime:room',
    'phoenix',
    'heartbeat',
    '__proto__',
    'constructor',
    'presence',
    '1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const filter = fc.oneof(
  fc.constantFrom('id=eq.1', 'name=in.(a,"b,c")', 'a=not.is.null', 'data->a=eq.1', '=', ',', 'a=eq."'),
  fc.string({ maxLength: 30 }),
);
const change = fc.record(
  {
    event: fc.oneof(fc.constantFrom('*', 'INSERT', 'update'), word),
    schema: word,
    table: word,
    filter,
    select: fc.oneof(fc.array(word, { maxLength: 3 }), fc.anything()),
    since: word,
  },
  { requiredKeys: [] },
);
const join = fc.record(
  {
    config: fc.record(
      {
        broadcast: fc.anything(),
        presence: fc.oneof(fc.record({ key: word, enabled: fc.boolean() }), fc.anything()),
        postgres_changes: fc.oneof(fc.array(change, { maxLength: 3 }), fc.anything()),
        private: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    access_token: fc.oneof(fc.string(), fc.anything()),
  },
  { requiredKeys: [] },
);
const payload = fc.oneof(join, fc.jsonValue({ maxDepth: 3 }), fc.anything({ withNullPrototype: true }));
const ref = fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.constant(null), fc.jsonValue());
/** Whole messages of both versions, truncated messages, and random text. */
const text = fc.oneof(
  fc.tuple(ref, ref, word, word, payload).map((parts) => stringified(parts)),
  fc
    .tuple(ref, ref, word, word, payload)
    .map(([join_ref, own, topic, event, body]) =>
      stringified({ join_ref, ref: own, topic, event, payload: body }),
    ),
  fc
    .tuple(fc.tuple(ref, ref, word, word, payload), fc.nat({ max: 200 }))
    .map(([parts, end]) => stringified(parts).slice(0, end)),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

function stringified(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '{"not": "json"}';
  }
}

test('no text frame makes the reader throw, and its result has the types of a message', () => {
  fc.assert(
    fc.property(text, fc.constantFrom(1 as const, 2 as const), (frame, version) => {
      const message = decodeText(frame, version);
      if (message === undefined) return;
      expect(typeof message.topic).toBe('string');
      expect(typeof message.event).toBe('string');
      for (const one of [message.ref, message.joinRef])
        expect(one === null || typeof one === 'string').toBe(true);
      try {
        parseJoin(message.payload);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        expect((error as ServiceError).status).toBeLessThan(500);
      }
    }),
    { numRuns: propertyRuns(1000) },
  );
});

const lengths = fc.tuple(...Array.from({ length: 5 }, () => fc.nat({ max: 255 })));
const binary = fc.oneof(
  fc
    .tuple(fc.constantFrom(3, 4, 0), lengths, fc.constantFrom(0, 1, 2), fc.uint8Array({ maxLength: 120 }))
    .map(([kind, sizes, encoding, rest]) => Buffer.from([kind, ...sizes, encoding, ...rest])),
  fc
    .tuple(fc.constantFrom(0, 1), fc.array(word, { minLength: 5, maxLength: 5 }), fc.json())
    .map(([encoding, words, body]) => {
      const parts = words.map((one) => Buffer.from(one));
      return Buffer.concat([
        Buffer.from([3, ...parts.map(({ length }) => length), encoding]),
        ...parts,
        Buffer.from(body),
      ]);
    }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('no binary frame makes the reader throw, and its result can be sent on', () => {
  fc.assert(
    fc.property(binary, (frame) => {
      const message = decodeBinary(frame);
      if (message?.broadcast === undefined) return;
      expect(message.broadcast.payload.length).toBeLessThanOrEqual(frame.length);
      const [newer, older] = [2, 1].map((version) =>
        encodeBroadcast(version as 1 | 2, message.topic, message.broadcast as never),
      );
      if (Buffer.isBuffer(newer)) expect(newer[0]).toBe(4);
      if (typeof older === 'string') JSON.parse(older);
    }),
    { numRuns: propertyRuns(1000) },
  );
});

test('a written frame can be read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1 as const, 2 as const),
      word,
      word,
      fc.jsonValue(),
      (version, topic, event, body) => {
        const written = encodeText(version, {
          joinRef: '1',
          ref: null,
          topic,
          event,
          payload: JSON.stringify(body),
        });
        expect(decodeText(written, version)).toEqual({
          joinRef: '1',
          ref: null,
          topic,
          event,
          payload: JSON.parse(JSON.stringify(body)),
        });
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});
