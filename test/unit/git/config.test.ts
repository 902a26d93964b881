/**
 * The configurations that memgit takes, and those that could run a program or lead elsewhere. Seen to fail with unknown keys let
 * through, and with an address that git would take for a program or an option.
 */
import { CONFIG_TEXT, checkConfig } from '../../../src/git/config.ts';

const BARE = '[core]\n\tbare = true\n';

test.each([
  ['what memgit writes', CONFIG_TEXT],
  ['what git init and clone write', `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[remote "origin"]\n\turl = /srv/a b\n\tfetch = +refs/*:refs/*\n\tmirror = true\n`],
  ['what git writes on macOS', `${BARE}\tignorecase = true\n\tprecomposeunicode = true\n\tlogallrefupdates = true\n`],
  ['comment lines and empty lines', `# a\n; b\n\n${BARE}`],
  ['names in any case', '[CORE]\n\tBare = true\n'],
  ['https', `${BARE}[remote "o"]\n\turl = https://example.org/a.git\n`],
  ['ssh', `${BARE}[remote "o"]\n\turl = ssh://git@example.org:22/a.git\n`],
  ['host:path', `${BARE}[remote "o"]\n\turl = git@example.org:a/b.git\n`],
])('%s is accepted', (_what, text) => {
  expect(() => checkConfig(text)).not.toThrow();
});

test.each([
  ['nothing', ''],
  ['a work tree', '[core]\n\tbare = false\n'],
  ['a later format', `${BARE}\trepositoryformatversion = 1\n`],
  ['an extension', `${BARE}[extensions]\n\tobjectformat = sha256\n`],
  ['reftable', `${BARE}[extensions]\n\trefstorage = reftable\n`],
  ['a file system monitor', `${BARE}\tfsmonitor = /tmp/x\n`],
  ['a hooks path', `${BARE}\thooksPath = /tmp\n`],
  ['an ssh command', `${BARE}\tsshCommand = x\n`],
  ['an include', `${BARE}[include]\n\tpath = x\n`],
  ['a conditional include', `${BARE}[includeIf "gitdir:/"]\n\tpath = x\n`],
  ['a credential helper', `${BARE}[credential]\n\thelper = !x\n`],
  ['an upload-pack', `${BARE}[remote "o"]\n\tuploadpack = x\n`],
  ['another remote key in other case', `${BARE}[remote "o"]\n\tReceivePack = x\n`],
  ['a rewritten url', `${BARE}[url "ext::x"]\n\tinsteadOf = https://\n`],
  ['a remote helper', `${BARE}[remote "o"]\n\turl = ext::sh -c x\n`],
  ['a url like an option', `${BARE}[remote "o"]\n\turl = --upload-pack=x\n`],
  ['a host like an option', `${BARE}[remote "o"]\n\turl = ssh://-oProxyCommand=x/a\n`],
  ['a path like an option', `${BARE}[remote "o"]\n\turl = host:-x\n`],
  ['git:', `${BARE}[remote "o"]\n\turl = git://example.org/a\n`],
  ['a relative path', `${BARE}[remote "o"]\n\turl = ../a\n`],
  ['a key of Object.prototype', `${BARE}[constructor]\n\tname = x\n`],
  ['quotes', `${BARE}[remote "o"]\n\turl = "https://example.org/"\n`],
  ['an escape', `${BARE}[remote "o"]\n\turl = https://example.org/\\n\n`],
  ['a continuation line', `${BARE}[remote "o"]\n\turl = https://example.org/\\\n`],
  ['a comment behind a value', '[core]\n\tbare = true # no\n'],
  ['a key without a value', '[core]\n\tbare\n'],
  ['a key behind a section', '[core] bare = true\n'],
  ['a key before any section', `bare = true\n${BARE}`],
  ['an old subsection', `${BARE}[remote.o]\n\turl = https://example.org/\n`],
  ['an escape in a section', `${BARE}[remote "a\\"b"]\n\turl = https://example.org/\n`],
  ['a carriage return', '[core]\r\n\tbare = true\r\n'],
  ['a byte order mark', `\xef\xbb\xbf${BARE}`],
  ['a control character', '[core]\n\tbare = true\x01\n'],
])('%s is refused', (_what, text) => {
  expect(() => checkConfig(text)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_REPOSITORY' }));
});

test('a refusal names the line and the key and never the value', () => {
  const text = `${BARE}[http]\n\textraHeader = Authorization: hunter2\n`;
  expect(() => checkConfig(text)).toThrow(expect.objectContaining({ message: expect.stringMatching(/line 4 sets http.extraheader/), details: { line: 4 } }));
  expect(() => checkConfig(text)).not.toThrow(/hunter2/);
});
