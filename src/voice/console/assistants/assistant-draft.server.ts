import { z } from 'zod';
import { assistantSchema } from '../../records/voice-assistant.contract.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import {
  ASSISTANT_LENGTHS,
  type AssistantDraft,
  type EngineChoice,
  type Pronunciation,
  type WebsiteDraft,
} from './assistant-editor.contract.ts';

type Body = Readonly<Record<string, unknown>>;
type Part = Readonly<Record<string, unknown>>;

/** The engine that the console sends for one part of an assistant. */
export const ENGINE: z.ZodType<EngineChoice> = z.object({
  provider: z.string().min(1).max(60),
  choice: z.string().trim().max(200),
});
const line = z.string().trim().max(500);
/** The list of words that the console sends; what each one may be, the assistant's own rules say. */
export const PRONUNCIATIONS: z.ZodType<readonly Pronunciation[]> = z
  .array(z.object({ word: line, said: line }))
  .max(200);
const ids = z.array(z.uuid()).max(100);

/** The form of a draft that the console sends. */
export const DRAFT: z.ZodType<AssistantDraft> = z.object({
  name: z.string().trim().min(1).max(ASSISTANT_LENGTHS.name),
  firstMessage: z.string().trim().max(ASSISTANT_LENGTHS.firstMessage),
  prompt: z.string().trim().max(ASSISTANT_LENGTHS.prompt),
  fileIds: ids,
  toolIds: ids,
  model: ENGINE,
  voice: ENGINE,
  transcriber: ENGINE,
  pronunciations: PRONUNCIATIONS,
  website: z.object({
    origins: z.array(line).max(20),
    ...{ greeting: line, light: line, dark: line, open: line },
  }),
});

const CHOICE = { model: 'model', voice: 'voiceId', transcriber: 'model' } as const;
type EngineName = keyof typeof CHOICE;

const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const listOf = (value: unknown): Part[] => (Array.isArray(value) ? value.map(partOf) : []);
const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The fields of an assistant's body that the console edits. */
export function draftOf(body: Body): AssistantDraft {
  const model = partOf(body.model);
  const system = listOf(model.messages).filter(({ role }) => role === 'system');
  const engineOf = (name: EngineName): EngineChoice => {
    const part = partOf(body[name]);
    return { provider: wordsOf(part.provider) || 'embedded', choice: wordsOf(part[CHOICE[name]]) };
  };
  return {
    name: wordsOf(body.name),
    firstMessage: wordsOf(body.firstMessage),
    prompt: system.map(({ content }) => wordsOf(content)).join('\n'),
    fileIds: (partOf(model.knowledgeBase).fileIds ?? []) as string[],
    toolIds: (model.toolIds ?? []) as string[],
    model: engineOf('model'),
    voice: engineOf('voice'),
    transcriber: engineOf('transcriber'),
    pronunciations: Object.entries(partOf(body.pronunciations)).map(([word, said]) => ({
      word,
      said: wordsOf(said),
    })),
    website: websiteOf(partOf(body.website)),
  };
}

/**
 * Applies a draft to a body. Fields that the console does not edit stay, and fields for another provider are
 * removed.
 *
 * @throws ServiceError 400 `validation_failed`
 */
export function withDraft(body: Body, draft: AssistantDraft): Record<string, unknown> {
  const { name, firstMessage } = draft;
  const next: Record<string, unknown> = {
    ...body,
    ...{ name, firstMessage },
    model: withKnowledge(withEngine(body, draft, 'model'), draft),
    voice: withEngine(body, draft, 'voice'),
    transcriber: withEngine(body, draft, 'transcriber'),
    pronunciations: pronunciationsIn(draft.pronunciations),
    website: withWebsite(partOf(body.website), draft.website),
  };
  if (firstMessage === '') delete next.firstMessage;
  return parseVoice(assistantSchema, withoutAbsent(next));
}

const withoutAbsent = (body: Body): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** The list in the form of an assistant's body; undefined where it is empty. */
export function pronunciationsIn(list: readonly Pronunciation[]): Record<string, string> | undefined {
  return list.length === 0 ? undefined : Object.fromEntries(list.map(({ word, said }) => [word, said]));
}

const websiteOf = (website: Part): WebsiteDraft => ({
  origins: (website.origins ?? []) as string[],
  greeting: wordsOf(website.greeting),
  light: wordsOf(partOf(website.colours).light),
  dark: wordsOf(partOf(website.colours).dark),
  open: wordsOf(partOf(website.hours).open),
});

/** The time zone of the hours stays, as the console does not show it. */
function withWebsite(
  { hours }: Part,
  { origins, greeting, light, dark, open }: WebsiteDraft,
): Record<string, unknown> | undefined {
  const given = (text: string): string | undefined => (text === '' ? undefined : text);
  const named = origins.filter((origin) => origin !== '');
  const colours = withoutAbsent({ light: given(light), dark: given(dark) });
  const website = withoutAbsent({
    origins: named.length === 0 ? undefined : named,
    greeting: given(greeting),
    colours: Object.keys(colours).length === 0 ? undefined : colours,
    hours: open === '' ? undefined : { ...partOf(hours), open },
  });
  return Object.keys(website).length === 0 ? undefined : website;
}

function withEngine(body: Body, draft: AssistantDraft, name: EngineName): Record<string, unknown> {
  const present = partOf(body[name]);
  const { provider, choice } = draft[name];
  const { [CHOICE[name]]: _before, ...rest } = present;
  // Settings of a model that do not belong to its provider are the assistant's: its words, tools and files.
  const same = (present.provider ?? 'embedded') === provider;
  return {
    ...(same || name === 'model' ? rest : {}),
    provider,
    ...(choice === '' ? {} : { [CHOICE[name]]: choice }),
  };
}

function withKnowledge(model: Record<string, unknown>, draft: AssistantDraft): Record<string, unknown> {
  const others = listOf(model.messages).filter(({ role }) => role !== 'system');
  const messages = [...(draft.prompt === '' ? [] : [{ role: 'system', content: draft.prompt }]), ...others];
  const { fileIds: _files, ...base } = partOf(model.knowledgeBase);
  const knowledgeBase = { ...base, ...(draft.fileIds.length > 0 ? { fileIds: draft.fileIds } : {}) };
  return withoutAbsent({
    ...model,
    messages: messages.length > 0 ? messages : undefined,
    toolIds: draft.toolIds.length > 0 ? draft.toolIds : undefined,
    knowledgeBase: Object.keys(knowledgeBase).length > 0 ? knowledgeBase : undefined,
  });
}

/** Names of the edited fields that differ between two bodies. */
export function changedFields(before: Body, after: Body): string[] {
  const [one, other] = [draftOf(before), draftOf(after)];
  const fields = (Object.keys(other) as (keyof AssistantDraft)[]).filter(
    (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  );
  return fields.length === 0 ? ['settings'] : fields;
}
