import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { analyze, newCustomer, upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { startAutomation } from '../../../../tests/support/servers/automation-server.ts';
import { startTestApp } from '../../../../tests/support/test-app.ts';
import { manageEvents } from '../../../cli/events-command.ts';

test('the analysis automation can be paused, and its secret rotated: the old one signs for a day as well', async () => {
  const automation = await startAutomation();
  const app = await startTestApp({
    settings: { ANALYSIS_WEBHOOK_URL: `${automation.url}/hook`, OUTBOUND_ALLOW_HOSTS: automation.host },
  });
  onTestFinished(async () => {
    await app.close();
    await automation.close();
  });
  const owner = await newCustomer(app, 'owner');
  const { database, keys } = app.resources;
  const events = (...words: string[]) => manageEvents(database, keys, words);
  const before = await events('secret', 'analysis');
  await events('pause', 'analysis');
  const after = (await events('rotate', 'analysis')).split('\n')[0] ?? '';
  expect(after).not.toBe(before);
  const fileId = await upload(owner, 'letter-rent-review.txt');
  const asked = automation.next();
  await analyze(app, owner.token, fileId);
  await expect.poll(() => events('list')).toMatch(/^analysis {2}paused {2}1 waiting/m);
  await events('resume', 'analysis');
  const call = await asked;
  for (const secret of [before, after]) new Webhook(secret).verify(call.body, call.headers);
  const { analysisId } = JSON.parse(call.body);
  const answer = JSON.stringify({ status: 'failed' });
  const sent = async (secret: string) =>
    (
      await fetch(`${app.url}/webhooks/analysis/${analysisId}`, {
        method: 'POST',
        body: answer,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'answer-2',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': new Webhook(secret).sign('answer-2', new Date(), answer),
        },
      })
    ).status;
  await database.run("update private.webhook_targets set previous_until = now() where name = 'analysis'");
  expect([await sent(before), await sent(after)]).toEqual([401, 200]);
});
