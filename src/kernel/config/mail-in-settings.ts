import type { z } from 'zod';
import { text, url } from './setting-rules.ts';

const ADDRESS = /^[a-z0-9._-]{1,40}@[a-z0-9.-]{1,200}$/;

/** Settings of documents by mail (docs/operators-guide.md, "Documents by mail"). */
export const MAIL_IN_SETTINGS = {
  MAIL_IN_ADDRESS: {
    rule: text('').refine((word) => word === '' || ADDRESS.test(word), {
      error: 'must be an address in lower case such as documents@example.com',
    }),
    about:
      'Mailbox for documents that customers send by mail, e.g. documents@example.com: each customer gets an address documents+…@example.com. Empty = none are taken.',
  },
  MAIL_IN_IMAP_URL: {
    rule: url(['imap:', 'imaps:']),
    about:
      'Where that mailbox is read: imaps://user:password@host/INBOX; empty = its mails come only by /webhooks/mail-in.',
    secret: true,
  },
  MAIL_IN_AUTH_HOST: {
    rule: text(''),
    about:
      'Name of your mail server in the header Authentication-Results that it writes, e.g. mx.example.com. The product believes only this server about who sent a mail.',
  },
  MAIL_IN_SECRET: {
    rule: text('').refine((word) => word === '' || /^whsec_[A-Za-z0-9+/=]{24,}$/.test(word), {
      error: 'must be whsec_ and at least 24 characters of base64',
    }),
    about: 'Secret (whsec_…) that signs mails to /webhooks/mail-in; empty = taken from keys.json.',
    secret: true,
  },
} as const;

type MailInSettings = {
  readonly [Name in keyof typeof MAIL_IN_SETTINGS]: z.output<(typeof MAIL_IN_SETTINGS)[Name]['rule']>;
};

/** Why the settings of documents by mail cannot be used together, as a sentence; undefined if they can. */
export function mailInFault(settings: MailInSettings): string | undefined {
  if (settings.MAIL_IN_ADDRESS === '')
    return settings.MAIL_IN_IMAP_URL === ''
      ? undefined
      : 'MAIL_IN_IMAP_URL is set but MAIL_IN_ADDRESS is empty: set both or neither.';
  if (settings.MAIL_IN_AUTH_HOST === '')
    return 'MAIL_IN_ADDRESS is set but MAIL_IN_AUTH_HOST is empty, so a forged sender would pass: set both.';
  return undefined;
}
