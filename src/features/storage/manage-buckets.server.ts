import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Queries } from '../../resources/database/database.ts';
import { storageErrors } from './storage-errors.server.ts';
import { asStorageError, callerOf, checkedBody, type StorageScope } from './storage-scope.server.ts';

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const sizeLimit = z
  .union([
    z.int().min(0),
    z
      .string()
      .regex(/^\d+\s*([kmg]?b)?$/i)
      .transform((text) => {
        const [, digits, unit = 'b'] = /^(\d+)\s*([kmg]?b)?$/i.exec(text) ?? [];
        return Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
      }),
  ])
  .nullish();
const options = {
  public: z.boolean().nullish(),
  file_size_limit: sizeLimit,
  allowed_mime_types: z
    .array(
      z
        .string()
        .regex(/^[\w.+-]+\/[\w.+*-]+$/)
        .max(128),
    )
    .max(100)
    .nullish(),
};
const creation = z.object({ id: z.string().optional(), name: z.string(), ...options });
const change = z.object(options);
const COLUMNS =
  'id, name, owner, public, file_size_limit::int8::float8 as file_size_limit, allowed_mime_types, type, created_at, updated_at';

/** `/bucket`: everything under the caller's rights, which for all but the server's key are none. */
export function mountBuckets(scope: StorageScope): void {
  const { server, resources } = scope;
  const asCaller = async <T>(request: FastifyRequest, work: (queries: Queries) => Promise<T>): Promise<T> => {
    const caller = await callerOf(scope, request);
    return resources.database.asCaller(caller, work).catch((error) => {
      throw asStorageError(error);
    });
  };
  const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;
  const demand = (touched: number): void => {
    if (touched === 0) throw storageErrors.noSuchBucket();
  };

  server.get('/bucket', (request) =>
    asCaller(request, (queries) => queries.many(`select ${COLUMNS} from storage.buckets order by id`)),
  );
  server.get('/bucket/:id', async (request) => {
    const bucket = await asCaller(request, (queries) =>
      queries.maybe(`select ${COLUMNS} from storage.buckets where id = $1`, [idOf(request)]),
    );
    if (bucket === undefined) throw storageErrors.noSuchBucket();
    return bucket;
  });
  server.post('/bucket', async (request) => {
    const body = checkedBody(creation, request);
    const id = body.id ?? body.name;
    await asCaller(request, (queries) =>
      queries.run(
        `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
         values ($1, $2, $3, $4, $5)`,
        [id, body.name, body.public ?? false, body.file_size_limit ?? null, body.allowed_mime_types ?? null],
      ),
    );
    return { name: id };
  });
  server.put('/bucket/:id', async (request) => {
    const body = checkedBody(change, request);
    demand(
      await asCaller(request, (queries) =>
        queries.run(
          `update storage.buckets set public = coalesce($2, public),
             file_size_limit = case when $3 then $4 else file_size_limit end,
             allowed_mime_types = case when $5 then $6 else allowed_mime_types end, updated_at = now()
           where id = $1`,
          [
            ...[idOf(request), body.public ?? null],
            ...[body.file_size_limit !== undefined, body.file_size_limit ?? null],
            ...[body.allowed_mime_types !== undefined, body.allowed_mime_types ?? null],
          ],
        ),
      ),
    );
    return { message: 'Successfully updated' };
  });
  server.post('/bucket/:id/empty', async (request) => {
    await asCaller(request, async (queries) => {
      demand(await queries.run('select 1 from storage.buckets where id = $1', [idOf(request)]));
      await queries.run('delete from storage.objects where bucket_id = $1', [idOf(request)]);
    });
    scope.unlinkSoon();
    return { message: 'Successfully emptied' };
  });
  server.delete('/bucket/:id', async (request) => {
    await asCaller(request, async (queries) => {
      const filled = await queries.maybe('select 1 from storage.objects where bucket_id = $1 limit 1', [
        idOf(request),
      ]);
      if (filled !== undefined)
        throw storageErrors.invalidRequest('The bucket you tried to delete is not empty');
      demand(await queries.run('delete from storage.buckets where id = $1', [idOf(request)]));
    });
    return { message: 'Successfully deleted' };
  });
}
