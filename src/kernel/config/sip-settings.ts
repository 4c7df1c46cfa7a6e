import { z } from 'zod';
import { integer, list, text } from './setting-rules.ts';
import { readSipListen } from './sip-address.ts';
import { readSipTrunks } from './sip-trunks.ts';

/**
 * Where the server accepts telephone calls when no setting says otherwise. In that case it is no error when
 * another program has the port.
 */
export const USUAL_SIP_LISTEN = 'udp://127.0.0.1:5060';

/** Settings of telephone calls. */
export const SIP_SETTINGS = {
  SIP_LISTEN: {
    rule: text(USUAL_SIP_LISTEN).refine((words) => readSipListen(words) !== undefined, {
      error: 'must be off, or addresses as udp://127.0.0.1:5060, tcp://0.0.0.0:5060, tls://0.0.0.0:5061',
    }),
    about:
      'Addresses for telephone calls (SIP) by udp, tcp and tls; off = no telephone. The default address moves to a free port if 5060 is taken.',
  },
  SIP_PUBLIC_HOST: {
    rule: text('').refine((word) => /^[\w.-]*$/.test(word), { error: 'must be a name or an IPv4 address' }),
    about: 'Name or address at which providers reach SIP_LISTEN; empty = the address in SIP_LISTEN.',
  },
  SIP_TLS_CERT: {
    rule: text(''),
    about: 'PEM file with the certificate for tls:// in SIP_LISTEN, and its chain.',
  },
  SIP_TLS_KEY: { rule: text(''), about: "PEM file with the certificate's key." },
  SIP_TLS_CA: {
    rule: text(''),
    about: 'PEM file with the authorities that vouch for trunks over TLS; empty = those that browsers trust.',
  },
  SIP_SRTP: {
    rule: z.enum(['offered', 'required', 'never']).default('offered'),
    about:
      'Encrypted sound of telephone calls (SRTP): offered = if the other side wants it, and on every call over TLS; required or never.',
  },
  SIP_TRUNKS: {
    rule: list().refine((words) => readSipTrunks(words) !== undefined, {
      error: 'must be trunks as sip://user:password@provider.example?transport=tls&register=true',
    }),
    about:
      'Providers or exchanges that calls come from and go to: sip://user:password@provider.example:5061?transport=tls&register=true; plus=false sends numbers without their plus. You can add further trunks as credentials of the provider byo-sip-trunk.',
    secret: true,
  },
  SIP_CALL_PREFIXES: {
    rule: list().refine((words) => words.every((word) => /^\+[1-9]\d{0,14}$/.test(word)), {
      error: 'must be beginnings of numbers as +44, +1212',
    }),
    about:
      'Beginnings of the telephone numbers that may be called through trunks, e.g. +44, +1212; empty = only numbers bought here. To allow premium or satellite numbers, name the whole prefix of their range.',
  },
  SIP_CALL_HOSTS: {
    rule: list().refine((words) => words.every((word) => /^[\w.-]+$/.test(word)), {
      error: 'must be names or IPv4 addresses',
    }),
    about: 'Hosts whose sip: addresses may be called besides those of this machine; empty = none.',
  },
  SIP_CALLS_FROM_ONE: {
    // The default equals that of VOICE_MAX_CALLS, because most firms show one number on all their telephones.
    rule: integer(4, 1, 1000),
    about:
      'Most telephone calls at once from one number; withheld numbers count as one. A further call gets the busy signal. Keep it below VOICE_MAX_CALLS so that one number cannot take all calls; an exchange that shows one number for all its telephones needs more.',
  },
  SIP_HOURLY_CALLS_FROM_ONE: {
    rule: integer(120, 1, 100_000),
    about:
      'Most telephone calls within an hour from one number; withheld numbers count as one. The first call beyond it hears why; later ones are declined.',
  },
  SIP_DAILY_CALLS: {
    rule: integer(200, 0, 100_000),
    about: 'Most outgoing telephone calls within 24 hours.',
  },
  SIP_DAILY_CALLS_TO_ONE: {
    rule: integer(20, 1, 100_000),
    about: 'Most telephone calls within 24 hours to one number or address.',
  },
  SIP_DAILY_CALLS_OF_TRUNK: {
    rule: integer(200, 1, 100_000),
    about: 'Most telephone calls within 24 hours through one trunk.',
  },
};
