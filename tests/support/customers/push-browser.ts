import type { PushService, TestSubscription } from '../servers/push-service.ts';
import type { TestApp } from '../test-app.ts';

/**
 * A user's browser that shows notices, registered without the calls: with its own session, and a subscription
 * at the service.
 */
export async function openPushBrowser(
  app: TestApp,
  service: PushService,
  userId: string,
): Promise<TestSubscription> {
  const key = app.resources.push.publicKey();
  const subscription = service.subscribe(key);
  const { endpoint, keys } = subscription;
  await app.resources.database.run(
    `with session as (insert into auth.sessions (user_id) values ($1) returning id)
     insert into private.push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret, server_key)
     select $1::uuid, id, $2, $3::bytea, $4::bytea, $5 from session`,
    [userId, endpoint, Buffer.from(keys.p256dh, 'base64url'), Buffer.from(keys.auth, 'base64url'), key],
  );
  return subscription;
}
