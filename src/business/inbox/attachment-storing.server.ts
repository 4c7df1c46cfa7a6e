import { CREDIT_DESCRIPTION, LIMITS, UPLOADS_BUCKET } from '../../kernel/contract/limits.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import {
  type ContentCheck,
  checkContent,
} from '../../platform/storage/content/upload-content-check.server.ts';
import {
  declaredUploadType,
  isDocument,
  UPLOAD_TYPES,
} from '../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../platform/storage/objects/object-name.contract.ts';
import { storeServerFile } from '../../platform/storage/uploads/server-file.server.ts';
import type { Refusal } from './inbox.contract.ts';
import type { InboxContext } from './inbox-context.server.ts';
import type { MailFile } from './mail-parsing-process.server.ts';

const SERVER: Caller = { role: 'service_role', userId: undefined, claims: { role: 'service_role' } };
const LONGEST_NAME = 255;
/** Refusals of the storage service that another attempt would meet again. */
const FINAL: Readonly<Record<string, Refusal>> = {
  InvalidMimeType: 'type',
  EntityTooLarge: 'large',
  QuotaExceeded: 'storage',
  AccessDenied: 'credits',
  InfectedFile: 'malware',
};

/** One attachment of a mail to a customer's address. */
export interface MailedFile {
  readonly mailId: string;
  /** From 0. */
  readonly position: number;
  readonly userId: string;
  readonly file: MailFile;
}

/** The name under which an attachment is shown: with an extension, without signs that hide another one. */
export function nameOf({ name, mimeType }: Pick<MailFile, 'name' | 'mimeType'>): string {
  const shown = name
    .normalize('NFC')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]/gu, '_')
    .trim()
    .toWellFormed();
  const extension = declaredUploadType('', mimeType)?.extension;
  const whole = shown === '' ? `Attachment${extension === undefined ? '' : `.${extension}`}` : shown;
  return whole.slice(-LONGEST_NAME).toWellFormed();
}

/**
 * Stores an attachment as the dashboard stores an upload: a credit, quota, check of the bytes, scan, object and record. The
 * last two are one transaction with the note that this attachment is done, so a killed process neither loses nor doubles it.
 *
 * @returns why it was refused; undefined once it is a document
 * @throws Error if another attempt may succeed
 */
export async function storeDocument(context: InboxContext, mailed: MailedFile): Promise<Refusal | undefined> {
  const { file, userId } = mailed;
  const name = nameOf(file);
  const check = checkOf(name, file);
  if (check === undefined) return 'type';
  if (file.bytes.length === 0) return 'empty';
  if (file.bytes.length > LIMITS.uploadBytes) return 'large';
  const { database } = context.resources;
  const { used } = await database.asCaller(SERVER, (queries) =>
    queries.one('select public.use_credits($1, $2, $3) as used', [
      userId,
      LIMITS.creditsPerUpload,
      CREDIT_DESCRIPTION,
    ]),
  );
  if (used !== true) {
    await refuseWhileReserved(database, userId);
    return 'credits';
  }
  try {
    await storeWithRecord(context, mailed, { name, check });
    return undefined;
  } catch (error) {
    const refusal = error instanceof ServiceError ? FINAL[error.code] : undefined;
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/**
 * A killed process leaves a credit reserved for minutes: until it is back or used, nobody can say that there is none.
 *
 * @throws ServiceError 503 `credits_reserved`
 */
async function refuseWhileReserved(queries: Queries, userId: string): Promise<void> {
  const open = await queries.maybe(
    "select 1 from public.credit_transactions where user_id = $1 and state in ('reserved', 'claimed') limit 1",
    [userId],
  );
  if (open !== undefined)
    throw new ServiceError(503, 'credits_reserved', 'A credit is reserved for another upload: try again.');
}

/**
 * @trigger public.user_files record_file
 */
async function storeWithRecord(
  { resources, scan }: InboxContext,
  { file, userId, mailId, position }: MailedFile,
  { name, check }: { name: string; check: ContentCheck },
): Promise<void> {
  const path = `${userId}/${Date.now()}_${objectSegment(name)}`;
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length);
  await storeServerFile(
    { resources, scan },
    {
      bucketId: UPLOADS_BUCKET,
      name: path,
      declared: bytes.length,
      overhead: 0,
      source: piecesOf(bytes),
      check,
      refused: async () => {
        await resources.database.run('select private.return_reserved_credit($1)', [userId]);
      },
      owner: { role: 'authenticated', userId, claims: {} },
    },
    async (queries) => {
      const record = await queries.one(
        `insert into public.user_files (user_id, file_path, file_name, file_size, mime_type)
         values ($1, $2, $3, $4, $5) returning id`,
        [userId, path, name, bytes.length, check.mimeType],
      );
      await queries.run(
        'insert into private.inbox_documents (mail_id, position, name, file_id) values ($1, $2, $3, $4)',
        [mailId, position, name, record.id],
      );
    },
  );
}

const PIECE = 256 * 1024;

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/**
 * The check of its bytes. Mail programs often declare a wrong type, so a known extension counts first.
 *
 * @returns undefined for a file that is no document
 */
function checkOf(name: string, { mimeType }: MailFile): ContentCheck | undefined {
  const isNamed = declaredUploadType(name, '') !== undefined;
  const declared =
    isNamed || !UPLOAD_TYPES.some(({ mimeTypes }) => mimeTypes.includes(mimeType)) ? '' : mimeType;
  if (!isDocument(name, declared)) return undefined;
  try {
    return checkContent(name, declared);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
