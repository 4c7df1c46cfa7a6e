-- Keys of devices as second factors (contract §2, POST /factors with factor_type webauthn).

alter table auth.mfa_factors
  -- {id, public_key (base64), counter, transports}, once the key was made.
  add column credential jsonb;

alter table auth.mfa_challenges
  -- What the device signs, for a webauthn factor.
  add column webauthn_challenge text;
