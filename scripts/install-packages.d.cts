/** Installs Debian packages as root; says what it does and when it could not. */
export function installPackages(what: string, packages: readonly string[]): boolean;
