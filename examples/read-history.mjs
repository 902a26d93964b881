/**
 * A host program that looks into a memory: what Claude knows now, how it came to know it, and what one commit changed. Opened
 * read-only, it takes no lock and may run beside the agent.
 *
 *     node examples/read-history.mjs
 */
import { openStore } from 'memgit';

const store = await openStore({ dir: process.env.MEMGIT_STORE ?? './memory', key: process.env.MEMGIT_KEY, readOnly: true });
try {
  const vault = await store.vault('alice');

  console.log('Files:');
  for (const { path, sizeBytes } of await vault.list()) console.log(`  ${path}, ${sizeBytes} bytes`);

  console.log('\nHistory, newest first:');
  for await (const { oid, op, paths, toolUseId, actor } of vault.log({ limit: 10 })) {
    console.log(`  ${oid.slice(0, 8)} ${op} ${paths.join(' -> ')}${toolUseId ? ` by ${toolUseId} of ${actor}` : ''}`);
  }

  console.log('\nThe last change:');
  for (const { path, addedLines, removedLines } of await vault.diff('HEAD~1', 'HEAD')) console.log(`  ${path}: +${addedLines} -${removedLines}`);
} finally {
  await store.close();
}
