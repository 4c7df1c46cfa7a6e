import type { OperatorScope } from '../../business/console/operator-gate.server.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { Evidence } from '../calls/record/evidence.server.ts';
import { type AssistantWork, serveAssistantActions } from './assistants/assistant-actions.server.ts';
import { serveAssistants } from './assistants/assistant-queries.server.ts';
import { serveCallActions } from './call-actions.server.ts';
import { serveCallFigures } from './call-figures.server.ts';
import { serveCalls } from './call-queries.server.ts';
import { type CampaignWork, serveCampaigns } from './campaigns/campaign-functions.server.ts';
import { serveTestActions, type TestWork } from './evaluations/test-actions.server.ts';
import { serveTests } from './evaluations/test-queries.server.ts';
import { serveHeadsets } from './headset/headset-acts.server.ts';
import type { Headsets } from './headset/headsets.server.ts';
import { serveMeetingRecordings } from './meeting-recordings.server.ts';
import { serveCredentials } from './tools/credential-functions.server.ts';
import { serveTools } from './tools/tool-functions.server.ts';

/** What the console's pages about calls use. */
export interface VoiceConsole extends AssistantWork, CampaignWork, TestWork {
  readonly manager: CallManager;
  readonly evidence: Evidence;
  readonly headsets: Headsets;
}

/** Mounts the functions of the console's pages about calls. */
export function mountVoiceConsole(scope: OperatorScope, work: VoiceConsole): void {
  serveCalls(scope, work.evidence);
  serveCallActions(scope, work);
  serveMeetingRecordings(scope, work.evidence);
  serveHeadsets(scope, work);
  serveCallFigures(scope);
  serveAssistants(scope);
  serveAssistantActions(scope, work);
  serveTests(scope);
  serveTestActions(scope, work);
  serveTools(scope, work.records);
  serveCredentials(scope, work.records);
  serveCampaigns(scope, work);
}
