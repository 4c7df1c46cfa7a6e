import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * What a test file needs: nothing, the product in this process, a browser, or whole processes. Less important
 * ways through the product run in `npm run journeys`; what depends on chance or takes long runs in `npm run
 * soak`.
 */
export type Ring = 'unit' | 'app' | 'browser' | 'process' | 'journey' | 'soak';

/**
 * The files with a browser or whole processes that `npm test` runs; few, because it has to end within
 * minutes.
 */
export const MAIN_WAYS: ReadonlySet<string> = new Set([
  'src/platform/auth/site/account-tab.test.ts',
  'src/platform/auth/tokens/verification-page.test.ts',
  'tests/journeys/keyboard.test.ts',
  'tests/journeys/main-journey.test.ts',
  'tests/process/start-and-stop.test.ts',
  'tests/web/accessible-pages.test.ts',
]);

/**
 * Files without a browser that take seven seconds and more, beside others: conversations and time-outs in real time,
 * backups of whole products, long properties, and pages that are read as pictures.
 */
export const LONG_WAYS: ReadonlySet<string> = new Set([
  'packages/document-reader/src/bills/bill-fields.test.ts',
  'packages/document-reader/src/formats/large-pictures.test.ts',
  'packages/document-reader/src/formats/locked-documents.test.ts',
  'packages/document-reader/src/formats/nonsense-pages.test.ts',
  'packages/document-reader/src/ocr/paper-reading.test.ts',
  'packages/document-reader/src/ocr/picture-reading.test.ts',
  'packages/document-reader/src/own-fields/own-fields.test.ts',
  'packages/document-reader/src/reader/document-reading.test.ts',
  'packages/document-reader/src/reader/hostile-documents.test.ts',
  'packages/document-reader/src/reader/searchable-pdf.test.ts',
  'packages/document-reader/src/report/stack-borders.test.ts',
  'packages/document-reader/src/tables/table-finding.test.ts',
  'packages/document-reader/src/tables/table-pages.test.ts',
  'packages/speech/src/sound/voice.test.ts',
  'packages/speech/src/text/spoken-text.test.ts',
  'src/business/avatars/avatars.test.ts',
  'src/business/backup/backup-schedule.test.ts',
  'src/business/backup/backup.test.ts',
  'src/business/backup/verification-schedule.test.ts',
  'src/business/backup/wal/any-second.test.ts',
  'src/business/backup/wal/archive-care.test.ts',
  'src/business/billing/checkout/customer-link.test.ts',
  'src/business/billing/checkout/plan-purchase.test.ts',
  'src/business/billing/customers/billing-operations.test.ts',
  'src/business/billing/customers/customer-reconciliation.test.ts',
  'src/business/billing/customers/free-credits.test.ts',
  'src/business/billing/provider-events.test.ts',
  'src/business/billing/subscription/billing-management.test.ts',
  'src/business/billing/webhook-receipt.test.ts',
  'src/business/bookings/pages/book-page.test.ts',
  'src/business/console/colleagues/colleagues.test.ts',
  'src/business/console/demo/demo-data.test.ts',
  'src/business/console/operator-actions.test.ts',
  'src/business/console/records/customer-record.test.ts',
  'src/business/console/settings/setting-functions.test.ts',
  'src/business/content/site-content.test.ts',
  'src/business/content/two-agencies.test.ts',
  'src/business/courses/courses.test.ts',
  'src/business/documents/corrections/corrected-report.test.ts',
  'src/business/documents/document-analysis.test.ts',
  'src/business/documents/exports/searchable-export.test.ts',
  'src/business/documents/external-automation.test.ts',
  'src/business/documents/own-fields/correction-precedents.test.ts',
  'src/business/documents/own-fields/own-fields.test.ts',
  'src/business/documents/own-fields/shared-fields.test.ts',
  'src/business/documents/questions/document-question.test.ts',
  'src/business/documents/requests/analysis-queue.test.ts',
  'src/business/documents/requests/reading-pause.test.ts',
  'src/business/documents/requests/unreadable-mark.test.ts',
  'src/business/documents/rules/rules.test.ts',
  'src/business/documents/stacks/stack-split.test.ts',
  'src/business/enquiries/enquiry-delivery.test.ts',
  'src/business/inbox/imap-fetch.test.ts',
  'src/business/inbox/mail-receipt.test.ts',
  'src/business/mcp/mcp.test.ts',
  'src/business/messages/messages.test.ts',
  'src/business/monitoring/metrics-route.test.ts',
  'src/business/news/feed-attacks.test.ts',
  'src/business/statistics/statistics-section.test.ts',
  'src/business/teams/team-attacks.test.ts',
  'src/business/teams/team-changes.test.ts',
  'src/business/teams/teams.test.ts',
  'src/cli/assistant-command.test.ts',
  'src/kernel/http/health.test.ts',
  'src/kernel/http/request-tracing.test.ts',
  'src/kernel/http/shared-limits.test.ts',
  'src/kernel/http/slow-bodies.test.ts',
  'src/kernel/resources/database/embedded-stop.test.ts',
  'src/kernel/resources/mailer/mail-queue.test.ts',
  'src/kernel/resources/object-store/object-store.test.ts',
  'src/kernel/resources/object-store/s3-object-store.test.ts',
  'src/kernel/resources/outbound-http/event-announcement.test.ts',
  'src/platform/auth/auth-error-codes.test.ts',
  'src/platform/auth/factors/phone-factor.test.ts',
  'src/platform/auth/mails/one-time-login.test.ts',
  'src/platform/auth/passkeys/passkey-sign-in.test.ts',
  'src/platform/auth/phones/phone-sign-up.test.ts',
  'src/platform/auth/providers/id-token-grant.test.ts',
  'src/platform/auth/providers/identity-linking.test.ts',
  'src/platform/auth/request-limits.test.ts',
  'src/platform/auth/saml/sso-encrypted.test.ts',
  'src/platform/auth/saml/sso-provider-management.test.ts',
  'src/platform/auth/saml/sso-sign-in.test.ts',
  'src/platform/auth/sessions/session-list.test.ts',
  'src/platform/auth/sessions/session-refresh.test.ts',
  'src/platform/auth/users/sign-up-anonymous.test.ts',
  'src/platform/realtime/change-feed.test.ts',
  'src/platform/realtime/change-resumption.test.ts',
  'src/platform/realtime/further-schemas.test.ts',
  'src/platform/realtime/socket-frames.test.ts',
  'src/platform/rest/fair-use.test.ts',
  'src/platform/rest/owner-tables.test.ts',
  'src/platform/storage/content/content-scan.test.ts',
  'src/platform/storage/storage-attacks.test.ts',
  'src/platform/storage/store-copy.test.ts',
  'src/platform/storage/uploads/aborted-uploads.test.ts',
  'src/platform/storage/uploads/object-upload.test.ts',
  'src/platform/storage/uploads/resumable-routes.test.ts',
  'src/platform/storage/uploads/tus-client.test.ts',
  'src/voice/api/file-routes.test.ts',
  'src/voice/api/monitor-routes.test.ts',
  'src/voice/api/voice-routes.test.ts',
  'src/voice/calls/assistant-webhook.test.ts',
  'src/voice/calls/background/background-heard.test.ts',
  'src/voice/calls/call-attacks.test.ts',
  'src/voice/calls/call-events.test.ts',
  'src/voice/calls/call-manager.test.ts',
  'src/voice/calls/call-runner.test.ts',
  'src/voice/calls/first-sound.test.ts',
  'src/voice/calls/record/typed-turns.test.ts',
  'src/voice/composition/call-providers.test.ts',
  'src/voice/composition/realtime-call.test.ts',
  'src/voice/console/assistants/assistant-editor.test.ts',
  'src/voice/console/call-list.test.ts',
  'src/voice/console/headset/headset.test.ts',
  'src/voice/console/meeting-recordings.test.ts',
  'src/voice/console/playback/call-playback.test.ts',
  'src/voice/dialogue/knowledge/meaning-client.test.ts',
  'src/voice/dialogue/released-acts.test.ts',
  'src/voice/engines/recognition/speech-recognition.test.ts',
  'src/voice/engines/speech/speech.test.ts',
  'src/voice/evaluations/sample-call.test.ts',
  'src/voice/media/livekit-calls.test.ts',
  'src/voice/media/livekit-transport.test.ts',
  'src/voice/media/room/werift-room.test.ts',
  'src/voice/recording/call-recording.test.ts',
  'src/voice/recording/meeting/meeting-composition.test.ts',
  'src/voice/recording/video-recording.test.ts',
  'src/voice/rooms/meeting-players.test.ts',
  'src/voice/rooms/meeting-recording.test.ts',
  'src/voice/rooms/meeting-rooms.test.ts',
  'src/voice/rooms/meeting-telephones.test.ts',
  'src/voice/rooms/meeting.test.ts',
  'src/voice/telephony/phone/call-transfer.test.ts',
  'src/voice/telephony/phone/number-rules.test.ts',
  'src/voice/telephony/phone/phone-calls.test.ts',
  'tests/conformance/platform-calls.test.ts',
  'tests/conformance/voice-calls.test.ts',
  'tests/histories/billing-histories.test.ts',
  'tests/month/month.test.ts',
  'tests/package-examples.test.ts',
  'tests/payments/live-provider.test.ts',
  'tests/payments/other-currencies.test.ts',
  'tests/payments/portal-page.test.ts',
  'tests/process/signing-keys.test.ts',
  'tests/security/credential-stuffing.test.ts',
  'tests/security/money-attacks.test.ts',
  'tests/security/voice-attacks.test.ts',
  'tests/upgrade/old-installation.test.ts',
]);

