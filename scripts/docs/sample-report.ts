import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runReader } from '@northline/document-reader/reader-run';
import { SAMPLE } from '../../src/business/documents/sharing/sample-report.contract.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'src', 'site', 'public');
/** `report.json` of the sample, as an absolute path. */
export const SAMPLE_REPORT_FILE = path.join(FOLDER, SAMPLE.report);
/** When the sample counts as read, so that its dates are in the future. */
const CREATED_AT = '2026-03-10T09:00:00.000Z';

/**
 * The reader's current report on the sample document, as in `report.json`. @throws Error when it is not read
 */
export async function readSample(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-sample-'));
  const file = path.join(folder, 'document');
  writeFileSync(file, readFileSync(path.join(FOLDER, SAMPLE.file)));
  try {
    const reply = await runReader(
      { path: file, fileName: SAMPLE.fileName, createdAt: CREATED_AT, ocrPages: 0, password: undefined },
      new AbortController().signal,
      { onProgress: () => {} },
    );
    if (reply.outcome !== 'read') throw new Error('The sample document was not read.');
    // Timings differ each time.
    const report = { ...reply.report, timings: {} };
    return `${JSON.stringify({ report, blocks: reply.blocks })}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) writeFileSync(SAMPLE_REPORT_FILE, await readSample());
