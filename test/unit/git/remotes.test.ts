import fc from 'fast-check';
import { checkConfig, CONFIG_TEXT } from '../../../src/git/config.ts';
import { parseRemoteUrl } from '../../../src/git/remote-url.ts';
import { readRemotes, withoutRemote, withRemote } from '../../../src/git/remotes.ts';
import { git, temporaryFolder } from '../../support/git-repository.ts';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = temporaryFolder();
const origin = { name: 'origin', url: 'https://host/alice.git' };
const second = { name: 'a.b-c', url: 'git@host:alice.git' };

test('remotes come and go, and the rest stays', () => {
  const two = withRemote(withRemote(CONFIG_TEXT, origin), second);
  expect(readRemotes(two)).toEqual([origin, second]);
  expect(withoutRemote(two, 'origin')).toBe(withRemote(CONFIG_TEXT, second));
  expect(withoutRemote(withoutRemote(two, 'origin'), 'a.b-c')).toBe(CONFIG_TEXT);
  expect(() => withRemote(two, { ...origin, url: '/elsewhere' })).toThrow(expect.objectContaining({ code: 'ALREADY_EXISTS' }));
  expect(() => withoutRemote(CONFIG_TEXT, 'origin')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test('git reads the same remotes', () => {
  const gitdir = join(folder, 'x.git');
  execFileSync('git', ['init', '--quiet', '--bare', gitdir]);
  writeFileSync(join(gitdir, 'config'), withRemote(withRemote(CONFIG_TEXT, origin), second));
  expect(git(gitdir, ['remote', '--verbose'])).toBe('a.b-c\tgit@host:alice.git (fetch)\na.b-c\tgit@host:alice.git (push)\norigin\thttps://host/alice.git (fetch)\norigin\thttps://host/alice.git (push)\n');
});

test.each(['https://host/x.git', 'http://host:8080/x', 'ssh://git@host/x.git', 'git@host:x.git', 'file:///x', '/x/y.git', 'https://me@host/x'])('%s is an address', (url) => {
  expect(parseRemoteUrl(url).url).toBe(url);
});

test.each([
  'ext::sh -c date', 'ext::sh', 'git://host/x', 'ftp://host/x', '-uexec', '--upload-pack=date', 'ssh://-oProxyCommand=date/x', 'ssh://me@-x/y', '-x:y', 'a:-x', 'x', '', 'https://',
  'https://host/x y', 'https://host/x\n[core]', 'https://host/"x', 'https://host/x;y', 'https://host/#x', 'https://me:secret@host/x', 'fd::17', 'host::x', './x', '\u00e4:b',
  // Secrets that stand elsewhere than where a password does. Seen to be taken before.
  'https://ghp_abcdef@host/a.git', 'https://github_pat_1@host/a.git', 'https://glpat-1@host/a.git', `https://${'0'.repeat(40)}@host/a.git`, 'https://host/a.git?private_token=1', 'https://user:pa/ss@host/a.git', 'ssh://host/a.git?x=1',
])('%j is none', (url) => {
  expect(() => parseRemoteUrl(url)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

test.each(['', '.', '..', 'a..b', '-a', 'a/b', 'a b', 'a"b', 'a.lock', 'a.', 'x'.repeat(65), 'a\nb'])('%j is no name', (name) => {
  expect(() => withRemote(CONFIG_TEXT, { name, url: '/x' })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

test('whatever is accepted leaves a configuration that opens', () => {
  fc.assert(
    fc.property(fc.string(), fc.oneof(fc.webUrl(), fc.string().map((text) => `/${text}`), fc.string()), (name, url) => {
      let text: string;
      try {
        text = withRemote(CONFIG_TEXT, { name, url });
      } catch {
        return;
      }
      checkConfig(text);
      expect(readRemotes(text)).toEqual([{ name, url }]);
    }),
    { numRuns: 500 },
  );
});
