import type { CallContext } from '../../engines/engines.server.ts';
import type { ModelTool } from './model-tools.server.ts';

/** A model hands its call to another assistant with it. */
const TOOL = 'transferCall';
const NO_TELEPHONE =
  'A call in the browser cannot be put through to the telephone: offer a call-back instead.';

/**
 * The tool by which a model hands the call over: to the assistants that it may, or, where a `transferCall`
 * tool names none, to the one that the assistant's server says (`transfer-destination-request`).
 */
export function handoverTools(call: CallContext): Readonly<Record<string, ModelTool>> {
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
