/** How a text message travels. */
export type SmsChannel = 'sms' | 'whatsapp';

/** One text message to one number; `to` is the E.164 number's digits without the plus sign. */
export interface TextMessage {
  readonly to: string;
  readonly text: string;
  readonly channel: SmsChannel;
}

/** A text message as the built-in mailbox shows it. `at` is ISO 8601. */
export interface KeptMessage extends TextMessage {
  readonly id: string;
  readonly at: string;
}

/** A message that the provider refused: `message` has the reason, for the log. */
export class SmsError extends Error {}

/** Sends text messages at once, so never call it inside a transaction (docs/contracts/platform.md §8). */
export interface Sms {
  /** The provider's name, as `GET /auth/v1/settings` shows it. */
  readonly provider: string;
  /** Messages stay in the built-in mailbox, since no provider is configured. */
  readonly keepsMessages: boolean;
  /** The provider's id of the message. @throws SmsError when it was not taken */
  send(message: TextMessage): Promise<string>;
  /** The mailbox, newest first, at most `limit`. Empty when a provider is configured. */
  kept(limit: number): Promise<KeptMessage[]>;
}
