import { mailboxAddress } from '../business/mailbox/mailbox-access.server.ts';
import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import { siteUrlOf } from '../kernel/resources/resources.ts';
import type { Command } from './command.ts';

/** Says where to read the mails that stay on this machine; works whether the product is running or not. */
export const mailboxCommand: Command = {
  summary: 'prints the address, with its token, at which mails are shown that no server delivers',
  usage: [''],
  async run(settings) {
    const keys = await loadKeys(settings.DATA_DIR);
    const address = mailboxAddress({ settings, siteUrl: siteUrlOf(settings), keys });
    if (address !== undefined) return address;
    return {
      text: 'There is no mailbox: it is only there without SMTP_URL, while HOST and SITE_URL are this machine.',
      exitCode: 1,
    };
  },
};
