import { z } from 'zod';
import { flag, integer, list, text, url } from './setting-rules.ts';
import { oidcProviders } from './sign-in-providers.ts';

/** Settings of accounts and of the ways to sign in. */
export const AUTH_SETTINGS = {
  AUTH_AUTOCONFIRM: {
    rule: flag(true),
    about: 'New accounts need no confirmation; false = they confirm their address by mail or text message.',
  },
  AUTH_SIGNUP: { rule: flag(true), about: 'Visitors may create accounts.' },
  AUTH_EMAIL: { rule: flag(true), about: 'People may sign up and sign in with a mail address.' },
  AUTH_PHONE: {
    rule: flag(true),
    about: 'People may have a phone number on their account and sign in with it.',
  },
  AUTH_MFA_PHONE: { rule: flag(false), about: 'A phone may be a second factor, by text message.' },
  AUTH_ANONYMOUS: { rule: flag(false), about: 'Visitors may have an account without an address.' },
  AUTH_ANONYMOUS_DAYS: {
    rule: integer(30, 1, 3650),
    about: 'Days without use after which an account without an address is deleted.',
  },
  AUTH_GRACE_DAYS: {
    rule: integer(14, 0, 365),
    about:
      'Days for which an owner can take back the deletion of an account; 0 = the account is deleted at once.',
  },
  AUTH_SESSION_HOURS: {
    rule: integer(0, 0, 87_600),
    about: 'Hours after which a session ends, used or not; 0 = never.',
  },
  AUTH_SESSION_IDLE_HOURS: {
    rule: integer(0, 0, 87_600),
    about: 'Hours without use after which a session ends; 0 = never.',
  },
  AUTH_SINGLE_SESSION: { rule: flag(false), about: "Each sign-in ends the user's other sessions." },
  AUTH_PASSWORD_MIN_LENGTH: { rule: integer(8, 6, 64), about: 'Least number of characters in a password.' },
  AUTH_COMMON_PASSWORDS: {
    rule: flag(false),
    about:
      "Accepts common passwords and those made of the user's own name or address: for seed data and trials.",
  },
  AUTH_PASSWORD_PROOF: {
    rule: flag(true),
    about:
      'To change a password, a user needs the current one, a mailed code or a recovery mail; false = the session is enough, as in hosted projects by default.',
  },
  AUTH_UNKNOWN_OTP: {
    rule: z.enum(['neutral', 'refuse'], { error: 'must be neutral or refuse' }).default('neutral'),
    about:
      'Reply to a code request for an address without an account (shouldCreateUser: false): neutral = the same as with an account; refuse = 422 otp_disabled, which reveals who has an account.',
  },
  AUTH_REDIRECT_URLS: {
    // Browsers send addresses in ASCII only: a pattern with other letters would never match.
    rule: list().refine((globs) => globs.every((glob) => /^[\x21-\x7e]+$/.test(glob)), {
      error: 'must be addresses as browsers send them: hosts as xn--…, paths as %C3%BC…',
    }),
    about: 'Other addresses (globs) that links in mails may lead to.',
  },
  AUTH_GOOGLE_CLIENT_ID: {
    rule: text(''),
    about: "Google's client id, or several for several apps; empty = no sign-in with Google.",
  },
  AUTH_GOOGLE_SECRET: { rule: text(''), about: "Google's client secret.", secret: true },
  AUTH_GOOGLE_ISSUER: {
    rule: z.string().trim().default('https://accounts.google.com'),
    about: "Google's address as an issuer; change it for trials only.",
  },
  AUTH_GITHUB_CLIENT_ID: { rule: text(''), about: "GitHub's client id; empty = no sign-in with GitHub." },
  AUTH_GITHUB_SECRET: { rule: text(''), about: "GitHub's client secret.", secret: true },
  AUTH_GITHUB_URL: {
    rule: url(['http:', 'https:']),
    about: 'GitHub server of your own, https://github.example.com; empty = github.com.',
  },
  AUTH_OIDC_PROVIDERS: {
    rule: oidcProviders(),
    about: 'OpenID Connect issuers as a JSON array: name, issuer, client_id, secret, optional label, scopes.',
    secret: true,
  },
  AUTH_MANUAL_LINKING: { rule: flag(false), about: 'Users may add and remove ways to sign in.' },
  AUTH_SAML: { rule: flag(false), about: 'Companies may use single sign-on by SAML.' },
  AUTH_SAML_KEY_FILE: {
    rule: text(''),
    about:
      'PEM file with an RSA key and its certificate, which sign SAML requests and open encrypted assertions.',
  },
  AUTH_PASSKEYS: { rule: flag(true), about: 'Users may sign in with a passkey.' },
  AUTH_CAPTCHA_PROVIDER: {
    rule: z
      .enum(['', 'hcaptcha', 'turnstile'], { error: 'must be hcaptcha, turnstile or empty' })
      .default(''),
    about:
      "hcaptcha or turnstile: sign-up, sign-in and mails then need its token. Use it only with pages of your own: the site's forms show no captcha, so the server refuses them.",
  },
  AUTH_CAPTCHA_SECRET: { rule: text(''), about: "The provider's secret key.", secret: true },
  AUTH_CAPTCHA_URL: {
    rule: url(['http:', 'https:']),
    about: "Address that verifies the provider's tokens; empty = the provider's siteverify.",
  },
} as const;