/**
 * Files that also run on the system's PostgreSQL, because another major version may behave differently:
 * composed statements, errors of the server, the change feed, locks, and the schema of an old installation.
 */
export const SECOND_DATABASE: readonly string[] = [
  'src/business/files/credit-reservation.test.ts',
  'src/kernel/resources/database/broken-connections.test.ts',
  'src/kernel/resources/database/prepared-statements.test.ts',
  'src/kernel/resources/jobs/grouped-jobs.test.ts',
  'src/platform/auth/sessions/session-refresh.test.ts',
  'src/platform/realtime/change-feed.test.ts',
  'src/platform/realtime/change-resumption.test.ts',
  'src/platform/rest/client-calls.test.ts',
  'src/platform/rest/condition-compiler.test.ts',
  'src/platform/rest/generated-queries.test.ts',
  'src/platform/rest/select-compiler.test.ts',
  'src/platform/rest/write-compiler.test.ts',
  'src/platform/rest/less-used-requests.test.ts',
  'src/platform/rest/rest-error.test.ts',
  'src/platform/rest/schema/computed-relationships.test.ts',
  'src/platform/rest/schema/schema-description.test.ts',
  'src/platform/rest/write-bodies.test.ts',
  'src/platform/storage/objects/object-move.test.ts',
  'src/platform/storage/storage-client.test.ts',
  'tests/upgrade/old-installation.test.ts',
];

