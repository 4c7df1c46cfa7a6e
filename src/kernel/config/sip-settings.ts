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
      'Where telephone calls (SIP) are listened for, several by commas: udp, tcp and tls; off = no telephone. The default moves to a free port where 5060 is taken.',
  },
  SIP_PUBLIC_HOST: {
    rule: text('').refine((word) => /^[\w.-]*$/.test(word), { error: 'must be a name or an IPv4 address' }),
    about: 'Name or address that providers reach SIP_LISTEN at; empty = the address that is listened on.',
  },
  SIP_TLS_CERT: {
    rule: text(''),
    about: 'PEM file of the certificate of tls:// in SIP_LISTEN, with its chain.',
  },
  SIP_TLS_KEY: { rule: text(''), about: 'PEM file of its key.' },
  SIP_TLS_CA: {
    rule: text(''),
    about: 'PEM file of authorities that trunks over TLS are checked by; empty = those that browsers trust.',
  },
  SIP_SRTP: {
    rule: z.enum(['offered', 'required', 'never']).default('offered'),
    about:
      'Encrypted sound of telephone calls (SRTP): offered = wherever the other side wishes it, and on calls over TLS; required or never.',
  },
  SIP_TRUNKS: {
    rule: list().refine((words) => readSipTrunks(words) !== undefined, {
      error: 'must be trunks as sip://user:password@provider.example?transport=tls&register=true',
    }),
    about:
      'Providers or exchanges that calls come from and go to, several by commas: sip://user:password@provider.example:5061?transport=tls&register=true; plus=false sends numbers without their plus. Further trunks are credentials of the provider byo-sip-trunk.',
    secret: true,
  },
  SIP_CALL_PREFIXES: {
    rule: list().refine((words) => words.every((word) => /^\+[1-9]\d{0,14}$/.test(word)), {
      error: 'must be beginnings of numbers as +44, +1212',
    }),
    about:
      'Beginnings of the telephone numbers that may be called through trunks, e.g. +44, +1212; empty = none but numbers bought here. Premium and satellite numbers have to be named by their whole beginning.',
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
      'Telephone calls at once from one calling number, all withheld numbers together; one more is busy. Below VOICE_MAX_CALLS no number takes all lines; an exchange whose telephones show one number needs more.',
  },
  SIP_HOURLY_CALLS_FROM_ONE: {
    rule: integer(120, 1, 100_000),
    about:
      'Telephone calls within an hour from one calling number, all withheld numbers together; the next one hears a sentence, further ones are declined.',
  },
  SIP_DAILY_CALLS: {
    rule: integer(200, 0, 100_000),
    about: 'Telephone calls that may go out within 24 hours, all together.',
  },
  SIP_DAILY_CALLS_TO_ONE: {
    rule: integer(20, 1, 100_000),
    about: 'Telephone calls within 24 hours to one number or address.',
  },
  SIP_DAILY_CALLS_OF_TRUNK: {
    rule: integer(200, 1, 100_000),
    about: 'Telephone calls within 24 hours through one trunk.',
  },
};
