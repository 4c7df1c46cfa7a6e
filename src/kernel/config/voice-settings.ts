import { isIPv4 } from 'node:net';
import type { z } from 'zod';
import { flag, integer, isOrigin, isPortRange, isTimeZone, list, text, url } from './setting-rules.ts';
import { readPrices } from './voice-prices.ts';

const HOURS =
  /^$|^(?:(?:^|, ?)(?:sun|mon|tue|wed|thu|fri|sat)(?:-(?:sun|mon|tue|wed|thu|fri|sat))? \d{1,2}:\d{2}-\d{1,2}:\d{2})+$/i;

/** Whether each span of the hours closes later than it opens, on the same day. */
const closesLater = (word: string): boolean =>
  [...word.matchAll(/(\d+):(\d+)-(\d+):(\d+)/g)].every((span) => {
    const [opens = 0, from = 0, closes = 0, to = 0] = span.slice(1).map(Number);
    return opens * 60 + from < closes * 60 + to && closes * 60 + to <= 24 * 60 && from < 60 && to < 60;
  });

/** Settings of the phone assistant. */
export const VOICE_SETTINGS = {
  VOICE_PUBLIC_ADDRESS: {
    rule: text('').refine((word) => word === '' || isIPv4(word), { error: 'must be an IPv4 address' }),
    about: "IPv4 address for callers' sound; empty = HOST, or 127.0.0.1.",
  },
  VOICE_UDP_PORTS: {
    rule: text('').refine(isPortRange, { error: 'must be two ports as 50000-50100' }),
    about: 'UDP ports of calls, e.g. 50000-50100, one for each call; empty = any.',
  },
  VOICE_ICE_SERVERS: {
    rule: list().refine(
      (given) =>
        given.every((word) => /^(stun|turns?):[\w.-]+(:\d{1,5})?(\?transport=(udp|tcp))?$/.test(word)),
      {
        error: 'must be addresses such as stun:host:3478 or turn:host:3478?transport=udp',
      },
    ),
    about: 'STUN and TURN servers that browsers use for calls, e.g. turn:turn.example.com:3478.',
  },
  VOICE_TURN_SECRET: {
    rule: text(''),
    about:
      'Shared secret of the TURN server (use-auth-secret); the product derives a password for each call from it.',
    secret: true,
  },
  LIVEKIT_URL: {
    rule: url(['ws:', 'wss:']),
    about:
      'LiveKit server that carries the sound of calls from pages, e.g. wss://livekit.example.com; empty = this process carries it.',
  },
  LIVEKIT_API_KEY: {
    rule: text(''),
    about: 'Key of the LiveKit server, with which the product signs tokens.',
  },
  LIVEKIT_API_SECRET: {
    rule: text(''),
    about: 'Secret of LIVEKIT_API_KEY, at least 32 characters.',
    secret: true,
  },
  VOICE_MAX_CALLS: {
    rule: integer(4, 1, 200),
    about: 'Most calls at once in this process; two cores carry four. Further callers get a polite refusal.',
  },
  VOICE_ROOM_PEOPLE: {
    rule: integer(8, 1, 200),
    about:
      'Most people in meeting rooms at once in this process; the next person reads that the room is full.',
  },
  VOICE_DAILY_MINUTES: {
    rule: integer(600, 1, 100_000),
    about:
      'Most minutes of calls within 24 hours; further calls are refused. Tests and previews count if they cost money.',
  },
  VOICE_RECORDING_DAYS: {
    rule: integer(30, 1, 3650),
    about:
      'Days for which recordings of calls and meetings are kept if the assistant of a call sets no other number. Only people who agreed are recorded.',
  },
  VOICE_FFMPEG: {
    rule: text('ffmpeg').refine((word) => word !== '', { error: 'must be a program, or off' }),
    about:
      'Program that joins picture and sound of a recorded call; if it is missing, or set to off, they stay two files.',
  },
  VOICE_DAILY_SPEND: {
    rule: integer(20, 0, 100_000),
    about:
      'US dollars that calls, tests and previews may cost within 24 hours at their providers; embedded engines cost nothing.',
  },
  VOICE_CALL_SPEND: {
    rule: integer(2, 0, 1000),
    about: 'US dollars that one call may cost at its providers; at that point the assistant says goodbye.',
  },
  VOICE_PRICES: {
    rule: text('').refine((words) => readPrices(words) !== undefined, {
      error: 'must be prices as stt=0.0043 tts=0.015 prompt=0.0002 completion=0.0006',
    }),
    about:
      'Prices of the providers in US dollars: stt for a minute; tts, prompt and completion for 1000 characters or tokens, e.g. stt=0.0043 tts=0.015 prompt=0.0002 completion=0.0006. A missing price is 0.',
  },
  VOICE_COUNTRY: {
    rule: text('').refine((word) => word === '' || /^[A-Z]{2}$/.test(word), {
      error: 'must be two letters as GB',
    }),
    about:
      'Country (ISO 3166) of this server for the call library, and of phone numbers that callers say without a country; empty = unknown.',
  },
  VOICE_LLM_URL: {
    rule: url(['http:', 'https:']),
    about:
      'Language model of the phone assistant, any with OpenAI chat completions: https://:KEY@host/v1?model=NAME. A model with realtime in its name also listens and speaks; empty = embedded.',
    secret: true,
  },
  VOICE_STT_URL: {
    rule: url(['http:', 'https:', 'ws:', 'wss:']),
    about:
      'Speech recognition: https://:KEY@host/v1?model=NAME (OpenAI transcriptions) or wss://:KEY@api.deepgram.com/v1/listen?model=NAME; empty = embedded.',
    secret: true,
  },
  VOICE_TTS_URL: {
    rule: url(['http:', 'https:']),
    about:
      'Speech synthesis, any with OpenAI audio/speech: https://:KEY@host/v1?model=NAME&voice=NAME; empty = embedded.',
    secret: true,
  },
  VOICE_SERVER_URL: {
    rule: url(['http:', 'https:']),
    about:
      'Server that gets the messages of calls whose assistant names no server, and chooses an assistant for calls that name none; empty = no server.',
  },
  VOICE_SERVER_SECRET: {
    rule: text(''),
    about: 'Secret that signs requests to VOICE_SERVER_URL; empty = taken from keys.json.',
    secret: true,
  },
  VOICE_TWILIO_URL: {
    rule: url(['http:', 'https:']),
    about: "Twilio's API, for imported phone numbers; empty = https://api.twilio.com.",
  },
  VOICE_VONAGE_URL: {
    rule: url(['http:', 'https:']),
    about:
      "Vonage's APIs, for imported phone numbers; empty = https://rest.nexmo.com and https://api.nexmo.com.",
  },
  VOICE_HOURS: {
    rule: text('mon-fri 9:00-17:00').refine((word) => HOURS.test(word) && closesLater(word), {
      error:
        'must have days by the first three letters of their English names (mon tue wed thu fri sat sun) and times of 24 hours, such as mon-fri 9:00-17:00, sat 10:00-12:00. A pause at noon is mon-fri 9:00-12:00, mon-fri 14:00-18:00',
    }),
    about: 'Hours at which colleagues take the calls that the phone assistant books; empty = never.',
  },
  BOOKING_CALENDAR: {
    rule: url(['http:', 'https:']),
    about:
      "The agency's calendar; the assistant offers no time at which it is busy. Either an iCalendar file, https://host/name.ics, or a CalDAV collection, https://USER:PASSWORD@host/path/ with a slash at its end, which also receives the bookings; empty = VOICE_HOURS alone.",
    secret: true,
  },
  BOOKING_EMBED_ORIGINS: {
    rule: list().refine((given) => given.every(isOrigin), {
      error: 'must be origins as https://www.example.com',
    }),
    about:
      'Origins of other sites that may show the booking page in a frame, at /book-embedded, e.g. https://www.example.com; empty = none.',
  },
  BOOKING_REMINDERS: {
    rule: text('24,1').refine((words) => /^$|^([1-9]\d{0,2})(, ?[1-9]\d{0,2}){0,3}$/.test(words), {
      error: 'must be hours as 24,1',
    }),
    about:
      'Hours before a booked call at which the person gets a reminder by mail, at most four; empty = none.',
  },
  MISSED_CALL_FOLLOW_UP: {
    rule: flag(true),
    about:
      'Sends a link to the booking page to callers whom nobody answered or whose call broke off: by text message (SMS_URL), otherwise by mail if their address is known. Once a day for each caller.',
  },
  TIME_ZONE: {
    rule: text('Europe/London').refine(isTimeZone, { error: 'must be a time zone such as Europe/London' }),
    about: 'Time zone of VOICE_HOURS and BACKUP_HOUR, and of times that the phone assistant says.',
  },
};

type VoiceSettings = {
  readonly [Name in keyof typeof VOICE_SETTINGS]: z.output<(typeof VOICE_SETTINGS)[Name]['rule']>;
};

/** Shorter secrets can be guessed from one token. */
const SHORTEST_SECRET = 32;

/** Why the settings of LiveKit cannot be used together, as a sentence; undefined if they can. */
export function liveKitFault({
  LIVEKIT_URL,
  LIVEKIT_API_KEY,
  LIVEKIT_API_SECRET,
}: Pick<VoiceSettings, 'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'>): string | undefined {
  const given = { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET };
  const missing = Object.entries(given).flatMap(([name, word]) => (word === '' ? [name] : []));
  if (missing.length > 0 && missing.length < 3)
    return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} empty, but the other settings of LiveKit are set: set all three or none.`;
  if (LIVEKIT_API_SECRET !== '' && LIVEKIT_API_SECRET.length < SHORTEST_SECRET)
    return `LIVEKIT_API_SECRET has ${LIVEKIT_API_SECRET.length} characters: it must have ${SHORTEST_SECRET} at least.`;
  return undefined;
}
