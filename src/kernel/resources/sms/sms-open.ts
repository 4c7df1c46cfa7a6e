import type { Settings } from '../../config/settings.ts';
import { readSmsUrl } from '../../config/sms-url.ts';
import type { Database } from '../database/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { OutboundHttp } from '../outbound-http/outbound-http.ts';
import type { Sms } from './sms.ts';
import { openTwilio } from './twilio.ts';

const HOUR_SECONDS = 3600;
/** Messages contain codes, so old ones are deleted. */
const KEEP_DAYS = 7;

/** Opens the provider that SMS_URL names, else the mailbox. Call it before `jobs.start`. */
export function createSms(settings: Settings, database: Database, jobs: Jobs, outbound: OutboundHttp): Sms {
  const account = settings.SMS_URL === '' ? undefined : readSmsUrl(settings.SMS_URL);
  if (typeof account === 'string') throw new Error(`The setting SMS_URL ${account}.`);
  return account === undefined ? openMailbox(database, jobs) : openTwilio(account, outbound);
}

function openMailbox(database: Database, jobs: Jobs): Sms {
  jobs.everyByOne('old text messages', HOUR_SECONDS, async () => {
    await database.run(
      'delete from private.text_messages where created_at < now() - make_interval(days => $1)',
      [KEEP_DAYS],
    );
  });
  return {
    provider: 'mailbox',
    keepsMessages: true,
    async send({ to, text, channel }) {
      const { id } = await database.one(
        'insert into private.text_messages (recipient, channel, body) values ($1, $2, $3) returning id',
        [to, channel, text],
      );
      return id;
    },
    async kept(limit) {
      const rows = await database.many(
        'select recipient, channel, body, created_at, id from private.text_messages order by created_at desc limit $1',
        [limit],
      );
      return rows.map((row) => ({
        id: row.id,
        to: row.recipient,
        channel: row.channel,
        text: row.body,
        at: row.created_at.toISOString(),
      }));
    },
  };
}
