import { createHash, randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Written } from './write-answer.server.ts';

/** A confirmation is about one change with one key, counts once, and lapses. */
const CONFIRM_SECONDS = 600;
const QUESTION = 'confirm';
const ANSWER = z.object({ confirm: z.boolean().describe('Yes, do it') });

/** What the state of a question says, signed. */
export interface PendingChange {
  /** Hash of the tool and its input. */
  readonly change: string;
  /** The name of the request that makes the change: it is done once. */
  readonly nonce: string;
}

/** What comes of asking: the change may be made under this name, or the answer to give instead. */
export type Confirmed = { readonly nonce: string } | InputRequiredResult | Written;

/** Signs and checks confirmations; every process of the installation accepts those of the others. */
export function createConfirmations(keys: Keys): RequestStateCodec<PendingChange> {
  return createRequestStateCodec<PendingChange>({
    key: derivedSecret(keys, 'mcp confirmation'),
    ttlSeconds: CONFIRM_SECONDS,
    bind: (context) => context.http?.authInfo?.clientId ?? '',
  });
}

/**
 * Asks a person before something is changed. A client that can ask shows the question itself (elicitation). Every other
 * client gets the question as the answer of the first call, with a text that the second call brings.
 *
 * @param confirmation what the second call brought; empty in the first one
 */
export async function confirmChange(
  codec: RequestStateCodec<PendingChange>,
  context: ServerContext,
  {
    change: [name, input],
    confirmation,
    question,
  }: {
    change: readonly [name: string, input: object];
    confirmation: string;
    question: () => Promise<string>;
  },
): Promise<Confirmed> {
  const { mcpReq } = context;
  const change = createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64url');
  const asked = mcpReq.requestState<PendingChange>();
  if (asked !== undefined) {
    if (asked.change !== change) return unchanged('The confirmation is for another change.');
    if (acceptedContent(mcpReq.inputResponses, QUESTION, ANSWER)?.confirm === true) return asked;
    const { kind } = inputResponse(mcpReq.inputResponses, QUESTION);
    return unchanged(
      kind === 'missing'
        ? 'Nobody answered the question.'
        : 'The person did not agree, so nothing was changed.',
    );
  }
  if (confirmation !== '') {
    const brought = await codec.verify(confirmation, context).catch(() => undefined);
    if (brought?.change === change) return brought;
    return unchanged(
      'This confirmation is for another change, or older than ten minutes. Call the tool without it first.',
    );
  }
  const state = await codec.mint({ change, nonce: randomUUID() }, context);
  const message = await question();
  if (canAsk(context)) {
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema: ANSWER }) },
      requestState: state,
    });
  }
  return {
    done: false,
    message: `Nothing has been changed yet. Ask the person: ${message}\n\nOnly if they agree, call the tool again with the same input and this confirmation.`,
    confirmation: state,
  };
}

/** Whether the client of this request can show a form to a person. */
function canAsk({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const { elicitation } = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  if (elicitation === undefined) return false;
  // A client that names no mode can show forms.
  return elicitation.form !== undefined || elicitation.url === undefined;
}

const unchanged = (message: string): Written => ({ done: false, message, confirmation: null });
