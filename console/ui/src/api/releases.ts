import { t } from '../i18n';
import type { Beta, ConfigName, Draft } from './configs';
import { call, callAllNodes } from './http';

/** The kinds of rules, as the server names them: by addresses, a tag, labels, and a share. */
export const RULE_TYPES = ['beta', 'tag', 'label', 'percentage'] as const;
export type RuleType = (typeof RULE_TYPES)[number];

/** A release and the rule that selects its clients. */
export type ReleaseRule = { grayName: string; grayType: RuleType; grayRuleExp: string; grayPriority: number };

/** The source of the identity that a share is made by; a client without labels has none. */
export type IdentitySource = 'INSTANCE' | 'APPLICATION_AND_ADDRESS' | 'NODE';

/** A client that the rule selects; {@code before} is its present release, empty for the content for all. */
export type SelectedClient = {
  ip: string;
  /** Empty for a poll and a proxy. */
  connectionId: string;
  /** The stream of a proxy; empty for other clients. */
  proxy?: string;
  app: string;
  agent: string;
  identity?: string;
  identityBy?: IdentitySource;
  md5?: string;
  before: string;
  /** False where another release has a higher priority. */
  gets: boolean;
  node: string;
};

export type ReleasePreview = { listeners: number; selected: number; gets: number; clients: SelectedClient[] };

export const releases = {
  /** With their contents, the highest priority first. */
  list: (key: ConfigName, signal?: AbortSignal) => call<Beta[]>('GET /v3/admin/cs/config/gray', { query: key, signal }),

  preview: (key: ConfigName, rule: ReleaseRule, pageNo: number, pageSize: number, signal?: AbortSignal) =>
    callAllNodes<ReleasePreview>('GET /v3/admin/cs/config/gray/preview', { query: { ...key, ...rule, pageNo, pageSize }, signal }),

  /**
   * Publishes the content to the clients of the rule.
   *
   * @param was the release that is changed, with its rule; undefined for a new one. Another release of that name is left as it is
   */
  publish: async (key: ConfigName, rule: ReleaseRule, draft: Draft, was?: { md5: string; grayRule: string }) => {
    const present = (await releases.list(key)).find((each) => each.grayName === rule.grayName);
    if (present?.md5 !== was?.md5 || present?.grayRule !== was?.grayRule) {
      throw new Error(
        present
          ? t('The release {name} was changed meanwhile. Nothing has been published; open it again.', { name: rule.grayName })
          : t('The release {name} is gone.', { name: rule.grayName }),
      );
    }
    return call<boolean>('POST /v3/admin/cs/config', { form: { ...key, ...rule, ...draft }, headers: was ? { casMd5: was.md5 } : undefined });
  },

  remove: (key: ConfigName, grayName: string) => call<boolean>('DELETE /v3/admin/cs/config', { query: { ...key, grayName } }),
};
