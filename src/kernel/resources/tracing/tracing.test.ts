import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../config/settings.ts';
import { createLog } from '../log/log.ts';
import { openOtlpTracing } from './otlp-tracing.ts';
import { runInSpan } from './tracing.ts';

test('failing work ends its span with a word that names nobody, and its error is unchanged', async () => {
  const spans: { name: string; attributes: unknown[]; status: { code?: number } }[] = [];
  const collector = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    for (const { scopeSpans } of JSON.parse(body.toString()).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    collector.closeAllConnections();
    collector.close();
  });
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, process.cwd());
  const tracing = openOtlpTracing(settings, createLog('silent'));
  const failures = [
    Object.assign(new Error('anna@example.com has it'), { code: '23505' }),
    Object.assign(new TypeError('of Anna'), { code: 'anna@example.com' }),
    undefined,
  ];
  for (const [index, failure] of failures.entries()) {
    const span = tracing.begin(`work ${index}`, { kind: 'internal', facts: {}, headers: {} });
    const work = runInSpan(span, () => Promise.reject(failure));
    expect(await work.catch((error: unknown) => [error])).toEqual([failure]);
  }
  await tracing.close();
  expect(spans.map(({ attributes, status }) => [attributes, status.code])).toEqual(
    ['23505', 'TypeError', 'error'].map((word) => [[{ key: 'error.type', value: { stringValue: word } }], 2]),
  );
});
