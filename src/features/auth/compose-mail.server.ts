import { type MailPart, mailBody } from '../../resources/mailer/mail-body.ts';
import type { Mail } from '../../resources/mailer/mailer.ts';

/** What a mail with a code and a link is filled with. */
export interface LinkMail {
  readonly to: string;
  readonly brand: string;
  readonly href: string;
  readonly code: string;
}

const text = (sentence: string): MailPart => ({ kind: 'text', text: sentence });
/** How long links and codes count, in words (contract §6: 3600 s). */
const LIFE = 'The link and the code count for one hour, once.';

function linkMail(mail: LinkMail, subject: string, before: string, label: string, after: string): Mail {
  return {
    to: mail.to,
    subject: headerText(subject),
    ...mailBody(mail.brand, [
      text(before),
      { kind: 'button', label, href: mail.href },
      text('Or type this code:'),
      { kind: 'code', code: mail.code },
      text(`${LIFE} ${after}`),
    ]),
  };
}

function notice(to: string, brand: string, subject: string, sentences: string[]): Mail {
  return { to, subject: headerText(subject), ...mailBody(brand, sentences.map(text)) };
}

/** A brand comes from the settings; whatever it holds, a subject stays one line. */
function headerText(subject: string): string {
  return subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200);
}

const IGNORE = 'If you did not ask for this, you can ignore this mail.';

/** The mails of the auth service, each a function of what it says. */
export const AUTH_MAILS = {
  confirmation: (mail: LinkMail): Mail =>
    linkMail(
      mail,
      `Confirm your ${mail.brand} account`,
      `Please confirm that this address is yours, and your ${mail.brand} account is ready.`,
      'Confirm my address',
      IGNORE,
    ),
  recovery: (mail: LinkMail): Mail =>
    linkMail(
      mail,
      `Choose a new ${mail.brand} password`,
      `Somebody asked to choose a new password for your ${mail.brand} account.`,
      'Choose a new password',
      `${IGNORE} Your password stays as it is.`,
    ),
  magiclink: (mail: LinkMail): Mail =>
    linkMail(mail, `Sign in to ${mail.brand}`, `Here is your way in to ${mail.brand}.`, 'Sign in', IGNORE),
  invite: (mail: LinkMail): Mail =>
    linkMail(
      mail,
      `You are invited to ${mail.brand}`,
      `You have been invited to ${mail.brand}.`,
      'Accept the invitation',
      IGNORE,
    ),
  emailChange: (mail: LinkMail & { newAddress: string }): Mail =>
    linkMail(
      mail,
      `Confirm the new address of your ${mail.brand} account`,
      `The address of your ${mail.brand} account is to become ${mail.newAddress}. Both the present and the new address have to confirm it.`,
      'Confirm the change',
      'If you did not ask for this, do not confirm it and change your password.',
    ),
  reauthentication: (mail: { to: string; brand: string; code: string }): Mail => ({
    to: mail.to,
    subject: headerText(`Your ${mail.brand} code`),
    ...mailBody(mail.brand, [
      text('Type this code to confirm that it is you:'),
      { kind: 'code', code: mail.code },
      text('The code counts for one hour, once. Nobody from us will ever ask you for it.'),
    ]),
  }),
  alreadyRegistered: (mail: { to: string; brand: string; siteUrl: string }): Mail => ({
    to: mail.to,
    subject: headerText(`You already have a ${mail.brand} account`),
    ...mailBody(mail.brand, [
      text(`Somebody tried to sign up to ${mail.brand} with this address, which already has an account.`),
      { kind: 'button', label: 'Sign in', href: `${mail.siteUrl}/login` },
      text('There you can also choose a new password. If it was not you, nothing has changed.'),
    ]),
  }),
  welcome: (mail: { to: string; brand: string; siteUrl: string }): Mail => ({
    to: mail.to,
    subject: headerText(`Welcome to ${mail.brand}`),
    ...mailBody(mail.brand, [
      text(`Your ${mail.brand} account is ready.`),
      { kind: 'button', label: 'Open your dashboard', href: `${mail.siteUrl}/dashboard` },
      text('If you did not create it, choose a new password from the sign-in page to take it over.'),
    ]),
  }),
  passwordChanged: (mail: { to: string; brand: string }): Mail =>
    notice(mail.to, mail.brand, `Your ${mail.brand} password was changed`, [
      'The password of your account was changed, and other devices were signed out.',
      'If it was not you, choose a new password from the sign-in page at once.',
    ]),
  emailChanged: (mail: { to: string; brand: string; newAddress: string }): Mail =>
    notice(mail.to, mail.brand, `The address of your ${mail.brand} account was changed`, [
      `Your account now has the address ${mail.newAddress}. Mails no longer come here.`,
      'If it was not you, please write to us at once.',
    ]),
} as const;
