/** The service that carries a text message. */
export type SmsChannel = 'sms' | 'whatsapp';

/** A text message to one number; `to` has the digits of the E.164 number without the plus sign. */
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

/** The provider refused a message or could not be reached; the text has the reason, for the log. */
export class SmsError extends Error {}

/**
 * Sends text messages. `send` calls the provider at once, so never call it inside a transaction
 * (docs/contracts/platform.md §8).
 */
export interface Sms {
  /** The provider's name, as `GET /auth/v1/settings` shows it. */
  readonly provider: string;
  /** True when no provider is configured: messages then stay in the built-in mailbox. */
  readonly keepsMessages: boolean;
  /** Sends a message and returns the provider's id of it. @throws SmsError when it was not accepted */
  send(message: TextMessage): Promise<string>;
  /** The mailbox, newest first, at most `limit`. Empty when a provider is configured. */
  kept(limit: number): Promise<KeptMessage[]>;
}
