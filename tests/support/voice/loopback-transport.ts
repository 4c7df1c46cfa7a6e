import type { MediaTransport } from '../../../src/voice/media/media-transport.server.ts';
import { createWeriftTransport } from '../../../src/voice/media/werift-transport.server.ts';

/** The media of calls and rooms on this machine only, on free ports. */
export const openLoopbackTransport = (): MediaTransport =>
  createWeriftTransport(
    {
      HOST: '127.0.0.1',
      VOICE_PUBLIC_ADDRESS: '',
      VOICE_UDP_PORTS: '',
      VOICE_ICE_SERVERS: [],
      VOICE_TURN_SECRET: '',
    },
    (fault) => {
      throw fault;
    },
  );
