import type {
  CallContext,
  CallerTurn,
  DialogueManager,
  DialogueStep,
  SpokenTurn,
  TeamMember,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { plainWords } from './spoken/word-normalisation.server.ts';

type Steps = AsyncGenerator<DialogueStep, void>;

/** Matches a wish to be put through, up to the name; `can you talk about sales` is not one. */
const PUT_THROUGH =
  /(?:\b(?:transfer|put|connect|hand|pass|switch)(?: (?:me|us|my call|this call|it))?(?: (?:on|over|through|back))*(?: to)?|\b(?:speak|talk) (?:to|with)|\b(?:get|give) me) (?:(?:the|your|a|somebody|someone) (?:(?:in|from|at) (?:the )?)?)?$/;
const REFUSES = /\b(not|never|don't|without)\b/;

/** Engines whose dialogue can be handed from one assistant to another within a call. */
export function withTeam(engines: VoiceEngines, team: readonly TeamMember[]): VoiceEngines {
  const [first] = team;
  const dynamic = first?.assistant.model?.tools?.some(({ type }) => type === 'transferCall') === true;
  if (team.length < 2 && !dynamic) return engines;
  return { ...engines, openDialogue: (call) => openTeamDialogue(engines, call, team) };
}

/**
 * A dialogue of several assistants. One of them answers; it hands over by a tool of its model, or where the
 * caller asks for another by name. Each knows what was said before it took over.
 */
async function openTeamDialogue(
  engines: VoiceEngines,
  call: CallContext,
  team: readonly TeamMember[],
): Promise<DialogueManager> {
  const opened = new Map<TeamMember, DialogueManager>();
  let [present] = team;
  let next: TeamMember | undefined;

  const memberOf = (name: string): TeamMember | undefined =>
    team.find((one) => one !== present && sameName(one.assistant.name, name));
  async function dialogueOf(member: TeamMember): Promise<DialogueManager> {
    const there = opened.get(member);
    if (there !== undefined) return there;
    const made = await engines.openDialogue({
      ...call,
      assistant: member.assistant,
      team: {
        destinations: member.destinations,
        handOff(name) {
          next = memberOf(name);
          return next !== undefined;
        },
      },
    });
    opened.set(member, made);
    return made;
  }

  async function* handOver(to: TeamMember, signal: AbortSignal): Steps {
    const name = to.assistant.name ?? '';
    const message = present?.destinations.find((one) => sameName(name, one.name))?.message ?? '';
    if (message !== '') yield { kind: 'sentence', text: message };
    present = to;
    next = undefined;
    yield { kind: 'transfer', to: name };
    const dialogue = await dialogueOf(to);
    const { firstMessage = '', firstMessageMode } = to.assistant;
    if (firstMessageMode === 'assistant-waits-for-user') return;
    if (firstMessage !== '') yield { kind: 'sentence', text: firstMessage };
    else yield* dialogue.greet(signal);
  }

  async function* reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    if (present === undefined) return;
    const current = await dialogueOf(present);
    // While a form is open, the words are an answer to it.
    const asked = current.awaitsAnswer?.() ? undefined : askedFor(turn.text, present);
    const wanted = asked === undefined ? undefined : memberOf(asked);
    if (wanted === undefined) yield* current.reply(turn, history, signal);
    const to = wanted ?? next;
    if (to !== undefined && !signal.aborted) yield* handOver(to, signal);
  }

  const first = present === undefined ? undefined : await dialogueOf(present);
  if (first === undefined) return engines.openDialogue(call);
  return {
    name: first.name,
    get followsInstructions() {
      return present === undefined ? false : opened.get(present)?.followsInstructions;
    },
    awaitsAnswer: () => (present === undefined ? false : opened.get(present)?.awaitsAnswer?.() === true),
    greet: (signal) => first.greet(signal),
    reply,
    ...(first.analyse === undefined ? {} : { analyse: first.analyse }),
    usage() {
      const all = [...opened.values()].map((dialogue) => dialogue.usage());
      return {
        promptTokens: all.reduce((sum, one) => sum + one.promptTokens, 0),
        completionTokens: all.reduce((sum, one) => sum + one.completionTokens, 0),
      };
    },
    close() {
      for (const dialogue of opened.values()) dialogue.close();
    },
  };
}

/** The destination that a caller asks for by name. */
function askedFor(text: string, { destinations }: TeamMember): string | undefined {
  const words = ` ${plainWords(text).join(' ')} `;
  if (REFUSES.test(words)) return undefined;
  return destinations.find(({ name }) => {
    const at = words.indexOf(` ${plainWords(name).join(' ')} `);
    return at >= 0 && PUT_THROUGH.test(`${words.slice(0, at)} `);
  })?.name;
}

/** Whether two names mean the same assistant. */
export const sameName = (one: string | undefined, other: string): boolean =>
  one !== undefined && one.trim().toLowerCase() === other.trim().toLowerCase();
