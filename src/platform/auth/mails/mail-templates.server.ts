import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';

/** Messages and the variables of each; `{brand}` and `{siteUrl}` are always available. */
export const MESSAGE_VARIABLES = {
  confirmation: ['href', 'code'],
  recovery: ['href', 'code'],
  magiclink: ['href', 'code'],
  invite: ['href', 'code'],
  'email-change': ['href', 'code', 'newAddress'],
  reauthentication: ['code'],
  'already-registered': [],
  welcome: [],
  'password-changed': [],
  'email-changed': ['newAddress'],
  'phone-changed': ['newPhone'],
  'factor-added': ['factor'],
  'factor-removed': ['factor'],
  'sign-in-added': ['way'],
  'sign-in-removed': ['way'],
  'deletion-planned': ['date', 'href'],
  'deletion-withdrawn': [],
  'recovery-codes-made': [],
  'recovery-code-used': ['left'],
  'sms-code': ['code'],
  'sms-already-registered': [],
  'sms-notice': ['what'],
} as const satisfies Record<string, readonly string[]>;

export type Message = keyof typeof MESSAGE_VARIABLES;
/** The values for a message's variables. */
export type MessageVariables<Kind extends Message> = Readonly<
  Record<(typeof MESSAGE_VARIABLES)[Kind][number], string>
>;

/**
 * The messages of `en/` and `de/`, read when the product starts. It does not start when one of them is wrong.
 */
export const AUTH_MAILS = openTemplates('platform/auth/mails', MESSAGE_VARIABLES);
