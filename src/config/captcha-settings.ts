import { z } from 'zod';
import { text, url } from './setting-rules.ts';

/** Settings of the check that a person asks. */
export const CAPTCHA_SETTINGS = {
  AUTH_CAPTCHA_PROVIDER: {
    rule: z
      .enum(['', 'hcaptcha', 'turnstile'], { error: 'must be hcaptcha, turnstile or empty' })
      .default(''),
    about:
      "hcaptcha or turnstile: sign-up, sign-in and mails need its token. For pages of your own: the site's forms show no widget and are refused then.",
  },
  AUTH_CAPTCHA_SECRET: { rule: text(''), about: "The provider's secret key.", secret: true },
  AUTH_CAPTCHA_URL: {
    rule: url(['http:', 'https:']),
    about: "Where its tokens are verified; empty = the provider's siteverify.",
  },
} as const;
