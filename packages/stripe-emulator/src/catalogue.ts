/** A monthly plan of the seller. */
export interface CataloguePlan {
  /** Id and lookup key of its price, such as `price_documents_pro`. */
  readonly priceId: string;
  /** Customers change from one plan of a line to another. */
  readonly line: string;
  readonly name: string;
  readonly description: string;
  /** Per month, in the smallest unit of the currency. */
  readonly pricePence: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly features: readonly string[];
}

/** The seller's plans. */
export interface Catalogue {
  /** Plans whose products and prices exist from the start. Clients create others through the API, as at Stripe. */
  readonly first: readonly CataloguePlan[];
  /** The plans on sale now. */
  sold(): readonly CataloguePlan[];
  /** The plan with this price id, also one that is not sold any more. */
  find(priceId: string): CataloguePlan | undefined;
}
