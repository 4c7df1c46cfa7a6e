import type { PhoneParts } from './phone-parts.server.ts';

/** Prepares the calls that may come, so that the first one is answered as fast as any other. */
export interface PhoneWarming {
  /**
   * Loads the sound of telephones, and the engines of the assistants that take calls: those of numbers, and
   * the site's for accounts of trunks. Does nothing where no call can come, and nothing twice for what has
   * not changed. Never rejects.
   */
  warm(): Promise<void>;
}

/** Most assistants that are prepared; more numbers than that share their machine with nobody. */
const MOST_ASSISTANTS = 5;

/** Opens the warming. */
export function openPhoneWarming(
  parts: Pick<
    PhoneParts,
    'resources' | 'manager' | 'trunks' | 'defaultAssistantId' | 'openLine' | 'log' | 'agent'
  >,
): PhoneWarming {
  const { resources, manager, trunks, defaultAssistantId, agent } = parts;
  const warmed = new Map<string, number>();
  let isLoaded = false;

  async function loadSound(): Promise<void> {
    if (isLoaded) return;
    (await parts.openLine(true, false)).hangUp();
    isLoaded = true;
  }

  async function warm(): Promise<void> {
    if (agent.listeners.length === 0) return;
    const anyTrunk = (await trunks.all()).length > 0;
    const rows = await resources.database.many(
      `select coalesce(a.id, $1::uuid) as id, coalesce(a.kind, 'assistant') as kind,
              max(coalesce(a.updated_at, n.updated_at)) as changed
         from private.voice_records n
         left join private.voice_records a
           on a.id::text = coalesce(n.body ->> 'assistantId', n.body ->> 'squadId')
          and a.kind in ('assistant', 'squad')
        where n.kind = 'phone-number' and n.body ->> 'status' = 'active'
        group by 1, 2 order by 3 desc limit $2`,
      [defaultAssistantId, MOST_ASSISTANTS],
    );
    const wanted = rows.map(({ id, kind, changed }) => ({ id: id ?? '', kind, at: Number(changed) }));
    if (anyTrunk && !wanted.some(({ id }) => id === defaultAssistantId))
      wanted.push({ id: defaultAssistantId, kind: 'assistant', at: 0 });
    if (wanted.length === 0) return;
    await loadSound();
    // One after another, since the process that starts has other work too.
    for (const { id, kind, at } of wanted) {
      if (warmed.get(id) === at) continue;
      warmed.set(id, at);
      await manager.warm(kind === 'squad' ? { squadId: id } : { assistantId: id });
    }
  }

  return {
    warm: () =>
      warm().catch((error: unknown) => parts.log(`the telephone could not be prepared: ${String(error)}`)),
  };
}
