import { integer, text } from './setting-rules.ts';

/** Where the server listens, and how long senders of requests have (docs/security-attacks.md, attack 30). */
export const SERVER_SETTINGS = {
  HOST: { rule: text('127.0.0.1'), about: 'Address to listen on.' },
  PORT: { rule: integer(8080, 0, 65535), about: 'Port to listen on; 0 takes a free one.' },
  DRAIN_SECONDS: {
    rule: integer(0, 0, 300),
    about:
      'Seconds after SIGTERM for which /readyz answers 503 while the process still serves, so that a proxy sends new requests to another process; 0 = none.',
  },
  CALL_DRAIN_SECONDS: {
    rule: integer(0, 0, 900),
    about:
      'Seconds after DRAIN_SECONDS in which running calls may end by themselves; then callers hear that the server restarts.',
  },
  REQUEST_HEADER_SECONDS: {
    rule: integer(20, 1, 600),
    about: "Seconds for a request's headers to arrive; a slower client gets 408.",
  },
  REQUEST_BODY_SECONDS: {
    rule: integer(60, 1, 3600),
    about: 'Seconds for the whole body of a request, uploads excepted; a slower client gets 408.',
  },
  REQUEST_SLOW_SECONDS: {
    rule: integer(30, 1, 600),
    about:
      'Seconds over which the speed of a body is averaged; a client below REQUEST_BYTES_PER_SECOND gets 408.',
  },
  REQUEST_BYTES_PER_SECOND: {
    rule: integer(500, 1, 1_000_000),
    about:
      'Lowest speed of a body in bytes a second, uploads included; an upload at this speed or faster is never cut off.',
  },
  DISK_MIN_FREE_MB: {
    rule: integer(32, 0, 1_000_000),
    about: 'Free MB on the disk of DATA_DIR below which /readyz answers 503; 0 = do not watch.',
  },
  ENQUIRY_DAYS: {
    rule: integer(0, 0, 36_500),
    about: 'Days after which enquiries are deleted, answered or not; 0 = never.',
  },
  CALL_DAYS: {
    rule: integer(0, 0, 36_500),
    about: 'Days after which calls, their transcripts and bookings of calls are deleted; 0 = never.',
  },
} as const;
