import type { Database } from '../../kernel/resources/database/database.ts';
import type { CallAssistant } from '../engines/engines.server.ts';

/** A passage that was found, and the file that it is in. */
export interface FoundPassage {
  readonly fileName: string;
  readonly page: number | null;
  readonly text: string;
}

/** The files that an assistant consults, and how many passages an answer may use. */
export interface Consultation {
  readonly fileIds: readonly string[];
  readonly topK: number;
}

const TOP = { usual: 3, most: 10 } as const;

/**
 * The files that an assistant consults: those of `model.knowledgeBase` and of its `query` tools. Undefined
 * where it names none.
 */
export function consultationOf({ model }: CallAssistant): Consultation | undefined {
  const base = model?.knowledgeBase;
  const bases = (model?.tools ?? []).flatMap((tool) =>
    tool.type === 'query' ? listOf(tool.knowledgeBases) : [],
  );
  const fileIds = [base, ...bases].flatMap((one) =>
    listOf((one as { fileIds?: unknown } | undefined)?.fileIds),
  );
  const topK = Number((base as { topK?: unknown } | undefined)?.topK ?? TOP.usual);
  const named = [...new Set(fileIds.filter((id): id is string => typeof id === 'string'))];
  return named.length === 0 ? undefined : { fileIds: named, topK: Math.min(topK, TOP.most) };
}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * The passages that answer a question best, by PostgreSQL's full text search.
 *
 * @param want `all`: the passage has every telling word of the question; `any`: at least half of them
 */
export async function findPassages(
  database: Database,
  { fileIds, topK }: Consultation,
  question: string,
  want: 'all' | 'any',
): Promise<FoundPassage[]> {
  return database.many(
    `with asked as (
       select plainto_tsquery('english', $2) as every,
              replace(plainto_tsquery('english', $2)::text, ' & ', ' | ')::tsquery as some,
              tsvector_to_array(to_tsvector('english', $2)) as words)
     select p.page, p.text, coalesce(r.body ->> 'name', r.body ->> 'originalName') as "fileName" /* not null */
       from asked
       join private.voice_passages p on p.search @@ case when $3 = 'all' then asked.every else asked.some end
       join private.voice_records r on r.id = p.file_id
      where p.file_id = any($1::uuid[]) and cardinality(asked.words) > 0
        and ($3 = 'all' or 2 * (select count(*) from unnest(asked.words) as word
                                 where word = any(tsvector_to_array(p.search))) >= cardinality(asked.words))
      order by (select count(*) from unnest(asked.words) as word where word = any(tsvector_to_array(p.search))) desc,
               ts_rank_cd(p.search, asked.some, 1) desc, p.file_id, p.position
      limit $4`,
    [fileIds, question, want, topK],
  );
}
