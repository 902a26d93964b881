/** The version that `--version` prints. A test holds it to package.json, which is not read at run time. */
export const VERSION = '0.1.0';
