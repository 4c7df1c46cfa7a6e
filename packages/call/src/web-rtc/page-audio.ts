/** Every player of the page that belongs to a participant is sent to the device. */
export async function setOutput(deviceId: unknown): Promise<Readonly<Record<string, unknown>>> {
  if (typeof deviceId !== 'string') throw new Error('outputDeviceId must be a string');
  const players = document.querySelectorAll<HTMLAudioElement>('audio[data-participant-id]');
  await Promise.all([...players].map((player) => player.setSinkId(deviceId)));
  return {};
}
