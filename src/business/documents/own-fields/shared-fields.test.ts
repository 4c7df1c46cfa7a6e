import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import {
  type Customer,
  newCustomer,
  reportOf,
} from '../../../../tests/support/customers/analysis-customer.ts';
import { newOperator } from '../../../../tests/support/customers/operator-client.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { teamPeople } from '../../../../tests/support/customers/team-people.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { OperatorRole } from '../../console/operator-roles.contract.ts';
import { OWN_KEY, type OwnFieldTable } from './own-field.contract.ts';

let app: TestApp;
const { newTeam, call: callTeam } = teamPeople(() => app);
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

type Person = Pick<Customer, 'id' | 'token'>;
const call = (who: Pick<Person, 'token'>, name: string, body: object) =>
  callFunction(app, name, who.token, body);

async function define(who: Person, kind: string, name: string): Promise<string> {
  const { status, body } = await call(who, 'define-own-field', { kind, name });
  expect(status).toBe(200);
  return (body.field as unknown as { id: string }).id;
}

const reach = async (who: Person, fieldId: string, wanted: string) => {
  const { status, body } = await call(who, 'define-own-field', { field_id: fieldId, reach: wanted });
  return status === 200 ? 200 : [status, body.code];
};
const teach = (who: Person, fieldId: string, fileId: string, value?: string | null) =>
  call(who, 'teach-own-field', { field_id: fieldId, file_id: fileId, value });
const tableOf = async (who: Person, kind: string): Promise<OwnFieldTable> =>
  (await call(who, 'own-field-table', { kind })).body as unknown as OwnFieldTable;

/** A document with a code in its text; its lines are read by the job. */
const paper = (who: Customer, name: string, text: string, kind: 'lease' | 'delivery_note' = 'lease') =>
  storeReport(app, who, { name, texts: ['A paper of the house', text], kind });

/** What the report of a document says for a field. */
const shown = async (fileId: string, fieldId: string): Promise<string | undefined> =>
  ((await reportOf(app, fileId)).report as Report).fields.find(({ key }) => key === OWN_KEY + fieldId)?.value;

