import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { CallContext, TransferDestination } from '../../engines/engines.server.ts';
import { CALL_YOURSELF, EMERGENCY_CODE } from '../../records/emergency-numbers.contract.ts';
import type { ModelTool } from './model-tools.server.ts';

/** The tool by which a model hands its call to another assistant. */
const TOOL = 'transferCall';
const NO_TELEPHONE =
  'A call in the browser cannot be put through to the telephone: offer a call-back instead.';

/**
 * The tools by which a model hands the call over: to the assistants that it may, or, where a `transferCall`
 * tool names none, to the one that the assistant's server chooses (`transfer-destination-request`).
 */
export function handoverTools(call: CallContext): Readonly<Record<string, ModelTool>> {
  return { ...keyTools(call), ...(outsideTools(call) ?? insideTools(call)) };
}

/** Presses keys of the telephone, where the assistant has a tool of the type `dtmf`. */
function keyTools({ assistant, line }: CallContext): Readonly<Record<string, ModelTool>> {
  if (line === undefined || !assistant.model?.tools?.some(({ type }) => type === 'dtmf')) return {};
  return {
    dtmf: {
      description: 'Presses keys of the telephone, e.g. to choose from a menu: 0-9, * and #, w for a pause.',
      parameters: { type: 'object', properties: { digits: { type: 'string' } }, required: ['digits'] },
      async run(given) {
        await line.sendTones(String((given as { digits?: unknown }).digits ?? ''));
        return 'The keys were pressed.';
      },
    },
  };
}

/**
 * Puts the caller through to the numbers and addresses that a `transferCall` tool names; on the telephone
 * only.
 */
function outsideTools(call: CallContext): Readonly<Record<string, ModelTool>> | undefined {
  const { line, assistant } = call;
  const named = (assistant.model?.tools ?? [])
    .filter(({ type }) => type === TOOL)
    .flatMap(({ destinations }) =>
      Array.isArray(destinations) ? (destinations as TransferDestination[]) : [],
    )
    .filter(({ type }) => type === 'number' || type === 'sip');
  if (line === undefined || named.length === 0) return undefined;
  const nameOf = ({ number, sipUri }: TransferDestination): string => number ?? sipUri ?? '';
  const listed = named.map((one) => `${nameOf(one)}${one.description ? `: ${one.description}` : ''}`);
  const meantOf = (given: unknown): TransferDestination | undefined =>
    named.find((one) => nameOf(one) === (given as { destination?: unknown }).destination);
  const inside = insideTools(call)[TOOL];
  const assistants = call.team?.destinations.map(({ name }) => name) ?? [];
  return {
    [TOOL]: {
      description:
        `Puts the caller through. Say so first. ${listed.join('. ')}. ${inside?.description ?? ''}`.trim(),
      parameters: {
        type: 'object',
        properties: {
          destination: { type: 'string', enum: [...named.map(nameOf), ...assistants] },
          summary: { type: 'string', description: 'What the call was about so far, in two sentences' },
        },
        required: ['destination'],
      },
      begun: (given) => {
        const message = meantOf(given)?.message;
        return typeof message === 'string' && message !== '' ? message : undefined;
      },
      async run(given, id) {
        const { summary } = given as { summary?: unknown };
        const meant = meantOf(given);
        if (meant === undefined && inside !== undefined) return inside.run(given, id);
        if (meant === undefined) throw new Error('That is not one of the destinations.');
        try {
          await line.transfer(meant, typeof summary === 'string' ? summary : '');
        } catch (error) {
          // The caller has to call for help, and hears it with or without a model.
          if (error instanceof ServiceError && error.code === EMERGENCY_CODE) return CALL_YOURSELF;
          throw error;
        }
        return 'The caller has been put through; say nothing more.';
      },
    },
  };
}

/** Hands the call to the other assistants of the call. */
function insideTools(call: CallContext): Readonly<Record<string, ModelTool>> {
  const { team, assistant, queryServer } = call;
  const destinations = team?.destinations ?? [];
  const transfers = (assistant.model?.tools ?? []).filter(({ type }) => type === TOOL || type === 'handoff');
  if (team === undefined || (destinations.length === 0 && transfers.length === 0)) return {};
  if (destinations.length > 0) {
    const listed = destinations.map(
      ({ name, description }) => `${name}${description === '' ? '' : `: ${description}`}`,
    );
    const parameters = {
      type: 'object',
      properties: { destination: { type: 'string', enum: destinations.map(({ name }) => name) } },
      required: ['destination'],
    };
    return {
      [TOOL]: {
        description: `Hands the call to another assistant. ${listed.join('. ')}.`,
        parameters,
        run: async (given) => handOff(String((given as { destination?: unknown }).destination)),
      },
    };
  }
  return {
    [TOOL]: {
      description: 'Asks where this call is to be handed to, and hands it over.',
      parameters: { type: 'object', properties: {} },
      async run() {
        const reply = await queryServer?.({ type: 'transfer-destination-request' });
        const { destination, error } = (reply ?? {}) as { destination?: unknown; error?: unknown };
        if (typeof error === 'string') throw new Error(error);
        const { type, assistantName } = (destination ?? {}) as { type?: unknown; assistantName?: unknown };
        if (type === 'assistant') return handOff(String(assistantName));
        throw new Error(type === undefined ? 'Nobody is there to take the call.' : NO_TELEPHONE);
      },
    },
  };

  function handOff(name: string): string {
    if (team?.handOff(name) !== true) throw new Error(`There is no assistant ${name} in this call.`);
    return 'The other assistant takes over now; say nothing more.';
  }
}
