import type { Settings } from '../../config/settings.ts';
import type { Log } from '../log/log.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';

/** Opens tracing; without an endpoint in the settings no traces are made, and the library is not loaded. */
export async function openTracing(settings: Settings, log: Log): Promise<Tracing> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === '') return NO_TRACING;
  const { openOtlpTracing } = await import('./otlp-tracing.ts');
  return openOtlpTracing(settings, log);
}
