import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecord, VoiceRecords } from './voice-records.server.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.voice_assistant_versions.body': Body;
  }
}

type Body = Record<string, unknown>;

/** An assistant as it was from `at` on, without secrets. */
export interface AssistantVersion {
  readonly version: number;
  readonly body: Readonly<Body>;
  readonly at: Date;
}

/** The last hundred versions of each assistant; a trigger keeps them (`migrations/baseline/18-voice.sql`). */
export interface AssistantVersions {
  /** Newest first; with `before`, only those before that version. */
  list(id: string, limit: number, before?: number): Promise<readonly AssistantVersion[]>;
  /** @throws ServiceError 404 `not_found` */
  find(id: string, version: number): Promise<AssistantVersion>;
  /**
   * Makes an earlier version the next one. A secret stays only where its setting is the same now as then: a
   * key that was given for one address must not go to another.
   *
   * @param within runs in the same transaction
   * @throws ServiceError 404 `not_found`, and what `within` throws
   */
  restore(id: string, version: number, within?: (queries: Queries) => Promise<void>): Promise<VoiceRecord>;
}

/** Opens the versions that the database keeps. */
export function openAssistantVersions(
  { database }: Pick<Resources, 'database'>,
  records: Pick<VoiceRecords, 'change'>,
): AssistantVersions {
  const find = async (id: string, version: number): Promise<AssistantVersion> => {
    const row = await database.maybe(
      'select version, body, at from private.voice_assistant_versions where assistant_id = $1 and version = $2',
      [id, version],
    );
    if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such version.');
    return row;
  };
  return {
    find,
    list: (id, limit, before) =>
      database.many(
        `select version, body, at from private.voice_assistant_versions
          where assistant_id = $1 and ($2::integer is null or version < $2) order by version desc limit $3`,
        [id, before ?? null, limit],
      ),
    async restore(id, version, within) {
      const { body } = await find(id, version);
      return records.change(
        'assistant',
        id,
        (present) => ({ body, replaced: differing(present, body) }),
        within,
      );
    },
  };
}

const differing = (one: Readonly<Body>, other: Readonly<Body>): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => !isDeepStrictEqual(one[name], other[name]),
  );
