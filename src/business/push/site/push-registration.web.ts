import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../../ui/session/server-call.ts';
import { PUSH_FUNCTIONS, PUSH_WORKER, type PushDevices } from '../push-devices.contract.ts';

/** Why notices cannot be switched on here, as a sentence for people. */
export class PushUnavailable extends Error {}

/** Browsers of the user that show notices. */
export function pushQuery(userId: string) {
  return queryOptions({
    queryKey: ['push', userId],
    queryFn: async (): Promise<PushDevices> =>
      (await (await callServer(PUSH_FUNCTIONS.devices, { as: 'user' })).json()) as PushDevices,
  });
}

/** Whether this browser supports notices; on an iPhone only a site on the home screen does. */
export const canShowNotices = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/**
 * Asks the person for permission, installs the worker and registers the browser with the server.
 *
 * @param key the public key of `push-devices`
 * @throws PushUnavailable when the person or the browser refuses; CallRefused
 */
export async function switchOn(key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new PushUnavailable('This browser blocks notices of this site. Allow them in its settings.');
  await navigator.serviceWorker.register(workerAddress(), { scope: PUSH_WORKER.scope });
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription belongs to one key; after a rotation the browser still has one for the former key.
  const former = await pushManager.getSubscription();
  if (former !== null && keyOf(former) !== key) await former.unsubscribe();
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((cause: unknown) => {
      throw new PushUnavailable('The push service of this browser could not be reached. Try again later.', {
        cause,
      });
    });
  await callServer(PUSH_FUNCTIONS.subscribe, { as: 'user', body: subscription.toJSON() });
}

/** Ends the notices of one browser; of this browser also in the browser itself. @throws CallRefused */
export async function switchOff(id: string, isThisOne: boolean): Promise<void> {
  await callServer(PUSH_FUNCTIONS.unsubscribe, { as: 'user', body: { id } });
  if (!isThisOne) return;
  const registration = await navigator.serviceWorker.getRegistration(PUSH_WORKER.scope);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

interface AddressPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(address: string): string };
}
let policy: ReturnType<AddressPolicies['createPolicy']> | undefined;

/** The page's policy requires approval of each script address; this approves only our own. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: AddressPolicies };
  policy ??= trustedTypes?.createPolicy('northline-push', { createScriptURL: () => PUSH_WORKER.address });
  return policy?.createScriptURL(PUSH_WORKER.address) ?? PUSH_WORKER.address;
}
