import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';

/**
 * Mounts paths of services that this product does not have. They reply as a service does that is switched
 * off: 404 `feature_disabled` with `sentence`.
 */
export function refuseDisabled(scope: FastifyInstance, sentence: string, paths: readonly string[]): void {
  for (const url of paths) {
    scope.route({
      method: ['GET', 'POST', 'PUT', 'DELETE'],
      url,
      handler: () => {
        throw new ServiceError(404, 'feature_disabled', sentence);
      },
    });
  }
}
