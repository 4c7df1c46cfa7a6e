import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

/** A refusal with its HTTP status and S3's error code. */
export class S3Fault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** Bytes in one or more files. */
export interface S3Object {
  readonly files: readonly { file: string; size: number }[];
  readonly size: number;
  readonly etag: string;
}

const LEAST_PART = 5 * 1024 * 1024;

/** The content of a bucket; bytes are on disk, so that they do not count as the test's memory. */
export function createS3Bucket() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-s3-'));
  const objects = new Map<string, S3Object>();
  const uploads = new Map<string, { key: string; parts: Map<number, S3Object> }>();

  function write(body: Buffer): S3Object {
    const file = path.join(folder, randomUUID());
    writeFileSync(file, body);
    return { files: [{ file, size: body.length }], size: body.length, etag: `"${md5(body)}"` };
  }
  function find(key: string): S3Object {
    const object = objects.get(key);
    if (object === undefined) throw new S3Fault(404, 'NoSuchKey');
    return object;
  }
  function upload(id: string, key: string) {
    const found = uploads.get(id);
    if (found?.key !== key) throw new S3Fault(404, 'NoSuchUpload');
    return found;
  }
  function put(key: string, object: S3Object, unlessTaken: boolean): string {
    if (unlessTaken && objects.has(key)) throw new S3Fault(412, 'PreconditionFailed');
    objects.set(key, object);
    return object.etag;
  }

  return {
    objects,
    uploads,
    find,
    put: (key: string, body: Buffer, unlessTaken: boolean) => put(key, write(body), unlessTaken),
    copy: (from: string, to: string) => put(to, find(from), false),
    begin(key: string): string {
      const id = randomUUID();
      uploads.set(id, { key, parts: new Map() });
      return id;
    },
    putPart(id: string, key: string, number: number, body: Buffer): string {
      const part = write(body);
      upload(id, key).parts.set(number, part);
      return part.etag;
    },
    complete(
      id: string,
      key: string,
      listed: readonly { number: number; etag: string }[],
      unlessTaken: boolean,
    ) {
      const { parts } = upload(id, key);
      const chosen = listed.map(({ number, etag }, index) => {
        const part = parts.get(number);
        if (part?.etag !== etag) throw new S3Fault(400, 'InvalidPart');
        if (number <= (listed[index - 1]?.number ?? 0)) throw new S3Fault(400, 'InvalidPartOrder');
        if (part.size < LEAST_PART && index < listed.length - 1) throw new S3Fault(400, 'EntityTooSmall');
        return part;
      });
      if (chosen.length === 0) throw new S3Fault(400, 'MalformedXML');
      const whole = {
        files: chosen.flatMap(({ files }) => files),
        size: chosen.reduce((sum, { size }) => sum + size, 0),
        etag: `"${md5(Buffer.from(chosen.map(({ etag }) => etag).join('')))}-${chosen.length}"`,
      };
      const etag = put(key, whole, unlessTaken);
      uploads.delete(id);
      return etag;
    },
    abort(id: string, key: string) {
      upload(id, key);
      uploads.delete(id);
    },
    /** The bytes from `start` to `end`, both included. */
    read({ files }: S3Object, start: number, end: number): Readable {
      return Readable.from(
        (async function* () {
          let at = 0;
          for (const { file, size } of files) {
            const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size - 1)];
            if (from <= to) yield* createReadStream(file, { start: from, end: to });
            at += size;
          }
        })(),
        { objectMode: false },
      );
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
