import type { VoiceRecords } from './voice-records.server.ts';

type Body = Readonly<Record<string, unknown>>;

interface ModelReferences {
  readonly toolIds?: readonly string[];
  readonly knowledgeBase?: { readonly fileIds?: readonly string[] };
  readonly tools?: readonly Body[];
}

/** Files that a `query` tool names. */
export function filesOfTool({ knowledgeBases }: Body): unknown[] {
  if (!Array.isArray(knowledgeBases)) return [];
  return knowledgeBases.flatMap((base: { fileIds?: unknown } | null) =>
    Array.isArray(base?.fileIds) ? base.fileIds : [],
  );
}

/** Checks that tools, files and credentials that an assistant names are there. @throws ServiceError 400 `unknown_reference` */
export async function requireAssistantParts(
  records: VoiceRecords,
  { model, credentialIds }: Body,
): Promise<void> {
  const { toolIds = [], knowledgeBase, tools = [] } = (model ?? {}) as ModelReferences;
  if (Array.isArray(credentialIds)) await records.mustExist('credential', credentialIds, 'credentialIds');
  await records.mustExist('tool', toolIds, 'model.toolIds');
  await records.mustExist('file', knowledgeBase?.fileIds ?? [], 'model.knowledgeBase.fileIds');
  await records.mustExist('file', tools.flatMap(filesOfTool), 'model.tools.knowledgeBases.fileIds');
}
