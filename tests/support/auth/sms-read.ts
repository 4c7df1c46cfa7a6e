import type { KeptMessage } from '../../../src/kernel/resources/sms/sms.ts';

const CODE = /\b\d{6}\b/;
const PATIENCE_MS = 15_000 * Number(process.env.TEST_PATIENCE ?? 1);

/** The newest text message to a number (E.164 with or without plus), from the built-in mailbox; waits until it is there. */
export function readSms(url: string, to: string, without?: string): Promise<KeptMessage> {
  return newest(url, to, without, () => true);
}

/**
 * The six-digit code of the newest text message to a number that has one. A notice sent beside it, e.g. about
 * a changed password, may come before or after it.
 */
export async function readSmsCode(url: string, to: string, without?: string): Promise<string> {
  return codeInSms(await newest(url, to, without, ({ text }) => CODE.test(text)));
}

async function newest(
  url: string,
  to: string,
  without: string | undefined,
  isWanted: (message: KeptMessage) => boolean,
): Promise<KeptMessage> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const messages = (await (await fetch(`${url}/dev/sms.json`)).json()) as KeptMessage[];
    const message = messages.find((kept) => kept.to === to.replace('+', '') && isWanted(kept));
    if (message !== undefined && message.id !== without) return message;
    if (Date.now() > deadline) throw new Error(`no text message to ${to} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The six-digit code of a text message. */
export function codeInSms(message: KeptMessage): string {
  const code = CODE.exec(message.text)?.[0];
  if (code === undefined) throw new Error('the message has no code');
  return code;
}
