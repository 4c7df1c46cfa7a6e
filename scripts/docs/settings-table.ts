import { SETTINGS } from '../../src/kernel/config/settings.ts';

const BEGIN = '<!-- settings: written by `npm run docs` -->';
const END = '<!-- end of settings -->';

/** What an operator wants to do, with the settings for it; the first group that matches has the setting. */
const TASKS: readonly (readonly [task: string, settings: RegExp])[] = [
  [
    'Your agency',
    /^(?:BRAND|CONTACT_EMAIL|SOCIAL_URL|SITE_URL|TIME_ZONE|NEWS_FEEDS|STATISTICS|ENQUIRY_DAYS)$/,
  ],
  ['The address, the proxy and the processes', /^(?:HOST|PORT|TRUST_PROXY|CORS_ORIGINS|\w*DRAIN_SECONDS)$/],
  ['Limits on requests', /^(?:REQUEST_|RATE_LIMITS$)/],
  ['Database and data folder', /^(?:DATABASE_|DATA_DIR$|DISK_|REST_)/],
  ['Uploaded files', /^(?:STORAGE_|CLAMD_|SCAN_)/],
  ['Backups', /^BACKUP_/],
  ['Mail and text messages', /^(?:SMTP_|MAIL_|SMS_)/],
  ['Accounts and sessions', /^AUTH_(?!GOOGLE|GITHUB|OIDC|SAML|CAPTCHA|MANUAL)/],
  ['Sign-in with other companies, and captchas', /^AUTH_/],
  ['Payments and prices', /^(?:STRIPE_|TEST_PAYMENTS|CREDIT_|FREE_CREDITS|VAT_)/],
  ['Document analysis', /^(?:ANALYSIS_|DOCUMENT_)/],
  ['Automations and other servers', /^(?:ENQUIRY_WEBHOOK|AUTOMATION_|OUTBOUND_|PUSH_)/],
  ['Bookings of calls', /^(?:VOICE_HOURS|BOOKING_|MISSED_CALL_)/],
  ['Voice: how calls reach this machine', /^(?:VOICE_(?:PUBLIC|UDP|ICE|TURN)|LIVEKIT)/],
  ['Voice: models and providers', /^VOICE_(?:\w+_URL$|SERVER_|COUNTRY$)/],
  ['Voice: limits, costs and recordings', /^(?:VOICE_|CALL_DAYS$)/],
  ['Telephone (SIP)', /^SIP_/],
  ['Logs and traces', /^(?:LOG_|OTEL_)/],
];

/**
 * Tables of every setting with its default, from the one schema, by task.
 *
 * @throws Error for a setting that belongs to no task
 */
export function settingsTables(): string {
  const rows = new Map<string, string[]>(TASKS.map(([task]) => [task, []]));
  for (const [name, { rule, about }] of Object.entries(SETTINGS)) {
    const standard = String(rule.parse(undefined));
    const [task = ''] = TASKS.find(([, settings]) => settings.test(name)) ?? [];
    const row = `| \`${name}\` | ${standard === '' ? '' : `\`${standard}\``} | ${about.replaceAll('|', '\\|')} |`;
    if (rows.get(task)?.push(row) === undefined) throw new Error(`${name} has no task in settings-table.ts.`);
  }
  return [...rows]
    .map(
      ([task, table]) =>
        `\n## ${task}\n\n| Setting | Default | Meaning |\n|---|---|---|\n${table.join('\n')}\n`,
    )
    .join('');
}

/**
 * `page` (docs/settings.md) with the current tables between its marks.
 *
 * @throws Error when the marks are missing
 */
export function withSettingsTables(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error('docs/settings.md has lost the marks around its tables.');
  return `${page.slice(0, from)}${BEGIN}\n${settingsTables()}\n${page.slice(to)}`;
}
