import { isRecord, member, type Rule } from './rule.ts';

/** The input of `startDialOut` and `sendDTMF`; nothing in it is trusted. */
export type DialOutInput = Readonly<Record<string, unknown>>;

const AUDIO_CODECS: readonly unknown[] = ['OPUS', 'PCMU', 'PCMA', 'G722'];
const VIDEO_CODECS: readonly unknown[] = ['H264', 'VP8'];
const NAME_LIMIT = 200;
const MOST_TONES = 20;

const told = (text: string): string => `Error starting dial out: ${text}`;
const isText = (value: unknown): value is string => typeof value === 'string';
const audioOf = (input: DialOutInput): unknown => member(input.codecs, 'audio');
/** Video codecs matter only for a SIP address: a telephone has no picture. */
const videoOf = (input: DialOutInput): unknown => (input.sipUri ? member(input.codecs, 'video') : undefined);

/** The four rules for a list of codecs, for sound or for pictures. */
function codecRules<Kind extends 'audio' | 'video'>(
  kind: Kind,
  listOf: (input: DialOutInput) => unknown,
  known: readonly unknown[],
  unknownText: string,
) {
  const entries = (input: DialOutInput): readonly unknown[] => {
    const list = listOf(input);
    return Array.isArray(list) ? list : [];
  };
  return [
    {
      name: `${kind} codecs are no list`,
      broken: (input: DialOutInput) => Boolean(listOf(input)) && !Array.isArray(listOf(input)),
      text: told(`${kind} codec must be an array`),
    },
    {
      name: `${kind} codecs are empty`,
      broken: (input: DialOutInput) => Array.isArray(listOf(input)) && entries(input).length === 0,
      text: told(`${kind} codec array specified but empty`),
    },
    {
      name: `${kind} codec is no text`,
      broken: (input: DialOutInput) => entries(input).some((codec) => !isText(codec)),
      text: told(`${kind} codec must be a string`),
    },
    {
      name: `${kind} codec is unknown`,
      broken: (input: DialOutInput) => entries(input).some((codec) => !known.includes(codec)),
      text: told(unknownText),
    },
  ] as const satisfies readonly Rule<DialOutInput>[];
}

/**
 * Rules of `startDialOut` (docs/specification/platform.md §5, docs/contracts/voice.md §2), in the order in
 * which they are checked.
 */
export const DIAL_OUT_RULES = [
  {
    name: 'no destination',
    broken: ({ sipUri, phoneNumber }) => !sipUri && !phoneNumber,
    text: told('either a sip uri or phone number must be provided'),
  },
  {
    name: 'two destinations',
    broken: ({ sipUri, phoneNumber }) => Boolean(sipUri) && Boolean(phoneNumber),
    text: told('only one of sip uri or phone number must be provided'),
  },
  {
    name: 'SIP address is no text',
    broken: ({ sipUri }) => Boolean(sipUri) && !isText(sipUri),
    text: told('sipUri must be a string'),
  },
  {
    name: 'SIP address without its scheme',
    broken: ({ sipUri }) => isText(sipUri) && sipUri !== '' && !sipUri.startsWith('sip:'),
    text: told("Invalid SIP URI, must start with 'sip:'"),
  },
  {
    name: 'video flag is no boolean',
    broken: ({ sipUri, video }) => Boolean(sipUri) && Boolean(video) && typeof video !== 'boolean',
    text: told('video must be a boolean value'),
  },
  {
    name: 'phone number is no text',
    broken: ({ phoneNumber }) => Boolean(phoneNumber) && !isText(phoneNumber),
    text: told('phoneNumber must be a string'),
  },
  {
    name: 'phone number not in E.164',
    broken: ({ phoneNumber }) => isText(phoneNumber) && phoneNumber !== '' && !/^\+\d{1,}$/.test(phoneNumber),
    text: told('Invalid phone number, must be valid phone number as per E.164'),
  },
  ...codecRules('audio', audioOf, AUDIO_CODECS, 'audio codec must be one of OPUS, PCMU, PCMA, G722'),
  ...codecRules('video', videoOf, VIDEO_CODECS, 'video codec must be H264 or VP8'),
  {
    name: 'caller id is no text',
    broken: ({ callerId }) => Boolean(callerId) && !isText(callerId),
    text: told('callerId must be a string'),
  },
  {
    name: 'caller id with a SIP address',
    broken: ({ callerId, sipUri }) => Boolean(callerId) && Boolean(sipUri),
    text: told('callerId not allowed with sipUri'),
  },
  {
    name: 'display name is no text',
    broken: ({ displayName }) => Boolean(displayName) && !isText(displayName),
    text: told('displayName must be a string'),
  },
  {
    name: 'display name too long',
    broken: ({ displayName }) => isText(displayName) && displayName.length >= NAME_LIMIT,
    text: told('displayName length must be less than 200'),
  },
] as const satisfies readonly Rule<DialOutInput>[];

/** The first character that is not a telephone key. */
const wrongTone = (tones: unknown): string | undefined =>
  isText(tones) ? (/[^0-9A-D*#]/.exec(tones)?.[0] ?? undefined) : undefined;

/** Rules of `sendDTMF` (docs/specification/platform.md §5, docs/contracts/voice.md §2). */
export const DTMF_RULES = [
  {
    name: 'session or tones missing',
    broken: (input) => !isRecord(input) || !input.sessionId || !input.tones,
    text: 'sessionId and tones are mandatory parameter',
  },
  {
    name: 'session or tones are no text',
    broken: ({ sessionId, tones }) => !isText(sessionId) || !isText(tones),
    text: 'sessionId and tones should be of string type',
  },
  {
    name: 'too many tones',
    broken: ({ tones }) => isText(tones) && tones.length > MOST_TONES,
    text: 'tones string must be upto 20 characters',
  },
  {
    name: 'tone that no key has',
    broken: ({ tones }) => wrongTone(tones) !== undefined,
    text: ({ tones }) => `${wrongTone(tones)} is not valid DTMF tone`,
  },
] as const satisfies readonly Rule<DialOutInput>[];
