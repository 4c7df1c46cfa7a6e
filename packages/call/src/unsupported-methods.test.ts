import { afterEach, describe, expect, test, vi } from 'vitest';
import { CallClient } from './call-client.ts';
import { MemoryRoom } from './memory-transport.fixture.ts';
import { NotSupportedError } from './not-supported.ts';
import { METHOD_REQUIREMENTS, type TimedMethod } from './states.ts';

const methods = Object.entries(METHOD_REQUIREMENTS) as [TimedMethod, { needs: string; hint?: string }][];
const those = (needs: string) => methods.filter(([, rule]) => rule.needs === needs);
let call: CallClient | undefined;

afterEach(async () => {
  await call?.destroy();
  vi.restoreAllMocks();
});

/** Calls a method by name and returns its refusal, whether it threw or rejected. */
async function refusalOf(name: string, ...input: unknown[]): Promise<unknown> {
  try {
    await Reflect.apply(Reflect.get(call ?? {}, name), call, input);
    return 'no refusal';
  } catch (error) {
    return error;
  }
}

async function open(join: boolean): Promise<void> {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  call = new CallClient(new MemoryRoom().open);
  if (join) await call.join();
}

const later = (method: string) => new NotSupportedError(method);

describe('before joining', () => {
  test.each(those('after join'))('%s', async (name, { hint }) => {
    await open(false);
    const text = `${name}() only supported after join.${hint === undefined ? '' : ` ${hint}`}`;
    expect(await refusalOf(name)).toEqual(new Error(text));
    expect(console.error).toHaveBeenCalledWith(text);
  });
});

describe('after joining', () => {
  test.each(those('before join'))('%s', async (name, { hint }) => {
    await open(true);
    const text = `${name}() not supported after joining a meeting.${hint === undefined ? '' : ` ${hint}`}`;
    expect(await refusalOf(name)).toEqual(new Error(text));
  });
});

describe('without a prebuilt interface', () => {
  test.each(those('prebuilt'))('%s', async (name) => {
    await open(true);
    expect(await refusalOf(name)).toEqual(
      new Error(`${name}() is only supported as part of Daily's Prebuilt`),
    );
  });
});

describe('right input in the right state is answered with what is not supported yet', () => {
  test.each([['setNetworkTopology', { topology: 'sfu' }]])('%s', async (name, input) => {
    await open(true);
    expect(await refusalOf(name, input)).toEqual(later(name));
  });
  test.each(['startCamera'])('%s', async (name) => {
    await open(false);
    expect(await refusalOf(name)).toEqual(later(name));
  });
});

describe('wrong input is answered in the words of its rule', () => {
  test.each([
    ['startDialOut', {}, 'Error starting dial out: either a sip uri or phone number must be provided'],
    ['sendDTMF', {}, 'sessionId and tones are mandatory parameter'],
    [
      'startCustomTrack',
      { trackName: 'n'.repeat(51) },
      'Custom track `trackName` must not be more than 50 characters',
    ],
    ['updateSendSettings', {}, 'Send settings must contain at least information for one track!'],
    ['startRemoteMediaPlayer', {}, 'url parameter must be "string" type'],
    [
      'startRemoteMediaPlayer',
      { url: 'u', settings: { simulcastEncodings: [{ maxFramerate: 30 }] } },
      'maxBitrate is not specified',
    ],
  ])('%s(%j)', async (name, input, text) => {
    await open(true);
    expect(await refusalOf(name, input)).toEqual(new Error(text));
  });
  test('a wrong mode of showing names is logged before the refusal', async () => {
    await open(true);
    await refusalOf('setShowNamesMode', 'sometimes');
    expect(console.error).toHaveBeenCalledWith(
      'setShowNamesMode argument should be "always", "never", or false',
    );
  });
});
