import { integer, text } from './setting-rules.ts';

/** Where the server listens, and how long senders of requests have (docs/security-attacks.md, attack 30). */
export const SERVER_SETTINGS = {
  HOST: { rule: text('127.0.0.1'), about: 'Address to listen on.' },
  PORT: { rule: integer(8080, 0, 65535), about: 'Port to listen on; 0 takes a free one.' },
  DRAIN_SECONDS: {
    rule: integer(0, 0, 300),
    about:
      'Seconds after SIGTERM for which /readyz says 503 while everything is still answered, so that a proxy sends what comes next to another process; 0 = none.',
  },
  CALL_DRAIN_SECONDS: {
    rule: integer(0, 0, 900),
    about: 'Seconds that calls may take after that to end by themselves; then they are told of the restart.',
  },
  REQUEST_HEADER_SECONDS: {
    rule: integer(20, 1, 600),
    about: "Seconds for a request's headers to arrive; then 408.",
  },
  REQUEST_BODY_SECONDS: {
    rule: integer(60, 1, 3600),
    about: 'Seconds for the whole body of a request that is no upload; then 408.',
  },
  REQUEST_SLOW_SECONDS: {
    rule: integer(30, 1, 600),
    about: "Stretch over which a body's speed is taken; slower than REQUEST_BYTES_PER_SECOND is 408.",
  },
  REQUEST_BYTES_PER_SECOND: {
    rule: integer(500, 1, 1_000_000),
    about: 'Least bytes a second of every body, uploads too; an upload that keeps to it is never cut.',
  },
  DISK_MIN_FREE_MB: {
    rule: integer(32, 0, 1_000_000),
    about: 'Free MB of the disk under DATA_DIR below which /readyz says 503; 0 = not watched.',
  },
  ENQUIRY_DAYS: {
    rule: integer(0, 0, 36_500),
    about: 'Days after which enquiries are deleted, answered or not; 0 = never.',
  },
  CALL_DAYS: {
    rule: integer(0, 0, 36_500),
    about: 'Days after which calls with what was said, and bookings of calls, are deleted; 0 = never.',
  },
} as const;
