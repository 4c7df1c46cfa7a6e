import type { KeptMessage } from '../../../src/kernel/resources/sms/sms.ts';

const PATIENCE_MS = 15_000 * Number(process.env.TEST_PATIENCE ?? 1);

/** The newest text message to a number (E.164 with or without plus), from the built-in mailbox; waits until it is there. */
export async function readSms(url: string, to: string, without?: string): Promise<KeptMessage> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const messages = (await (await fetch(`${url}/dev/sms.json`)).json()) as KeptMessage[];
    const message = messages.find((kept) => kept.to === to.replace('+', ''));
    if (message !== undefined && message.id !== without) return message;
    if (Date.now() > deadline) throw new Error(`no text message to ${to} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The six-digit code of a text message. */
export function codeInSms(message: KeptMessage): string {
  const code = /\b\d{6}\b/.exec(message.text)?.[0];
  if (code === undefined) throw new Error('the message has no code');
  return code;
}
