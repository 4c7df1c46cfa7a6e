import { z } from 'zod';
import {
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { nextSlice } from '../../../kernel/concurrency/event-loop-slices.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { storeAssistantFile } from '../../files/file-storing.server.ts';
import { type FileAdded, MOST_FILE_BYTES } from './assistant-editor.contract.ts';

/** Base64 has four characters for three bytes; the name comes on top. */
const BODY_LIMIT = Math.ceil((MOST_FILE_BYTES / 3) * 4) + 4096;
const A_MINUTE = 20;
const PIECE = 512 * 1024;

/** `POST operator-add-file`: adds a file that assistants can consult; the body has its bytes in base64. */
export function serveFileAdding(scope: OperatorScope): void {
  declareOperatorWork(scope, {
    name: 'add-file',
    input: z.object({ name: z.string().trim().min(1).max(255), content: z.string().min(1) }),
    bodyLimit: BODY_LIMIT,
    perMinute: A_MINUTE,
    heavy: true,
    async work(caller, { name, content }): Promise<FileAdded> {
      const bytes = Buffer.from(content, 'base64');
      if (bytes.length === 0 || bytes.length > MOST_FILE_BYTES)
        throw new ServiceError(400, 'validation_failed', 'content: must be base64 of 1 byte to 10 MB.');
      const file = {
        name,
        source: inPieces(bytes),
        declared: bytes.length,
        overhead: 0,
        fields: async () => ({}),
      };
      const id = await storeAssistantFile(scope.resources, file, (queries, subject) =>
        signAsOperator(queries, caller, { action: 'assistant.file', subject, details: { name } }),
      );
      return { id };
    },
  });
}

/** Yields the bytes as a network would, so that others are served while they are hashed and written. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    await nextSlice();
    yield bytes.subarray(at, at + PIECE);
  }
}
