import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../../ui/session/server-call.ts';
import { type Acts, type DocumentRule, type DryRun, RULE_FUNCTIONS, type Wanted } from './rule.contract.ts';

/** The rules of the user. */
export function rulesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'rules'],
    queryFn: async ({ signal }): Promise<readonly DocumentRule[]> => {
      const reply = await callServer(RULE_FUNCTIONS.list, { as: 'user', body: {}, signal });
      return ((await reply.json()) as { rules: DocumentRule[] }).rules;
    },
  });
}

/** Stores a rule, a new one without an id. @throws CallRefused with the sentence for the user */
export async function saveRule(
  rule: Omit<DocumentRule, 'id' | 'runs' | 'secret'> & { id?: string },
): Promise<void> {
  const { id, name, wanted, acts, active } = rule;
  await callServer(RULE_FUNCTIONS.save, {
    as: 'user',
    body: { ...(id === undefined ? {} : { rule_id: id }), name, wanted, acts, active },
  });
}

/** Removes a rule. @throws CallRefused with the sentence for the user */
export async function removeRule(id: string): Promise<void> {
  await callServer(RULE_FUNCTIONS.remove, { as: 'user', body: { rule_id: id } });
}

/** What a rule would have done with the latest documents. @throws CallRefused with the sentence for the user */
export async function tryRule(wanted: Wanted, acts: Acts): Promise<DryRun> {
  const reply = await callServer(RULE_FUNCTIONS.try, { as: 'user', body: { wanted, acts } });
  return reply.json() as Promise<DryRun>;
}
