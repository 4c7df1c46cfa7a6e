import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import {
  CLIENT_ID,
  type LocalOidcProvider,
  startOidcProvider,
} from '../support/auth/oidc-provider-server.ts';
import { newSamlIdp } from '../support/auth/saml-idp.ts';
import { callAuth } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import type { Place } from './calling-world.ts';
import { FIXTURE, RESET } from './fixture.ts';

/** One installation for the cases of the conformance suite. */
export interface PlatformWorld {
  readonly app: TestApp;
  /** Where to call the cases, by `count` of its processes, with the data in its initial state. */
  freshPlace(count: number): Promise<Place>;
  close(): Promise<void>;
}

/** Starts `processes` of the product on one database, and an identity provider. */
export async function openPlatformWorld(processes: number): Promise<PlatformWorld> {
  const issuer = await startOidcProvider();
  const settings = {
    CORS_ORIGINS: '*',
    AUTH_ANONYMOUS: 'true',
    AUTH_MFA_PHONE: 'true',
    AUTH_MANUAL_LINKING: 'true',
    AUTH_SAML: 'true',
    AUTH_GOOGLE_CLIENT_ID: CLIENT_ID,
    AUTH_GOOGLE_ISSUER: issuer.issuer,
    OUTBOUND_ALLOW_HOSTS: issuer.host,
  };
  const app = await startTestApp({ settings });
  const apps = [app];
  while (apps.length < processes) apps.push(await startTestApp({ settings, beside: app }));
  issuer.open(`${app.url}/auth/v1/callback`);
  await addSamlProvider(app);
  await app.resources.database.run(uncheckedSql(FIXTURE, 'composed'));
  return {
    app,
    async freshPlace(count) {
      await app.resources.database.run(uncheckedSql(RESET, 'composed'));
      return placeOf(apps.slice(0, count), issuer);
    },
    async close() {
      for (const one of apps.reverse()) await one.close();
      await issuer.close();
    },
  };
}

async function addSamlProvider(app: TestApp): Promise<void> {
  await callAuth(app, 'POST', '/admin/sso/providers', {
    bearer: app.serviceKey,
    body: {
      type: 'saml',
      metadata_xml: newSamlIdp('https://idp.acme.example').metadata,
      domains: ['acme.example'],
    },
  });
}

function placeOf(apps: readonly TestApp[], issuer: LocalOidcProvider): Place {
  const [first] = apps;
  return {
    origins: apps.map(({ url }) => url),
    anonKey: first?.anonKey ?? '',
    serviceKey: first?.serviceKey ?? '',
    issuer: issuer.issuer,
  };
}
