import { ServiceError } from '../../kernel/contract/service-error.ts';

/** The 429 of what may be asked for again in so many seconds. */
export function refusal(code: string, message: string, seconds: number): ServiceError {
  return new ServiceError(429, code, message, { headers: { 'retry-after': String(seconds) } });
}
