import { SERVICES } from '../../../kernel/contract/routes.ts';
import { callServer } from '../../../ui/session/server-call.ts';

/** `POST operator-NAME`. @throws CallRefused */
export async function postContent<Reply>(name: string, body: object): Promise<Reply> {
  const reply = await callServer(`${SERVICES.functions}/operator-${name}`, { as: 'user', body });
  return (await reply.json()) as Reply;
}

/** Saves `site.yaml`. @throws CallRefused */
export async function downloadContentFile(): Promise<void> {
  const reply = await callServer(`${SERVICES.functions}/operator-site.yaml`, { as: 'user' });
  const address = URL.createObjectURL(await reply.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = 'site.yaml';
  link.click();
  URL.revokeObjectURL(address);
}