async function newColleague(role: OperatorRole): Promise<Customer> {
  const { client } = await newOperator(app, role);
  const { data } = await client.auth.getSession();
  const id = data.session?.user.id ?? '';
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 20)
     on conflict (user_id) do update set credits = 20`,
    [id],
  );
  return { id, token: data.session?.access_token ?? '', client };
}

describe('a field that a team shares', () => {
  test('is read from the documents of its members and taught by them, and goes with the one who named it', async () => {
    const { owner, member, billing } = await newTeam();
    const people = [owner, member] as unknown as [Customer, Customer];
    await app.resources.database.run('update public.customers set credits = 20 where user_id = any ($1)', [
      people.map(({ id }) => id),
    ]);
    const [first, second] = [
      await paper(people[0], 'one.txt', 'Property code: PX-1001'),
      await paper(people[1], 'two.txt', 'Property code: PX-2002'),
    ];
    const stranger = await newCustomer(app, 'shared-stranger');
    const theirs = await paper(stranger, 'three.txt', 'Property code: PX-3003');
    const field = await define(owner, 'lease', 'Property');
    await teach(owner, field, first, 'PX-1001');
    await expect.poll(() => shown(first, field)).toBe('PX-1001');
    expect((await tableOf(member, 'lease')).fields).toEqual([]);
    expect((await teach(member, field, second, 'PX-2002')).status).toBe(404);
    expect(await reach(member, field, 'team')).toEqual([404, 'not_found']);
    expect(await reach(stranger, await define(stranger, 'lease', 'Mine'), 'team')).toEqual([409, 'no_team']);

    // A rule of the member's may ask for the field as for one of their own.
    const rule = {
      name: 'House',
      wanted: { field: { label: 'Property' } },
      acts: { tag: 'House' },
      active: true,
    };
    expect((await call(member, 'save-rule', rule)).status).toBe(200);
    expect(await reach(owner, field, 'team')).toBe(200);
    const later = await paper(people[1], 'later.txt', 'Property code: PX-2003');
    for (const [file, value] of [
      [second, 'PX-2002'],
      [later, 'PX-2003'],
    ] as const)
      await expect.poll(() => shown(file, field)).toBe(value);
    expect(await shown(theirs, field)).toBeUndefined();
    await expect
      .poll(() =>
        app.resources.database.many('select tags from northline_app.file_tags where file_id = $1', [later]),
      )
      .toEqual([{ tags: ['House'] }]);
    expect((await tableOf(member, 'lease')).fields).toMatchObject([{ id: field, name: 'Property' }]);
    expect((await tableOf(billing, 'lease')).fields).toEqual([]);
    expect((await tableOf(stranger, 'lease')).fields.map(({ name }) => name)).toEqual(['Mine']);

    // Members see the field, and neither what it learned nor others' values.
    const tables = people[1].client.schema('northline_app');
    const { data: seen } = await tables.from('own_fields').select('*').eq('id', field).single();
    expect(Object.keys(seen ?? {}).sort()).toEqual([
      ...['created_at', 'id', 'kind', 'name', 'team_id', 'user_id', 'version'],
    ]);
    const { data: values } = await tables.from('own_field_values').select('file_id').eq('field_id', field);
    expect((values ?? []).map(({ file_id: file }) => file).sort()).toEqual([second, later].sort());

    // What a member shows teaches everybody; only the person who named it renames or removes it.
    expect((await teach(member, field, second, 'PX-2002')).body).toMatchObject({ value: 'PX-2002' });
    expect((await call(member, 'remove-own-field', { field_id: field })).status).toBe(404);
    const exported = await fetch(`${app.url}/functions/v1/export-own-fields?kind=lease&format=csv`, {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(await exported.text()).toContain('PX-2003');

    // The member leaves: the field is no longer read from the member's documents.
    expect((await callTeam(owner, 'remove-member', { user_id: member.id })).status).toBe(200);
    await expect.poll(() => shown(second, field)).toBeUndefined();
    await expect.poll(() => shown(later, field)).toBeUndefined();
    expect(await shown(first, field)).toBe('PX-1001');
    expect((await teach(member, field, second, 'PX-2002')).status).toBe(404);
  });

  test('leaves the reports of the others when the account of the person who named it is deleted', async () => {
    const { owner, member } = await newTeam();
    const [naming, other] = [member, owner] as unknown as [Customer, Customer];
    await app.resources.database.run('update public.customers set credits = 20 where user_id = any ($1)', [
      [naming.id, other.id],
    ]);
    const [own, theirs] = [
      await paper(naming, 'one.txt', 'Property code: PX-1001'),
      await paper(other, 'two.txt', 'Property code: PX-2002'),
    ];
    const field = await define(naming, 'lease', 'Property');
    await teach(naming, field, own, 'PX-1001');
    expect(await reach(naming, field, 'team')).toBe(200);
    await expect.poll(() => shown(theirs, field)).toBe('PX-2002');
    await app.resources.database.run('delete from auth.users where id = $1', [naming.id]);
    await expect.poll(() => shown(theirs, field)).toBeUndefined();
  });
});

describe('a field that the agency names', () => {
  test('is read for all customers; what one of them gives holds for that document alone', async () => {
    const [staff, owner, reader] = [
      await newColleague('staff'),
      await newColleague('owner'),
      await newColleague('reader'),
    ];
    const [anna, ben] = [await newCustomer(app, 'agency-anna'), await newCustomer(app, 'agency-ben')];
    const example = await paper(staff, 'example.txt', 'Berth number: BQ-7001', 'delivery_note');
    const [ofAnna, ofBen] = [
      await paper(anna, 'anna.txt', 'Berth number: BQ-7002', 'delivery_note'),
      await paper(ben, 'ben.txt', 'Berth number: BQ-7003', 'delivery_note'),
    ];
    for (const who of [anna, reader])
      expect(await reach(who, await define(who, 'delivery_note', 'Berth'), 'customers')).toEqual([
        403,
        'not_operator',
      ]);
    const field = await define(staff, 'delivery_note', 'Berth');
    await teach(staff, field, example, 'BQ-7001');
    expect(await reach(staff, field, 'customers')).toBe(200);
    for (const [file, value] of [
      [ofAnna, 'BQ-7002'],
      [ofBen, 'BQ-7003'],
    ] as const)
      await expect.poll(() => shown(file, field)).toBe(value);
    const versionOf = async () =>
      (await tableOf(ben, 'delivery_note')).fields.find(({ id }) => id === field)?.version;
    const version = await versionOf();

    // Ben gives nonsense: Anna's document stays right, and the field has learned nothing.
    expect((await teach(ben, field, ofBen, 'paper')).status).toBe(200);
    await expect.poll(() => shown(ofBen, field)).toBe('paper');
    const next = await paper(anna, 'next.txt', 'Berth number: BQ-7004', 'delivery_note');
    await expect.poll(() => shown(next, field)).toBe('BQ-7004');
    expect(await versionOf()).toBe(version);
    await teach(ben, field, ofBen);
    await expect.poll(() => shown(ofBen, field)).toBe('BQ-7003');

    // It is the agency's: every operator who may change something changes it, customers and readers do not.
    for (const who of [anna, reader])
      for (const [name, body] of [
        ['define-own-field', { field_id: field, name: 'Theirs' }],
        ['remove-own-field', { field_id: field }],
      ] as const)
        expect((await call(who, name, body)).status).toBe(404);
    const renamed = await call(owner, 'define-own-field', { field_id: field, name: 'Mooring' });
    expect(renamed.status).toBe(200);
    const labelOf = async () =>
      (await reportOf(app, ofAnna)).report.fields.find(({ key }) => key === OWN_KEY + field)?.label;
    await expect.poll(labelOf).toBe('Mooring');
    expect((await tableOf(owner, 'delivery_note')).reaches).toContain('customers');
    expect((await tableOf(anna, 'delivery_note')).reaches).toEqual(['own']);
    expect((await call(owner, 'remove-own-field', { field_id: field })).status).toBe(200);
    for (const file of [ofAnna, ofBen, example]) await expect.poll(() => shown(file, field)).toBeUndefined();
    const audit = await app.resources.database.many(
      'select action, actor from private.operator_audit where subject = $1 order by id',
      [field],
    );
    expect(audit).toEqual([
      { action: 'field.customers', actor: staff.id },
      { action: 'field.rename', actor: owner.id },
      { action: 'field.remove', actor: owner.id },
    ]);
  });
});

describe('the columns of a customer’s list of files', () => {
  test('are the customer’s own choice, of fields that the customer may see', async () => {
    const [owner, other] = [await newCustomer(app, 'column-owner'), await newCustomer(app, 'column-other')];
    const [mine, theirs] = [
      await define(owner, 'lease', 'Property'),
      await define(other, 'lease', 'Property'),
    ];
    const columns = (who: Customer) => who.client.schema('northline_app').from('listed_fields');
    expect((await columns(owner).insert({ field_id: mine })).error).toBeNull();
    expect((await columns(owner).insert({ field_id: theirs })).error?.code).toBe('42501');
    expect((await columns(owner).insert({ field_id: mine, user_id: other.id })).error?.code).toBe('42501');
    expect((await columns(other).select('field_id')).data).toEqual([]);
    await columns(other).delete().eq('field_id', mine);
    expect((await columns(owner).select('field_id')).data).toEqual([{ field_id: mine }]);
    expect(JSON.stringify((await call(owner, 'export-account', {})).body)).toContain(
      'northline_app.listed_fields',
    );
    await call(owner, 'remove-own-field', { field_id: mine });
    expect((await columns(owner).select('field_id')).data).toEqual([]);
  });
});
