import { sameName } from '../dialogue/assistant-handover.server.ts';
import type { CallAssistant, TeamMember } from '../engines/engines.server.ts';
import { type Given, textOf } from '../records/given-fields.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import { squadOf, withKeptTools } from './call-setup.server.ts';

const listOf = (value: unknown): Given[] =>
  (Array.isArray(value) ? value : []).filter((one): one is Given => typeof one === 'object' && one !== null);
const MOST_MEMBERS = 20;

/**
 * The assistants that can take part in a call: the members of its squad, and those that `transferCall` and
 * `handoff` tools name by id or describe. The first is the one that answers.
 *
 * @param given the call's record with its secrets
 * @param first the assistant that answers, with its overrides
 */
export async function teamOf(
  records: VoiceRecords,
  given: Given,
  first: CallAssistant,
): Promise<readonly TeamMember[]> {
  const squad = await squadOf(records, given);
  const { variableValues } = first;
  const whole = async (described: Given, more: Given = {}): Promise<CallAssistant | undefined> => {
    const named =
      typeof described.assistantId === 'string'
        ? await records.whole('assistant', described.assistantId).catch(() => undefined)
        : (described.assistant as Given | undefined);
    if (named === undefined) return undefined;
    const overrides = { ...(described.assistantOverrides as Given | undefined), ...more };
    return withKeptTools(records, { ...named, ...overrides, variableValues } as CallAssistant);
  };
  const members: { assistant: CallAssistant; own: readonly Given[] }[] = [
    { assistant: first, own: listOf(squad?.members?.[0]?.assistantDestinations) },
  ];
  for (const member of squad?.members?.slice(1) ?? []) {
    const assistant = await whole(member as Given, squad?.membersOverrides as Given | undefined);
    if (assistant !== undefined) members.push({ assistant, own: listOf(member.assistantDestinations) });
  }
  for (const destination of members.flatMap(({ assistant, own }) => destinationsOf(assistant, own))) {
    if (members.length >= MOST_MEMBERS) break;
    const assistant = await whole(destination);
    if (assistant?.name !== undefined && !members.some((one) => one.assistant.name === assistant.name))
      members.push({ assistant, own: [] });
  }
  const nameOf = async (destination: Given): Promise<string> =>
    textOf(destination.assistantName) || textOf((await whole(destination))?.name);
  return Promise.all(
    members.map(async ({ assistant, own }) => {
      const named = destinationsOf(assistant, own).map(async (destination) => ({
        name: await nameOf(destination),
        description: textOf(destination.description),
        message: textOf(destination.message),
      }));
      const known = (await Promise.all(named)).filter(
        ({ name }) => name !== assistant.name && members.some((one) => sameName(one.assistant.name, name)),
      );
      return { assistant, destinations: known };
    }),
  );
}

/** The hand-over destinations that an assistant has from its place in the squad and from its tools. */
function destinationsOf({ model }: CallAssistant, own: readonly Given[]): Given[] {
  const ofTools = (model?.tools ?? [])
    .filter(({ type }) => type === 'transferCall' || type === 'handoff')
    .flatMap((tool) => listOf(tool.destinations));
  return [...own, ...ofTools].filter(({ type }) => type === 'assistant');
}
