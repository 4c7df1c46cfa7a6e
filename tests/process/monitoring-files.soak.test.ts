import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { startTestApp } from '../support/test-app.ts';

const run = promisify(execFile);
const hasPromtool = await run('promtool', ['--version']).then(
  () => true,
  () => false,
);
const file = (name: string): string => path.join(PROJECT_ROOT, 'deploy', name);

test.runIf(hasPromtool)(
  "promtool takes the alerts and every figure (skipped without Debian's prometheus)",
  async () => {
    expect((await run('promtool', ['check', 'rules', file('prometheus-alerts.yml')])).stdout).toContain(
      'SUCCESS',
    );
    const app = await startTestApp();
    const headers = { authorization: `Bearer ${app.resources.keys.metrics_token}` };
    const text = await (await fetch(`${app.url}/metrics`, { headers })).text();
    await app.close();
    const check = run('promtool', ['check', 'metrics']);
    check.child.stdin?.end(text);
    expect((await check).stderr).toBe('');
  },
);
