/**
 * Every constant name that separates one use of a key from another. These strings are part of format 1 (docs/FORMAT.md,
 * "Key derivation"): a changed letter makes every vault unreadable, so nothing here is ever edited, only added to.
 */
export const LABELS = {
  // Subkeys of the store secret.
  vaultId: 'memgit 1 vault id',
  vaultWrap: 'memgit 1 vault wrap',
  storeMac: 'memgit 1 store mac',

  // Subkeys of an epoch key.
  entrySeal: 'memgit 1 entry seal',
  entryName: 'memgit 1 entry name',
  recordSeal: 'memgit 1 record seal',
  labelSeal: 'memgit 1 label seal',
  keyringMac: 'memgit 1 keyring mac',
  keyCheck: 'memgit 1 key check',
  epochWrap: 'memgit 1 epoch wrap',
  pathsSeal: 'memgit 1 paths seal',
  historyIndex: 'memgit 1 history index',

  // What a wrapped key is for: authenticated with it, so that one cannot stand in another's place.
  storeKeySlot: 'memgit 1 store slot key',
  storePassphraseSlot: 'memgit 1 store slot passphrase',
  vaultStoreSlot: 'memgit 1 vault slot store',
  previousEpoch: 'memgit 1 previous epoch',

  // Unkeyed.
  repositoryId: 'memgit1',
  epochSignature: 'memgit 1 epoch signature',
  wrapChecksum: 'memgit 1 wrap checksum',
  keyTextChecksum: 'memgit 1 key text',
} as const;

export type Label = (typeof LABELS)[keyof typeof LABELS];
