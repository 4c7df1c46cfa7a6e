import path from 'node:path';
import { openBackup } from '../../src/business/backup/backup-proof.server.ts';
import { makeBackup } from '../../src/business/backup/backup-record.server.ts';
import { restoreBackup } from '../../src/business/backup/backup-restore.server.ts';
import { newTrustedOperator } from '../support/customers/operator-client.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { startTestApp } from '../support/test-app.ts';
import { signInAgain } from './account-steps.ts';
import { faultsNow } from './invariants.ts';
import type { Step } from './steps.ts';
import { type Month, type Person, paymentsOf } from './world.ts';

/**
 * A backup is made and the month goes on; then the backup is restored beside it. There everything is as the model had it when
 * the backup was made, and here as it is now.
 *
 * @param goOn what happens between the backup and its restore
 */
export const restoring =
  (goOn: Step): Step =>
  async (month, who, pick) => {
    using place = temporaryFolder('month');
    const database = await createEmptyDatabase();
    const then = copyOf(month);
    const made = await makeBackup(month.app.resources, {
      to: path.join(place.path, 'backups'),
      passphrase: '',
      keep: undefined,
      withBucket: false,
    });
    await goOn(month, who, pick);
    const settings = { DATA_DIR: path.join(place.path, 'data'), DATABASE_URL: database.url };
    await restoreBackup(await openBackup(made.folder, ''), { ...settings, STORAGE_URL: '' });
    const { VOICE_HOURS } = month.app.resources.settings;
    const app = await startTestApp({ settings: { ...settings, VOICE_HOURS, STORAGE_URL: '' } });
    try {
      const restored: Month = {
        ...then,
        ...{ app, payments: paymentsOf(app), operator: await newTrustedOperator(app) },
      };
      for (const person of restored.people) await signInAgain(restored, person, 1);
      const faults = await faultsNow(restored, [0, 1, 2]);
      if (faults.length > 0) throw new Error(`after the restore: ${faults.join('\n')}`);
    } finally {
      await app.close();
      await database.drop();
    }
  };

/** The model as it is now, with people of its own. */
function copyOf(month: Month): Month {
  const copies = new Map(
    month.people.map((one): [Person, Person] => [
      one,
      {
        ...one,
        ...{ files: new Set(one.files), codes: [...one.codes] },
        bookings: one.bookings.map((booking) => ({ ...booking })),
      },
    ]),
  );
  const same = (one: Person): Person => copies.get(one) ?? one;
  const teams = new Map(
    month.teams.map((team) => [
      team,
      {
        members: new Map([...team.members].map(([one, role]) => [same(one), role])),
        payer: team.payer && same(team.payer),
        shown: new Map([...team.shown].map(([file, owner]) => [file, same(owner)])),
      },
    ]),
  );
  return {
    ...month,
    people: month.people.map(same),
    links: month.links.map((link) => ({ ...link, owner: same(link.owner) })),
    deadLinks: [...month.deadLinks],
    teams: [...teams.values()],
    invitations: month.invitations.map((one) => ({
      ...one,
      ...{ team: teams.get(one.team) ?? one.team, by: same(one.by), to: same(one.to) },
    })),
    readMails: new Set(month.readMails),
  };
}
