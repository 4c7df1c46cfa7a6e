import { webRtcTransport } from '../web-rtc/web-rtc-transport.ts';
import { takeOverInstances } from './call-machine.ts';

// Served in place of the bundle that the published call library loads (docs/contracts/voice.md §2.1): the library's
// own option `callObjectBundleUrlOverride` names this script.
takeOverInstances(window, webRtcTransport());
