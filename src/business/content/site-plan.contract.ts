import type { Plan } from '../../kernel/contract/plans.ts';
import type { SitePlan } from '../../kernel/contract/site-content.ts';

/** A plan as an agency writes it. */
export function sitePlan({ line, tier, name, description, pricePence, ...plan }: Plan): SitePlan {
  const { creditsPerMonth, storageMb, videoMinutes } = plan.limits;
  return {
    line,
    tier,
    name,
    description,
    pricePence,
    features: plan.features,
    mostPopular: plan.mostPopular,
    limits: { creditsPerMonth, storageMb, videoMinutes },
  };
}
