import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createCustomer,
  storedFiles,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { type Clamd, EICAR, startClamd } from '../../../../tests/support/servers/clamd-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { readSettings } from '../../../kernel/config/settings.ts';
import { createLog } from '../../../kernel/resources/log/log.ts';
import { createScan } from './content-scan.server.ts';

const LIMIT = 3 * 1024 * 1024;

let folder: string;
let clamd: Clamd;
const started: Clamd[] = [];

async function start(): Promise<Clamd> {
  const one = await startClamd(LIMIT);
  started.push(one);
  return one;
}

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-scan-'));
});
beforeEach(async () => {
  clamd = await start();
});
afterAll(async () => {
  for (const one of started) await one.close();
  rmSync(folder, { recursive: true, force: true });
});

function file(content: string | Buffer): string {
  const place = path.join(folder, `${crypto.randomUUID()}.part`);
  writeFileSync(place, content);
  return place;
}

function scanWith(settings: Record<string, string>) {
  return createScan(readSettings(settings, folder), createLog('silent'));
}

describe('a scanner', () => {
  test.each(['ClamAV', 'a command'])('%s lets clean files pass and refuses malware', async (which) => {
    const command = path.join(folder, 'scanner');
    writeFileSync(command, '#!/bin/sh\ngrep -q EICAR-STANDARD "$2" && exit 1\nexit 0\n');
    chmodSync(command, 0o755);
    const scan = scanWith(
      which === 'ClamAV' ? { CLAMD_URL: clamd.url } : { SCAN_COMMAND: `${command} --quiet` },
    );
    const clean = Buffer.alloc(2_000_000, 'clean ');
    await scan(file(clean));
    await scan(file(''));
    await expect(scan(file(`${clean}${EICAR}`))).rejects.toMatchObject({ status: 422, code: 'InfectedFile' });
    if (which === 'ClamAV') expect(clamd.scanned).toEqual([2_000_000, 0, 2_000_000 + EICAR.length]);
  });

  const clamdThatSays = (line: string | undefined) => async (): Promise<Record<string, string>> => {
    clamd.misbehave(line);
    return { CLAMD_URL: clamd.url };
  };
  const failures: [string, () => Promise<Record<string, string>>][] = [
    ['ClamAV that is away', async () => ({ CLAMD_URL: 'tcp://127.0.0.1:1' })],
    ['ClamAV that hangs up', clamdThatSays(undefined)],
    ['ClamAV that says something else', clamdThatSays('stream: OK?')],
    ['a command that is not there', async () => ({ SCAN_COMMAND: '/nowhere/scanner' })],
    ['a command that fails', async () => ({ SCAN_COMMAND: `${process.execPath} --no-such-option` })],
  ];
  test.each(failures)('%s refuses by default, and lets pass if a setting says so', async (_what, prepare) => {
    const settings = await prepare();
    const failed = { status: 503, code: 'ScanFailed', headers: { 'retry-after': '30' } };
    await expect(scanWith(settings)(file('clean'))).rejects.toMatchObject(failed);
    await scanWith({ ...settings, SCAN_FAILURE: 'accept' })(file('clean'));
  });

  test('a file above ClamAV’s own limit cannot be judged', async () => {
    const large = file(Buffer.alloc(2 * LIMIT));
    await expect(scanWith({ CLAMD_URL: clamd.url })(large)).rejects.toMatchObject({ code: 'ScanFailed' });
  });

  test('two at once are refused in the settings', async () => {
    expect(() => scanWith({ CLAMD_URL: clamd.url, SCAN_COMMAND: 'x' })).toThrow('set one of them');
  });
});

describe('uploads with a scanner', () => {
  let app: TestApp;
  let anna: UploadingCustomer;
  beforeAll(async () => {
    app = await startTestApp({ settings: { CLAMD_URL: (await start()).url } });
    anna = await createCustomer(app, 5);
  });
  afterAll(() => app?.close());

  test('malware is never stored, costs nothing, and is reported by a code', async () => {
    await anna.takeCredit();
    const { error } = await anna.bucket.upload(anna.path('a.txt'), EICAR, { contentType: 'text/plain' });
    expect(error).toMatchObject({ status: 400, statusCode: '422', code: 'InfectedFile' });
    await anna.takeCredit();
    const names = { bucketName: 'user-uploads', objectName: anna.path('b.txt'), contentType: 'text/plain' };
    const pairs = Object.entries(names).map(([name, value]) => `${name} ${btoa(value)}`);
    const resumable = await fetch(`${app.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${anna.token}`,
        'tus-resumable': '1.0.0',
        'upload-length': String(EICAR.length),
        'upload-metadata': pairs.join(','),
        'content-type': 'application/offset+octet-stream',
      },
      body: EICAR,
    });
    expect([resumable.status, (await resumable.json()).code]).toEqual([422, 'InfectedFile']);
    expect(await anna.credits()).toBe(5);
    expect(await storedFiles(app, 'kept')).toEqual([]);
    expect(await storedFiles(app, 'received')).toEqual([]);
    expect(await anna.upload('c.txt', 'clean')).toBe('stored');
  });
});