const SUPPORT: readonly (readonly [Ring, RegExp])[] = [
  ['process', /support\/servers\/product-process\.ts$/],
  ['browser', /support\/browser\.ts$/],
  ['app', /support\/(test-app|test-database)\.ts$/],
];
const IMPORTED = /^(?:import|export)\s(?:[^'"]*\sfrom\s)?['"](\.[^'"]+)['"]/gm;

/** Every test file, relative to the checkout, sorted. */
export function testFiles(): string[] {
  const root = path.join(import.meta.dirname, '..');
  return globSync(['src/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', 'packages/**/*.test.ts'], {
    cwd: root,
  }).sort();
}

/** Whether a test file needs the built site: all but those that need nothing, and of these the ones that read `dist`. */
export function needsSite(file: string): boolean {
  return ringOf(file) !== 'unit' || readFileSync(path.resolve(file), 'utf8').includes("'dist'");
}

/** The ring of a test file, decided by its name and by what it imports, directly or not. */
export function ringOf(file: string): Ring {
  if (file.endsWith('.soak.test.ts')) return 'soak';
  const reached = reachedBy(path.resolve(file), new Set());
  const ring = SUPPORT.find(([, support]) => [...reached].some((one) => support.test(one)))?.[0] ?? 'unit';
  const isLong = ring === 'browser' || ring === 'process' ? !MAIN_WAYS.has(file) : LONG_WAYS.has(file);
  return isLong ? 'journey' : ring;
}

/** Support files are followed; the product's own files are not, because they import no tests. */
function reachedBy(file: string, known: Set<string>): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    const imported = path.resolve(path.dirname(file), name);
    if (/[\\/]tests[\\/].*\.ts$/.test(imported)) reachedBy(imported, known);
  }
  return known;
}
