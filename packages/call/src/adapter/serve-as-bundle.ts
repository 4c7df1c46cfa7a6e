import { webRtcTransport } from '../web-rtc/web-rtc-transport.ts';
import { takeOverInstances } from './call-machine.ts';

// This script is served in place of the bundle that the published call library loads (docs/contracts/voice.md
// §2.1); the library's own option `callObjectBundleUrlOverride` names it.
takeOverInstances(window, webRtcTransport());
